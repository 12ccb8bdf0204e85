"""Drops old facts of one room, in small pieces between the appends.

What must not be lost stays, also below the floor: facts of open requests, of answers and texts
that no agent has received, and of results that a repeated call may still ask for. The order of the
steps is what makes a crash harmless: first a snapshot that holds all that is dropped, then the
floor, then the facts; what a crash leaves behind below the floor goes the next time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.logs.sqlite.snapshots import write_snapshot
from lineup_srv.service.ports import LogRefused

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.domain.state import Logged
    from lineup_srv.logs.sqlite.reader import Readers
    from lineup_srv.logs.sqlite.snapshots import Snapshots
    from lineup_srv.logs.sqlite.writer import Writer

__all__ = ["Compaction", "needed_subjects"]

AT_ONCE: Final = 200
"""Facts that one piece of work drops at most: an append waits for no more than one piece."""

_SUPERSEDED: Final = "call_progressed"
"""The latest progress stands in the state, earlier ones say nothing: a long call logs many."""

_STAND: Final = """
    SELECT
        (SELECT max(seq) FROM facts WHERE room_id = :room),
        (SELECT max(seq) FROM snapshots WHERE room_id = :room)
"""
_RAISE: Final = "UPDATE rooms SET floor_seq = max(floor_seq, ?) WHERE room_id = ?"
_FLOOR: Final = "SELECT floor_seq FROM rooms WHERE room_id = ?"
# They would have to be brought up to date with facts that are no longer there.
_OLD_SNAPSHOTS: Final = "DELETE FROM snapshots WHERE room_id = ? AND seq < ?"
_BELOW: Final = """
    SELECT seq, subject, kind, length(record) FROM facts
    WHERE room_id = ? AND seq > ? AND seq < ? ORDER BY seq LIMIT ?
"""
# A subject about which something was logged since the state was read may be needed again.
_DROP: Final = """
    DELETE FROM facts WHERE room_id = :room AND seq = :seq AND NOT EXISTS (
        SELECT 1 FROM facts AS later
        WHERE later.room_id = :room AND later.subject = :subject AND later.seq > :read_seq
    )
"""
_UNNAME: Final = """
    DELETE FROM named_blobs WHERE room_id = :room AND seq = :seq AND NOT EXISTS (
        SELECT 1 FROM facts WHERE room_id = :room AND seq = :seq
    )
"""


class Compaction:
    """Compacts rooms. `dropped` counts facts, for logs and metrics."""

    def __init__(
        self,
        *,
        writer: Writer,
        readers: Readers,
        snapshots: Snapshots,
        now_unix_ms: Callable[[], int],
    ) -> None:
        self.dropped = 0
        self._writer = writer
        self._readers = readers
        self._snapshots = snapshots
        self._now_unix_ms = now_unix_ms

    async def compact(self, room_id: RoomId, upto_seq: int) -> int:
        """Drop the room's facts up to `upto_seq` that nobody needs; the newest fact stays.

        Returns:
            The room's floor.

        Raises:
            LogRefused: the room cannot be read, or the log cannot be written.
            LogUnknown: likewise; compacting again goes on where it stopped.
        """
        logged, snapshot = await self._snapshots.prepare(room_id, upto_seq)

        def begin(db: sqlite3.Connection) -> int:
            if snapshot is not None:
                write_snapshot(db, snapshot)
            return _raise_floor(db, room_id, upto_seq)

        size = 0 if snapshot is None else len(snapshot[-1])
        floor = await self._writer.submit(begin, size=size, committed=None)
        await self._drop_below(room_id, floor, logged)
        return floor

    async def _drop_below(self, room_id: RoomId, floor: int, logged: Logged) -> None:
        recent = self._now_unix_ms() - limits.ENDED_KEPT_SECONDS * 1000
        needed = needed_subjects(logged, recent)
        after = 0
        while True:
            page = await self._page_below(room_id, after, floor)
            doomed = [
                {"room": room_id, "seq": seq, "subject": subject, "read_seq": logged.last_seq}
                for seq, subject, kind, _ in page
                if subject not in needed or kind == _SUPERSEDED
            ]
            if doomed:
                size = sum(length for *_, length in page)
                self.dropped += await self._writer.submit(
                    _dropping(doomed), size=size, committed=None
                )
            if len(page) < AT_ONCE:
                return
            after = page[-1][0]

    async def _page_below(
        self, room_id: RoomId, after: int, floor: int
    ) -> list[tuple[int, str, str, int]]:
        def query(db: sqlite3.Connection) -> list[tuple[int, str, str, int]]:
            return db.execute(_BELOW, (room_id, after, floor, AT_ONCE)).fetchall()

        return await self._readers.run(query)


def needed_subjects(logged: Logged, recent_unix_ms: int) -> set[str]:
    """The requests, texts and calls whose facts stay, however old.

    Args:
        logged: the room's state.
        recent_unix_ms: a request or call that changed later than this may still be asked for.
    """
    needed: set[str] = {
        request.request_id
        for request in logged.requests.values()
        if request.pending or request.waits_in_mailbox or request.changed_unix_ms > recent_unix_ms
    }
    needed |= {
        call.call_id
        for call in logged.calls.by_id.values()
        if call.live or call.changed_unix_ms > recent_unix_ms
    }
    return needed | logged.texts.keys()


def _raise_floor(db: sqlite3.Connection, room_id: RoomId, upto_seq: int) -> int:
    """Say that facts up to there may be missing. Raises LogRefused if no snapshot holds them."""
    last_seq, snapshot_seq = db.execute(_STAND, {"room": room_id}).fetchone()
    # The newest fact stays, because the next one's number comes from it.
    floor = min(upto_seq, (last_seq or 0) - 1) + 1
    if floor > 1:
        if snapshot_seq is None or snapshot_seq < floor - 1:
            raise LogRefused(f"no snapshot of room {room_id} holds what would be dropped")
        db.execute(_RAISE, (floor, room_id))
        db.execute(_OLD_SNAPSHOTS, (room_id, floor - 1))
    (floor,) = db.execute(_FLOOR, (room_id,)).fetchone()
    return int(floor)


def _dropping(doomed: Sequence[dict[str, object]]) -> Callable[[sqlite3.Connection], int]:
    def work(db: sqlite3.Connection) -> int:
        dropped = db.executemany(_DROP, doomed).rowcount
        db.executemany(_UNNAME, doomed)
        return dropped

    return work
