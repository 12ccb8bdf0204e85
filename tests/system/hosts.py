"""A host that writes JSON-RPC by itself, for what the SDK's client would never do."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from tests.system.processes import PATIENCE_SECONDS, bound, own_home, program

if TYPE_CHECKING:
    import signal
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

__all__ = ["Host", "host"]

_HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "claude-code", "version": "1"},
}


class Host:
    """A bridge process and its standard streams."""

    def __init__(self, process: Process) -> None:
        self._process = process

    def send(self, method: str, params: object = None, *, number: int | None = None) -> None:
        """Write a request, or a notification if it has no number."""
        message: dict[str, object] = {"jsonrpc": "2.0", "method": method}
        message |= {} if params is None else {"params": params}
        message |= {} if number is None else {"id": number}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")

    def initialize(self) -> None:
        """Begin the handshake; its answer has number 0."""
        self.send("initialize", _HELLO, number=0)

    def ask(self, number: int, question: str) -> None:
        """Ask; the answer has this number."""
        call = {"name": "ask_question", "arguments": {"question": question}}
        self.send("tools/call", call, number=number)

    async def receive(self) -> dict[str, Any]:
        """The next message."""
        async with asyncio.timeout(bound(PATIENCE_SECONDS)):
            line = await self.lines().readline()
        message = json.loads(line)
        assert isinstance(message, dict)
        return message

    async def text(self, number: int) -> str:
        """The text of the next message, which answers a call."""
        message = await self.receive()
        assert message["id"] == number
        return str(message["result"]["content"][0]["text"])

    async def greet(self) -> None:
        """The whole handshake."""
        self.initialize()
        assert (await self.receive())["id"] == 0
        self.send("notifications/initialized")

    def close(self) -> None:
        """Close its stdin."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    def lines(self) -> asyncio.StreamReader:
        """What it writes, line by line, for who reads all of it."""
        assert self._process.stdout is not None
        return self._process.stdout

    def kill(self) -> None:
        """SIGKILL, unless it has ended."""
        if self._process.returncode is None:
            self._process.kill()

    def signal(self, number: signal.Signals) -> None:
        """Signal it."""
        self._process.send_signal(number)

    async def ends(self) -> tuple[int, float]:
        """Its exit status and how long it took from now."""
        begun = time.monotonic()
        async with asyncio.timeout(bound(PATIENCE_SECONDS)):
            await self._process.communicate()
        assert self._process.returncode is not None
        return self._process.returncode, time.monotonic() - begun


@asynccontextmanager
async def host(
    http: int,
    grpc: int,
    token: str,
    home: Path,
    *arguments: str,
    limits: Mapping[str, int] | None = None,
    data_dir: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> AsyncIterator[Host]:
    """A bridge that was just started; killed at the end if nothing else ended it."""
    own = {**own_home(home), "LINEUP_TOKEN": token, **(environ or {})}
    if data_dir is not None:
        own["LINEUP_DATA_DIR"] = str(data_dir)
    with (home / "bridge.log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            *program("lineup_mcp", limits or {}),
            *("--port", str(http), "--grpc-port", str(grpc)),
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            env=own,
            cwd=home,
        )
    one = Host(process)
    try:
        yield one
    finally:
        one.kill()
        await process.communicate()
