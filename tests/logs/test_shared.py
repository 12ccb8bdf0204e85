"""Settings and known devices at rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.ids import DeviceId, RoomId
from lineup_srv.domain.devices import KnownDevice
from lineup_srv.domain.shared import Setting
from lineup_srv.service.ports import LogRefused
from tests.logs.sample import NOW
from tests.logs.stores import Clock, in_writer, opened_store, token_room

if TYPE_CHECKING:
    from pathlib import Path

    from lineup_srv.logs.sqlite import SqliteStore


def known(name: str, at: int) -> KnownDevice:
    return KnownDevice(DeviceId(name), name.title(), "web", at)


async def test_a_setting_that_was_written_is_there_after_a_restart(
    data_dir: Path, clock: Clock
) -> None:
    async with opened_store(data_dir, clock) as store:
        room = await token_room(store, "test-token")
        assert await store.settings.write(room, Setting("b", "1", 0)) == Setting("b", "1", 1)
        assert await store.settings.write(room, Setting("b", '"é"', 1)) == Setting("b", '"é"', 2)
        assert await store.settings.write(room, Setting("a", "[]", 0)) == Setting("a", "[]", 1)
        assert await store.settings.of_room(room) == [Setting("a", "[]", 1), Setting("b", '"é"', 2)]
    async with opened_store(data_dir, clock) as store:
        assert await store.settings.of_room(room) == [Setting("a", "[]", 1), Setting("b", '"é"', 2)]


@pytest.mark.parametrize("seen", [0, 2, 99])
async def test_a_stale_write_gets_what_is_there(
    store: SqliteStore, room: RoomId, seen: int
) -> None:
    await store.settings.write(room, Setting("a", "1", 0))
    assert await store.settings.write(room, Setting("a", "2", seen)) == Setting("a", "1", 1)
    assert await store.settings.write(room, Setting("b", "2", 5)) == Setting("b", "", 0)
    assert await store.settings.of_room(room) == [Setting("a", "1", 1)]


async def test_settings_of_rooms_are_apart(store: SqliteStore, room: RoomId) -> None:
    other = await token_room(store, "another token, long enough")
    await store.settings.write(room, Setting("a", "1", 0))
    assert await store.settings.of_room(other) == []


async def test_a_new_key_above_the_limit_is_refused(
    store: SqliteStore, room: RoomId, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SETTINGS_PER_ROOM", 1)
    await store.settings.write(room, Setting("a", "1", 0))
    assert await store.settings.write(room, Setting("b", "1", 0)) is None
    assert await store.settings.write(room, Setting("a", "2", 1)) == Setting("a", "2", 2)


async def test_a_setting_of_a_room_that_does_not_exist_is_refused(store: SqliteStore) -> None:
    with pytest.raises(LogRefused):
        await store.settings.write(RoomId("nowhere"), Setting("a", "1", 0))


async def test_a_room_with_settings_does_not_vanish(
    store: SqliteStore, room: RoomId, clock: Clock
) -> None:
    await store.settings.write(room, Setting("a", "1", 0))
    clock.unix_ms += 10 * limits.OPEN_ROOM_IDLE_SECONDS * 1000
    await store.sweep(())
    assert await token_room(store, "test-token") == room


async def test_known_devices_are_replaced_and_the_latest_are_kept(
    data_dir: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "KNOWN_DEVICES_PER_ROOM", 2)
    async with opened_store(data_dir, clock) as store:
        room = await token_room(store, "test-token")
        other = await token_room(store, "another token, long enough")
        store.known.remember(other, [known("foreign", NOW)])
        store.known.remember(room, [known("old", NOW), known("phone", NOW + 1)])
        store.known.remember(room, [known("phone", NOW + 3), known("laptop", NOW + 2)])
    async with opened_store(data_dir, clock) as store:
        assert await store.known.of_room(room) == [
            known("phone", NOW + 3),
            known("laptop", NOW + 2),
        ]
        assert await store.known.of_room(other) == [known("foreign", NOW)]


async def test_devices_of_a_room_that_vanished_are_not_remembered(
    store: SqliteStore, caplog: pytest.LogCaptureFixture
) -> None:
    store.known.remember(RoomId("nowhere"), [known("phone", NOW)])
    await in_writer(store, lambda _: None)
    await in_writer(store, lambda _: None)
    assert await store.known.of_room(RoomId("nowhere")) == []
    assert not caplog.records
