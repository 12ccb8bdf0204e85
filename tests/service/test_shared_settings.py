"""Settings of a room: written against a seen revision, kept before their Ack, shown to others."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import Ref
from lineup_srv.domain.effects import Except, Only, SendAck, ShowSetting
from lineup_srv.domain.shared import Setting
from lineup_srv.service.ports import LogRefused, LogUnknown
from tests.domain.playbook import LAPTOP, PHONE
from tests.service.stage import ROOM

if TYPE_CHECKING:
    from lineup_srv.domain.people import Author
    from tests.service.stage import Stage

REF = Ref("ref-of-a-setting")


async def write(
    stage: Stage, value_json: str, seen: int, *, by: Author = PHONE, key: str = "k", ref: Ref = REF
) -> None:
    wish = Setting(key, value_json, seen)
    await stage.relay.settings.write(ROOM, by.client_id, ref, wish)


def ack(code: ErrorCode = ErrorCode.UNSPECIFIED, message: str = "") -> SendAck:
    accepted = code is ErrorCode.UNSPECIFIED
    return SendAck(Only(PHONE.client_id), REF, accepted, code, message, 0)


@pytest.mark.requirement("B87")
async def test_a_setting_is_acknowledged_and_shown_to_the_others(stage: Stage) -> None:
    await stage.join(PHONE, LAPTOP)

    await write(stage, '["ok"]', 0)

    assert stage.told(PHONE) == [ack()]
    shown = ShowSetting(Except(PHONE.client_id), Setting("k", '["ok"]', 1))
    assert stage.told(LAPTOP) == [shown]
    assert list(stage.settings.stored.values()) == [Setting("k", '["ok"]', 1)]


async def test_a_writer_that_saw_an_older_revision_gets_the_present_value_and_is_refused(
    stage: Stage,
) -> None:
    await stage.join(PHONE, LAPTOP)
    await write(stage, "1", 0, by=LAPTOP)
    stage.devices.sent.clear()

    await write(stage, "2", 0)

    [value, refusal] = stage.told(PHONE)
    assert value == ShowSetting(Only(PHONE.client_id), Setting("k", "1", 1))
    assert isinstance(refusal, SendAck)
    assert (refusal.accepted, refusal.code) == (False, ErrorCode.ID_CONFLICT)
    assert "changed it meanwhile" in refusal.message
    assert stage.told(LAPTOP) == []
    assert list(stage.settings.stored.values()) == [Setting("k", "1", 1)]


async def test_a_revision_that_never_was_is_refused_with_an_empty_value(stage: Stage) -> None:
    await stage.join()
    await write(stage, "2", 7)
    assert stage.told()[0] == ShowSetting(Only(PHONE.client_id), Setting("k", "", 0))


async def test_a_write_that_is_sent_again_is_acknowledged_again(stage: Stage) -> None:
    await stage.join()
    await write(stage, "1", 0)
    await write(stage, "1", 0)
    assert stage.told() == [ack(), ack()]
    assert list(stage.settings.stored.values()) == [Setting("k", "1", 1)]


async def test_a_writer_without_a_ref_is_told_nothing_unless_it_was_too_late(stage: Stage) -> None:
    await stage.join()
    await write(stage, "1", 0, ref=Ref(""))
    await write(stage, "2", 0, ref=Ref(""))
    assert stage.told() == [ShowSetting(Only(PHONE.client_id), Setting("k", "1", 1))]


async def test_of_two_that_write_at_once_one_wins_and_all_end_with_its_value(stage: Stage) -> None:
    await stage.join(PHONE, LAPTOP)
    await asyncio.gather(write(stage, "1", 0), write(stage, "2", 0, by=LAPTOP))
    for device in (PHONE, LAPTOP):
        values = [m.setting for m in stage.told(device) if isinstance(m, ShowSetting)]
        # The winner has it already; the other is shown it, once as news and once as refused.
        assert set(values) <= {Setting("k", "1", 1)}
    acks = [m for device in (PHONE, LAPTOP) for m in stage.told(device) if isinstance(m, SendAck)]
    assert [a.accepted for a in acks] == [True, False]


async def test_a_room_has_a_limited_number_of_settings(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SETTINGS_PER_ROOM", 2)
    await stage.join()
    await write(stage, "1", 0, key="a")
    await write(stage, "1", 0, key="b")
    with pytest.raises(LineUpError) as caught:
        await write(stage, "1", 0, key="c")
    assert caught.value.code is ErrorCode.RATE_LIMITED
    await write(stage, "2", 1, key="a")
    assert {s.key: s.value_json for s in stage.settings.stored.values()} == {"a": "2", "b": "1"}


@pytest.mark.parametrize("fault", [LogRefused("disk full"), LogUnknown("no answer")])
async def test_what_cannot_be_kept_is_not_acknowledged_and_not_shown(
    stage: Stage, fault: Exception
) -> None:
    await stage.join(PHONE, LAPTOP)
    stage.settings.fault = fault
    with pytest.raises(LineUpError) as caught:
        await write(stage, "1", 0)
    assert caught.value.code is ErrorCode.LOG_UNAVAILABLE
    assert stage.devices.sent == []


@pytest.mark.requirement("B87")
async def test_a_device_that_comes_is_shown_every_setting(stage: Stage) -> None:
    await stage.join(LAPTOP)
    await write(stage, "1", 0, by=LAPTOP, key="a")
    await write(stage, "2", 0, by=LAPTOP, key="b")
    again = stage.twin()
    await again.join()

    me = Only(PHONE.client_id)
    await again.relay.settings.show_all(ROOM, me)

    assert again.told() == [
        ShowSetting(me, Setting("a", "1", 1)),
        ShowSetting(me, Setting("b", "2", 1)),
    ]
    again.stop()


async def test_a_device_that_comes_during_a_write_never_goes_back(stage: Stage) -> None:
    await stage.join(PHONE, LAPTOP)
    await write(stage, "1", 0, by=LAPTOP)
    stage.devices.sent.clear()
    stage.settings.reading.close()
    greeting = await stage.begin(stage.relay.settings.show_all(ROOM, Only(PHONE.client_id)))
    await stage.settings.reading.arrived()
    writing = await stage.begin(write(stage, "2", 1, by=LAPTOP))
    stage.settings.reading.open()
    await asyncio.gather(greeting, writing)
    values = [m.setting.value_json for m in stage.told() if isinstance(m, ShowSetting)]
    assert values == ["1", "2"]


async def test_a_device_comes_in_also_when_the_settings_cannot_be_read(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    await stage.join()
    stage.settings.fault = LogRefused("input/output error")
    await stage.relay.settings.show_all(ROOM, Only(PHONE.client_id))
    assert stage.told() == []
    assert "settings cannot be read" in caplog.text
