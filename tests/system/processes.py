"""Processes of ours: how they are started, watched, signalled and, whatever happens, ended."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

__all__ = [
    "PATIENCE_SECONDS",
    "Pid",
    "Relay",
    "bound",
    "own_home",
    "poll",
    "program",
    "relay",
    "until",
]

PATIENCE_SECONDS = 20.0
"""For what happens at once on a quiet machine; a bound, never a pause."""
_LOOK_SECONDS = 0.02
_KEPT = ("PATH", "LANG", "PYTHONPATH", "COVERAGE_PROCESS_START")
_SHORTENED = Path(__file__).with_name("shortened.py")

T = TypeVar("T")


def program(name: str, limits: Mapping[str, int]) -> list[str]:
    """The command of a program, with other limits if there are any."""
    if not limits:
        return [sys.executable, "-P", "-m", name]
    changes = [f"{limit}={value}" for limit, value in limits.items()]
    return [sys.executable, "-P", str(_SHORTENED), name, *changes, "--"]


def own_home(home: Path) -> dict[str, str]:
    """The environment of a program that must not find anything of anybody else."""
    home.mkdir(parents=True, exist_ok=True)
    environ = {name: value for name, value in os.environ.items() if name in _KEPT}
    for kind in ("CONFIG", "DATA", "CACHE", "STATE"):
        environ[f"XDG_{kind}_HOME"] = str(home / kind.lower())
    return environ | {"HOME": str(home)}


def bound(seconds: float) -> float:
    """What a quiet machine must keep, longer on one that does other things as well."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


async def poll(look: Callable[[], Awaitable[T]], *, within: float = PATIENCE_SECONDS) -> T:
    """What `look` gives as soon as that is true; for what nobody tells, such as another's file.

    Args:
        look: asked again and again.
        within: seconds on a quiet machine.
    """
    async with asyncio.timeout(bound(within)):
        while not (seen := await look()):  # noqa: ASYNC110 - no event there
            await asyncio.sleep(_LOOK_SECONDS)
    return seen


async def until(unix_ms: int) -> None:
    """Wait for an instant of the wall clock."""
    while (  # noqa: ASYNC110 - an instant, not an event
        left_ms := unix_ms - time.time_ns() // 1_000_000
    ) >= 0:
        await asyncio.sleep((left_ms + 1) / 1000)


class Pid:
    """A process that somebody else started. Knows it for sure, also after its number was reused."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._handle = os.pidfd_open(number)

    def send(self, number: signal.Signals) -> None:
        """Signal it, unless it is gone."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, number)

    async def gone(self, within_seconds: float = PATIENCE_SECONDS) -> None:
        """Wait for its end."""
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_reader(self._handle, ended.set)
        try:
            async with asyncio.timeout(bound(within_seconds)):
                await ended.wait()
        finally:
            loop.remove_reader(self._handle)

    def close(self) -> None:
        """Forget it."""
        os.close(self._handle)


class Relay:
    """A relay that can be killed and started again on the same data, at the same address.

    Args:
        data_dir: its data directory; its home and its log lie beside it.
        token: the only token it lets in; empty = open mode.
        limits: other limits, by name.
    """

    def __init__(self, data_dir: Path, token: str, limits: Mapping[str, int]) -> None:
        self.data_dir = data_dir
        self.http = 0
        self.grpc = 0
        self._token = token
        self._limits = limits
        self._process: Process | None = None
        self.log = data_dir.with_name(f"{data_dir.name}.log")

    async def start(self) -> None:
        """Start it; returns when it listens."""
        environ = own_home(self.data_dir.with_name(f"{self.data_dir.name}-home"))
        with self.log.open("ab") as log:
            process = self._process = await asyncio.create_subprocess_exec(
                *program("lineup_srv", self._limits),
                *("--port", str(self.http), "--grpc-port", str(self.grpc)),
                *("--data-dir", str(self.data_dir)),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env=environ | ({"LINEUP_TOKEN": self._token} if self._token else {}),
            )
        assert process.stdout is not None
        async with asyncio.timeout(bound(PATIENCE_SECONDS)):
            line = await process.stdout.readline()
        assert line, f"the relay did not start:\n{self.log.read_text()}"
        told = json.loads(line)
        assert told["event"] == "listening"
        self.http = int(told["http"].rpartition(":")[2])
        self.grpc = int(told["grpc"].rpartition(":")[2])

    async def kill(self) -> None:
        """SIGKILL; returns when it is gone."""
        assert self._process is not None
        if self._process.returncode is None:
            self._process.kill()
        await self._process.communicate()

    async def terminate(self) -> tuple[int, float]:
        """SIGTERM; returns its exit status and the seconds it took."""
        assert self._process is not None
        begun = time.monotonic()
        self._process.terminate()
        async with asyncio.timeout(bound(PATIENCE_SECONDS)):
            await self._process.communicate()
        assert self._process.returncode is not None
        return self._process.returncode, time.monotonic() - begun

    async def restart(self) -> None:
        """SIGKILL and start again."""
        await self.kill()
        await self.start()


@asynccontextmanager
async def relay(
    data_dir: Path, *, token: str = "", limits: Mapping[str, int] | None = None
) -> AsyncIterator[Relay]:
    """A running relay; killed at the end if nothing else ended it."""
    running = Relay(data_dir, token, limits or {})
    try:
        await running.start()
        yield running
    finally:
        with contextlib.suppress(AssertionError):
            await running.kill()
