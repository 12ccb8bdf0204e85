"""JSON envelopes: read completely or refused, and what is written can be read."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.wire.envelope import Envelope, EnvelopeError, encode, parse
from lineup_srv.wire.envelope import messages as m

SECRET = "a-secret-in-the-frame"


def frame(kind: str = "text", **payload: Any) -> str:
    return json.dumps({"v": 1, "id": "msg-1", "type": kind, "payload": payload})


def refused(text: str) -> EnvelopeError:
    with pytest.raises(EnvelopeError) as caught:
        parse(text)
    return caught.value


def error_of(text: str) -> EnvelopeError | None:
    try:
        parse(text)
    except EnvelopeError as error:
        return error
    return None


whole = st.text(max_size=20)
ids = st.text(min_size=1, max_size=limits.ID_CHARACTERS)
instants = st.integers(min_value=-(2**53) + 1, max_value=2**53 - 1)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(min_value=-(2**70), max_value=2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | whole,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(whole, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(whole.filter(lambda name: name != "instance_id"), json_values, max_size=4)
answers = st.builds(
    m.Answer,
    index=st.integers(min_value=0, max_value=limits.QUESTIONS_PER_REQUEST - 1),
    labels=st.lists(whole, max_size=3).map(tuple),
    text=whole,
)
contents = st.builds(m.Content, type=st.just(m.ContentType.TEXT), text=whole) | st.builds(
    m.Content,
    type=st.sampled_from([m.ContentType.IMAGE, m.ContentType.AUDIO, m.ContentType.RESOURCE]),
    data=st.binary(min_size=1, max_size=20),
    mime_type=whole,
    uri=whole,
)
codes = st.sampled_from(ErrorCode)
payloads: st.SearchStrategy[m.Payload] = st.one_of(
    st.builds(
        m.Hello,
        name=whole,
        token=whole,
        platform=whole,
        version=whole,
        agent=whole,
        features=st.lists(whole, max_size=3).map(tuple),
        client_id=whole,
        ref=whole,
    ),
    st.builds(m.Pong, ref=whole),
    st.builds(m.Ack, ref=ids, accepted=st.booleans(), code=codes, message=whole),
    st.builds(m.Error, code=codes, message=whole, ref=whole, field=whole),
    st.builds(
        m.Text,
        content=whole.map(lambda text: f"{text}."),
        agent=whole,
        role=st.sampled_from(m.Role),
        sender=whole,
        message_id=whole,
        sent_unix_ms=instants,
        redelivered=st.booleans(),
        other_session=st.booleans(),
    ),
    st.builds(m.ToolCall, name=ids, action=ids, call_id=ids, arguments=objects),
    st.builds(
        m.ToolProgress,
        call_id=ids,
        progress=instants | st.floats(allow_nan=False, allow_infinity=False),
        total=instants | st.floats(allow_nan=False, allow_infinity=False),
        message=whole,
    ),
    st.builds(
        m.ToolResult,
        name=ids,
        action=ids,
        call_id=ids,
        result=objects.map(lambda result: {**result, "message": "done"}),
        code=codes,
    ),
    st.builds(
        m.Reply,
        request_id=ids,
        kind=st.sampled_from(m.Kind),
        message=whole.map(lambda text: f"{text}."),
        answers=st.lists(answers, max_size=3).map(tuple),
        action=st.sampled_from(m.Action),
        contents=st.lists(contents, max_size=3).map(tuple),
        agent_id=whole,
        input_json=whole,
    ),
)


@given(ids, payloads)
@pytest.mark.requirement("seed000:envelope:types")
def test_what_was_written_is_read_as_it_was(envelope_id: str, payload: m.Payload) -> None:
    envelope = Envelope(envelope_id, payload)

    assert parse(encode(envelope)) == envelope


@given(st.text(max_size=200) | json_values.map(json.dumps))
def test_any_text_is_a_message_or_refused(text: str) -> None:
    error = error_of(text)

    assert error is None or error.code is not ErrorCode.UNSPECIFIED


@given(
    st.sampled_from(["system.hello", "text", "tool.list", "lineup.v1.reply", "tool.result"]),
    st.dictionaries(
        st.sampled_from(["name", "content", "tools", "answers", "result", "action", "ref"]),
        json_values,
        max_size=4,
    ),
)
def test_any_payload_is_a_message_or_refused_with_its_path(
    kind: str, payload: dict[str, Any]
) -> None:
    error = error_of(frame(kind, **payload))

    assert error is None or (error.field.startswith("payload") and error.ref == "msg-1")


@pytest.mark.requirement("seed000:envelope:types")
def test_no_token_is_shown_when_a_hello_is_printed() -> None:
    hello = m.Hello(name="Phone", token="secret-of-a-room")

    assert "Phone" in repr(hello)
    assert hello.token not in repr(hello)


def test_unknown_fields_are_ignored_and_null_is_as_good_as_absent() -> None:
    text = json.dumps(
        {
            "v": 1,
            "id": "msg-1",
            "type": "text",
            "payload": {"content": "Hi", "agent": None, "mood": ["new"]},
            "extra": {},
        }
    )

    assert parse(text) == Envelope("msg-1", m.Text(content="Hi"))


def test_a_code_of_a_newer_peer_is_unspecified() -> None:
    read = parse(frame("error", code="melted")).payload

    assert read == m.Error(code=ErrorCode.UNSPECIFIED)


def test_whole_numbers_in_arguments_stay_exact() -> None:
    text = frame("tool.call", name="n", action="a", call_id="c", arguments={"big": 2**70})

    read = parse(text).payload

    assert isinstance(read, m.ToolCall)
    assert read.arguments["big"] == 2**70
    assert str(2**70) in encode(Envelope("msg-1", read))


@pytest.mark.requirement("seed000:envelope:errors")
def test_nesting_has_a_limit() -> None:
    def nested(levels: int) -> str:
        inner: Any = 1
        for _ in range(levels):
            inner = [inner]
        return frame("tool.call", name="n", action="a", call_id="c", arguments={"a": inner})

    # The envelope, its payload and its arguments are three.
    assert error_of(nested(limits.JSON_DEPTH - 3)) is None
    error = refused(nested(limits.JSON_DEPTH - 2))
    assert error.code is ErrorCode.TOO_LARGE
    assert error.field.startswith("payload.arguments.a[0][0]")
    assert len(error.field) < 300
    assert refused("[" * 100_000).code is ErrorCode.TOO_LARGE


@pytest.mark.requirement("seed000:envelope:errors")
def test_size_and_number_of_values_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    text = frame(content="Hi")
    monkeypatch.setattr(limits, "FRAME_BYTES", len(text) - 1)
    too_long = refused(text)
    monkeypatch.undo()
    too_many = refused("[" + "1," * limits.JSON_VALUES_PER_MESSAGE + "1]")

    assert too_long.code is too_many.code is ErrorCode.TOO_LARGE
    assert too_long.malformed
    assert too_many.malformed


def test_a_number_too_long_to_be_read_is_refused() -> None:
    assert refused(f'{{"v":{"1" * 5_000}}}').code is ErrorCode.INVALID_ARGUMENT


def test_only_what_is_no_envelope_is_malformed() -> None:
    for text in ("{", "[]", frame().replace("1", "2", 1), '{"v":1}'):
        assert refused(text).malformed
    for text in (frame(), frame("juggle")):
        assert not refused(text).malformed


@pytest.mark.parametrize(
    "text",
    [
        f'{{"v":1,"token":"{SECRET}"',
        frame(content=SECRET, role=SECRET),
        frame("system.hello", token=SECRET),
        frame("tool.receipt", call_id="c", phase=SECRET),
        frame("image", data=SECRET),
    ],
)
def test_an_error_keeps_nothing_of_the_values(text: str) -> None:
    error = refused(text)

    assert SECRET not in f"{error} {error.message} {error.field}"
    assert error.__cause__ is None
    assert error.__suppress_context__ or error.__context__ is None


def test_a_number_that_no_json_has_is_never_written() -> None:
    progress = m.ToolProgress(call_id="c", progress=float("nan"))

    with pytest.raises(ValueError, match="not JSON compliant"):
        encode(Envelope("msg-1", progress))
    assert encode(Envelope("msg-1", replace(progress, progress=1)))
