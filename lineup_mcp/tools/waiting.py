"""How long a call waits: slices that fit the agent program, and signs of life meanwhile."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Final

from lineup_mcp.relay_client import RelayUnreachable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from lineup_mcp.lease import Lease
    from lineup_mcp.waits import Wait
    from lineup_srv.wire._gen.lineup.v1 import relay_pb2

    Progress = Callable[[float, float], Awaitable[None]]

__all__ = ["hold"]

_RELAY_GRACE_SECONDS: Final = 15.0
_LOOK_SECONDS: Final = 5.0
_LOOK_UNSENT_SECONDS: Final = 0.1


async def hold(
    lease: Lease,
    wait: Wait,
    *,
    slice_seconds: float | None,
    heartbeat_seconds: float,
    progress: Progress | None,
) -> relay_pb2.Outcome | None:
    """Wait for the outcome of a request that was begun.

    Args:
        lease: which `wait` was begun with.
        wait: the call's wait; its deadline may move while this waits.
        slice_seconds: how long this call may take at most; None = until the deadline.
        heartbeat_seconds: between two calls of `progress`.
        progress: told the seconds that passed and the seconds in all; None if nobody asked.

    Returns:
        the outcome, or None when the slice ended first.

    Raises:
        RelayUnreachable: no relay was there when the time was over, or none to begin with.
        LineUpError: the relay refuses the request.
    """
    clock = asyncio.get_running_loop().time
    begun = clock()
    beat = begun + heartbeat_seconds
    while True:
        slice_end = math.inf
        if slice_seconds is not None and wait.sent_at is not None:
            # A card that was not shown yet is no card to come back to.
            slice_end = max(wait.sent_at, begun) + slice_seconds
        give_up = wait.deadline + (_RELAY_GRACE_SECONDS if lease.attached else 0.0)
        until = min(slice_end, give_up if wait.sent else math.inf)
        until = min(until, beat) if progress is not None else until
        pause = None if until == math.inf else max(until - clock(), 0.0)
        # Looked at now and then: it may be sent, its deadline may move, the relay may vanish.
        look = _LOOK_SECONDS if wait.sent else _LOOK_UNSENT_SECONDS
        await asyncio.wait({wait.outcome}, timeout=look if pause is None else min(pause, look))
        now = clock()
        if wait.outcome.done():
            return wait.outcome.result()
        if now >= slice_end:
            return None
        if wait.sent and now >= wait.deadline + (_RELAY_GRACE_SECONDS if lease.attached else 0.0):
            msg = "the relay was away when the time was over"
            raise RelayUnreachable(msg)
        if progress is not None and now >= beat:
            beat = now + heartbeat_seconds
            await progress(now - begun, max(wait.deadline - begun, now - begun))
