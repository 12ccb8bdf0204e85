"""The two forms of a message, binary and JSON, and what it costs to read them.

Bodies come from whoever reaches the port, before any token was seen: reading one must neither hold
the event loop nor take more memory than its limit.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from google.protobuf import json_format
from google.protobuf.message import DecodeError

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.wire.connect import unpacked

if TYPE_CHECKING:
    from google.protobuf.message import Message

__all__ = ["Form", "Reader", "accepted_types", "form_of"]

_QUICK_BYTES: Final = 8 * 1024
"""JSON up to this size is read at once: some milliseconds at worst."""

M = TypeVar("M", bound="Message")


@dataclass(frozen=True, slots=True)
class Form:
    """How the messages of one call are written.

    Args:
        content_type: of the request, and of a good answer.
        json: in JSON, else binary.
    """

    content_type: str
    json: bool

    def write(self, message: Message) -> bytes:
        """The message in this form."""
        if not self.json:
            return message.SerializeToString()
        text = json_format.MessageToJson(message, indent=None, ensure_ascii=False)
        return text.encode()


_UNARY: Final = {
    form.content_type: form
    for form in (Form("application/proto", False), Form("application/json", True))
}
_STREAM: Final = {
    form.content_type: form
    for form in (Form("application/connect+proto", False), Form("application/connect+json", True))
}


def form_of(content_type: str, *, streams: bool) -> Form | None:
    """The form that a Content-Type names; None if it is not one of Connect's for such a call."""
    name = content_type.partition(";")[0].strip().lower()
    return (_STREAM if streams else _UNARY).get(name)


def accepted_types(*, streams: bool) -> str:
    """The content types for such a call, as a header's value."""
    return ", ".join(_STREAM if streams else _UNARY)


class Reader:
    """Reads requests; what may take long is read in a thread, one at a time."""

    def __init__(self) -> None:
        """Start no thread yet."""
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="connect")

    async def read(self, kind: type[M], data: bytes, form: Form, *, packed: bool) -> M:
        """The message.

        Raises:
            LineUpError: INVALID_ARGUMENT or TOO_LARGE.
        """
        if not packed and not (form.json and len(data) > _QUICK_BYTES):
            return _read(kind, data, form, packed)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, _read, kind, data, form, packed)


def _read(kind: type[M], data: bytes, form: Form, packed: bool) -> M:
    if packed:
        data = unpacked(data, limits.MESSAGE_BYTES)
    try:
        if not form.json:
            return kind.FromString(data)
        if sum(map(data.count, (b"{", b"[", b","))) > limits.JSON_VALUES_PER_MESSAGE:
            raise LineUpError(
                ErrorCode.TOO_LARGE, f"JSON has at most {limits.JSON_VALUES_PER_MESSAGE} values"
            )
        return json_format.Parse(data, kind(), ignore_unknown_fields=True)
    except (DecodeError, json_format.ParseError, UnicodeDecodeError, RecursionError):
        # Without the parser's words, which may hold parts of the message.
        raise LineUpError(
            ErrorCode.INVALID_ARGUMENT, f"the body is no {kind.DESCRIPTOR.name}"
        ) from None
