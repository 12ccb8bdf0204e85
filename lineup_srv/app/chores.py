"""What the relay does now and then, as long as it runs."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING

from lineup_srv.miniapps import folders_in
from lineup_srv.service.clock_watch import ClockWatch
from lineup_srv.service.ports import LogRefused, LogUnknown

if TYPE_CHECKING:
    from pathlib import Path

    from lineup_srv.logs.sqlite import SqliteStore
    from lineup_srv.miniapps import MiniAppFolders
    from lineup_srv.service.ports import Clock
    from lineup_srv.service.relay import Relay

__all__ = [
    "end_when_idle",
    "sweep",
    "tell_of_miniapps",
    "wake_rooms",
    "watch_clock",
    "watch_tokens",
]

logger = logging.getLogger(__name__)

WAKE_SECONDS = 1
WAKE_MOST_SECONDS = 60
"""A room that stays unreadable is looked at this often."""
SWEEP_SECONDS = 600
TOKENS_SECONDS = 1
CLOCK_SECONDS = 1
IDLE_LOOK_SECONDS = 30


async def wake_rooms(relay: Relay) -> None:
    """Watch the deadlines of all open requests, as soon as the log and each room can be read."""
    pause = WAKE_SECONDS
    while True:
        try:
            if not await relay.rooms.wake_all():
                return
        except LogRefused as error:
            logger.error("open requests cannot be read; it is tried again: %s", error)
        await asyncio.sleep(pause)
        pause = min(2 * pause, WAKE_MOST_SECONDS)


async def watch_clock(clock: Clock, relay: Relay) -> None:
    """Compare the clocks once a second."""
    watch = ClockWatch(clock, lambda: time.monotonic() * 1000, relay.rooms.clock_jumped)
    while True:
        await asyncio.sleep(CLOCK_SECONDS)
        watch.check()


async def end_when_idle(idle_seconds: float, relay: Relay, stop: asyncio.Event) -> None:
    """End a relay that a bridge started and that nobody has needed for long (design §9)."""
    if not idle_seconds:
        return
    idle_since = time.monotonic()
    while time.monotonic() - idle_since < idle_seconds:
        await asyncio.sleep(min(IDLE_LOOK_SECONDS, idle_seconds))
        if relay.rooms.needed:
            idle_since = time.monotonic()
    logger.info("nobody has needed the relay for %d s, it ends", idle_seconds)
    stop.set()


async def watch_tokens(store: SqliteStore, relay: Relay) -> None:
    """Act on tokens that another process changed, and on those that expire."""
    while True:
        await asyncio.sleep(TOKENS_SECONDS)
        try:
            change = await store.tokens.refresh()
            ended = relay.admissions.end(store.tokens.ended)
            if ended:
                logger.info("%d connections and calls ended with their token", ended)
            if change is not None:
                await store.tokens.confirm(change)
        except (LogRefused, LogUnknown) as error:
            logger.warning("the tokens cannot be read; it is tried again: %s", error)


async def sweep(store: SqliteStore, relay: Relay) -> None:
    """Drop what is too old."""
    while True:
        await asyncio.sleep(SWEEP_SECONDS)
        try:
            await store.sweep(relay.rooms.in_use())
        except Exception:
            logger.exception("the sweep failed; it is tried again")


async def tell_of_miniapps(miniapps: MiniAppFolders, given: Path | None) -> None:
    """Log with the start, and not with the first page, which MiniApps cannot be used.

    Args:
        miniapps: logs what it leaves out when it reads.
        given: the folder that somebody named; None: nobody did.
    """
    await asyncio.to_thread(miniapps.read)
    if given is not None and not await asyncio.to_thread(folders_in, given):
        logger.warning("no MiniApp: neither %s nor a folder in it has a manifest.json", given)
