"""Queries that read a room back, for the log and for its snapshots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.domain.state import Logged
from lineup_srv.logs.records import decode_fact, decode_snapshot
from lineup_srv.service.ports import LoggedFact

if TYPE_CHECKING:
    import sqlite3

    from lineup_srv.contract.ids import RoomId

__all__ = ["decoded", "load_room"]


def decoded(rows: sqlite3.Cursor) -> list[LoggedFact]:
    """Rows of (seq, record) as facts. Raises RecordUnreadable."""
    # Fetched first: a query that stops half-way would hold its view of the file, and no checkpoint
    # gets past that.
    return [LoggedFact(seq, decode_fact(record)) for seq, record in rows.fetchall()]


def load_room(db: sqlite3.Connection, room_id: RoomId) -> tuple[Logged, list[LoggedFact]]:
    """The newest snapshot's state and the facts after it, both as of one moment."""
    db.execute("BEGIN")
    try:
        row = db.execute(
            "SELECT state FROM snapshots WHERE room_id = ? ORDER BY seq DESC LIMIT 1", (room_id,)
        ).fetchone()
        logged = Logged() if row is None else decode_snapshot(row[0])
        tail = db.execute(
            "SELECT seq, record FROM facts WHERE room_id = ? AND seq > ? ORDER BY seq",
            (room_id, logged.last_seq),
        )
        return logged, decoded(tail)
    finally:
        db.execute("ROLLBACK")
