"""The service's other ports: time, ids, tasks, and what goes out."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.domain.playbook import NOW
from tests.service.memory import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence

    from lineup_srv.contract.ids import ClientId, RoomId
    from lineup_srv.domain.effects import Message
    from lineup_srv.domain.facts import Fact
    from lineup_srv.domain.people import Member
    from lineup_srv.domain.request import Request
    from lineup_srv.service.ports import AgentEvent, TokenKind


@dataclass(slots=True, eq=False)
class FakeHandle:
    at_unix_ms: int
    callback: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


class FakeClock:
    """Time that moves only by `advance`."""

    def __init__(self) -> None:
        self.now = NOW
        self._handles: list[FakeHandle] = []

    def unix_ms(self) -> int:
        return self.now

    def call_at(self, unix_ms: int, callback: Callable[[], None]) -> FakeHandle:
        handle = FakeHandle(unix_ms, callback)
        self._handles.append(handle)
        return handle

    @property
    def watched(self) -> list[int]:
        """The instants that callbacks wait for, in seconds from now."""
        return sorted((h.at_unix_ms - self.now) // 1000 for h in self._handles if not h.cancelled)

    def advance(self, seconds: int) -> None:
        """Move on and call back what is due, earliest first."""
        self.now += seconds * 1000
        while due := [h for h in self._handles if not h.cancelled and h.at_unix_ms <= self.now]:
            first = min(due, key=lambda h: h.at_unix_ms)
            self._handles.remove(first)
            first.callback()


class FakeIds:
    """Counts, so that a failure can be read."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._count = 0

    def new(self) -> str:
        self._count += 1
        return f"{self._prefix}{self._count}"


class DictTokens:
    """A Tokens."""

    def __init__(self, rooms: Mapping[str, RoomId]) -> None:
        self._rooms = dict(rooms)
        self.names: dict[str, str] = {}
        self.fault: Exception | None = None

    async def room_of(self, token: str) -> RoomId | None:
        if self.fault is not None:
            raise self.fault
        return self._rooms.get(token)

    async def add(
        self,
        room_id: RoomId,
        token: str,
        *,
        kind: TokenKind,
        name: str,
        expires_unix_ms: int | None,
    ) -> None:
        if self.fault is not None:
            raise self.fault
        self._rooms[token] = room_id
        self.names[token] = f"{kind} {name}"


@dataclass(slots=True)
class Sent:
    """One message and who got it."""

    to: tuple[ClientId, ...]
    message: Message
    bodies: Mapping[str, bytes]


@dataclass(slots=True)
class ListOutbox:
    """A DeviceOutbox that remembers."""

    sent: list[Sent] = field(default_factory=list)

    def send(
        self,
        room_id: RoomId,
        members: Sequence[Member],
        message: Message,
        bodies: Mapping[str, bytes],
    ) -> None:
        assert members, "a message to nobody"
        self.sent.append(Sent(tuple(m.author.client_id for m in members), message, bodies))


class NoMetrics:
    """A Metrics that counts nothing."""

    def delivered(self, fact: Fact, request: Request | None) -> None:
        pass

    @contextmanager
    def committing(self) -> Iterator[None]:
        yield


@dataclass(slots=True)
class ListStream:
    """An AgentOutbox that remembers."""

    events: list[AgentEvent] = field(default_factory=list)

    def put(self, event: AgentEvent) -> None:
        self.events.append(event)


class OwnTasks:
    """A Tasks that hands its tasks' errors to the test."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[object, object, None]) -> None:
        self._tasks.add(asyncio.get_running_loop().create_task(work))

    async def idle(self) -> bool:
        """Wait until nothing runs any more; whether something did. Raises what went wrong."""
        ran = False
        async with asyncio.timeout(PATIENCE):
            while self._tasks:
                ran = True
                ended, self._tasks = self._tasks, set()
                await asyncio.gather(*ended)
        return ran
