"""All rooms that are in memory; a room is folded when it is first used."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import CommandId
from lineup_srv.domain.commands import RelayReturned
from lineup_srv.service.ports import LogRefused
from lineup_srv.service.rooms import RoomRunner

if TYPE_CHECKING:
    from collections.abc import Collection

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.service.rooms import Outside

__all__ = ["Rooms"]

logger = logging.getLogger(__name__)


class Rooms:
    """Finds and loads rooms; idle ones beyond `limits.ROOMS_IN_MEMORY` leave memory."""

    def __init__(self, outside: Outside) -> None:
        """Load rooms with these ports."""
        self._outside = outside
        self._started_unix_ms = outside.clock.unix_ms()
        self._rooms: OrderedDict[RoomId, RoomRunner] = OrderedDict()
        self._loading: dict[RoomId, asyncio.Event] = {}

    async def get(self, room_id: RoomId) -> RoomRunner:
        """The room, loaded.

        Raises:
            LineUpError: LOG_UNAVAILABLE, the log cannot be read.
        """
        while (loading := self._loading.get(room_id)) is not None:
            await loading.wait()
        runner = self._rooms.get(room_id)
        if runner is None:
            runner = await self._load(room_id)
        self._rooms.move_to_end(room_id)
        return runner

    async def wake_all(self) -> Collection[RoomId]:
        """Load every room with an open request, so that its deadlines are watched.

        Returns:
            The rooms that could not be loaded. Nothing watches their deadlines: ask again.

        Raises:
            LogRefused: the log cannot be read at all.
        """
        failed: list[RoomId] = []
        lines = await self._outside.log.deadlines()
        for room_id in dict.fromkeys(line.room_id for line in lines):
            try:
                await self.get(room_id)
            except LineUpError as error:
                logger.error("room %s cannot be loaded: %s", room_id, error)
                failed.append(room_id)
        return failed

    def clock_jumped(self) -> None:
        """The wall clock jumped, or the machine slept: give open requests more time (§4.4)."""
        for runner in self._rooms.values():
            if runner.room.logged.open_ids or runner.room.logged.calls.live_ids:
                logger.warning("room %s: the clock jumped, near deadlines move", runner.room_id)
                command_id = CommandId(self._outside.ids.new())
                runner.submit(RelayReturned(command_id, loaded=False))
                runner.watch_deadlines()

    @property
    def needed(self) -> bool:
        """Whether anybody is connected, or a request is open or an answer undelivered."""
        return any(
            runner.room.live.members
            or runner.room.live.agents
            or runner.room.logged.open_ids
            or runner.room.logged.calls.live_ids
            or runner.room.logged.mail_ids
            or runner.room.logged.texts
            for runner in self._rooms.values()
        )

    def in_use(self) -> Collection[RoomId]:
        """Rooms that are in memory: somebody is there, or was a moment ago."""
        return set(self._rooms)

    def close(self) -> None:
        """Stop all timers."""
        for runner in self._rooms.values():
            runner.close()

    async def _load(self, room_id: RoomId) -> RoomRunner:
        done = self._loading[room_id] = asyncio.Event()
        runner = RoomRunner(room_id, self._outside)
        try:
            await runner.load()
        except BaseException as error:
            # Also when the caller is gone: a room that nobody has must not follow the log.
            runner.close()
            if isinstance(error, LogRefused):
                raise LineUpError(ErrorCode.LOG_UNAVAILABLE, str(error)) from error
            raise
        finally:
            del self._loading[room_id]
            done.set()
        self._trim()
        self._rooms[room_id] = runner
        self._greet(runner)
        return runner

    def _greet(self, runner: RoomRunner) -> None:
        """The relay was away for this room: move its deadlines, give its agents time (§4.4).

        A room that only left memory while the relay ran had no open request and has no one to
        wait for.
        """
        since_start = self._outside.clock.unix_ms() - self._started_unix_ms
        just_started = since_start < limits.AGENT_LEASE_SECONDS * 1000
        logged = runner.room.logged
        open_ones = logged.open_ids or logged.calls.live_ids
        if open_ones or (just_started and logged.mail_ids):
            command_id = CommandId(self._outside.ids.new())
            runner.submit(RelayReturned(command_id, loaded=True))

    def _trim(self) -> None:
        """Make place for one more room."""
        excess = len(self._rooms) + 1 - limits.ROOMS_IN_MEMORY
        for room_id in list(self._rooms):
            if excess <= 0:
                return
            if self._rooms[room_id].idle:
                self._rooms.pop(room_id).close()
                excess -= 1
