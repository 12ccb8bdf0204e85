"""Secret answers: kept apart until received or a day old, and gone without a trace."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.logs.sqlite.schema import FILE_NAME
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
