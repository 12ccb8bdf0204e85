"""Bytes ↔ protobuf for the WebSocket's binary frames."""

from __future__ import annotations

from google.protobuf.message import DecodeError

from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage

__all__ = ["MalformedFrame", "decode_frame", "encode_frame"]


class MalformedFrame(Exception):
    """The peer sent bytes that are no WebsocketMessage. Carries nothing of them."""


def decode_frame(data: bytes) -> WebsocketMessage:
    """Read one binary frame.

    Raises:
        MalformedFrame: the bytes are no WebsocketMessage with a Cmd.
    """
    try:
        message = WebsocketMessage.FromString(data)
    except DecodeError:
        raise MalformedFrame("not a WebsocketMessage") from None
    if not message.Cmd:
        raise MalformedFrame("no Cmd")
    return message


def encode_frame(message: WebsocketMessage) -> bytes:
    """Write one binary frame."""
    return message.SerializeToString()
