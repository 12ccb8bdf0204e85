"""The table of error codes is complete and is the wire's."""

from __future__ import annotations

import pytest

from lineup_srv.contract.errors import ERRORS, ErrorCode, ErrorEntry, Fault, LineUpError
from lineup_srv.wire._gen.lineup.v1 import error_pb2

PREFIX = "ERROR_CODE_"


def test_every_code_has_a_row() -> None:
    assert list(ERRORS) == list(ErrorCode)


def test_the_codes_are_those_of_the_wire_in_their_order() -> None:
    assert [PREFIX + code.name for code in ErrorCode] == error_pb2.ErrorCode.keys()
    assert error_pb2.ErrorCode.values() == list(range(len(ErrorCode)))


def test_the_json_spelling_of_a_code_is_its_name_in_lower_case() -> None:
    assert [code.value for code in ErrorCode] == [code.name.lower() for code in ErrorCode]


@pytest.mark.parametrize("entry", ERRORS.values(), ids=[code.value for code in ERRORS])
def test_every_row_says_what_happened_and_what_to_do_in_sentences(entry: ErrorEntry) -> None:
    for text in (entry.meaning, entry.next_step):
        assert text == text.strip()
        assert text[0].isupper() or text.startswith("`")
        assert text.endswith(".")


def test_somebody_has_to_act_wherever_something_is_wrong() -> None:
    nobody = {code for code, entry in ERRORS.items() if entry.fault is Fault.NOBODY}

    assert nobody == {
        ErrorCode.UNSPECIFIED,
        ErrorCode.ALREADY_ANSWERED,
        ErrorCode.CANCELLED,
        ErrorCode.AGENT_ENDED,
        ErrorCode.KEPT_LATE,
        ErrorCode.KEPT_UNKNOWN,
        ErrorCode.RELAY_AWAY,
    }
    assert {entry.fault for entry in ERRORS.values()} == set(Fault)


@pytest.mark.requirement("B05")
def test_an_expired_request_never_reads_as_consent() -> None:
    assert "silence is not consent" in ERRORS[ErrorCode.EXPIRED].next_step
    # Calls expire with it, too, and what comes late to those is given to nobody.
    assert "late" not in ERRORS[ErrorCode.EXPIRED].next_step


def test_an_error_carries_its_data_in_attributes() -> None:
    error = LineUpError(ErrorCode.TOO_LARGE, "has at most 30 characters", field="questions.0")

    assert (error.code, error.message) == (ErrorCode.TOO_LARGE, "has at most 30 characters")
    assert error.field == "questions.0"
    assert error.in_full == "questions.0: has at most 30 characters"
    assert str(error) == error.message
    assert error.next_step == ERRORS[ErrorCode.TOO_LARGE].next_step


def test_an_error_needs_no_field() -> None:
    error = LineUpError(ErrorCode.UNKNOWN_TOOL, "no tool x")

    assert (error.field, error.in_full) == ("", "no tool x")
