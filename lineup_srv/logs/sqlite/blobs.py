"""The Blobs port over SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.logs.sqlite.reader import Readers
    from lineup_srv.logs.sqlite.writer import Writer

__all__ = ["SqliteBlobs"]

ORPHAN_SECONDS: Final = 3_600
_SWEPT_AT_ONCE: Final = 100
_SWEPT_BYTES_AT_ONCE: Final = 4 * 1024 * 1024
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

        def find(db: sqlite3.Connection) -> list[tuple[int, int]]:
            return db.execute(f"SELECT rowid, size {_ORPHANS}", (horizon,)).fetchall()

        swept = 0
        for some in _in_parts(await self._readers.run(find)):

            def delete(db: sqlite3.Connection, some: list[int] = some) -> int:
                # Looked up again: it may have been put or named meanwhile.
                statement = f"DELETE {_ORPHANS} AND rowid = ?"
                return sum(db.execute(statement, (horizon, row)).rowcount for row in some)

            swept += await self._writer.submit(delete, size=0, committed=None)
        return swept


def _in_parts(rows: list[tuple[int, int]]) -> Iterator[list[int]]:
    """Few enough at a time, by their number and their bytes, that no append waits for long."""
    part: list[int] = []
    weight = 0
    for row, size in rows:
        if part and (len(part) >= _SWEPT_AT_ONCE or weight + size > _SWEPT_BYTES_AT_ONCE):
            yield part
            part, weight = [], 0
        part.append(row)
        weight += size
    if part:
        yield part
