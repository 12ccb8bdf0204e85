"""How fast one connection is read: who floods waits alone, and nothing is dropped."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lineup_srv.contract import limits

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Pace"]


class Pace:
    """A bucket of `limits.MESSAGES_AT_ONCE` that fills by `limits.MESSAGES_PER_SECOND`.

    While a connection waits for its turn nothing is read from it, so that its own network stack
    holds it back.

    Args:
        now: a monotonic clock in seconds.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        """Start with a full bucket."""
        self._now = now
        self._left = float(limits.MESSAGES_AT_ONCE)
        self._filled = now()

    async def turn(self) -> None:
        """Wait until one more message may be handled."""
        wait_seconds = self.take()
        if wait_seconds > 0:
            await asyncio.sleep(wait_seconds)

    def take(self) -> float:
        """Take one from the bucket; how long to wait for it, seconds."""
        now = self._now()
        gained = (now - self._filled) * limits.MESSAGES_PER_SECOND
        self._left = min(limits.MESSAGES_AT_ONCE, self._left + gained) - 1
        self._filled = now
        return max(0.0, -self._left / limits.MESSAGES_PER_SECOND)
