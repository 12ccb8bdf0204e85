"""What a JSON app or agent says twice (wire §5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.service.ports import LogRefused
from lineup_srv.wire.envelope import messages as m
from tests.service.memory import Fault
from tests.transports.json_room import LONG_ID, acks, texts
from tests.transports.talk import agent, app

if TYPE_CHECKING:
    from tests.transports.house import House


@pytest.mark.requirement("seed000:envelope:id-is-the-ref")
@pytest.mark.parametrize("envelope_id", ["short", LONG_ID])
async def test_a_duplicate_is_acknowledged_again_and_does_nothing(
    house: House, envelope_id: str
) -> None:
    [ann] = await house.room("Ann")
    phone, helper = await app(house), await agent(house)
    ack = m.Ack(ref=envelope_id, accepted=True)

    for talk in (phone, helper):
        # Twice at once, and once more when the first was acknowledged.
        talk.say(m.Text(content="Hi"), envelope_id=envelope_id)
        talk.say(m.Text(content="Hi"), envelope_id=envelope_id)
        assert await acks(talk) == [ack, ack]
        talk.say(m.Text(content="Hi"), envelope_id=envelope_id)
        assert await acks(talk) == [ack]

    said = [text.content for text in texts(await house.news(ann)) if text.content]
    assert said == ["Hi", "Hi"]


@pytest.mark.requirement("seed000:envelope:id-is-the-ref")
async def test_only_long_ids_count_over_connections(house: House) -> None:
    [ann] = await house.room("Ann")

    for envelope_id in ("short", LONG_ID, "x" * 128):
        for _ in range(2):
            phone = await app(house)
            phone.say(m.Text(content=envelope_id), envelope_id=envelope_id)
            assert m.Ack(ref=envelope_id, accepted=True) in await phone.news()
            helper = await agent(house)
            other_id = f"a{envelope_id[1:]}"
            helper.say(m.Text(content=envelope_id), envelope_id=other_id)
            assert m.Ack(ref=other_id, accepted=True) in await helper.news()
            helper.wire.vanish()
            await helper.wire.over()

    said = [text.content for text in texts(await house.news(ann)) if text.content]
    assert sorted(said) == sorted(["short"] * 4 + [LONG_ID] * 2 + ["x" * 128] * 2)


async def test_ids_of_another_connection_are_not_taken_for_ones_own(house: House) -> None:
    phone, tablet = await app(house), await app(house, "Tablet")

    phone.say(m.Text(content="one"), envelope_id="1")
    await phone.news()
    tablet.say(m.Text(content="two"), envelope_id="1")

    assert m.Ack(ref="1", accepted=True) in await tablet.news()
    assert [p.content for p in await phone.news() if isinstance(p, m.Text)] == ["two"]


async def test_what_is_remembered_is_bounded(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ENVELOPE_IDS", 1)
    monkeypatch.setattr(limits, "AGENT_ENVELOPE_IDS", 1)
    [ann] = await house.room("Ann")
    helper = await agent(house)

    for envelope_id in (LONG_ID, f"{LONG_ID}-2", LONG_ID):
        await helper.tell(m.Text(content="Hi"), envelope_id=envelope_id)

    assert len(texts(await house.news(ann))) == 3


@pytest.mark.parametrize("envelope_id", ["short", LONG_ID])
async def test_what_the_log_refused_may_be_said_again(house: House, envelope_id: str) -> None:
    [ann] = await house.room("Ann")
    phone, helper = await app(house), await agent(house)

    for talk in (phone, helper):
        await talk.news()
        house.log.faults.append(Fault.REFUSED)
        talk.say(m.Text(content="Hi"), envelope_id=envelope_id)
        [refusal] = await acks(talk)
        assert (refusal.accepted, refusal.code) == (False, ErrorCode.LOG_UNAVAILABLE)
        talk.say(m.Text(content="Hi"), envelope_id=envelope_id)
        assert await acks(talk) == [m.Ack(ref=envelope_id, accepted=True)]

    said = [text.content for text in texts(await house.news(ann)) if text.content]
    assert said == ["Hi", "Hi"]


async def test_bytes_that_cannot_be_kept_are_refused(house: House) -> None:
    phone, helper = await app(house), await agent(house)
    house.blobs.fault = LogRefused("disk full")
    picture = (m.Content(type=m.ContentType.IMAGE, data=b"dot"),)

    refusals = [
        await phone.tell(m.Reply(request_id="q", contents=picture)),
        await helper.tell(m.Image(data=b"dot")),
    ]

    for refusal in refusals:
        assert isinstance(refusal, m.Ack)
        assert (refusal.accepted, refusal.code) == (False, ErrorCode.LOG_UNAVAILABLE)
    house.blobs.fault = None
