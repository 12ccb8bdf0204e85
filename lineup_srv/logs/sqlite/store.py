"""Opens and closes the one SQLite file and the three adapters over it."""

from __future__ import annotations

import asyncio
import secrets
import sqlite3
import time
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.logs.errors import LogUnusable
from lineup_srv.logs.lock import make_data_directory
from lineup_srv.logs.sqlite.blobs import SqliteBlobs
from lineup_srv.logs.sqlite.compaction import Compaction
from lineup_srv.logs.sqlite.log import SqliteLog
from lineup_srv.logs.sqlite.reader import Readers
from lineup_srv.logs.sqlite.retention import Retainer, Retention
from lineup_srv.logs.sqlite.schema import (
    FILE_NAME,
    MIGRATIONS,
    connect,
    make_shrinkable,
    migrate,
    read_log_id,
)
from lineup_srv.logs.sqlite.secrets import SqliteSecrets
from lineup_srv.logs.sqlite.shared import SqliteKnownDevices, SqliteSettings
from lineup_srv.logs.sqlite.snapshots import Snapshots
from lineup_srv.logs.sqlite.tokens import SqliteTokens
from lineup_srv.logs.sqlite.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from lineup_srv.contract.ids import LogId, RoomId

__all__ = ["SqliteStore", "open_store", "wall_clock_unix_ms"]

DEFAULT_RETENTION: Final = Retention(limits.KEEP_DAYS, limits.KEEP_BYTES)
_SWEPT_AT_ONCE: Final = 500
# Rows lie in the order of their writing, so the oldest are at the front and the sweep stops early.
_OLD_REFS: Final = """
    DELETE FROM refs WHERE rowid IN (
        SELECT rowid FROM (SELECT rowid, at_unix_ms FROM refs ORDER BY rowid LIMIT ?)
        WHERE at_unix_ms <= ?
    )
"""


def wall_clock_unix_ms() -> int:
    """The wall clock, Unix milliseconds."""
    return time.time_ns() // 1_000_000


