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
from lineup_srv.domain.commands import DeadlineReached, HandOver, LeaseEnded, MoveDeadline, ReplyTo
from lineup_srv.domain.decision import Refused
from lineup_srv.domain.effects_of import changes_of, effects_of
from lineup_srv.domain.fold import apply_change, fold
from lineup_srv.domain.room import handle, record
from lineup_srv.domain.state import Live, Logged, Room
from lineup_srv.domain.unlogged import withdraw
from lineup_srv.service.delivery import Delivery
from lineup_srv.service.ports import Conflict, LogRefused, LogUnknown
from lineup_srv.service.timers import Timers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lineup_srv.contract.ids import AgentId, RoomId
    from lineup_srv.domain.commands import Command
    from lineup_srv.domain.decision import Decision, Result
    from lineup_srv.domain.facts import Fact
    from lineup_srv.service.bodies import Bodies
    from lineup_srv.service.ports import Clock, DeviceOutbox, Ids, LoggedFact, RoomLog, Tasks

__all__ = ["Outside", "RoomRunner"]

logger = logging.getLogger(__name__)

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


@dataclass(slots=True)
class Entry:
    """A command from its decision to its commit. `decision` is None while the room reloads."""

    command: Command
    future: asyncio.Future[Result | None]
    decision: Decision | None

    @property
    def facts(self) -> tuple[Fact, ...]:
        return () if self.decision is None else self.decision.facts


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
        self._working = False
        self._stale = False
        self._foreign = False
        self._unfollow: Callable[[], None] = lambda: None
        self.timers = Timers(outside.clock, self._deadline_due, self._lease_due)
        self.delivery = Delivery(self, outside)

    async def load(self) -> None:
        """Read the log and watch every open deadline.

        Raises:
            LogRefused: the log cannot be read.
        """
        log = self._outside.log
        self._unfollow = log.follow(self.room_id, self._followed)
        self.room.logged = await self._read_all()
        self._committed = self.room.logged.last_seq
        for request in self.room.logged.open_requests():
            self.timers.set_deadline(request.request_id, request.deadline_unix_ms)

    def close(self) -> None:
        """Stop timers; what is queued still commits."""
        self._unfollow()
        self.timers.close()

    @property
    def committed(self) -> int:
        """The room's newest durable log number."""
        return self._committed

    @property
    def idle(self) -> bool:
        """Whether nothing would be missed if the room left memory."""
        live = self.room.live
        busy = self._working or self._queue or live.members or live.agents
        return not busy and self.timers.idle

    def submit(self, command: Command) -> asyncio.Future[Result | None]:
        """Decide a command now. The future gives its result when that is durable.

        It never raises: a failure is `Refused`, with LOG_UNAVAILABLE or RATE_LIMITED.
        """
        entry = Entry(command, asyncio.get_running_loop().create_future(), None)
        if len(self._queue) >= limits.PENDING_COMMANDS_PER_ROOM:
            entry.future.set_result(_refusal(ErrorCode.RATE_LIMITED))
            return entry.future
        if not self._stale:
            self._decide(entry)
            if self._settle_at_once(entry):
                return entry.future
        self._queue.append(entry)
        self._work()
        return entry.future

    async def submit_with_ref(
        self, command: ReplyTo | MoveDeadline, look_up: Callable[[Room], bool]
    ) -> asyncio.Future[Result | None]:
        """Submit a command whose ref the log may know; `look_up` says whether that matters."""
        while (flying := self._in_flight(command.ref)) is not None:
            await asyncio.wait([flying])
        if look_up(self.room):
            first = await self._outside.log.find_ref(self.room_id, command.ref)
            if first is not None:
                command = replace(command, first_ack=first)
        return self.submit(command)

    def _in_flight(self, ref: Ref) -> asyncio.Future[Result | None] | None:
        """The undecided or uncommitted command with this ref."""
        if not ref:
            return None
        for entry in (*self._flying, *self._queue):
            if isinstance(entry.command, ReplyTo | MoveDeadline) and entry.command.ref == ref:
                return entry.future
        return None

    # Deciding ----------------------------------------------------------------------------------

    def _decide(self, entry: Entry) -> None:
        entry.decision = handle(self.room, entry.command, self._outside.clock.unix_ms())
        record(self.room, entry.decision)
        self.delivery.emit_early(entry.decision.early)

    def _settle_at_once(self, entry: Entry) -> bool:
        """Let out a decision that waits for nothing."""
        decision = entry.decision
        if decision is None or decision.facts or self._working:
            return False
        if not self.delivery.try_emit(decision.effects):
            return False
        self.delivery.tell_counts()
        entry.future.set_result(decision.result)
        return True

    def _work(self) -> None:
        if not self._working:
            self._working = True
            self._outside.tasks.start(self._run())

    async def _run(self) -> None:
        """Append and deliver until the queue is empty."""
        try:
            while self._queue or self._foreign:
                await self._round()
        finally:
            self._working = False

    async def _round(self) -> None:
        await self.delivery.emit_deferred()
        if self._stale or self._foreign:
            await self._reload([])
            return
        self._flying = list(self._queue)
        self._queue.clear()
        facts = [fact for entry in self._flying for fact in entry.facts]
        try:
            if facts:
                await self._append(facts)
        except Conflict:
            logger.info("room %s: another relay appended, deciding again", self.room_id)
            await self._reload(self._flying)
        except (LogRefused, LogUnknown) as error:
            logger.error("room %s: the log cannot be written: %s", self.room_id, error)
            await self._fail(self._flying)
        else:
            for entry in self._flying:
                await self._deliver(entry)
        self._flying = []
        self.delivery.tell_counts()

    async def _append(self, facts: Sequence[Fact]) -> None:
        """Append, asking again with the same ids while it is not known what became of it."""
        for _ in range(UNKNOWN_TRIES):
            try:
                await self._outside.log.append(self.room_id, self._committed, facts)
            except LogUnknown:
                continue
            return
        raise LogUnknown("the log did not say whether the facts were written")

    async def _deliver(self, entry: Entry) -> None:
        """Everything the entry was decided on is durable: tell everyone."""
        assert entry.decision is not None
        for fact in entry.decision.facts:
            self._committed += 1
            await self._deliver_fact(fact, self._committed)
        await self.delivery.emit(entry.decision.effects)
        if not entry.future.done():
            entry.future.set_result(entry.decision.result)

    async def _deliver_fact(self, fact: Fact, seq: int) -> None:
        await self.delivery.emit(effects_of(self.room, fact, seq))
        for change in changes_of(fact):
            apply_change(self.room.live, change)

    # Conflict and failure ----------------------------------------------------------------------

    async def _reload(self, flying: list[Entry]) -> None:
        """Drop Logged, fold anew, deliver what others appended, decide the rest again."""
        self._stale = True
        self._foreign = False
        entries = [*flying, *self._queue]
        self._flying, before = entries, self._committed
        self._queue.clear()
        try:
            tail = await self._outside.log.read(
                self.room_id, before, limits.PENDING_COMMANDS_PER_ROOM
            )
            self.room.logged = await self._read_all()
        except LogRefused:
            self._settle_failed(entries)
            return
        written: dict[CommandId, list[LoggedFact]] = {}
        own = {entry.command.command_id for entry in entries}
        foreign = False
        for logged in tail:
            if logged.seq <= self.room.logged.last_seq:
                self._committed = logged.seq
                await self._deliver_fact(logged.fact, logged.seq)
                command_id = CommandId(logged.fact.fact_id.rpartition(":")[0])
                written.setdefault(command_id, []).append(logged)
                foreign = foreign or command_id not in own
        self._committed = self.room.logged.last_seq
        self._stale = False
        for entry in entries:
            if entry.command.command_id in written and entry.decision is not None:
                await self.delivery.emit(entry.decision.effects)
                entry.future.set_result(entry.decision.result)
            else:
                self._decide(entry)
                self._queue.append(entry)
        self._flying = []
        if foreign:
            self._queue_own(HandOver(self._new_command_id()))

    async def _fail(self, flying: list[Entry]) -> None:
        """Nothing was written: refuse what wanted to write, decide the rest again."""
        refused = [entry for entry in flying if entry.facts]
        rest = [entry for entry in flying if not entry.facts]
        self._settle_failed(refused)
        await self._reload(rest)

    def _settle_failed(self, entries: list[Entry]) -> None:
        for entry in entries:
            effects, changes = withdraw(self.room, entry.command)
            for change in changes:
                apply_change(self.room.live, change)
            self.delivery.emit_early(effects)
            if not entry.future.done():
                entry.future.set_result(_refusal(ErrorCode.LOG_UNAVAILABLE))

    async def _read_all(self) -> Logged:
        logged, tail = await self._outside.log.load(self.room_id)
        for fact in tail:
            fold(logged, fact.fact)
        return logged

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
        command = DeadlineReached(self._new_command_id(), request_id, deadline_unix_ms)

        def retry(done: asyncio.Future[Result | None]) -> None:
            if isinstance(done.result(), Refused):
                self.timers.retry_deadline(request_id, deadline_unix_ms)

        self.submit(command).add_done_callback(retry)

    def _lease_due(self, agent_id: AgentId, lease: int) -> None:
        self.submit(LeaseEnded(self._new_command_id(), agent_id, lease))

    def _queue_own(self, command: Command) -> None:
        entry = Entry(command, asyncio.get_running_loop().create_future(), None)
        self._decide(entry)
        self._queue.append(entry)

    def _new_command_id(self) -> CommandId:
        return CommandId(self._outside.ids.new())


def _refusal(code: ErrorCode) -> Refused:
    return Refused(code, ERRORS[code].meaning)
