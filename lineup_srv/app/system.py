"""The ports for time, chance and tasks, as the machine has them."""

from __future__ import annotations

import asyncio
import secrets
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

__all__ = ["GroupTasks", "RandomIds", "SystemClock"]


class SystemClock:
    """The Clock port: the wall clock, and timers on the event loop's monotonic one."""

    def unix_ms(self) -> int:
        """The wall clock."""
        return time.time_ns() // 1_000_000

    def call_at(self, unix_ms: int, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call once, at that moment or, if it is past, at once."""
        delay_seconds = max(0, unix_ms - self.unix_ms()) / 1000
        return asyncio.get_running_loop().call_later(delay_seconds, callback)


class RandomIds:
    """The Ids port."""

    def new(self) -> str:
        """128 random bits."""
        return secrets.token_hex(16)


class GroupTasks:
    """The Tasks port over a task group: a failure there ends the relay loudly."""

    def __init__(self, group: asyncio.TaskGroup) -> None:
        """Run tasks in `group`."""
        self._group = group
        self._running: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[object, object, None]) -> None:
        """Run it to its end."""
        task = self._group.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def cancel(self) -> None:
        """End what still runs."""
        for task in self._running:
            task.cancel()
