"""One run of `lineup-mcp hook`: ends in time and with one answer, whatever hangs."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Final

from lineup_mcp.hooks import Hooks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lineup_mcp.config import BridgeConfig
    from lineup_mcp.hook_events import HookEvent

    Output = Mapping[str, object] | None

__all__ = ["MARGIN_SECONDS", "SECONDS", "HookRun", "write"]

SECONDS: Final = 20
"""How long a hook takes at most that nobody has to decide; the installer gives it half a minute."""
MARGIN_SECONDS: Final = 10
"""Between the end of a card and the end of its hook."""


class HookRun:
    """One run of the command; ends the process in time.

    Args:
        config: where the relay is.
        undecided: makes the output when nobody decided, from the reason.
    """

    def __init__(self, config: BridgeConfig, undecided: Callable[[str], Output]) -> None:
        self._config = config
        self._undecided = undecided
        self._said = threading.Lock()

    def run(self, event: HookEvent, timeout: int) -> None:
        """Answer, and end the process if something hangs."""
        decides = event.name == "PermissionRequest"
        seconds = timeout + MARGIN_SECONDS if decides else SECONDS
        late = self._undecided("Nobody answered in time.") if decides else None
        dog = threading.Timer(seconds, self._end, (late,))
        dog.daemon = True
        dog.start()
        asyncio.run(self._answer(event, answer_seconds=timeout))
        dog.cancel()

    async def _answer(self, event: HookEvent, *, answer_seconds: int) -> None:
        hooks = Hooks(self._config, environ=os.environ, put=self._put, undecided=self._undecided)
        loop = asyncio.get_running_loop()
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(hooks.run(event, within_seconds=answer_seconds))
            # The program decided in its own window, or ends: the card has to go.
            for number in (signal.SIGINT, signal.SIGTERM):
                with contextlib.suppress(NotImplementedError):
                    loop.add_signal_handler(number, running.cancel)

    def _put(self, output: Output) -> None:
        """Write the output, the first one only."""
        if self._said.acquire(blocking=False):
            write(output)

    def _end(self, output: Output) -> None:
        with contextlib.suppress(OSError):
            self._put(output)
        os._exit(0)


def write(output: Output) -> None:
    """Say something to the agent program; None = nothing."""
    if output is not None:
        sys.stdout.buffer.write(json.dumps(output).encode() + b"\n")
        sys.stdout.buffer.flush()
