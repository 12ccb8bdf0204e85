"""A bridge of one session, killed at some moment: everything it ever wrote is kept."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from tests.system.hosts import host
from tests.system.processes import PATIENCE_SECONDS, bound

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from tests.system.hosts import Host
    from tests.system.processes import Relay

__all__ = ["Bridge", "bridge"]


class Bridge:
    """A bridge process, as the agent program sees it.

    Args:
        program: just started.
        happened: called for every line it writes.
    """

    def __init__(self, program: Host, happened: Callable[[], None]) -> None:
        self.results: dict[int, str] = {}
        self.ask = program.ask
        self.kill = program.kill
        self._program = program
        self._happened = happened
        self._news = asyncio.Event()

    def greet(self) -> None:
        """Begin; what follows need not wait for the answer."""
        self._program.initialize()
        self._program.send("notifications/initialized")

    async def result(self, number: int) -> str:
        """The text of a result."""
        async with asyncio.timeout(bound(PATIENCE_SECONDS)):
            while number not in self.results:
                await self._news.wait()
        return self.results[number]

    async def read(self) -> None:
        """Keep what it writes until it is gone; a line that was cut off has not arrived."""
        async for line in self._program.lines():
            self._happened()
            if not line.endswith(b"\n"):
                return
            message = json.loads(line)
            if "result" in message and "content" in message["result"]:
                blocks = message["result"]["content"]
                self.results[message["id"]] = "\n".join(block["text"] for block in blocks)
            self._news.set()
            self._news = asyncio.Event()


@asynccontextmanager
async def bridge(
    server: Relay, token: str, home: Path, session: str, happened: Callable[[], None]
) -> AsyncIterator[Bridge]:
    """A bridge that is killed at the end; after that it has written all that it ever will."""
    environ = {"CLAUDE_CODE_SESSION_ID": session}
    async with (
        host(server.http, server.grpc, token, home, "--no-autostart", environ=environ) as program,
        asyncio.TaskGroup() as tasks,
    ):
        one = Bridge(program, happened)
        tasks.create_task(one.read())
        try:
            yield one
        finally:
            # The end of what it wrote ends the reading.
            one.kill()
