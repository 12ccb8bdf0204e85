"""The Blobs port over SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.logs.sqlite.reader import Readers
    from lineup_srv.logs.sqlite.writer import Writer

__all__ = ["SqliteBlobs"]

ORPHAN_SECONDS: Final = 3_600
_SWEPT_AT_ONCE: Final = 100
# Put again, it is young again: the fact of the second put may still be on its way. Of an equally
# long row SQLite writes only the pages that differ.
_PUT: Final = """
    INSERT INTO blobs VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (room_id, sha256) DO UPDATE SET created_unix_ms = excluded.created_unix_ms
"""
_ORPHANS: Final = """
    FROM blobs WHERE created_unix_ms < ? AND NOT EXISTS (
        SELECT 1 FROM named_blobs AS named
        WHERE named.room_id = blobs.room_id AND named.sha256 = blobs.sha256
    )
"""


class SqliteBlobs:
    """A Blobs. `open_store` makes it."""

    def __init__(self, *, writer: Writer, readers: Readers, now_unix_ms: Callable[[], int]) -> None:
        self._writer = writer
        self._readers = readers
        self._now_unix_ms = now_unix_ms

    async def put(self, room_id: RoomId, sha256: str, data: bytes) -> None:
        row = (room_id, sha256, len(data), self._now_unix_ms(), data)

        def work(db: sqlite3.Connection) -> None:
            db.execute(_PUT, row)

        await self._writer.submit(work, size=len(data), committed=None)

    async def get(self, room_id: RoomId, sha256: str) -> bytes | None:
        def query(db: sqlite3.Connection) -> bytes | None:
            row = db.execute(
                "SELECT data FROM blobs WHERE room_id = ? AND sha256 = ?", (room_id, sha256)
            ).fetchone()
            return None if row is None else row[0]

        return await self._readers.run(query)

    async def sweep_orphans(self) -> int:
        """Delete blobs that no fact names and that are too old for one to be on its way.

        Returns:
            How many were deleted.
        """
        horizon = self._now_unix_ms() - ORPHAN_SECONDS * 1000

        def find(db: sqlite3.Connection) -> list[int]:
            return [row[0] for row in db.execute(f"SELECT rowid {_ORPHANS}", (horizon,))]

        rows = await self._readers.run(find)
        swept = 0
        for start in range(0, len(rows), _SWEPT_AT_ONCE):
            some = rows[start : start + _SWEPT_AT_ONCE]

            def delete(db: sqlite3.Connection, some: list[int] = some) -> int:
                # Looked up again: it may have been put or named meanwhile.
                statement = f"DELETE {_ORPHANS} AND rowid = ?"
                return sum(db.execute(statement, (horizon, row)).rowcount for row in some)

            swept += await self._writer.submit(delete, size=0, committed=None)
        return swept
