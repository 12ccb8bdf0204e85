"""The list of a room's devices: told merged, kept over restarts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineup_srv.contract.ids import CommandId, Ref
from lineup_srv.domain.commands import Logout, SeeClient
from lineup_srv.domain.effects import Everyone, ShowDevices
from lineup_srv.service.ports import LogRefused
from tests.domain.playbook import LAPTOP, NOW, PHONE, logs_in
from tests.service.stage import ROOM

if TYPE_CHECKING:
    import pytest

    from lineup_srv.domain.people import Author
    from tests.service.stage import Stage


def logs_out(who: Author) -> Logout:
    return Logout(CommandId(""), who.client_id)


def sees(who: Author, *, visible: bool) -> SeeClient:
    return SeeClient(CommandId(""), who.client_id, visible, Ref(""))


async def told(stage: Stage, device: Author = PHONE) -> list[list[str]]:
    """The lists that a device was told after a second, as readable words."""
    stage.devices.sent.clear()
    stage.clock.advance(1)
    await stage.settled()
    lists = [m for m in stage.told(device) if isinstance(m, ShowDevices)]
    assert all(m.to == Everyone() for m in lists)
    return [
        [
            f"{line.nickname}"
            f"{' online' * line.online}{' visible' * line.visible}"
            f"{'' if line.online else f' {(stage.clock.now - line.last_seen_unix_ms) // 1000}'}"
            for line in m.devices
        ]
        for m in lists
    ]


async def test_who_comes_goes_renames_and_is_seen_is_told_each_time(stage: Stage) -> None:
    await stage.join()
    assert await told(stage) == [["Phone online visible"]]
    await stage.join(LAPTOP)
    assert await told(stage) == [["Phone online visible", "Laptop online visible"]]
    await stage.do(sees(LAPTOP, visible=False))
    assert await told(stage) == [["Phone online visible", "Laptop online"]]
    await stage.do(logs_in(replace(LAPTOP, nickname="Desk")))
    assert await told(stage) == [["Phone online visible", "Desk online visible"]]
    await stage.do(logs_out(LAPTOP))
    assert await told(stage) == [["Phone online visible", "Desk 1"]]
    assert await told(stage) == []


async def test_changes_that_come_together_are_told_once(stage: Stage) -> None:
    await stage.join(PHONE, LAPTOP)
    await stage.do(logs_out(LAPTOP))
    assert await told(stage) == [["Phone online visible", "Laptop 1"]]


async def test_a_client_without_client_info_is_seen_by_the_others(stage: Stage) -> None:
    await stage.join()
    await told(stage)
    await stage.do(logs_in(replace(LAPTOP, device_id=""), extended=False))  # type: ignore[arg-type] # none
    assert await told(stage) == [["Phone online visible", "Laptop online visible"]]
    await stage.do(logs_out(LAPTOP))
    assert await told(stage) == [["Phone online visible"]]
    assert {device.nickname for device in stage.known.stored.values()} == {"Phone"}


async def test_devices_are_known_after_a_restart(stage: Stage) -> None:
    await stage.join(PHONE, LAPTOP)
    await told(stage)
    await stage.do(logs_out(LAPTOP))
    stage.clock.advance(60)
    stage.stop()
    # Who was here to the end was seen until then.
    seen = {d.nickname: (d.last_seen_unix_ms - NOW) // 1000 for d in stage.known.stored.values()}
    assert seen == {"Laptop": 1, "Phone": 61}
    again = stage.twin()
    await again.join()
    assert await told(again) == [["Phone online visible", "Laptop 61"]]
    again.stop()


async def test_what_is_kept_of_a_login_is_not_lost_when_the_room_leaves_memory(
    stage: Stage,
) -> None:
    await stage.join()
    await stage.do(logs_out(PHONE))
    assert stage.known.stored == {}
    runner = await stage.runner()
    assert runner.idle
    runner.close()
    assert [device.nickname for device in stage.known.stored.values()] == ["Phone"]


async def test_a_list_that_cannot_be_read_shows_who_is_here_and_is_read_the_next_time(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    await stage.join(LAPTOP)
    await told(stage)
    stage.stop()
    again = stage.twin()
    again.known.fault = LogRefused("input/output error")
    await again.join()
    assert await told(again) == [["Phone online visible"]]
    assert "devices cannot be read" in caplog.text
    again.known.fault = None
    await again.do(sees(PHONE, visible=False))
    assert await told(again) == [["Phone online", "Laptop 2"]]
    again.stop()


async def test_a_room_that_closes_tells_nothing_more(stage: Stage) -> None:
    await stage.join()
    stage.devices.sent.clear()
    (await stage.relay.rooms.get(ROOM)).devices.close()
    stage.clock.advance(1)
    await stage.settled()
    assert not [m for m in stage.told() if isinstance(m, ShowDevices)]
