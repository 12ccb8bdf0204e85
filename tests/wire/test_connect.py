"""Connect's envelopes, packed bodies and failures, read and written."""

from __future__ import annotations

import base64
import gzip
import json

import pytest

from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.wire._gen.lineup.v1 import error_pb2
from lineup_srv.wire.connect import (
    END_STREAM,
    ConnectFailure,
    Envelopes,
    end_of_stream,
    enveloped,
    failure_in_end,
    failure_of,
    unpacked,
)


def body(failure: ConnectFailure) -> bytes:
    return json.dumps(failure.as_json()).encode()


def test_an_envelope_is_flags_a_length_and_the_message() -> None:
    assert enveloped(b"abc") == b"\x00\x00\x00\x00\x03abc"
    assert enveloped(b"{}", END_STREAM) == b"\x02\x00\x00\x00\x02{}"


@pytest.mark.parametrize("step", [1, 2, 4, 5, 6, 100])
def test_a_stream_is_taken_apart_wherever_it_was_cut(step: int) -> None:
    stream = enveloped(b"one") + enveloped(b"") + enveloped(bytes(20), 1)
    envelopes = Envelopes(20)

    taken = [
        message
        for begin in range(0, len(stream), step)
        for message in envelopes.feed(stream[begin : begin + step])
    ]

    assert taken == [(0, b"one"), (0, b""), (1, bytes(20))]
    assert not envelopes.torn


def test_what_has_begun_is_torn() -> None:
    envelopes = Envelopes(20)

    assert list(envelopes.feed(enveloped(b"one")[:-1])) == []
    assert envelopes.torn


def test_a_message_over_the_limit_is_refused_by_its_head() -> None:
    with pytest.raises(LineUpError) as refused:
        list(Envelopes(20).feed(b"\x00\x00\x00\x00\x15"))

    assert refused.value.code is ErrorCode.TOO_LARGE


def test_a_gzip_is_unpacked_up_to_its_limit() -> None:
    assert unpacked(gzip.compress(bytes(100)), 100) == bytes(100)
    assert unpacked(gzip.compress(b""), 100) == b""

    with pytest.raises(LineUpError) as refused:
        unpacked(gzip.compress(bytes(101)), 100)

    assert refused.value.code is ErrorCode.TOO_LARGE


@pytest.mark.parametrize(
    "data",
    [b"x", b"not a gzip at all", gzip.compress(b"a")[:-1], gzip.compress(b"a") * 2],
    ids=["short", "other", "cut", "two"],
)
def test_what_is_not_one_gzip_is_invalid(data: bytes) -> None:
    with pytest.raises(LineUpError) as refused:
        unpacked(data, 100)

    assert refused.value.code is ErrorCode.INVALID_ARGUMENT


@pytest.mark.parametrize("code", list(ErrorCode))
def test_every_error_of_ours_survives_the_way(code: ErrorCode) -> None:
    sent = ConnectFailure.refusal(LineUpError(code, "why", field="a.b"))

    for read in (failure_of(body(sent)), failure_in_end(end_of_stream(sent)[5:])):
        assert read is not None
        assert (read.status, read.message, str(read)) == (sent.status, "a.b: why", "a.b: why")
        assert read.error is not None
        assert (read.error.code, read.error.message, read.error.field) == (code, "why", "a.b")


def test_a_failure_without_an_error_of_ours_has_no_details() -> None:
    told = ConnectFailure("unavailable", "busy").as_json()

    assert told == {"code": "unavailable", "message": "busy"}


def test_a_good_end_has_no_failure() -> None:
    assert end_of_stream(None) == b"\x02\x00\x00\x00\x02{}"
    assert failure_in_end(b'{"metadata": {"a": ["b"]}}') is None


@pytest.mark.parametrize("error", [b"null", b"{}", b'{"code": null}', b"[]"])
def test_a_malformed_error_at_the_end_is_still_a_failure(error: bytes) -> None:
    failure = failure_in_end(b'{"error": ' + error + b"}")

    assert failure is not None
    assert failure.status == "unknown"


@pytest.mark.parametrize("end", [b"", b"no", b"[]", b"\xff", 100_000 * b"["])
def test_what_is_no_end_says_so(end: bytes) -> None:
    with pytest.raises(ValueError, match="not the end of a stream"):
        failure_in_end(end)


@pytest.mark.parametrize("told", [b"", b"<html>", b"[]", b"{}", b'{"code": 7}', b'{"code": null}'])
def test_what_is_no_error_of_the_protocol_is_none(told: bytes) -> None:
    assert failure_of(told) is None


def test_a_message_may_be_missing() -> None:
    failure = failure_of(b'{"code": "unavailable", "message": null}')

    assert failure is not None
    assert failure.message == "unavailable"


DETAIL = error_pb2.ErrorDetail(code=error_pb2.ERROR_CODE_EXPIRED).SerializeToString()


@pytest.mark.parametrize(
    "details",
    [
        "no list",
        ["no object"],
        [{"type": "google.rpc.RetryInfo", "value": "CgIIPA"}],
        [{"type": "lineup.v1.ErrorDetail"}],
        [{"type": "lineup.v1.ErrorDetail", "value": 7}],
        [{"type": "lineup.v1.ErrorDetail", "value": "a"}],
        [{"type": "lineup.v1.ErrorDetail", "value": "/w"}],
        [{"type": "lineup.v1.ErrorDetail", "value": "ä"}],
    ],
    ids=repr,
)
def test_details_that_are_not_ours_are_left_alone(details: object) -> None:
    failure = failure_of(json.dumps({"code": "unavailable", "details": details}).encode())

    assert failure is not None
    assert failure.error is None


@pytest.mark.parametrize("padding", [b"", b"=", b"=="])
def test_padding_may_be_there_or_not(padding: bytes) -> None:
    value = (base64.b64encode(DETAIL).rstrip(b"=") + padding).decode()
    other = {"type": "google.rpc.RetryInfo", "value": "CgIIPA", "debug": {}}
    ours = {"type": "lineup.v1.ErrorDetail", "value": value}

    failure = failure_of(json.dumps({"code": "aborted", "details": [other, ours]}).encode())

    assert failure is not None
    assert failure.error is not None
    assert failure.error.code is ErrorCode.EXPIRED
