"""A bridge of one session, killed at some moment: everything it ever wrote is kept."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from tests.system.processes import PATIENCE_SECONDS, own_home, program

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from tests.system.processes import Relay

__all__ = ["Bridge", "bridge"]

_HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "claude-code", "version": "1"},
}


class Bridge:
    """A bridge process, as the agent program sees it.

    Args:
        process: just started.
        happened: called for every line it writes.
    """

    def __init__(self, process: Process, happened: Callable[[], None]) -> None:
        self.results: dict[int, str] = {}
        self._process = process
        self._happened = happened
        self._news = asyncio.Event()

    def greet(self) -> None:
        """Begin; what follows need not wait for the answer."""
        self._send({"id": 0, "method": "initialize", "params": _HELLO})
        self._send({"method": "notifications/initialized"})

    def ask(self, number: int, question: str) -> None:
        """Ask; the result gets this number."""
        call = {"name": "ask_question", "arguments": {"question": question}}
        self._send({"id": number, "method": "tools/call", "params": call})

    async def result(self, number: int) -> str:
        """The text of a result."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while number not in self.results:
                await self._news.wait()
        return self.results[number]

    async def read(self) -> None:
        """Keep what it writes until it is gone; a line that was cut off has not arrived."""
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            self._happened()
            if not line.endswith(b"\n"):
                return
            message = json.loads(line)
            if "result" in message and "content" in message["result"]:
                blocks = message["result"]["content"]
                self.results[message["id"]] = "\n".join(block["text"] for block in blocks)
            self._news.set()
            self._news = asyncio.Event()

    def kill(self) -> None:
        """SIGKILL."""
        if self._process.returncode is None:
            self._process.kill()

    def _send(self, message: dict[str, object]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


@asynccontextmanager
async def bridge(
    server: Relay, token: str, home: Path, session: str, happened: Callable[[], None]
) -> AsyncIterator[Bridge]:
    """A bridge that is killed at the end; after that it has written all that it ever will."""
    environ = {**own_home(home), "LINEUP_TOKEN": token, "CLAUDE_CODE_SESSION_ID": session}
    with (home / "bridge.log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            *program("lineup_mcp", {}),
            *("--port", str(server.http), "--grpc-port", str(server.grpc), "--no-autostart"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            env=environ,
            cwd=home,
        )
    async with asyncio.TaskGroup() as tasks:
        one = Bridge(process, happened)
        tasks.create_task(one.read())
        try:
            yield one
        finally:
            one.kill()
            await process.wait()
