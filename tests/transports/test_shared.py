"""Settings and the device list as devices say and hear them (wire §4, 113 and 114)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lineup_srv.contract import limits
from lineup_srv.wire._gen.lineup.v1 import client_pb2
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from tests.transports.sockets import login

if TYPE_CHECKING:
    from tests.transports.house import House
    from tests.transports.sockets import Wire

REF = "ref-of-a-setting"


def settings(key: str = "quick", value: str = "[]", revision: int = 0) -> WebsocketMessage:
    wish = client_pb2.Settings(key=key, value_json=value, revision=revision)
    return WebsocketMessage(Cmd="Settings", settings=wish, ref=REF)


async def acked(house: House, wire: Wire, message: WebsocketMessage) -> tuple[bool, int, str]:
    ack = (await house.tell(wire, message)).ack
    assert ack.ref == REF
    return ack.accepted, ack.code, ack.message


@pytest.mark.requirement("B87")
async def test_a_setting_reaches_the_other_devices_and_those_that_come(house: House) -> None:
    ann, bob = await house.room("Ann", "Bob")
    old = await house.log_in("Old", extended=False)
    for wire in (ann, bob):
        await house.news(wire)

    assert (await house.tell(ann, settings(value='["ok"]'))).ack.accepted

    [told] = await house.news(bob)
    assert told.Cmd == "Settings"
    assert told.settings == client_pb2.Settings(key="quick", value_json='["ok"]', revision=1)
    assert await house.commands(ann) == []
    # A client without client_info never hears of it.
    assert "Settings" not in await house.commands(old)

    eve = await house.accepted()
    eve.say(login("Eve"))
    heard = await eve.hear_all("UserLogin", "ServerInfo", "Settings")
    assert heard[2].settings == told.settings
    late = await house.accepted()
    late.say(login("Late", extended=False))
    await late.hear_all("UserLogin")
    assert await house.commands(late) == []


async def test_a_stale_write_is_answered_with_the_present_value(house: House) -> None:
    ann, bob = await house.room("Ann", "Bob")
    await house.tell(bob, settings(value="1"))
    await house.news(ann)

    ann.say(settings(value="2"))

    value, refusal = await ann.hear_all("Settings", "Ack")
    assert (value.settings.value_json, value.settings.revision) == ("1", 1)
    assert not refusal.ack.accepted
    assert await house.commands(bob) == []


@pytest.mark.parametrize(
    ("wish", "field"),
    [
        ({"key": ""}, "settings.key"),
        ({"key": "Quick"}, "settings.key"),
        ({"key": "a b"}, "settings.key"),
        ({"key": "a\n"}, "settings.key"),
        ({"key": "a" * (limits.SETTING_KEY_CHARACTERS + 1)}, "settings.key"),
        ({"value": ""}, "settings.value_json"),
        ({"value": "{"}, "settings.value_json"),
        ({"value": "NaN"}, "settings.value_json"),
        ({"value": "[" * 60_000}, "settings.value_json"),
        ({"value": '"' + "é" * (limits.SETTING_BYTES // 2) + '"'}, "settings.value_json"),
        ({"revision": -1}, "settings.revision"),
    ],
)
async def test_what_is_no_setting_is_refused_by_its_field(
    house: House, wish: dict[str, Any], field: str
) -> None:
    [ann] = await house.room("Ann")
    accepted, _, message = await acked(house, ann, settings(**wish))
    assert not accepted
    assert message.startswith(f"{field}: ")
    assert house.settings.stored == {}


@pytest.mark.parametrize(
    "wish",
    [
        {"key": "a" * limits.SETTING_KEY_CHARACTERS},
        {"key": "a-b_c.9"},
        {"value": "1e400"},
        {"value": '"' + "x" * (limits.SETTING_BYTES - 2) + '"'},
    ],
)
async def test_a_setting_at_its_limits_is_taken(house: House, wish: dict[str, Any]) -> None:
    [ann] = await house.room("Ann")
    assert (await acked(house, ann, settings(**wish)))[0]


async def test_devices_hear_merged_who_is_here_and_who_was(house: House) -> None:
    ann, bob = await house.room("Ann", "Bob")
    old = await house.log_in("Old", extended=False)
    for wire in (ann, bob, old):
        await house.news(wire)
    house.clock.advance(1)
    bob.vanish()
    await bob.over()
    await house.settled()
    await house.news(ann)

    house.clock.advance(1)

    [told] = [message for message in await house.news(ann) if message.Cmd == "Devices"]
    lines = {device.nickname: device for device in told.devices}
    assert (lines["Ann"].online, lines["Ann"].device_id) == (True, "Ann")
    assert lines["Ann"].client_id
    assert (lines["Bob"].online, lines["Bob"].client_id) == (False, "")
    assert lines["Bob"].last_seen_unix_ms == house.clock.now - 1_000
    assert (lines["Old"].online, lines["Old"].device_id) == (True, "")
    assert "Devices" not in await house.commands(old)
