"""The limits of incoming texts, and of outgoing messages made of many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from google.protobuf.message import Message

__all__ = ["OUTGOING_BYTES", "checked", "fitting", "named"]

OUTGOING_BYTES: Final = limits.FRAME_BYTES
"""A message that collects others stops here; what is left out is asked for again."""

M = TypeVar("M", bound="Message")


def checked(text: str, field: str, most: int = limits.NAME_CHARACTERS) -> str:
    """The text, if it is not over its limit; nothing is cut silently.

    Raises:
        LineUpError: TOO_LARGE, naming the field.
    """
    if len(text) > most:
        raise LineUpError(ErrorCode.TOO_LARGE, f"has at most {most} characters", field=field)
    return text


def named(text: str, field: str) -> str:
    """An id or a name that must be there.

    Raises:
        LineUpError: INVALID_ARGUMENT or TOO_LARGE, naming the field.
    """
    if not text:
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, "is empty", field=field)
    return checked(text, field, limits.ID_CHARACTERS)


def fitting(messages: Iterable[M], used_bytes: int = 0) -> list[M]:
    """As many messages from the start as fit into one, at least the first.

    Args:
        messages: in order of importance.
        used_bytes: what stands beside them already.
    """
    kept: list[M] = []
    size = used_bytes
    for message in messages:
        size += message.ByteSize()
        if size > OUTGOING_BYTES and (kept or used_bytes):
            break
        kept.append(message)
    return kept
