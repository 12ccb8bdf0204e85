"""What comes in on a WebSocket before it is known in which form it speaks."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from lineup_srv.contract import limits

if TYPE_CHECKING:
    from starlette.types import Message, Receive

    from lineup_srv.service.ports import Clock

__all__ = ["FirstFrame", "MalformedFrames"]

_MINUTE_MS = 60_000


class FirstFrame:
    """Looks at a socket's first frame; `receive` gives it again, then all others."""

    def __init__(self, receive: Receive) -> None:
        """Look at what `receive` gives."""
        self._receive = receive
        self._first: Message | None = None

    async def is_text(self, until: float) -> bool:
        """Whether it is a text frame; False too if there is none until then (loop time)."""
        try:
            async with asyncio.timeout_at(until):
                self._first = await self._receive()
        except TimeoutError:
            return False
        return self._first.get("text") is not None

    async def receive(self) -> Message:
        """The next event of the socket."""
        first, self._first = self._first, None
        return await self._receive() if first is None else first


class MalformedFrames:
    """Counts a connection's malformed frames."""

    def __init__(self, clock: Clock) -> None:
        """Count by this clock."""
        self._clock = clock
        self._times: deque[int] = deque(maxlen=limits.MALFORMED_FRAMES_PER_MINUTE)

    def one_too_many(self) -> bool:
        """Count one more; whether there were too many within a minute."""
        now = self._clock.unix_ms()
        self._times.append(now)
        return len(self._times) == self._times.maxlen and now - self._times[0] < _MINUTE_MS
