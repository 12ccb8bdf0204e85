"""The parts of the Connect protocol that both ends need: envelopes, packed bodies, failures.

https://connectrpc.com/docs/protocol. No I/O; the relay's handlers and the bridge's client do that.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
import zlib
from typing import TYPE_CHECKING, Final

from google.protobuf.message import DecodeError

from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.wire._gen.lineup.v1 import error_pb2
from lineup_srv.wire.codes import code_from_wire, error_detail, status_name

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "COMPRESSED",
    "END_STREAM",
    "PROTOCOL_VERSION",
    "ConnectFailure",
    "Envelopes",
    "end_of_stream",
    "enveloped",
    "failure_in_end",
    "failure_of",
    "unpacked",
]

PROTOCOL_VERSION: Final = "1"
COMPRESSED: Final = 0b01
"""Envelope flag: the message is packed."""
END_STREAM: Final = 0b10
"""Envelope flag: the message is the JSON that ends a stream."""

_HEAD: Final = struct.Struct(">BI")
_GZIP_WINDOW: Final = 31
_DETAIL_TYPE: Final = error_pb2.ErrorDetail.DESCRIPTOR.full_name


class ConnectFailure(Exception):
    """A call that ended with a Connect status.

    Args:
        status: one of the protocol's codes, such as "unavailable".
        message: what happened, for people.
        error: our own error, if the relay gave one.
    """

    def __init__(self, status: str, message: str, error: LineUpError | None = None) -> None:
        """Keep the data in attributes; see the class for the arguments."""
        super().__init__(message)
        self.status = status
        self.message = message
        self.error = error

    @classmethod
    def refusal(cls, error: LineUpError) -> ConnectFailure:
        """The failure that tells our own error."""
        return cls(status_name(error.code), error.in_full, error)

    def as_json(self) -> dict[str, object]:
        """The protocol's Error; our own error is its one detail."""
        told: dict[str, object] = {"code": self.status, "message": self.message}
        if self.error is not None:
            value = base64.b64encode(error_detail(self.error)).rstrip(b"=").decode()
            told["details"] = [{"type": _DETAIL_TYPE, "value": value}]
        return told


def failure_of(body: bytes) -> ConnectFailure | None:
    """The failure in the body of a unary answer; None if it is no Error of the protocol."""
    return _failure(_json(body))


def failure_in_end(body: bytes) -> ConnectFailure | None:
    """The failure in the message that ends a stream; None for a good end.

    Raises:
        ValueError: it is no end of a stream.
    """
    end = _json(body)
    if not isinstance(end, dict):
        raise ValueError("not the end of a stream")
    if "error" not in end:
        return None
    return _failure(end["error"]) or ConnectFailure("unknown", "the stream failed")


def end_of_stream(failure: ConnectFailure | None) -> bytes:
    """The enveloped message that ends a stream."""
    end = {} if failure is None else {"error": failure.as_json()}
    return enveloped(json.dumps(end, ensure_ascii=False).encode(), END_STREAM)


def enveloped(message: bytes, flags: int = 0) -> bytes:
    """One message of a stream."""
    return _HEAD.pack(flags, len(message)) + message


class Envelopes:
    """Takes a stream apart.

    Args:
        most_bytes: the limit of one message.
    """

    def __init__(self, most_bytes: int) -> None:
        """Start empty."""
        self._most = most_bytes
        self._data = bytearray()

    @property
    def torn(self) -> bool:
        """A message has begun and is not complete."""
        return bool(self._data)

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Take bytes in; yields flags and message of each that is complete now.

        Raises:
            LineUpError: TOO_LARGE, as soon as a message says so.
        """
        self._data += data
        while len(self._data) >= _HEAD.size:
            flags, size = _HEAD.unpack_from(self._data)
            if size > self._most:
                raise _too_large(self._most)
            end = _HEAD.size + size
            if len(self._data) < end:
                return
            message = bytes(self._data[_HEAD.size : end])
            del self._data[:end]
            yield flags, message


def unpacked(data: bytes, most_bytes: int) -> bytes:
    """The bytes in a gzip; never makes more than the limit of them.

    Raises:
        LineUpError: TOO_LARGE; or INVALID_ARGUMENT, it is not one whole gzip.
    """
    unpacker = zlib.decompressobj(wbits=_GZIP_WINDOW)
    try:
        message = unpacker.decompress(data, most_bytes + 1)
    except zlib.error:
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, "the body is no gzip") from None
    if len(message) > most_bytes:
        raise _too_large(most_bytes)
    # Several members are legal gzip, but no Connect library writes them, and a body of a million
    # empty ones would be a bomb of its own.
    if not unpacker.eof or unpacker.unused_data:
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, "the gzip is not exactly one member")
    return message


def _too_large(most_bytes: int) -> LineUpError:
    return LineUpError(ErrorCode.TOO_LARGE, f"a message has at most {most_bytes} bytes")


def _json(body: bytes) -> object:
    try:
        told: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return told


def _failure(told: object) -> ConnectFailure | None:
    if not isinstance(told, dict) or not isinstance(told.get("code"), str):
        return None
    message = told.get("message")
    details = told.get("details")
    errors = (_error(detail) for detail in (details if isinstance(details, list) else ()))
    return ConnectFailure(
        told["code"],
        message if isinstance(message, str) else told["code"],
        next((error for error in errors if error is not None), None),
    )


def _error(detail: object) -> LineUpError | None:
    if not isinstance(detail, dict) or detail.get("type") != _DETAIL_TYPE:
        return None
    value = detail.get("value")
    if not isinstance(value, str):
        return None
    try:
        # The padding is left out by most; more of it than needed is ignored.
        read = error_pb2.ErrorDetail.FromString(base64.b64decode(value + "=="))
    except (binascii.Error, ValueError, DecodeError):
        return None
    return LineUpError(code_from_wire(read.code), read.message, field=read.field)
