"""Makes a room's snapshots from the log alone, beside the appends and never from a live state."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import traceback
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.domain.fold import fold
from lineup_srv.logs.errors import RecordUnreadable
from lineup_srv.logs.records import SNAPSHOT_VERSION, encode_snapshot
from lineup_srv.logs.sqlite.rooms import load_room
from lineup_srv.logs.sqlite.schema import connect
from lineup_srv.service.ports import LogRefused

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.domain.state import Logged

    SnapshotRow = tuple[RoomId, int, int, int, str]

__all__ = ["Snapshots", "write_snapshot"]

logger = logging.getLogger(__name__)

KEPT: Final = 2
_NEWEST: Final = "SELECT max(seq) FROM snapshots WHERE room_id = ?"


class Snapshots:
    """Sees every append, makes a snapshot when one is due.

    One is due every `limits.SNAPSHOT_FACTS` facts. A room with more requests than that waits for as
    many facts as it has requests, so that what a fact costs does not grow with the room.
    """

    def __init__(
        self, path: Path, post: Callable[[Callable[[sqlite3.Connection], None]], None]
    ) -> None:
        """`post` queues work for the writer, from any thread."""
        self._path = path
        self._post = post
        self._pool = ThreadPoolExecutor(1, "log-snapshots")
        self._db: sqlite3.Connection | None = None
        self._not_before: dict[RoomId, int] = {}
        self._stopped = False

    def appended(self, room_id: RoomId, last_seq: int, due_seq: int | None) -> None:
        """Say that the room has facts up to last_seq. On the event loop."""
        due_seq = due_seq or limits.SNAPSHOT_FACTS
        if self._stopped or last_seq < max(due_seq, self._not_before.get(room_id, 0)):
            return
        # Also if it fails: the next try comes after as many facts again, not with each.
        self._not_before[room_id] = last_seq + limits.SNAPSHOT_FACTS
        self._pool.submit(self._make, room_id)

    def stop(self) -> None:
        """Begin no other. On the loop, before `close`."""
        self._stopped = True

    def close(self) -> None:
        """Drop what is not begun, finish what is. Blocks; not on the loop's thread."""
        self._pool.shutdown(cancel_futures=True)
        if self._db is not None:
            self._db.close()

    async def prepare(self, room_id: RoomId, seq: int) -> tuple[Logged, SnapshotRow | None]:
        """The room's state now, and the snapshot to write if none at or above `seq` is kept.

        Raises:
            LogRefused: the room cannot be read.
        """
        if self._stopped:
            raise LogRefused("the log is closed")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._prepare, room_id, seq)

    def _prepare(self, room_id: RoomId, seq: int) -> tuple[Logged, SnapshotRow | None]:
        try:
            logged = self._folded(room_id)
            (kept,) = self._reader().execute(_NEWEST, (room_id,)).fetchone()
        except sqlite3.Error as error:
            raise LogRefused(str(error)) from error
        return logged, None if kept is not None and kept >= seq else snapshot_row(room_id, logged)

    def _make(self, room_id: RoomId) -> None:
        try:
            row = snapshot_row(room_id, self._folded(room_id))
        except (sqlite3.Error, RecordUnreadable) as error:
            logger.warning("no snapshot of room %s: %s", room_id, error)
            return
        except Exception as error:
            # Nobody waits for it, so it is said here or nowhere. Its words may be those of a body.
            where = "".join(traceback.format_tb(error.__traceback__))
            logger.error("no snapshot of room %s: %s at\n%s", room_id, type(error).__name__, where)
            return
        self._post(lambda db: write_snapshot(db, row))

    def _folded(self, room_id: RoomId) -> Logged:
        logged, tail = load_room(self._reader(), room_id)
        for line in tail:
            fold(logged, line.fact)
        return logged

    def _reader(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = connect(self._path, writes=False)
        return self._db


def snapshot_row(room_id: RoomId, logged: Logged) -> SnapshotRow:
    """The state as a row of the table."""
    weight = len(logged.requests) + len(logged.calls.by_id)
    due_seq = logged.last_seq + max(limits.SNAPSHOT_FACTS, weight)
    return room_id, logged.last_seq, SNAPSHOT_VERSION, due_seq, encode_snapshot(logged)


def write_snapshot(db: sqlite3.Connection, row: SnapshotRow) -> None:
    """Keep a snapshot in place of the oldest."""
    room_id = row[0]
    db.execute("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?)", row)
    db.execute(
        "DELETE FROM snapshots WHERE room_id = ?1 AND seq NOT IN"
        " (SELECT seq FROM snapshots WHERE room_id = ?1 ORDER BY seq DESC LIMIT ?2)",
        (room_id, KEPT),
    )
