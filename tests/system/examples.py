"""The example programs as processes."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.system.processes import PATIENCE_SECONDS, own_home

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


class Example:
    """A running example, and what it prints."""

    def __init__(self, process: Process) -> None:
        self._process = process

    async def line(self) -> str:
        """The next line; empty at the end."""
        assert self._process.stdout is not None
        async with asyncio.timeout(PATIENCE_SECONDS):
            return (await self._process.stdout.readline()).decode().rstrip("\n")

    async def ended(self) -> int:
        """Its exit status."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await self._process.wait()


@asynccontextmanager
async def example(name: str, home: Path, http: int, token: str) -> AsyncIterator[Example]:
    """An example, at a relay's HTTP port."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", str(EXAMPLES / name)),
        *(f"ws://127.0.0.1:{http}/ws", "--token", token),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env=own_home(home),
    )
    try:
        yield Example(process)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()
