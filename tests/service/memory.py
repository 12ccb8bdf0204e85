"""The durable ports in memory: the log of every room, and blobs."""

from __future__ import annotations

import asyncio
from collections import deque
from copy import deepcopy
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.ids import LogId, RequestId
from lineup_srv.domain.commands import StoredAck
from lineup_srv.domain.facts import Fact, ack_code_of, ref_of
from lineup_srv.domain.fold import fold
from lineup_srv.domain.shared import Setting
from lineup_srv.domain.state import Logged
from lineup_srv.logs.derived import subject_of
from lineup_srv.service.ports import Conflict, DeadlineLine, LoggedFact, LogRefused, LogUnknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lineup_srv.contract.ids import CallId, DeviceId, Ref, RoomId, TextId
    from lineup_srv.domain.devices import KnownDevice

PATIENCE: Final = 5
"""Seconds until a wait that should have ended fails the test."""


class MemorySecrets:
    """A Secrets."""

    def __init__(self) -> None:
        self.kept: dict[tuple[RoomId, str], str] = {}
        self.fault: Exception | None = None

    async def keep(self, room_id: RoomId, secret_id: str, text: str) -> None:
        if self.fault is not None:
            raise self.fault
        self.kept[room_id, secret_id] = text

    async def read(self, room_id: RoomId, secret_id: str) -> str | None:
        if self.fault is not None:
            raise self.fault
        return self.kept.get((room_id, secret_id))

    def forget(self, room_id: RoomId, secret_id: str) -> None:
        self.kept.pop((room_id, secret_id), None)


class Gate:
    """Holds whoever passes while it is closed."""

    def __init__(self) -> None:
        self._closed = False
        self._waiters: deque[asyncio.Future[None]] = deque()
        self._arrival = asyncio.Event()

    def close(self) -> None:
        self._closed = True

    def open(self) -> None:
        self._closed = False
        while self._waiters:
            self.step()

    def step(self, *, last: bool = False) -> None:
        """Let the first one through, or the last; the gate stays as it is."""
        waiter = self._waiters.pop() if last else self._waiters.popleft()
        if not waiter.done():
            waiter.set_result(None)

    async def passing(self) -> None:
        if self._closed:
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            self._arrival.set()
            await waiter

    @property
    def waiting(self) -> int:
        return len(self._waiters)

    async def arrived(self, count: int = 1) -> None:
        """Wait until so many stand before the gate."""
        async with asyncio.timeout(PATIENCE):
            while len(self._waiters) < count:
                self._arrival.clear()
                await self._arrival.wait()


class Fault(Enum):
    """What becomes of an append."""

    REFUSED = "nothing is written"
    LOST = "nothing is written, and nobody says so"
    UNHEARD = "it is written, and nobody says so"


@dataclass(slots=True)
class Append:
    """An append that was asked for."""

    expected_seq: int
    facts: tuple[Fact, ...]


