"""What the service needs from outside. Adapters live in logs, transports and app.

A port is a Protocol; tests use fakes of the same shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
    from contextlib import AbstractContextManager

    from lineup_srv.contract.ids import CallId, LogId, Ref, RequestId, RoomId, TextId
    from lineup_srv.domain.commands import StoredAck
    from lineup_srv.domain.devices import KnownDevice
    from lineup_srv.domain.effects import Message
    from lineup_srv.domain.facts import Fact
    from lineup_srv.domain.people import Member
    from lineup_srv.domain.request import Request
    from lineup_srv.domain.shared import Setting
    from lineup_srv.domain.state import Logged

__all__ = [
    "AgentEvent",
    "AgentOutbox",
    "Blobs",
    "CatalogTold",
    "Clock",
    "Conflict",
    "DeadlineLine",
    "DeadlineTold",
    "DeviceOutbox",
    "DevicesCounted",
    "Handle",
    "Ids",
    "KnownDevices",
    "LogRefused",
    "LogUnknown",
    "LoggedFact",
    "MailCounted",
    "Metrics",
    "OutcomeTold",
    "RoomLog",
    "RoomSettings",
    "Schemas",
    "Secrets",
    "Tasks",
    "TokenKind",
    "Tokens",
    "UnknownTold",
]


class Conflict(Exception):
    """Another relay appended first: fold what came and decide again."""


class LogRefused(Exception):
    """The log did not take the facts and never will; nothing was written. `str()` says why."""


class LogUnknown(Exception):
    """Whether the facts were written is not known: ask again with the same fact ids."""


@dataclass(frozen=True, slots=True)
class LoggedFact:
    """A committed fact and its number."""

    seq: int
    fact: Fact


@dataclass(frozen=True, slots=True)
class DeadlineLine:
    """An open request's deadline, as the log's own table says it."""

    room_id: RoomId
    request_id: RequestId
    deadline_unix_ms: int


class RoomLog(Protocol):
    """The ordered log of every room. Whatever reads raises LogRefused if it cannot."""

    def append(self, room_id: RoomId, expected_seq: int, facts: Sequence[Fact]) -> Awaitable[int]:
        """Begin to append facts; durable when awaited, all or nothing, idempotent by fact id.

        Args:
            room_id: the room.
            expected_seq: the room's last seq as the caller knows it.
            facts: at least one.

        Returns:
            The room's last seq; the facts have the numbers up to it.

        Raises:
            Conflict: the room has other facts after expected_seq.
            LogRefused: the facts were not written (disk full, read-only, corrupt).
            LogUnknown: it is not known whether they were.
        """
        ...

    async def read(self, room_id: RoomId, after_seq: int, limit: int) -> Sequence[LoggedFact]:
        """At most `limit` committed facts with a seq above `after_seq`, in order."""
        ...

    async def load(self, room_id: RoomId) -> tuple[Logged, Sequence[LoggedFact]]:
        """The newest snapshot's state (empty if there is none) and all facts after it."""
        ...

    def follow(
        self, room_id: RoomId, deliver: Callable[[Sequence[LoggedFact]], None]
    ) -> Callable[[], None]:
        """Call `deliver` on the event loop with every batch that commits from now on.

        Own facts are included. Returns a function that ends it.
        """
        ...

    async def read_request(
        self, room_id: RoomId, subject: RequestId | TextId | CallId
    ) -> Sequence[LoggedFact]:
        """All kept facts of one request or call (by its first id) or text, in order."""
        ...

    async def floor(self, room_id: RoomId) -> int:
        """From this seq on nothing is missing; 1 if nothing was compacted; 0 for an empty room.

        Below it only facts are left that somebody still needs.
        """
        ...

    async def compact(self, room_id: RoomId, upto_seq: int) -> int:
        """Drop facts up to a number, but none that somebody still needs; the newest one stays.

        Facts of open requests, of answers and texts that no agent has received and of results of
        the last days stay. What `load` gives folds to the same state as before.

        Returns:
            The room's floor.

        Raises:
            LogRefused: nothing more was dropped; compacting again goes on.
            LogUnknown: likewise.
        """
        ...

    async def find_ref(self, room_id: RoomId, ref: Ref) -> StoredAck | None:
        """What the first Ack of this ref said, for `limits.REF_KEPT_SECONDS`."""
        ...

    async def deadlines(self) -> Sequence[DeadlineLine]:
        """Every open request's deadline, all rooms."""
        ...

    async def healthy(self) -> bool:
        """Whether the log can be written now."""
        ...

    @property
    def log_id(self) -> LogId:
        """Identifies this log for as long as it exists."""
        ...


class Blobs(Protocol):
    """Bytes by hash, per room; durable when `put` returns."""

    async def put(self, room_id: RoomId, sha256: str, data: bytes) -> None:
        """Store bytes.

        Raises:
            LogRefused: they were not written.
            LogUnknown: it is not known whether they were.
        """
        ...

    async def get(self, room_id: RoomId, sha256: str) -> bytes | None:
        """The bytes, or None. Raises LogRefused if they cannot be read."""
        ...


class RoomSettings(Protocol):
    """Settings that the devices of a room share, at most `limits.SETTINGS_PER_ROOM`."""

    async def of_room(self, room_id: RoomId) -> Sequence[Setting]:
        """All settings of the room. Raises LogRefused if they cannot be read."""
        ...

    async def write(self, room_id: RoomId, wish: Setting) -> Setting | None:
        """Write a value if `wish.revision` is the present one; durable when it returns.

        Returns:
            How the setting stands: as wished with the next revision, or, if the revision was not
            the present one, what is there. None: the room has too many settings for a new one.

        Raises:
            LogRefused: it was not written.
            LogUnknown: it is not known whether it was.
        """
        ...


