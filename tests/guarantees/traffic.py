"""Counts what has happened, so that a kill comes in the middle of it and not at a time of day."""

from __future__ import annotations

import asyncio

from tests.system.processes import PATIENCE_SECONDS

__all__ = ["Traffic"]


class Traffic:
    """What all agents and devices of a test have heard so far."""

    def __init__(self) -> None:
        self.count = 0
        self._news = asyncio.Event()

    def happened(self) -> None:
        """Somebody heard something."""
        self.count += 1
        self._news.set()
        self._news = asyncio.Event()

    async def more(self, count: int) -> None:
        """Wait until so much more has happened."""
        until = self.count + count
        async with asyncio.timeout(PATIENCE_SECONDS):
            while self.count < until:
                await self._news.wait()
