"""The devices of a room as people see them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.ids import ClientId, DeviceId
from lineup_srv.domain.devices import KnownDevice, device_lines
from lineup_srv.domain.effects import DeviceLine
from tests.domain.playbook import LAPTOP, NOW, PHONE, device, member

if TYPE_CHECKING:
    from lineup_srv.domain.people import Author, Member


def online(author: Author, *, visible: bool = True) -> DeviceLine:
    return DeviceLine(
        device_id=author.device_id,
        client_id=author.client_id,
        nickname=author.nickname,
        platform=author.platform,
        online=True,
        visible=visible,
        last_seen_unix_ms=NOW,
    )


def known(name: str, seconds_ago: int) -> KnownDevice:
    return KnownDevice(DeviceId(name), name.title(), "test", NOW - seconds_ago * 1000)


def away(device: KnownDevice) -> DeviceLine:
    return DeviceLine(
        device_id=device.device_id,
        client_id=None,
        nickname=device.nickname,
        platform=device.platform,
        online=False,
        visible=False,
        last_seen_unix_ms=device.last_seen_unix_ms,
    )


def test_devices_that_are_here_come_before_those_that_were_newest_first() -> None:
    tablet, watch = known("tablet", 60), known("watch", 5)

    lines = device_lines([member(PHONE)], [tablet, known("phone", 0), watch], NOW)

    assert lines == (online(PHONE), away(watch), away(tablet))


@pytest.mark.parametrize(
    ("first", "second", "client_id", "visible"),
    [
        (True, False, "tab-1", True),
        (False, True, "tab-2", True),
        (True, True, "tab-2", True),
        (False, False, "tab-2", False),
    ],
)
def test_a_device_with_two_pages_is_the_visible_one_else_the_newest(
    first: bool, second: bool, client_id: str, visible: bool
) -> None:
    pages: list[Member] = [
        member(replace(PHONE, client_id=ClientId(f"tab-{number}")), visible=seen)
        for number, seen in ((1, first), (2, second))
    ]

    lines = device_lines(pages, [], NOW)

    one = replace(PHONE, client_id=ClientId(client_id))
    assert lines == (online(one, visible=visible),)


def test_clients_without_a_device_id_are_devices_of_their_own() -> None:
    old = [device(name, device_id="") for name in ("old1", "old2")]

    assert device_lines(map(member, old), [], NOW) == tuple(map(online, old))


def test_only_so_many_devices_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "KNOWN_DEVICES_PER_ROOM", 3)
    seen = [known("tablet", 60), known("watch", 5)]

    lines = device_lines([member(PHONE), member(LAPTOP)], seen, NOW)

    assert lines == (online(PHONE), online(LAPTOP), away(seen[1]))
