"""Relays as processes, each on free ports with a data directory of its own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

START_SECONDS = 60
STOP_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Address:
    """Where a relay listens."""

    http: str
    grpc: str


@dataclass(frozen=True, slots=True)
class Running:
    """A relay that listens."""

    address: Address
    pid: int

    def resident_kib(self) -> int:
        """How much memory it has in use (Linux only)."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
        raise RuntimeError("the system does not tell how much memory a process has")


@contextlib.asynccontextmanager
async def relay(data_dir: Path) -> AsyncIterator[Running]:
    """Our relay, durable as always."""
    arguments = ("-m", "lineup_srv", "--port", "0", "--data-dir", str(data_dir))
    async with _process(*arguments, "--log-level", "error") as running:
        yield running


@contextlib.asynccontextmanager
async def minimal_relay() -> AsyncIterator[Running]:
    """The floor of asking."""
    async with _process("-m", "tests.bench.minimal_relay") as running:
        yield running


@contextlib.asynccontextmanager
async def bare_broadcast() -> AsyncIterator[Running]:
    """The floor of broadcasting."""
    async with _process("-m", "tests.bench.bare_broadcast") as running:
        yield running


@contextlib.asynccontextmanager
async def _process(*arguments: str) -> AsyncIterator[Running]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(START_SECONDS):
            line = json.loads(await process.stdout.readline())
        yield Running(Address(line["http"], line["grpc"]), process.pid)
    finally:
        process.terminate()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
