"""The RoomLog port over SQLite."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import RequestId, RoomId, TextId
from lineup_srv.domain.commands import StoredAck
from lineup_srv.logs.sqlite.appends import Append
from lineup_srv.logs.sqlite.rooms import decoded, load_room
from lineup_srv.service.ports import DeadlineLine, LoggedFact, LogRefused, LogUnknown

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

    from lineup_srv.contract.ids import CallId, LogId, Ref
    from lineup_srv.domain.facts import Fact
    from lineup_srv.domain.state import Logged
    from lineup_srv.logs.sqlite.compaction import Compaction
    from lineup_srv.logs.sqlite.reader import Readers
    from lineup_srv.logs.sqlite.snapshots import Snapshots
    from lineup_srv.logs.sqlite.writer import Writer

__all__ = ["SqliteLog"]

_HEALTH_SECONDS: Final = 2
_FLOOR: Final = """
    SELECT floor_seq FROM rooms
    WHERE room_id = ?1 AND EXISTS (SELECT 1 FROM facts WHERE room_id = ?1)
"""
_PROBE: Final = "INSERT OR REPLACE INTO meta VALUES ('probed_unix_ms', ?)"


class SqliteLog:
    """A RoomLog. `open_store` makes it; all methods belong to the event loop it was made on."""

    def __init__(
        self,
        *,
        writer: Writer,
        readers: Readers,
        snapshots: Snapshots,
        compaction: Compaction,
        log_id: LogId,
        now_unix_ms: Callable[[], int],
    ) -> None:
        self._writer = writer
        self._readers = readers
        self._snapshots = snapshots
        self._compaction = compaction
        self._log_id = log_id
        self._now_unix_ms = now_unix_ms
        self._followers: dict[RoomId, dict[object, Callable[[Sequence[LoggedFact]], None]]] = {}

    @property
    def log_id(self) -> LogId:
        return self._log_id

    def append(
        self, room_id: RoomId, expected_seq: int, facts: Sequence[Fact]
    ) -> asyncio.Future[int]:
        try:
            append = Append(room_id, expected_seq, facts, self._now_unix_ms())
        except LogRefused as error:
            refused: asyncio.Future[int] = asyncio.get_running_loop().create_future()
            refused.set_exception(error)
            return refused

        def committed(last_seq: int) -> None:
            if append.written:
                self._committed(room_id, last_seq, append)

        return self._writer.submit(append, size=append.size, committed=committed)

    def _committed(self, room_id: RoomId, last_seq: int, append: Append) -> None:
        self._snapshots.appended(room_id, last_seq, append.snapshot_due_seq)
        # A copy: a follower may end itself while it is told.
        for deliver in list(self._followers.get(room_id, {}).values()):
            try:
                deliver(append.written)
            except Exception as error:  # one follower must not cost the others their facts
                asyncio.get_running_loop().call_exception_handler(
                    {"message": "a follower of the log failed", "exception": error}
                )

    async def read(self, room_id: RoomId, after_seq: int, limit: int) -> Sequence[LoggedFact]:
        def query(db: sqlite3.Connection) -> list[LoggedFact]:
            return decoded(
                db.execute(
                    "SELECT seq, record FROM facts WHERE room_id = ? AND seq > ?"
                    " ORDER BY seq LIMIT ?",
                    (room_id, after_seq, limit),
                )
            )

        return await self._readers.run(query)

    async def load(self, room_id: RoomId) -> tuple[Logged, Sequence[LoggedFact]]:
        def query(db: sqlite3.Connection) -> tuple[Logged, list[LoggedFact]]:
            return load_room(db, room_id)

        return await self._readers.run(query)

    def follow(
        self, room_id: RoomId, deliver: Callable[[Sequence[LoggedFact]], None]
    ) -> Callable[[], None]:
        key = object()
        self._followers.setdefault(room_id, {})[key] = deliver

        def end() -> None:
            of_room = self._followers.get(room_id, {})
            of_room.pop(key, None)
            if not of_room:
                self._followers.pop(room_id, None)

        return end

    async def read_request(
        self, room_id: RoomId, subject: RequestId | TextId | CallId
    ) -> Sequence[LoggedFact]:
        def query(db: sqlite3.Connection) -> list[LoggedFact]:
            return decoded(
                db.execute(
                    "SELECT seq, record FROM facts WHERE room_id = ? AND subject = ? ORDER BY seq",
                    (room_id, subject),
                )
            )

        return await self._readers.run(query)

    async def floor(self, room_id: RoomId) -> int:
        def query(db: sqlite3.Connection) -> int:
            row = db.execute(_FLOOR, (room_id,)).fetchone()
            return 0 if row is None else row[0]

        return await self._readers.run(query)

    async def compact(self, room_id: RoomId, upto_seq: int) -> int:
        return await self._compaction.compact(room_id, upto_seq)

    async def find_ref(self, room_id: RoomId, ref: Ref) -> StoredAck | None:
        horizon = self._now_unix_ms() - limits.REF_KEPT_SECONDS * 1000

        def query(db: sqlite3.Connection) -> StoredAck | None:
            row = db.execute(
                "SELECT code, seq FROM refs WHERE room_id = ? AND ref = ? AND at_unix_ms > ?",
                (room_id, ref, horizon),
            ).fetchone()
            return None if row is None else StoredAck(ErrorCode(row[0]), row[1])

        return await self._readers.run(query)

    async def deadlines(self) -> Sequence[DeadlineLine]:
        def query(db: sqlite3.Connection) -> list[DeadlineLine]:
            rows = db.execute("SELECT room_id, request_id, deadline_unix_ms FROM deadlines")
            return [DeadlineLine(RoomId(room), RequestId(id_), at) for room, id_, at in rows]

        return await self._readers.run(query)

    async def healthy(self) -> bool:
        now_unix_ms = self._now_unix_ms()

        def probe(db: sqlite3.Connection) -> None:
            db.execute(_PROBE, (now_unix_ms,))

        try:
            async with asyncio.timeout(_HEALTH_SECONDS):
                await self._writer.submit(probe, size=0, committed=None)
        except (LogRefused, LogUnknown, TimeoutError):
            return False
        return True