class SqliteStore:
    """An open store. Use its ports; `sweep` now and then; `close` at the end.

    The data directory must be locked (`logs.lock`) for as long as it is open: it takes itself for
    the only writer.
    """

    def __init__(
        self,
        path: Path,
        db: sqlite3.Connection,
        *,
        listed_tokens: Sequence[str],
        open_mode: bool,
        retention: Retention,
        now_unix_ms: Callable[[], int],
    ) -> None:
        """`db` is migrated; the store owns it. Needs a running event loop."""
        log_id = read_log_id(db)
        self._readers = Readers(path)
        self._now_unix_ms = now_unix_ms
        self._closing: asyncio.Future[None] | None = None
        # Before the writer, whose thread takes the connection.
        known_tokens = SqliteTokens.read(db)
        self.writer = Writer(db, asyncio.get_running_loop())
        self._snapshots = Snapshots(path, self.writer.post)
        self.tokens = SqliteTokens(
            known_tokens,
            writer=self.writer,
            readers=self._readers,
            listed=listed_tokens,
            open_mode=open_mode,
            now_unix_ms=now_unix_ms,
        )
        self.blobs = SqliteBlobs(writer=self.writer, readers=self._readers, now_unix_ms=now_unix_ms)
        self.settings = SqliteSettings(writer=self.writer, readers=self._readers)
        self.known = SqliteKnownDevices(writer=self.writer, readers=self._readers)
        self.secrets = SqliteSecrets(
            writer=self.writer, readers=self._readers, now_unix_ms=now_unix_ms
        )
        self.log, self._retainer = self._log_and_retainer(log_id, retention)

    def _log_and_retainer(self, log_id: LogId, retention: Retention) -> tuple[SqliteLog, Retainer]:
        """What appends facts, and what drops the old ones: they share the compaction."""
        compaction = Compaction(
            writer=self.writer,
            readers=self._readers,
            snapshots=self._snapshots,
            now_unix_ms=self._now_unix_ms,
        )
        log = SqliteLog(
            writer=self.writer,
            readers=self._readers,
            snapshots=self._snapshots,
            compaction=compaction,
            log_id=log_id,
            now_unix_ms=self._now_unix_ms,
        )
        retainer = Retainer(
            retention,
            compaction=compaction,
            blobs=self.blobs,
            writer=self.writer,
            readers=self._readers,
            now_unix_ms=self._now_unix_ms,
        )
        return log, retainer

    async def secret(self, name: str) -> bytes:
        """A random 256-bit secret of this log, made when it is first asked for.

        Raises:
            LogRefused: the log cannot be written.
        """
        fresh = secrets.token_hex(32)

        def work(db: sqlite3.Connection) -> str:
            db.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (name, fresh))
            (value,) = db.execute("SELECT value FROM meta WHERE key = ?", (name,)).fetchone()
            return str(value)

        return bytes.fromhex(await self.writer.submit(work, size=len(fresh), committed=None))

    async def sweep(self, in_use: Collection[RoomId]) -> None:
        """Drop what is old or too much: facts, refs, blobs, secrets, empty rooms of open mode.

        Args:
            in_use: rooms with members, agents or commands now; they stay.

        Raises:
            LogRefused: the log cannot be written.
            LogUnknown: likewise.
        """
        flushed = self.tokens.flush_soon()
        if flushed is not None:
            await flushed
        await self.tokens.sweep_rooms(in_use)
        await self.secrets.sweep()
        await self._retainer.run()
        horizon = self._now_unix_ms() - limits.REF_KEPT_SECONDS * 1000

        def work(db: sqlite3.Connection) -> int:
            return db.execute(_OLD_REFS, (_SWEPT_AT_ONCE, horizon)).rowcount

        while await self.writer.submit(work, size=0, committed=None) == _SWEPT_AT_ONCE:
            pass

    async def close(self) -> None:
        """Finish what was asked for, copy the write-ahead file back, close.

        What is asked for afterwards raises LogRefused. The second call waits for the first.
        """
        if self._closing is None:
            flushed = self.tokens.flush_soon()
            self._snapshots.stop()
            self.writer.refuse()
            self._readers.refuse()
            self._closing = asyncio.get_running_loop().run_in_executor(None, self._close)
            if flushed is not None:
                await asyncio.wait([flushed])
        await asyncio.shield(self._closing)

    def _close(self) -> None:
        # The writer last: snapshots end in its queue, and its checkpoint waits for readers.
        self._snapshots.close()
        self._readers.close()
        self.writer.close()


async def open_store(
    data_dir: Path,
    *,
    listed_tokens: Sequence[str] = (),
    open_mode: bool = False,
    retention: Retention = DEFAULT_RETENTION,
    now_unix_ms: Callable[[], int] = wall_clock_unix_ms,
) -> SqliteStore:
    """Open or make the store of a data directory.

    Args:
        data_dir: made if missing; locked by the caller.
        listed_tokens: each gets a room; any at all leave open mode.
        open_mode: an unknown good token makes a room (design §10).
        retention: how long and how much `sweep` keeps.
        now_unix_ms: the wall clock.

    Raises:
        LogUnusable: not a database, from a newer release, or a disk that cannot be written.
    """
    path = data_dir / FILE_NAME

    def prepare() -> sqlite3.Connection:
        make_data_directory(data_dir)
        db = connect(path, writes=True)
        try:
            migrate(db, path, MIGRATIONS)
            make_shrinkable(db)
        except BaseException:
            db.close()
            raise
        return db

    try:
        db = await asyncio.to_thread(prepare)
    except (sqlite3.Error, OSError) as error:
        raise LogUnusable(path, str(error)) from error
    store = SqliteStore(
        path,
        db,
        listed_tokens=listed_tokens,
        open_mode=open_mode,
        retention=retention,
        now_unix_ms=now_unix_ms,
    )
    try:
        await store.tokens.ensure_listed()
    except BaseException:
        await store.close()
        raise
    return store