class KnownDevices(Protocol):
    """The devices that a room has seen, at most `limits.KNOWN_DEVICES_PER_ROOM`."""

    async def of_room(self, room_id: RoomId) -> Sequence[KnownDevice]:
        """The devices of the room. Raises LogRefused if they cannot be read."""
        ...

    def remember(self, room_id: RoomId, devices: Sequence[KnownDevice]) -> None:
        """Keep these soon, in place of what was known of them. Never waits; nobody is told."""
        ...


TokenKind = Literal["agent", "device", "room"]
"""Who a token was made for."""


class Secrets(Protocol):
    """Secret answers: never in the log, kept until received or `limits.SECRET_KEPT_SECONDS`."""

    async def keep(self, room_id: RoomId, secret_id: str, text: str) -> None:
        """Keep a text; durable when it returns.

        Raises:
            LogRefused: it was not written.
            LogUnknown: it is not known whether it was.
        """
        ...

    async def read(self, room_id: RoomId, secret_id: str) -> str | None:
        """The text, or None if it is not kept any more. Raises LogRefused if it cannot be read."""
        ...

    def forget(self, room_id: RoomId, secret_id: str) -> None:
        """Delete the text soon. Never waits; nobody is told."""
        ...


class Schemas(Protocol):
    """Checks values against JSON Schemas of tools."""

    def misfit(self, schema_json: str, value: object, path: str) -> str:
        """What is wrong with a value, in bounded time.

        Args:
            schema_json: a schema that was checked when its tool was announced.
            value: as `json.loads` gives it.
            path: where the value stands; what is wrong is named by its path in it.

        Returns:
            Words without parts of the value; empty: it fits.
        """
        ...


class Tokens(Protocol):
    """Tokens and the rooms they open. Tokens are stored hashed."""

    async def room_of(self, token: str) -> RoomId | None:
        """The room of a known, unexpired token; in open mode a good new token makes a room."""
        ...

    async def add(
        self,
        room_id: RoomId,
        token: str,
        *,
        kind: TokenKind,
        name: str,
        expires_unix_ms: int | None,
    ) -> None:
        """Make another token of a room; `name` is for people, None: it does not expire.

        Raises:
            LogRefused: there is no such room, the token exists, or the room has too many.
            LogUnknown: nobody knows whether it was made.
        """
        ...


class Clock(Protocol):
    """Time."""

    def unix_ms(self) -> int:
        """The wall clock, Unix milliseconds."""
        ...

    def call_at(self, unix_ms: int, callback: Callable[[], None]) -> Handle:
        """Call back on the event loop at a wall-clock instant, by the monotonic clock."""
        ...


class Handle(Protocol):
    """A timer that can be cancelled."""

    def cancel(self) -> None:
        """The callback will not run."""
        ...


class Ids(Protocol):
    """Fresh random ids."""

    def new(self) -> str:
        """32 hexadecimal characters, 128 bits."""
        ...


class Tasks(Protocol):
    """The owner of background work; the app ends it."""

    def start(self, work: Coroutine[object, object, None]) -> None:
        """Run the coroutine in the background; a failure ends the program loudly."""
        ...


class Metrics(Protocol):
    """Counts what happens; holds numbers only."""

    def delivered(self, fact: Fact, request: Request | None) -> None:
        """A fact was committed; `request` is what it is about, as it stands now."""
        ...

    def committing(self) -> AbstractContextManager[None]:
        """Times an append; one that raises counts as failed."""
        ...


class DeviceOutbox(Protocol):
    """The devices' side: turns a message into frames and queues them. Never waits."""

    def send(
        self,
        room_id: RoomId,
        members: Sequence[Member],
        message: Message,
        bodies: Mapping[str, bytes],
    ) -> None:
        """Queue one message for each of these members; it is encoded once for all.

        A member whose queue is full is closed with 1013; the others are not affected. A message
        that does not concern a kind of member (wire §1) is left out for it.

        Args:
            room_id: the room.
            members: who gets it; all of this room. One whose connection is over already is left
                out: its logout may still be on its way.
            message: what is told.
            bodies: the bytes behind every content reference that is not inline, by sha256.
        """
        ...


@dataclass(frozen=True, slots=True)
class OutcomeTold:
    """A request that the agent waits for ended; `bodies` as for DeviceOutbox."""

    request: Request
    redelivered: bool
    other_session: bool
    devices_online: int
    bodies: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class UnknownTold:
    """The room does not know a request that the agent waits for."""

    request_id: RequestId


@dataclass(frozen=True, slots=True)
class DeadlineTold:
    """A request that the agent waits for has a new deadline."""

    request_id: RequestId
    deadline_unix_ms: int


@dataclass(frozen=True, slots=True)
class MailCounted:
    """This many items wait in the agent's mailbox."""

    count: int


@dataclass(frozen=True, slots=True)
class DevicesCounted:
    """This many devices are connected."""

    count: int


@dataclass(frozen=True, slots=True)
class CatalogTold:
    """The room's catalog has this revision now."""

    revision: int


AgentEvent = OutcomeTold | UnknownTold | DeadlineTold | MailCounted | DevicesCounted | CatalogTold


class AgentOutbox(Protocol):
    """One attached agent's stream."""

    def put(self, event: AgentEvent) -> None:
        """Queue an event. Never waits; a stream that is full ends itself."""
        ...
