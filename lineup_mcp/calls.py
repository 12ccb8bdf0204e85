"""Calls of tools on their way: brought to the relay as often as it takes, run once.

The relay keeps a call by its id, so the same call is sent again whenever the connection broke, and
what it answers is the call's latest state. No word of MCP is spoken here.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from functools import partial
from typing import TYPE_CHECKING, Final

from lineup_mcp.reaching import reach
from lineup_srv.wire._gen.lineup.v1 import relay_pb2, tool_pb2

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from lineup_mcp.lease import Lease

__all__ = ["AppCall"]

_MILLISECONDS: Final = 1000
_ENDS: Final = frozenset(
    {
        tool_pb2.CALL_PHASE_SUCCEEDED,
        tool_pb2.CALL_PHASE_FAILED,
        tool_pb2.CALL_PHASE_CANCELLED,
        tool_pb2.CALL_PHASE_EXPIRED,
    }
)


class AppCall:
    """One call of an action that the agent waits for; `hold` takes it.

    Args:
        message: the call; only its id = go on waiting for a call that another process made.
        deadline: when it ends unless the relay says otherwise, in the event loop's time.
        on_progress: told how it stands, but not of its end; must not raise.
    """

    def __init__(
        self,
        message: tool_pb2.ToolCall,
        deadline: float,
        on_progress: Callable[[tool_pb2.ToolCallUpdate], Awaitable[None]],
    ) -> None:
        self.message = message
        self.deadline = deadline
        self.outcome: asyncio.Future[relay_pb2.CallToolResponse]
        self.outcome = asyncio.get_running_loop().create_future()
        self.sent_at: float | None = None
        """When it was first sent to the relay, which may have it since."""
        self.known = False
        """The relay has it: it said so."""
        self._on_progress = on_progress
        self._task: asyncio.Task[None] | None = None

    @property
    def sent(self) -> bool:
        """The relay may have it."""
        return self.sent_at is not None

    def ended(self) -> bool:
        """Its end is known, or nobody waits for it."""
        return self.outcome.done()

    async def _hear(self, told: relay_pb2.CallToolResponse, relay_now_ms: int) -> None:
        """The relay said how it stands."""
        self.known = True
        if told.deadline_unix_ms:
            # Not always the one it was made with: a relay that was away gives more time.
            left = (told.deadline_unix_ms - relay_now_ms) / _MILLISECONDS
            self.deadline = asyncio.get_running_loop().time() + left
        if told.update.phase in _ENDS:
            if not self.outcome.done():
                self.outcome.set_result(told)
        else:
            await self._on_progress(told.update)

    def fail(self, error: Exception) -> None:
        """End it with RelayUnreachable or LineUpError; ignored if it has ended."""
        if not self.outcome.done():
            self.outcome.set_exception(error)

    def release(self) -> None:
        """Nobody waits any more; the call itself goes on."""
        if not self.outcome.done():
            self.outcome.cancel()
        elif not self.outcome.cancelled():
            # An error that nobody looked at any more is no error.
            self.outcome.exception()
        if self._task is not None:
            self._task.cancel()

    async def follow(self, lease: Lease) -> None:
        """Bring it to the relay and hear what becomes of it; a task of the lease."""
        self._task = asyncio.current_task()
        await reach(lease, self, partial(self._stream, lease))

    async def _stream(self, lease: Lease) -> bool:
        left = self.deadline - asyncio.get_running_loop().time()
        self.message.timeout_ms = max(math.ceil(left * _MILLISECONDS), 1)
        request = relay_pb2.CallToolRequest(call=self.message)
        async with contextlib.aclosing(lease.client.call_tool(request)) as responses:
            async for told in responses:
                await self._hear(told, lease.relay_now_ms())
                if self.ended():
                    break
        return self.ended()
