"""The room of a caller's token, for calls that carry one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract.errors import ErrorCode, LineUpError

if TYPE_CHECKING:
    from lineup_srv.contract.ids import RoomId
    from lineup_srv.service.relay import Relay

__all__ = ["bearer_token", "room_of"]


def bearer_token(header: str) -> str:
    """The token of an Authorization header; empty if it holds none."""
    scheme, _, token = header.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


async def room_of(relay: Relay, token: str) -> RoomId:
    """The room that a token opens.

    Raises:
        LineUpError: UNAUTHENTICATED, it opens none; LOG_UNAVAILABLE.
    """
    room_id = await relay.authenticate(token) if token else None
    if room_id is None:
        raise LineUpError(ErrorCode.UNAUTHENTICATED, "unknown token")
    return room_id
