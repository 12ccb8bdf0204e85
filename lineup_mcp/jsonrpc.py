"""Lines of JSON-RPC 2.0: bytes to messages and back. Pure; knows no method of MCP.

What cannot be a message becomes the error that JSON-RPC wants as its answer. Lone surrogates, which
JSON allows and UTF-8 does not, are replaced on the way in and on the way out: strict readers on
the other side would otherwise refuse the whole line.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final, NoReturn

__all__ = [
    "INVALID_REQUEST",
    "METHOD_NOT_FOUND",
    "PARSE_ERROR",
    "Malformed",
    "Message",
    "encode",
    "parse",
]

Message = dict[str, object]
"""One JSON-RPC message as JSON gives it."""

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601


@dataclass(frozen=True, slots=True)
class Malformed:
    """A line that is no message.

    Args:
        code: PARSE_ERROR or INVALID_REQUEST.
        message: why, for people.
        request_id: the id it carried, so that the sender can tell; None if it has none.
    """

    code: int
    message: str
    request_id: str | int | None = None

    def answer(self) -> Message:
        """The error response for it."""
        error = {"code": self.code, "message": self.message}
        return {"jsonrpc": "2.0", "id": self.request_id, "error": error}


def parse(line: bytes) -> Message | Malformed:
    """Read one line without its line end."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        return Malformed(PARSE_ERROR, "Parse error: not UTF-8")
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        return Malformed(PARSE_ERROR, "Parse error: nested too deeply")
    except ValueError:
        return Malformed(PARSE_ERROR, "Parse error: not JSON")
    if "\\u" in text:
        value = _without_lone_surrogates(value)
    return _check(value)


def encode(message: Message) -> bytes:
    """One line, with its line end."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return text.encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return _repair(text).encode("utf-8") + b"\n"


def _check(value: object) -> Message | Malformed:
    """Whether it has the shape of a request, notification or response."""
    if not isinstance(value, dict):
        return Malformed(INVALID_REQUEST, "Invalid request: not an object (no batches)")
    request_id = value.get("id")
    known_id = request_id if isinstance(request_id, str | int) else None
    if isinstance(request_id, bool):
        known_id = None
    if value.get("jsonrpc") != "2.0":
        return Malformed(INVALID_REQUEST, 'Invalid request: "jsonrpc" is not "2.0"', known_id)
    if "method" in value:
        if not isinstance(value["method"], str):
            return Malformed(INVALID_REQUEST, 'Invalid request: "method" is no text', known_id)
        if "id" in value and known_id is None:
            return Malformed(INVALID_REQUEST, 'Invalid request: "id" is no text or whole number')
        if not isinstance(value.get("params") or {}, dict):
            return Malformed(INVALID_REQUEST, 'Invalid request: "params" is no object', known_id)
        return value
    if "result" in value or "error" in value:
        return value
    return Malformed(INVALID_REQUEST, 'Invalid request: no "method"', known_id)


def _refuse_constant(name: str) -> NoReturn:
    msg = f"{name} is not JSON"
    raise ValueError(msg)


def _without_lone_surrogates(value: object) -> object:
    if isinstance(value, str):
        return value if value.isascii() else _repair(value)
    if isinstance(value, list):
        return [_without_lone_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_repair(key): _without_lone_surrogates(item) for key, item in value.items()}
    return value


def _repair(text: str) -> str:
    """U+FFFD for every lone surrogate; pairs become the character they mean."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
