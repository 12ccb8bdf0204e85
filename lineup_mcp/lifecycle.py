"""The life of the bridge process: from the first line on stdin to an end that is always in time.

It ends at the end of the input, when nobody reads its output any more, or by SIGINT, SIGTERM or
SIGHUP: goodbye to the relay first (at most 80 ms), then what was asked before and needs no human is
still answered, then `os._exit`. A watchdog thread ends it when any of that hangs.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import os
import signal
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lineup_mcp.bridge import Bridge
from lineup_mcp.channels import EXPERIMENTAL, ChannelPort
from lineup_mcp.early import EarlyAnswers
from lineup_mcp.replies import Replies
from lineup_mcp.stdio import StdioChannel

if TYPE_CHECKING:
    from types import FrameType

    from lineup_mcp.config import BridgeConfig
    from lineup_mcp.stdio import Lines

__all__ = ["run"]

_log = logging.getLogger(__name__)

_WATCHDOG_SECONDS: Final = 0.25
_QUICK_SECONDS: Final = 0.1
_IMPORT_SECONDS: Final = 3.0
"""More time when the input ended while the SDK was still being imported: a script may have piped
its whole conversation in."""
_POLL_SECONDS: Final = 0.005
_SIGNAL_EXIT: Final = 128


def run(config: BridgeConfig, source: int, sink: int) -> None:
    """Serve one agent program on two descriptors; does not return.

    Args:
        config: the configuration.
        source: where its messages come from.
        sink: where ours go.
    """
    try:
        asyncio.run(_serve(config, source, sink))
    except Exception:
        _log.exception("the bridge failed")
    os._exit(1)


class _Ending:
    """The wish to end: set from the loop, from a signal, from a thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.begun = asyncio.Event()
        self.exit_code = 0
        self.ready = False
        """The SDK serves."""

    def input_ended(self) -> None:
        """The agent program closed its side."""
        self.watch(_WATCHDOG_SECONDS if self.ready else _IMPORT_SECONDS + _WATCHDOG_SECONDS)
        self.begun.set()

    def watch(self, seconds: float) -> None:
        """End the process then, whatever happens."""
        dog = threading.Timer(seconds, os._exit, (self.exit_code,))
        dog.daemon = True
        dog.start()

    def install(self) -> None:
        """Handle the signals of a process that is asked to end."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)
        hangup = getattr(signal, "SIGHUP", None)
        # Ignored by nohup, or absent (Windows): then a terminal that closes ends nothing.
        if hangup is not None and signal.getsignal(hangup) is not signal.SIG_IGN:
            signal.signal(hangup, self._on_signal)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        # Runs between two byte codes of the main thread, even while the loop is busy.
        self.exit_code = _SIGNAL_EXIT + number
        self.watch(_WATCHDOG_SECONDS)
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self.begun.set)


async def _serve(config: BridgeConfig, source: int, sink: int) -> None:
    ending = _Ending()
    ending.install()
    channel = StdioChannel(source, sink, on_end=ending.input_ended)
    channel.start()
    replies = Replies()
    port = ChannelPort(channel) if config.channels else None
    async with asyncio.TaskGroup() as tasks:
        bridge = Bridge(
            config,
            replies,
            tasks,
            environ=os.environ,
            working_directory=_working_directory(),
            port=port,
        )
        tasks.create_task(_serve_sdk(port or channel, replies, bridge, ending))
        await ending.begun.wait()
        await bridge.goodbye()
        if ending.exit_code == 0:
            await _finish(channel, replies, ending)
        os._exit(ending.exit_code)


async def _serve_sdk(
    channel: Lines,
    replies: Replies,
    bridge: Bridge,
    ending: _Ending,
) -> None:
    early = EarlyAnswers(bridge.listing, EXPERIMENTAL if bridge.port is not None else None)
    async with asyncio.TaskGroup() as tasks:
        collecting = tasks.create_task(early.collect(channel, replies))
        # Nothing competes with the first answer, and a probe that only knocks costs nothing.
        await early.begun.wait()
        # In a thread, so that answers go on and an end during the import is noticed.
        await asyncio.to_thread(importlib.import_module, "lineup_mcp.server")
        collecting.cancel()
    from lineup_mcp.server import serve

    ending.ready = True
    await serve(channel, replies, bridge, early)
    ending.begun.set()


async def _finish(channel: StdioChannel, replies: Replies, ending: _Ending) -> None:
    """Answer what came before the end and needs no human, within its time."""
    seconds = _QUICK_SECONDS if ending.ready else _IMPORT_SECONDS
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            # One unread item may be the end itself.
            while (  # noqa: ASYNC110 - states of two objects, for a tenth of a second
                channel.unread > 1 or replies.quick_open or not channel.drained
            ):
                await asyncio.sleep(_POLL_SECONDS)


def _working_directory() -> Path:
    try:
        return Path.cwd()
    except OSError:
        # It was removed.
        return Path("/")
