"""The port Secrets over SQLite: a table of its own, which no export reads."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.logs.sqlite.reader import Readers
    from lineup_srv.logs.sqlite.writer import Writer

__all__ = ["SqliteSecrets", "drop_secrets"]

_KEEP: Final = "INSERT OR REPLACE INTO secrets VALUES (?, ?, ?, ?)"
_READ: Final = """
    SELECT value FROM secrets WHERE room_id = ? AND secret_id = ? AND at_unix_ms > ?
"""
_DELETE: Final = "DELETE FROM secrets WHERE "
_ONE: Final = "room_id = ? AND secret_id = ?"
_OLD: Final = "at_unix_ms <= ?"


def drop_secrets(db: sqlite3.Connection) -> None:
    """Take all secrets out of a copy of the log, whatever release wrote it."""
    if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'secrets'").fetchone():
        with _overwriting(db):
            db.execute(_DELETE + "true")


@contextmanager
def _overwriting(db: sqlite3.Connection) -> Iterator[None]:
    """What leaves a page meanwhile is overwritten: else it stays until the page is used again.

    Only here: it would make every sweep of large blobs write them once more, as zeros.
    """
    db.execute("PRAGMA secure_delete = ON")
    try:
        yield
    finally:
        db.execute("PRAGMA secure_delete = OFF")


class SqliteSecrets:
    """A Secrets. `open_store` makes it."""

    def __init__(self, *, writer: Writer, readers: Readers, now_unix_ms: Callable[[], int]) -> None:
        self._writer = writer
        self._readers = readers
        self._now_unix_ms = now_unix_ms

    async def keep(self, room_id: RoomId, secret_id: str, text: str) -> None:
        row = (room_id, secret_id, text, self._now_unix_ms())

        def work(db: sqlite3.Connection) -> None:
            with _overwriting(db):
                db.execute(_KEEP, row)

        await self._writer.submit(work, size=len(text), committed=None)

    async def read(self, room_id: RoomId, secret_id: str) -> str | None:
        def query(db: sqlite3.Connection) -> str | None:
            row = db.execute(_READ, (room_id, secret_id, self._horizon())).fetchone()
            return None if row is None else str(row[0])

        return await self._readers.run(query)

    def forget(self, room_id: RoomId, secret_id: str) -> None:
        self._writer.post(lambda db: self._delete(db, _ONE, (room_id, secret_id)))

    async def sweep(self) -> None:
        """Delete what was kept long enough. Raises LogRefused, LogUnknown."""
        horizon = self._horizon()
        await self._writer.submit(
            lambda db: self._delete(db, _OLD, (horizon,)), size=0, committed=None
        )

    def _delete(
        self, db: sqlite3.Connection, which: str, values: tuple[str, str] | tuple[int]
    ) -> None:
        with _overwriting(db):
            deleted = db.execute(_DELETE + which, values).rowcount
        if deleted:
            self._writer.empty_log_file()

    def _horizon(self) -> int:
        return self._now_unix_ms() - limits.SECRET_KEPT_SECONDS * 1000
