"""How calls reach the relay: what every transport offers, and how its failures are told.

There are two: gRPC, and Connect over plain HTTP. Nobody above knows which one is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from lineup_srv.contract.errors import ErrorCode, LineUpError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from google.protobuf.message import Message

__all__ = ["SERVICE", "RelayUnreachable", "Transport", "failed"]

SERVICE: Final = "/lineup.v1.RelayService"

_UNREACHABLE: Final = frozenset(
    {"unavailable", "deadline_exceeded", "cancelled", "canceled", "aborted"}
)
_CODES: Final = {
    "unauthenticated": ErrorCode.UNAUTHENTICATED,
    "permission_denied": ErrorCode.UNAUTHENTICATED,
    "not_found": ErrorCode.UNKNOWN_REQUEST,
    "resource_exhausted": ErrorCode.RATE_LIMITED,
    "invalid_argument": ErrorCode.INVALID_ARGUMENT,
    "unimplemented": ErrorCode.NOT_SUPPORTED,
}

A = TypeVar("A", bound="Message")


class RelayUnreachable(Exception):
    """No relay answers, or the connection to it broke. Trying again may help."""


class Transport(Protocol):
    """A connection to one relay; it reconnects by itself."""

    target: str
    """Host and port, for people."""

    async def call(self, rpc: str, request: Message, answer: type[A], seconds: float) -> A:
        """Make a call of RelayService that has one answer.

        Raises:
            RelayUnreachable: nothing answered in time.
            LineUpError: the relay refuses.
        """
        ...

    def stream(self, rpc: str, request: Message, answer: type[A]) -> AsyncGenerator[A]:
        """Make a call of RelayService that has many answers and yield them, until it ends.

        Raises:
            RelayUnreachable: nothing answers, or the stream broke.
            LineUpError: the relay refuses.
        """
        ...

    async def close(self) -> None:
        """Drop the connection."""
        ...


def failed(status: str, message: str) -> Exception:
    """The exception for a status, lower case, that came without an error of ours."""
    if status in _UNREACHABLE:
        return RelayUnreachable(message)
    return LineUpError(_CODES.get(status, ErrorCode.UNSPECIFIED), message)
