"""One room at work: decides at once, logs in order, and lets out results when they are durable.

A command is decided on the tentative state as soon as it comes; its facts join the queue of
appends. What it leads to waits until everything it was decided on has committed. One exception:
a new card is shown at once (design §2.1).
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ERRORS, ErrorCode
from lineup_srv.contract.ids import CommandId, Ref, RequestId
from lineup_srv.domain.acks import RefCommand
from lineup_srv.domain.call_effects import CatalogTouched
from lineup_srv.domain.commands import DeadlineReached, HandOver, LeaseEnded
from lineup_srv.domain.decision import Refused
from lineup_srv.domain.effects import Only, SendAck
from lineup_srv.domain.effects_of import changes_of, effects_of
from lineup_srv.domain.fold import apply_change
from lineup_srv.domain.room import handle, record
from lineup_srv.domain.state import Live, Logged, Room
from lineup_srv.domain.unlogged import withdraw
from lineup_srv.service.delivery import Delivery
from lineup_srv.service.devices import DeviceList
from lineup_srv.service.entries import KEPT, Entry, take_back, undo_of
from lineup_srv.service.folding import read_room, read_tail
from lineup_srv.service.ports import Conflict, LogRefused, LogUnknown
from lineup_srv.service.room_calls import RoomCalls
from lineup_srv.service.timers import Timers

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from lineup_srv.contract.ids import AgentId, RoomId
    from lineup_srv.domain.commands import Command
    from lineup_srv.domain.decision import Result
    from lineup_srv.domain.facts import Fact
    from lineup_srv.service.bodies import Bodies
    from lineup_srv.service.entries import Kept
    from lineup_srv.service.ports import (
        Clock,
        DeviceOutbox,
        Ids,
        KnownDevices,
        LoggedFact,
        Metrics,
        RoomLog,
        RoomSettings,
        Schemas,
        Secrets,
        Tasks,
    )

__all__ = ["Outside", "RoomRunner"]

logger = logging.getLogger(__name__)

# A disk that leaves it open so often is broken: the room reads the log and refuses what is missing.
UNKNOWN_TRIES = 5


@dataclass(frozen=True, slots=True)
class Outside:
    """The ports a room works with."""

    log: RoomLog
    bodies: Bodies
    devices: DeviceOutbox
    clock: Clock
    ids: Ids
    tasks: Tasks
    metrics: Metrics
    settings: RoomSettings
    known: KnownDevices
    secrets: Secrets
    schemas: Schemas


class RoomRunner:
    """Runs one room. Made by `Rooms`; `load` before the first command."""

    def __init__(self, room_id: RoomId, outside: Outside) -> None:
        """Prepare an empty room; `load` reads its log."""
        self.room_id = room_id
        self.room = Room(Logged(), Live())
        self._outside = outside
        self._committed = 0
        self._queue: deque[Entry] = deque()
        self._flying: list[Entry] = []
        self._appending: Awaitable[int]
        self._again: list[Kept] = []
        self._working = False
        self._stale = False
        self._foreign = False
        self._round_over = asyncio.Event()
        self._looking_up = asyncio.Lock()
        self._unfollow: Callable[[], None] = lambda: None
        self.timers = Timers(outside.clock, self._deadline_due, self._lease_due, self._retry_due)
        self.calls = RoomCalls(self, outside)
        self.delivery = Delivery(self, outside)
        self.devices = DeviceList(self, outside)

    async def load(self) -> None:
        """Read the log and watch every open deadline.

        Raises:
            LogRefused: the log cannot be read.
        """
        self._working = True  # what others append meanwhile is delivered when the room is read
        self._unfollow = self._outside.log.follow(self.room_id, self._followed)
        self.room.logged = await read_room(self._outside.log, self.room_id)
        self._committed = self.room.logged.last_seq
        if self.room.logged.calls.remembered:
            # There is a catalog before the first device comes.
            apply_change(self.room.live, CatalogTouched(self._outside.clock.unix_ms()))
        self.watch_deadlines()
        self._working = False
        if self._foreign:
            self._work()

    def watch_deadlines(self) -> None:
        """Set the timer of every open request and call by the wall clock as it is now."""
        for request in self.room.logged.open_requests():
            self.timers.set_deadline(request.request_id, request.deadline_unix_ms)
        self.calls.watch()

    def close(self) -> None:
        """Stop timers; what is queued still commits."""
        self._unfollow()
        self.timers.close()
        self.calls.close()
        self.delivery.close()
        self.devices.close()

    @property
    def committed(self) -> int:
        """The room's newest durable log number."""
        return self._committed

    @property
    def idle(self) -> bool:
        """Whether nothing would be missed if the room left memory."""
        live = self.room.live
        busy = self._working or self._queue or live.members or live.agents
        return not busy and self.timers.idle and self.calls.idle

    def submit(self, command: Command) -> asyncio.Future[Result | None]:
        """Decide a command now. The future gives its result when that is durable.

        It never raises: a failure is `Refused`, with LOG_UNAVAILABLE or RATE_LIMITED.
        """
        entry = Entry(command, asyncio.get_running_loop().create_future())
        full = len(self._queue) >= limits.PENDING_COMMANDS_PER_ROOM
        if full and not isinstance(command, KEPT):
            return self._turn_away(entry, ErrorCode.RATE_LIMITED)
        if not self._stale:
            self._decide(entry)
            if self._settle_at_once(entry):
                return entry.future
        self._queue.append(entry)
        self._work()
        return entry.future

    async def submit_with_ref(
        self, command: RefCommand, look_up: Callable[[Room], bool]
    ) -> asyncio.Future[Result | None]:
        """Submit a command whose ref the log may know; `look_up` says whether that matters."""
        await self._ref_free(command.ref)
        if not look_up(self.room):
            return self.submit(command)
        # One at a time, or two resends could both find nothing and both be kept.
        async with self._looking_up:
            await self._ref_free(command.ref)
            try:
                first = await self._outside.log.find_ref(self.room_id, command.ref)
            except LogRefused as error:
                logger.error("room %s: the log cannot be read: %s", self.room_id, error)
                entry = Entry(command, asyncio.get_running_loop().create_future())
                return self._turn_away(entry, ErrorCode.LOG_UNAVAILABLE)
            return self.submit(replace(command, first_ack=first))

    async def _ref_free(self, ref: Ref) -> None:
        """Wait until no command with this ref is undecided or uncommitted."""
        while ref and any(
            isinstance(entry.command, RefCommand) and entry.command.ref == ref
            for entry in (*self._flying, *self._queue)
        ):
            await self._round_over.wait()

    def _turn_away(self, entry: Entry, code: ErrorCode) -> asyncio.Future[Result | None]:
        """Refuse a command that was not even decided; one with a ref gets its Ack."""
        meaning = ERRORS[code].meaning
        command = entry.command
        if isinstance(command, RefCommand) and command.ref:
            to = Only(command.by.client_id)
            self.delivery.emit_early([SendAck(to, command.ref, False, code, meaning, 0)])
        entry.settle(Refused(code, meaning))
        return entry.future

    # Deciding ----------------------------------------------------------------------------------

    def _decide(self, entry: Entry) -> None:
        decision = handle(self.room, entry.command, self._outside.clock.unix_ms())
        entry.decision = decision
        entry.undo = undo_of(self.room.live, decision.changes)
        record(self.room, decision)
        self.delivery.note(decision.changes)
        self.devices.note(decision.changes)
        self.delivery.emit_early(decision.early)

    def _settle_at_once(self, entry: Entry) -> bool:
        """Let out a decision that waits for nothing."""
        if entry.decision.facts or self._working or not self.delivery.try_emit(entry.effects):
            return False
        self.delivery.tell_counts()
        entry.settle(entry.decision.result)
        return True

    def _work(self) -> None:
        if not self._working:
            self._working = True
            self._outside.tasks.start(self._run())

    async def _run(self) -> None:
        """Append and deliver until nothing is queued or in flight."""
        try:
            while self._queue or self._foreign or self._flying:
                await self._round()
        finally:
            self._working = False

    async def _round(self) -> None:
        await self.delivery.emit_deferred()
        if not self._flying:
            self._take_off(self._committed)
        if self._flying:
            await self._land()
        else:
            await self._reload(failed=False)
        self.delivery.tell_counts()
        self._round_over.set()
        self._round_over = asyncio.Event()

    def _take_off(self, after_seq: int) -> None:
        """Begin to append what is queued, unless the log must be read first."""
        if self._stale or self._foreign:
            return
        self._flying = list(self._queue)
        self._queue.clear()
        facts = self._flying_facts()
        if facts:
            self._appending = self._outside.log.append(self.room_id, after_seq, facts)

    async def _land(self) -> None:
        """Wait until what flies is durable, and tell everyone."""
        facts, landed = self._flying_facts(), self._flying
        try:
            if facts:
                await self._durable(facts)
        except Conflict:
            logger.info("room %s: another relay appended, deciding again", self.room_id)
            await self._reload(failed=False)
            self._flying = []
        except (LogRefused, LogUnknown) as error:
            logger.error("room %s: the log cannot be written: %s", self.room_id, error)
            await self._reload(failed=True)
            self._flying = []
        else:
            self._flying = []
            if not self.delivery.defers:
                # Before anybody is told of these, so that the next commit runs meanwhile.
                self._take_off(self._committed + len(facts))
            for entry in landed:
                await self._deliver(entry)

    async def _durable(self, facts: Sequence[Fact]) -> None:
        """Wait for the append; ask again with the same ids while it is not known how it went."""
        tries = 1
        while True:
            try:
                with self._outside.metrics.committing():
                    await self._appending
                    return
            except LogUnknown:
                if tries == UNKNOWN_TRIES:
                    raise
            tries += 1
            self._appending = self._outside.log.append(self.room_id, self._committed, facts)

    async def _deliver(self, entry: Entry) -> None:
        """Everything the entry was decided on is durable: tell everyone."""
        for fact in entry.decision.facts:
            self._committed += 1
            await self._deliver_fact(fact, self._committed)
        await self.delivery.emit(entry.effects)
        entry.settle(entry.decision.result)

    async def _deliver_fact(self, fact: Fact, seq: int) -> None:
        request_id = getattr(fact, "request_id", None)
        request = None if request_id is None else self.room.logged.requests.get(request_id)
        self._outside.metrics.delivered(fact, request)
        await self.delivery.emit(effects_of(self.room, fact, seq))
        for change in changes_of(fact):
            apply_change(self.room.live, change)

    def _flying_facts(self) -> list[Fact]:
        return [fact for entry in self._flying for fact in entry.decision.facts]

    # Conflict and failure ----------------------------------------------------------------------

    async def _reload(self, *, failed: bool) -> None:
        """Drop Logged, fold anew, deliver what came meanwhile, decide the rest again.

        Until that is done commands are only queued. `failed`: what is flying was not taken by the
        log and is refused, unless it turns out to be there.
        """
        self._stale, self._foreign = True, False
        try:
            logged = await read_room(self._outside.log, self.room_id)
            tail = await read_tail(
                self._outside.log, self.room_id, self._committed, logged.last_seq
            )
        except LogRefused as error:
            logger.error("room %s: the log cannot be read: %s", self.room_id, error)
            entries = [*self._flying, *self._queue]
            self._queue.clear()
            take_back(self.room.live, entries)
            await self._refuse(entries)
            self.timers.set_retry()
            return
        self.room.logged = logged
        facts = self._flying_facts()
        again = self._flying
        if facts and tail and tail[0].fact.fact_id == facts[0].fact_id:
            again, tail = [], tail[len(facts) :]
            for entry in self._flying:
                await self._deliver(entry)
        refused = [entry for entry in again if failed and entry.decision.facts]
        again = [entry for entry in again if not (failed and entry.decision.facts)]
        take_back(self.room.live, [*refused, *again, *self._queue])
        await self._refuse(refused)
        for foreign in tail:
            self._committed = foreign.seq
            await self._deliver_fact(foreign.fact, foreign.seq)
        # Nothing waits from here on, so that the order is kept.
        again.extend(self._queue)
        if tail:
            command = HandOver(self.new_command_id())
            again.append(Entry(command, asyncio.get_running_loop().create_future()))
        self._queue.clear()
        self._stale = False
        for entry in again:
            self._decide(entry)
            self._queue.append(entry)

    async def _refuse(self, entries: list[Entry]) -> None:
        """Tell of commands that could not be logged; those of the room itself are kept."""
        for entry in entries:
            effects, changes = withdraw(self.room, entry.command)
            for change in changes:
                apply_change(self.room.live, change)
            self.delivery.emit_early(effects)
            code = ErrorCode.LOG_UNAVAILABLE
            entry.settle(Refused(code, ERRORS[code].meaning))
            if isinstance(entry.command, KEPT):
                self._again.append(entry.command)
                self.timers.set_retry()
        await self.delivery.emit_deferred()

    def _followed(self, batch: Sequence[LoggedFact]) -> None:
        """A batch was committed by someone; own facts are delivered where they were appended."""
        if batch[-1].seq <= self._committed:
            return
        own = {entry.command.command_id for entry in self._flying}
        if CommandId(batch[0].fact.fact_id.rpartition(":")[0]) not in own:
            self._foreign = True
            self._work()

    # Timers ------------------------------------------------------------------------------------

    def _deadline_due(self, request_id: RequestId, deadline_unix_ms: int) -> None:
        self.submit(DeadlineReached(self.new_command_id(), request_id, deadline_unix_ms))

    def _lease_due(self, agent_id: AgentId, lease: int) -> None:
        self.submit(LeaseEnded(self.new_command_id(), agent_id, lease))

    def _retry_due(self) -> None:
        """Read a log that could not be read; try again what failed, with new ids."""
        again, self._again = self._again, []
        for command in again:
            self.submit(replace(command, command_id=self.new_command_id()))
        if self._stale:
            self._foreign = True
            self._work()

    def new_command_id(self) -> CommandId:
        """A fresh command id."""
        return CommandId(self._outside.ids.new())
