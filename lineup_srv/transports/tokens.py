"""The room of a caller's token, for calls that carry one."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final

from lineup_srv.contract.errors import ErrorCode, LineUpError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.service.relay import Relay

__all__ = ["bearer_token", "revocable", "room_of"]

_REVOKED: Final = "the token was revoked or has expired"


def bearer_token(header: str) -> str:
    """The token of an Authorization header; empty if it holds none."""
    scheme, _, token = header.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


async def room_of(relay: Relay, token: str) -> RoomId:
    """The room that a token opens.

    If the token ends before the task that asks does, the task is cancelled: see `revocable`.

    Raises:
        LineUpError: UNAUTHENTICATED, it opens none; LOG_UNAVAILABLE.
    """
    room_id = await relay.authenticate(token) if token else None
    if room_id is None:
        raise LineUpError(ErrorCode.UNAUTHENTICATED, "unknown token")
    task = asyncio.current_task()
    assert task is not None
    over = relay.admissions.add(token, lambda: task.cancel(_REVOKED))
    task.add_done_callback(lambda _: over())
    return room_id


@contextlib.contextmanager
def revocable() -> Iterator[None]:
    """A call that was let in by `room_of`: the end of its token becomes its refusal.

    Raises:
        LineUpError: UNAUTHENTICATED, the token was revoked or has expired.
    """
    try:
        yield
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if error.args != (_REVOKED,) or task is None:
            raise
        task.uncancel()
        raise LineUpError(ErrorCode.UNAUTHENTICATED, _REVOKED) from None
