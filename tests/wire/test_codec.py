"""Frames: what is no message is refused without a word of it, what is new is ignored."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from lineup_srv.wire.codec import MalformedFrame, decode_frame, encode_frame

SECRET = "a-secret-in-the-frame"


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\xff",
        b"\x0a\xff\xff\xff\xff\x0f",
        b"\x0a\x02\xff\xff",
        WebsocketMessage(StrParam=SECRET).SerializeToString(),
        WebsocketMessage(Cmd="Ping", StrParam=SECRET).SerializeToString()[:-1],
        f'{{"v":1,"token":"{SECRET}"}}'.encode(),
    ],
    ids=["empty", "no tag", "endless length", "no UTF-8", "no Cmd", "cut off", "JSON"],
)
@pytest.mark.requirement("seed002:wire:malformed-frames-are-ignored")
def test_a_malformed_frame_is_refused_and_nothing_of_it_is_kept(frame: bytes) -> None:
    with pytest.raises(MalformedFrame) as caught:
        decode_frame(frame)

    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_malformed(frame: bytes) -> None:
    try:
        message = decode_frame(frame)
    except MalformedFrame:
        return
    assert message.Cmd


def test_unknown_fields_are_ignored() -> None:
    newer = WebsocketMessage(Cmd="Ping", ref="r" * 16).SerializeToString() + b"\xa2\x3f\x03new"

    message = decode_frame(newer)

    assert (message.Cmd, message.ref) == ("Ping", "r" * 16)


def test_an_unknown_command_is_a_message() -> None:
    assert decode_frame(encode_frame(WebsocketMessage(Cmd="Juggle"))).Cmd == "Juggle"