class MemoryLog:
    """A RoomLog; several relays may share it.

    `appending` and `reading` hold appends and reads while closed. `faults` are the fates of the
    next appends. While `unreadable` every read is refused; while `silent` those who follow are
    told nothing. `appends` is what was asked for.
    """

    def __init__(self) -> None:
        self.appending = Gate()
        self.reading = Gate()
        self.faults: deque[Fault] = deque()
        self.unreadable = False
        self.silent = False
        self.appends: list[Append] = []
        self.reads = 0
        self.page_facts = 1_000
        self._facts: dict[RoomId, list[LoggedFact]] = {}
        self._snapshots: dict[RoomId, Logged] = {}
        self._unannounced: list[tuple[RoomId, list[LoggedFact]]] = []
        self._followers: dict[RoomId, list[Callable[[Sequence[LoggedFact]], None]]] = {}

    def append(
        self, room_id: RoomId, expected_seq: int, facts: Sequence[Fact]
    ) -> asyncio.Future[int]:
        assert facts, "an append without facts"
        self.appends.append(Append(expected_seq, tuple(facts)))
        return asyncio.ensure_future(self._append(room_id, expected_seq, facts))

    async def _append(self, room_id: RoomId, expected_seq: int, facts: Sequence[Fact]) -> int:
        await self.appending.passing()
        fault = self.faults.popleft() if self.faults else None
        if fault is Fault.REFUSED:
            raise LogRefused("disk full")
        if fault is Fault.LOST:
            raise LogUnknown("no answer")
        known = {logged.fact.fact_id for logged in self.facts(room_id)}
        if facts[0].fact_id not in known:
            if expected_seq != self._last_seq(room_id):
                raise Conflict
            self.write(room_id, facts)
        if fault is Fault.UNHEARD:
            raise LogUnknown("no answer")
        return self._last_seq(room_id)

    def write(self, room_id: RoomId, facts: Sequence[Fact]) -> None:
        """Append as some relay did, and tell all that follow."""
        first = self._last_seq(room_id) + 1
        batch = [LoggedFact(seq, fact) for seq, fact in enumerate(facts, start=first)]
        self._facts.setdefault(room_id, []).extend(batch)
        self._unannounced.append((room_id, batch))
        if not self.silent:
            self.announce()

    def announce(self) -> None:
        """Tell all that follow what was written."""
        batches, self._unannounced = self._unannounced, []
        for room_id, batch in batches:
            for deliver in list(self._followers.get(room_id, ())):
                deliver(batch)

    def facts(self, room_id: RoomId) -> list[LoggedFact]:
        """What is in the log."""
        return self._facts.get(room_id, [])

    def followed(self, room_id: RoomId) -> int:
        """How many follow a room."""
        return len(self._followers.get(room_id, ()))

    def folded(self, room_id: RoomId) -> Logged:
        """The state that the log describes."""
        logged = deepcopy(self._snapshots.get(room_id, Logged()))
        for line in self.facts(room_id):
            if line.seq > logged.last_seq:
                fold(logged, line.fact)
        return logged

    async def compact(self, room_id: RoomId, upto_seq: int) -> int:
        logged = deepcopy(self._snapshots.get(room_id, Logged()))
        for line in self.facts(room_id):
            if logged.last_seq < line.seq <= upto_seq:
                fold(logged, line.fact)
        self._snapshots[room_id] = logged
        self._facts[room_id] = [line for line in self.facts(room_id) if line.seq > upto_seq]
        return await self.floor(room_id)

    async def read(self, room_id: RoomId, after_seq: int, limit: int) -> Sequence[LoggedFact]:
        await self._readable()
        later = [line for line in self.facts(room_id) if line.seq > after_seq]
        return later[: min(limit, self.page_facts)]

    async def load(self, room_id: RoomId) -> tuple[Logged, Sequence[LoggedFact]]:
        snapshot = deepcopy(self._snapshots.get(room_id, Logged()))
        tail = [line for line in self.facts(room_id) if line.seq > snapshot.last_seq]
        await self._readable()
        return snapshot, tail

    def follow(
        self, room_id: RoomId, deliver: Callable[[Sequence[LoggedFact]], None]
    ) -> Callable[[], None]:
        followers = self._followers.setdefault(room_id, [])
        followers.append(deliver)

        def end() -> None:
            if deliver in followers:
                followers.remove(deliver)

        return end

    async def read_request(
        self, room_id: RoomId, subject: RequestId | TextId | CallId
    ) -> Sequence[LoggedFact]:
        await self._readable()
        return [line for line in self.facts(room_id) if subject_of(line.fact) == subject]

    async def floor(self, room_id: RoomId) -> int:
        await self._readable()
        facts = self.facts(room_id)
        return facts[0].seq if facts else 0

    async def find_ref(self, room_id: RoomId, ref: Ref) -> StoredAck | None:
        await self._readable()
        for line in self.facts(room_id):
            if ref_of(line.fact) == ref:
                return StoredAck(ack_code_of(line.fact), line.seq)
        return None

    async def deadlines(self) -> Sequence[DeadlineLine]:
        await self._readable()
        return [
            DeadlineLine(room_id, RequestId(subject), deadline_unix_ms)
            for room_id in self._facts
            for subject, deadline_unix_ms in _deadlines(self.folded(room_id))
        ]

    async def healthy(self) -> bool:
        return not self.unreadable

    @property
    def log_id(self) -> LogId:
        return LogId("log")

    async def _readable(self) -> None:
        self.reads += 1
        await self.reading.passing()
        if self.unreadable:
            raise LogRefused("input/output error")

    def _last_seq(self, room_id: RoomId) -> int:
        facts = self.facts(room_id)
        return facts[-1].seq if facts else self._snapshots.get(room_id, Logged()).last_seq


def _deadlines(logged: Logged) -> Iterator[tuple[str, int]]:
    for request in logged.open_requests():
        yield request.request_id, request.deadline_unix_ms
    for call in logged.calls.live():
        yield call.call_id, call.deadline_unix_ms


class MemoryBlobs:
    """A Blobs. `reading` holds reads while closed; `fault` is raised by every call."""

    def __init__(self) -> None:
        self.stored: dict[tuple[RoomId, str], bytes] = {}
        self.reading = Gate()
        self.reads: list[str] = []
        self.fault: Exception | None = None

    async def put(self, room_id: RoomId, sha256: str, data: bytes) -> None:
        if self.fault is not None:
            raise self.fault
        self.stored[room_id, sha256] = data

    async def get(self, room_id: RoomId, sha256: str) -> bytes | None:
        self.reads.append(sha256)
        await self.reading.passing()
        if self.fault is not None:
            raise self.fault
        return self.stored.get((room_id, sha256))


class MemorySettings:
    """A RoomSettings. `fault` is raised by every call."""

    def __init__(self) -> None:
        self.stored: dict[tuple[RoomId, str], Setting] = {}
        self.reading = Gate()
        self.fault: Exception | None = None

    async def of_room(self, room_id: RoomId) -> Sequence[Setting]:
        found = [setting for (room, _), setting in self.stored.items() if room == room_id]
        await self.reading.passing()
        if self.fault is not None:
            raise self.fault
        return found

    async def write(self, room_id: RoomId, wish: Setting) -> Setting | None:
        if self.fault is not None:
            raise self.fault
        now = self.stored.get((room_id, wish.key), Setting(wish.key, "", 0))
        if now.revision != wish.revision:
            return now
        if now.revision == 0 and len(self.stored) >= limits.SETTINGS_PER_ROOM:
            return None
        done = replace(wish, revision=wish.revision + 1)
        self.stored[room_id, wish.key] = done
        return done


class MemoryKnown:
    """A KnownDevices. `fault` is raised by reads."""

    def __init__(self) -> None:
        self.stored: dict[tuple[RoomId, DeviceId], KnownDevice] = {}
        self.fault: Exception | None = None

    async def of_room(self, room_id: RoomId) -> Sequence[KnownDevice]:
        if self.fault is not None:
            raise self.fault
        return [device for (room, _), device in self.stored.items() if room == room_id]

    def remember(self, room_id: RoomId, devices: Sequence[KnownDevice]) -> None:
        for device in devices:
            self.stored[room_id, device.device_id] = device
