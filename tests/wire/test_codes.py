"""Error codes have the same names on both sides of the wire."""

from __future__ import annotations

import pytest

from lineup_srv.contract.errors import ERRORS, ErrorCode, LineUpError
from lineup_srv.wire._gen.lineup.v1 import error_pb2
from lineup_srv.wire.codes import ERROR_METADATA_KEY, code_from_wire, code_to_wire, error_detail


def test_both_sides_know_the_same_codes() -> None:
    assert {f"ERROR_CODE_{code.name}" for code in ErrorCode} == set(error_pb2.ErrorCode.keys())


@pytest.mark.parametrize("code", ErrorCode)
def test_a_code_comes_back_as_itself(code: ErrorCode) -> None:
    number = code_to_wire(code)

    assert error_pb2.ErrorCode.Name(number) == f"ERROR_CODE_{code.name}"
    assert code_from_wire(number) is code


def test_the_code_of_a_newer_peer_is_unspecified() -> None:
    assert code_from_wire(9_999) is ErrorCode.UNSPECIFIED


def test_the_detail_of_a_failed_call_says_code_words_next_step_and_field() -> None:
    error = LineUpError(ErrorCode.TOO_LARGE, "at most 3", field="Request.x")

    detail = error_pb2.ErrorDetail.FromString(error_detail(error))

    assert detail == error_pb2.ErrorDetail(
        code=error_pb2.ERROR_CODE_TOO_LARGE,
        message="at most 3",
        next_step=ERRORS[ErrorCode.TOO_LARGE].next_step,
        field="Request.x",
    )
    assert ERROR_METADATA_KEY.endswith("-bin")  # gRPC carries bytes under such keys only
