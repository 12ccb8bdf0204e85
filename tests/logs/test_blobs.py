from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract.ids import RoomId
from lineup_srv.service.ports import LogRefused
from tests.logs.sample import PICTURE, opened
from tests.logs.stores import Clock, opened_store, token_room

if TYPE_CHECKING:
    from pathlib import Path

    from lineup_srv.logs.sqlite import SqliteStore

HOUR_MS = 3_600_000


async def test_a_blob_is_there_after_a_restart(data_dir: Path, clock: Clock) -> None:
    data = bytes(range(256)) * 10_000
    async with opened_store(data_dir, clock) as store:
        room = await token_room(store, "test-token")
        await store.blobs.put(room, PICTURE, data)
        await store.blobs.put(room, PICTURE, data)
        assert await store.blobs.get(room, PICTURE) == data
    async with opened_store(data_dir, clock) as store:
        assert await store.blobs.get(room, PICTURE) == data


async def test_a_blob_belongs_to_its_room(store: SqliteStore, room: RoomId) -> None:
    other = await token_room(store, "another token, long enough")
    await store.blobs.put(room, PICTURE, b"12345")
    assert await store.blobs.get(other, PICTURE) is None
    assert await store.blobs.get(room, "c" * 64) is None


async def test_a_blob_of_a_room_that_does_not_exist_is_refused(store: SqliteStore) -> None:
    with pytest.raises(LogRefused):
        await store.blobs.put(RoomId("nowhere"), PICTURE, b"12345")


async def test_only_old_blobs_that_no_fact_names_are_swept(
    store: SqliteStore, room: RoomId, clock: Clock
) -> None:
    other = await token_room(store, "another token, long enough")
    await store.blobs.put(room, PICTURE, b"named")
    await store.log.append(room, 0, [opened(1)])
    # The same hash in another room is another blob.
    await store.blobs.put(other, PICTURE, b"orphan")
    await store.blobs.put(room, "c" * 64, b"orphan")
    await store.blobs.put(room, "d" * 64, b"again")
    clock.unix_ms += HOUR_MS
    await store.blobs.put(room, "d" * 64, b"again")
    await store.blobs.put(room, "e" * 64, b"young")
    assert await store.blobs.sweep_orphans() == 0
    clock.unix_ms += 1
    await store.sweep(in_use={room, other})
    kept = [await store.blobs.get(room, letter * 64) for letter in "bcde"]
    assert kept == [b"named", None, b"again", b"young"]
    assert await store.blobs.get(other, PICTURE) is None


async def test_many_orphans_are_swept_in_parts(
    store: SqliteStore, room: RoomId, clock: Clock
) -> None:
    for number in range(150):
        await store.blobs.put(room, f"{number:064}", b"x")
    clock.unix_ms += HOUR_MS + 1
    assert await store.blobs.sweep_orphans() == 150
