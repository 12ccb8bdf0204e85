"""Relays as processes, each on free ports with a data directory of its own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

START_SECONDS = 20
STOP_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Address:
    """Where a relay listens."""

    http: str
    grpc: str


@contextlib.asynccontextmanager
async def relay(data_dir: Path) -> AsyncIterator[Address]:
    """Our relay, durable as always."""
    arguments = ("-m", "lineup_srv", "--port", "0", "--data-dir", str(data_dir))
    async with _process(*arguments, "--log-level", "warning") as address:
        yield address


@contextlib.asynccontextmanager
async def minimal_relay() -> AsyncIterator[Address]:
    """The floor."""
    async with _process("-m", "tests.bench.minimal_relay") as address:
        yield address


@contextlib.asynccontextmanager
async def _process(*arguments: str) -> AsyncIterator[Address]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(START_SECONDS):
            line = json.loads(await process.stdout.readline())
        yield Address(line["http"], line["grpc"])
    finally:
        process.terminate()
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
