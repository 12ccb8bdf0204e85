"""Secret answers: kept apart until received or a day old, and gone without a trace."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.logs.sqlite import writer
from lineup_srv.logs.sqlite.schema import FILE_NAME
from tests.logs.sample import opened
from tests.logs.stores import Clock, opened_store, token_room

if TYPE_CHECKING:
    from pathlib import Path

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.logs.sqlite import SqliteStore

SECRET = '{"text":"correct horse battery staple"}'
DAY_MS = limits.SECRET_KEPT_SECONDS * 1000


async def written(store: SqliteStore) -> None:
    """What was asked of the writer is done: what nobody waits for comes after its group."""
    await store.secret("any")
    await store.secret("any")


async def test_a_secret_is_kept_per_room_until_it_is_forgotten(
    store: SqliteStore, room: RoomId
) -> None:
    other = await token_room(store, "another token, long enough")
    await store.secrets.keep(room, "s1", SECRET)

    assert await store.secrets.read(room, "s1") == SECRET
    assert await store.secrets.read(other, "s1") is None
    store.secrets.forget(other, "s1")
    store.secrets.forget(room, "never kept")
    await written(store)
    assert await store.secrets.read(room, "s1") == SECRET

    store.secrets.forget(room, "s1")
    await written(store)
    assert await store.secrets.read(room, "s1") is None


async def test_a_secret_is_gone_after_a_day(store: SqliteStore, room: RoomId, clock: Clock) -> None:
    await store.secrets.keep(room, "s1", SECRET)
    clock.unix_ms += DAY_MS - 1
    await store.sweep([room])
    assert await store.secrets.read(room, "s1") == SECRET

    clock.unix_ms += 1
    assert await store.secrets.read(room, "s1") is None
    await store.sweep([room])
    clock.unix_ms -= DAY_MS
    assert await store.secrets.read(room, "s1") is None


def traces(data_dir: Path) -> list[str]:
    """The files in which a piece of the secret stands."""
    files = [path for path in data_dir.iterdir() if path.is_file()]
    return sorted(path.name for path in files if b"correct horse" in path.read_bytes())


@pytest.mark.parametrize("length", [1, 3_000], ids=["one page", "many pages"])
async def test_a_secret_that_was_received_is_in_no_file_of_a_running_relay(
    store: SqliteStore, room: RoomId, data_dir: Path, length: int
) -> None:
    await store.log.append(room, 0, [opened(1)])
    await store.secrets.keep(room, "s1", SECRET * length)
    await store.secrets.keep(room, "s1", SECRET * (length + 1))
    await store.log.append(room, 1, [opened(2)])
    assert traces(data_dir) == ["lineup.db-wal"]

    store.secrets.forget(room, "s1")
    await written(store)

    assert traces(data_dir) == []
    assert await store.log.append(room, 2, [opened(3)]) == 3


async def test_a_secret_that_was_copied_to_the_log_before_it_was_received_leaves_no_trace(
    store: SqliteStore, room: RoomId, data_dir: Path
) -> None:
    await store.secrets.keep(room, "s1", SECRET)
    with closing(sqlite3.connect(data_dir / FILE_NAME)) as db:
        db.execute("PRAGMA wal_checkpoint(PASSIVE)")
    assert traces(data_dir) == ["lineup.db", "lineup.db-wal"]

    store.secrets.forget(room, "s1")
    await written(store)

    assert traces(data_dir) == []


async def test_a_secret_that_nobody_fetched_leaves_no_trace_either(
    store: SqliteStore, room: RoomId, data_dir: Path, clock: Clock
) -> None:
    await store.secrets.keep(room, "s1", SECRET)
    clock.unix_ms += DAY_MS

    await store.sweep([room])
    await written(store)

    assert traces(data_dir) == []


async def test_while_somebody_reads_the_trace_stays_and_nobody_waits(
    store: SqliteStore, room: RoomId, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "_EMPTYING_SECONDS", 0.01)
    emptied, empty = threading.Event(), store.writer._empty

    def noted() -> None:
        empty()
        if not store.writer._emptying:
            emptied.set()

    monkeypatch.setattr(store.writer, "_empty", noted)
    await store.secrets.keep(room, "s1", SECRET)
    with closing(sqlite3.connect(data_dir / FILE_NAME)) as db:
        db.execute("BEGIN")
        db.execute("SELECT count(*) FROM secrets").fetchall()
        store.secrets.forget(room, "s1")
        # A writer that waited for the reader would do so for 5 s.
        async with asyncio.timeout(4):
            await written(store)
        assert traces(data_dir) == ["lineup.db-wal"]
    # It goes by itself, without another write.
    assert await asyncio.to_thread(emptied.wait, 10)
    assert traces(data_dir) == []


async def test_a_secret_survives_a_restart_and_leaves_nothing_in_the_file(
    data_dir: Path, clock: Clock
) -> None:
    async with opened_store(data_dir, clock) as store:
        room = await token_room(store, "test-token")
        await store.secrets.keep(room, "s1", SECRET)
    async with opened_store(data_dir, clock) as store:
        assert await store.secrets.read(room, "s1") == SECRET
        store.secrets.forget(room, "s1")
        await written(store)
    with closing(sqlite3.connect(data_dir / FILE_NAME)) as db:
        assert db.execute("SELECT count(*) FROM secrets").fetchone() == (0,)
    assert b"correct horse" not in (data_dir / FILE_NAME).read_bytes()
