"""Requests on their way: brought to the relay as often as it takes, shown once.

The relay keeps a request by its id, so the same one is sent again whenever the connection broke.
"""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

from lineup_mcp.reaching import reach
from lineup_srv.contract import limits
from lineup_srv.wire._gen.lineup.v1 import relay_pb2

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineup_mcp.lease import Lease
    from lineup_mcp.waits import Wait

__all__ = ["bring"]


async def bring(
    lease: Lease, wait: Wait, heard: Callable[[relay_pb2.Outcome, Wait | None], None]
) -> None:
    """Open a request, or look for one that is open; `wait` gets the error if that fails.

    Args:
        lease: running.
        wait: the call that waits for it.
        heard: takes what the relay answers.
    """
    if wait.calling:
        return

    async def tell() -> bool:
        heard(await _ask(lease, wait), wait)
        wait.opened.set()
        return True

    wait.calling = True
    try:
        await reach(lease, wait, tell)
    finally:
        wait.calling = False


async def _ask(lease: Lease, wait: Wait) -> relay_pb2.Outcome:
    held_ms = limits.OPEN_WAIT_MS if wait.held else 0
    if wait.opening is None:
        await_request = relay_pb2.AwaitRequestRequest(
            request_id=wait.request_id, wait_ms=held_ms, agent_id=lease.identity.agent_id
        )
        return (await lease.client.await_request(await_request)).outcome
    seconds = max(math.ceil(wait.seconds_left(asyncio.get_running_loop().time())), 1)
    request = wait.opening(seconds)
    request.wait_ms = held_ms
    return (await lease.client.open_request(request)).outcome
