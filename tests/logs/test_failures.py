"""A disk that fails, and that it works again by itself afterwards."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from lineup_srv.contract import limits
from lineup_srv.logs.sqlite import writer as writer_module
from lineup_srv.logs.sqlite.schema import FILE_NAME, connect
from lineup_srv.service.ports import Conflict, LogRefused, LogUnknown
from tests.logs.sample import PICTURE, opened
from tests.logs.stores import Clock, held_writer, in_writer, opened_store, token_room

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.logs.sqlite import SqliteStore


class BrokenConnection:
    """A connection whose statements with a certain beginning fail, as a bad disk would make them.

    SQLite has no switch that breaks its fsync; what it does then is to raise this error.
    """

    def __init__(self, db: sqlite3.Connection, beginning: str, code: int) -> None:
        self._db = db
        self._beginning = beginning
        self._code = code
        self.broken = True
        self.statements: list[str] = []

    @property
    def in_transaction(self) -> bool:
        return self._db.in_transaction

    def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
        self.statements.append(statement)
        if self.broken and statement.startswith(self._beginning):
            error = sqlite3.OperationalError("the disk said no")
            error.sqlite_errorcode = self._code
            raise error
        return self._db.execute(statement, *values)

    def executemany(self, statement: str, rows: Any) -> sqlite3.Cursor:
        return self._db.executemany(statement, rows)

    def close(self) -> None:
        self._db.close()


def break_writes(store: SqliteStore, beginning: str, code: int) -> BrokenConnection:
    broken = BrokenConnection(store.writer._db, beginning, code)
    store.writer._db = broken  # type: ignore[assignment] # it has what the writer uses
    return broken


def pragma(statement: str) -> Callable[[sqlite3.Connection], object]:
    return lambda db: db.execute(f"PRAGMA {statement}").fetchone()


async def fill_disk(store: SqliteStore) -> None:
    """Let the file grow no more."""
    (pages,) = await in_writer(store, lambda db: db.execute("PRAGMA page_count").fetchone())
    await in_writer(store, pragma(f"max_page_count = {pages}"))


async def append_until_refused(store: SqliteStore, room: RoomId, seq: int) -> int:
    """The last seq that was taken."""
    for _ in range(100):
        try:
            seq = await store.log.append(room, seq, [opened(seq + 1)])
        except LogRefused:
            return seq
    raise AssertionError("the disk is not full")


async def test_a_full_disk_refuses_and_works_again_when_there_is_space(
    store: SqliteStore, room: RoomId
) -> None:
    await store.log.append(room, 0, [opened(1)])
    await fill_disk(store)
    with pytest.raises(LogRefused, match="full"):
        await store.blobs.put(room, PICTURE, b"x" * 100_000)
    seq = await append_until_refused(store, room, 1)
    assert len(await store.log.read(room, 0, 10_000)) == seq
    await in_writer(store, pragma("max_page_count = 1000000"))
    assert await store.log.append(room, seq, [opened(seq + 1)]) == seq + 1
    await store.blobs.put(room, PICTURE, b"x" * 100_000)


async def test_what_does_not_fit_does_not_fail_what_fits(store: SqliteStore, room: RoomId) -> None:
    await store.log.append(room, 0, [opened(1)])
    await fill_disk(store)
    async with held_writer(store):
        writing = asyncio.gather(
            store.log.append(room, 1, [opened(2)]),
            store.blobs.put(room, PICTURE, b"x" * 100_000),
            store.log.append(room, 2, [opened(3)]),
            store.log.append(room, 2, [opened(4)]),
            return_exceptions=True,
        )
    results = await writing
    assert [type(r) if isinstance(r, Exception) else r for r in results] == [
        2, LogRefused, 3, Conflict,
    ]  # fmt: skip
    assert [line.fact for line in await store.log.read(room, 0, 10)] == [
        opened(1), opened(2), opened(3),
    ]  # fmt: skip


async def test_a_file_that_became_read_only_refuses(store: SqliteStore, room: RoomId) -> None:
    # Not in the writing thread: SQLite lets such a connection not even begin to write.
    store.writer._db.execute("PRAGMA query_only = 1")
    assert not await store.log.healthy()
    with pytest.raises(LogRefused, match="readonly"):
        await store.log.append(room, 0, [opened(1)])
    assert await store.log.read(room, 0, 10) == []
    store.writer._db.execute("PRAGMA query_only = 0")
    assert await store.log.healthy()
    assert await store.log.append(room, 0, [opened(1)]) == 1


@pytest.mark.parametrize(
    ("code", "failure"),
    [
        (sqlite3.SQLITE_FULL, LogRefused),
        (sqlite3.SQLITE_READONLY_DBMOVED, LogRefused),
        (sqlite3.SQLITE_IOERR_FSYNC, LogUnknown),
        (sqlite3.SQLITE_IOERR_WRITE, LogUnknown),
    ],
)
async def test_a_commit_that_fails_fails_its_whole_group_and_tells_nobody(
    store: SqliteStore, room: RoomId, code: int, failure: type[Exception]
) -> None:
    told: list[object] = []
    store.log.follow(room, told.extend)
    broken = break_writes(store, "COMMIT", code)
    results = await asyncio.gather(
        store.log.append(room, 0, [opened(1)]),
        store.log.append(room, 7, [opened(2)]),
        store.blobs.put(room, PICTURE, b"x"),
        return_exceptions=True,
    )
    assert [type(result) for result in results] == [failure, Conflict, failure]
    assert str(results[0]) == "the disk said no"
    assert results[0] is not results[2]
    assert told == []
    assert await store.log.read(room, 0, 10) == []
    broken.broken = False
    # The same ids again, as one does who does not know.
    assert await store.log.append(room, 0, [opened(1)]) == 1


async def test_a_log_that_another_program_holds_refuses(
    store: SqliteStore, room: RoomId, data_dir: Path
) -> None:
    await in_writer(store, pragma("busy_timeout = 1"))
    other = connect(data_dir / FILE_NAME, writes=True)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LogRefused, match="database is locked"):
        await store.log.append(room, 0, [opened(1)])
    other.execute("ROLLBACK")
    other.close()
    assert await store.log.append(room, 0, [opened(1)]) == 1


async def test_a_group_waits_once_for_a_log_that_another_program_holds(
    store: SqliteStore, room: RoomId, caplog: pytest.LogCaptureFixture
) -> None:
    async with held_writer(store):
        begins = break_writes(store, "BEGIN", sqlite3.SQLITE_BUSY)
        appending = asyncio.gather(
            *(store.log.append(room, 0, [opened(n)]) for n in range(3)), return_exceptions=True
        )
    assert [type(result) for result in await appending] == [LogRefused] * 3
    assert begins.statements.count("BEGIN IMMEDIATE") == 1
    assert caplog.messages == ["3 of 3 writes failed: the disk said no"]


async def test_work_that_fails_by_a_defect_fails_alone(store: SqliteStore, room: RoomId) -> None:
    def defect(db: sqlite3.Connection) -> None:
        db.execute("INSERT INTO meta VALUES ('defect', 1)")
        raise KeyError("defect")

    async with held_writer(store):
        writing = asyncio.gather(
            store.log.append(room, 0, [opened(1)]), in_writer(store, defect), return_exceptions=True
        )
    results = await writing
    assert results[0] == 1
    assert repr(results[1]) == "KeyError('defect')"
    assert (
        await in_writer(
            store, lambda db: db.execute("SELECT * FROM meta WHERE key = 'defect'").fetchone()
        )
        is None
    )


async def test_a_rollback_and_a_checkpoint_that_fail_stop_nothing(
    store: SqliteStore, room: RoomId, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "CHECKPOINT_PAGES", 1)
    broken = break_writes(store, "PRAGMA wal_checkpoint", sqlite3.SQLITE_IOERR)
    assert await store.log.append(room, 0, [opened(1)]) == 1
    assert await store.log.append(room, 1, [opened(2)]) == 2
    broken.broken = False
    assert await store.log.append(room, 2, [opened(3)]) == 3


async def test_a_full_queue_refuses(
    store: SqliteStore, room: RoomId, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LOG_QUEUE_JOBS", 2)
    appends = (store.log.append(room, seq, [opened(seq)]) for seq in range(3))
    results = await asyncio.gather(*appends, return_exceptions=True)
    assert results[:2] == [1, 2]
    assert str(results[2]) == "the log cannot keep up: its queue is full"
    monkeypatch.setattr(limits, "LOG_QUEUE_BYTES", 10)
    blobs = (store.blobs.put(room, letter * 64, b"x" * 11) for letter in "ab")
    puts = await asyncio.gather(*blobs, return_exceptions=True)
    # One that is too big for the queue alone still gets through it.
    assert [type(result) for result in puts] == [type(None), LogRefused]
    assert await store.log.append(room, 2, [opened(2)]) == 3


async def test_reads_that_fail_are_refused(store: SqliteStore, room: RoomId) -> None:
    await in_writer(store, lambda db: db.execute("ALTER TABLE facts RENAME TO lost").rowcount)
    with pytest.raises(LogRefused, match="no such table: facts"):
        await store.log.read(room, 0, 10)


def test_a_store_that_outlives_its_loop_does_not_hang(data_dir: Path, clock: Clock) -> None:
    async def leave() -> SqliteStore:
        async with asyncio.timeout(10):
            store = await opened_store(data_dir, clock).__aenter__()
            await token_room(store, "test-token")
            return store

    store = asyncio.run(leave())
    store.writer._report([])
    store._close()
