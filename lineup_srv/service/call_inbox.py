"""What one caller still has to hear of its call: bounded, because progress replaces progress."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from lineup_srv.domain.call_effects import TellCall

if TYPE_CHECKING:
    from lineup_srv.domain.call import Call

__all__ = ["CallInbox"]


class CallInbox:
    """Filled by the room, emptied by the caller's stream; the end of the call is its last item."""

    def __init__(self) -> None:
        """Begin empty."""
        self._told: deque[TellCall] = deque()
        self._filled = asyncio.Event()

    def put(self, told: TellCall) -> None:
        """Add what happened; never waits."""
        if self._told and self._told[-1].progress is not None and told.progress is not None:
            self._told.pop()
        self._told.append(told)
        self._filled.set()

    def begin(self, call: Call) -> None:
        """How the call stands when the caller comes, before all else."""
        self._told.appendleft(TellCall(call, None))
        self._filled.set()

    async def next(self) -> TellCall:
        """The next item; waits for it."""
        await self._filled.wait()
        told = self._told.popleft()
        if not self._told:
            self._filled.clear()
        return told
