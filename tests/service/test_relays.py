"""Two relays on one log: everyone is told once, by whichever relay they are at."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.domain.effects import (
    SendAck,
    ShowReply,
    ShowRequest,
    ShowState,
)
from lineup_srv.domain.facts import Answered, Cancelled, Expired, HandedOver, Opened
from lineup_srv.domain.request import RequestState
from lineup_srv.service.ports import OutcomeTold
from tests.domain.playbook import (
    ADA,
    BOB,
    LAPTOP,
    PHONE,
    device,
    logs_in,
    moves_deadline,
    opens,
    replies,
)
from tests.service.stage import ROOM

if TYPE_CHECKING:
    from lineup_srv.domain.effects import Message
    from tests.service.stage import Stage

REF = "ref-0000000000000"
OTHER_REF = "ref-1111111111111"


async def test_a_reply_taken_by_one_relay_reaches_the_call_held_by_the_other_once(
    stage: Stage, twin: Stage
) -> None:
    await stage.join(PHONE)
    await twin.join(LAPTOP)
    call = await twin.begin(twin.ask("q"))
    await stage.settled(twin)

    await stage.do(replies("q"))
    await stage.settled(twin)

    told = await call
    assert told.request.state is RequestState.ANSWERED
    assert not told.redelivered
    assert [type(line.fact) for line in stage.log.facts(ROOM)] == [Opened, Answered, HandedOver]


async def test_a_reply_taken_by_one_relay_reaches_the_stream_at_the_other_once(
    stage: Stage, twin: Stage
) -> None:
    await stage.do(opens("q", by=BOB))
    _, stream = await twin.attach("q")
    stream.events.clear()

    await stage.do(replies("q"))
    await stage.settled(twin)

    [told] = stream.events
    assert isinstance(told, OutcomeTold)
    assert (told.request.state, told.redelivered) == (RequestState.ANSWERED, False)


async def test_devices_of_both_relays_are_told_each_fact_once(stage: Stage, twin: Stage) -> None:
    await stage.join(PHONE)
    await twin.join(LAPTOP)

    await stage.do(opens("q"))
    await stage.settled(twin)
    await twin.do(replies("q", by=LAPTOP, ref=REF))
    await stage.settled(twin)

    early, echo, answered = stage.told(PHONE)
    card, ack = twin.told(LAPTOP)
    assert isinstance(early, ShowRequest)
    assert isinstance(echo, ShowState)
    assert isinstance(answered, ShowReply)
    assert (early.seq, echo.seq, answered.seq) == (0, 1, 2)
    assert isinstance(card, ShowRequest)
    assert isinstance(ack, SendAck)
    assert (card.seq, ack.seq) == (1, 2)


async def test_of_two_replies_at_two_relays_one_wins_and_the_other_is_refused(
    stage: Stage, twin: Stage
) -> None:
    await stage.join(PHONE)
    await twin.join(LAPTOP)
    await stage.do(opens("q"))
    await stage.settled(twin)
    stage.log.appending.close()
    await stage.submit(replies("q", ref=REF))
    await stage.log.appending.arrived(1)
    await twin.submit(replies("q", by=LAPTOP, ref=OTHER_REF))
    await stage.log.appending.arrived(2)

    stage.log.appending.step(last=True)
    await twin.settled()
    stage.log.appending.open()
    await stage.settled(twin)

    [refused] = [m for m in stage.told(PHONE) if isinstance(m, SendAck)]
    [taken] = [m for m in twin.told(LAPTOP) if isinstance(m, SendAck)]
    assert (refused.accepted, refused.code) == (False, ErrorCode.ALREADY_ANSWERED)
    assert (taken.accepted, taken.seq) == (True, 2)
    assert (await stage.request("q")) == (await twin.request("q"))


@pytest.mark.parametrize("seed", range(40))
async def test_conflicts_at_any_point_change_no_outcome(
    stage: Stage, twin: Stage, seed: int
) -> None:
    random = Random(seed)
    await stage.join(PHONE)
    await twin.join(LAPTOP)
    calls = [
        await relay.begin(relay.ask(f"q{number}", by=agent))
        for number, (relay, agent) in enumerate([(stage, ADA), (twin, BOB), (stage, ADA)])
    ]
    await stage.settled(twin)
    stage.log.appending.close()

    refs = 0
    for _ in range(30):
        relay, author = random.choice([(stage, PHONE), (twin, LAPTOP)])
        request_id = f"q{random.randrange(3)}"
        match random.randrange(6):
            case 0 | 1:
                refs += 1
                await relay.submit(replies(request_id, by=author, ref=f"ref-{refs:013}"))
            case 2:
                refs += 1
                await relay.submit(moves_deadline(request_id, 60, by=author, ref=f"ref-{refs:013}"))
            case 3:
                await relay.submit(logs_in(device(f"guest{random.randrange(9)}")))
            case _ if stage.log.appending.waiting:
                stage.log.appending.step(last=random.random() < 0.5)
                await relay.begin(_nothing())
            case _:
                await relay.begin(_nothing())
    for number in range(3):
        refs += 1
        await stage.submit(replies(f"q{number}", by=PHONE, ref=f"ref-{refs:013}"))
    stage.log.appending.open()
    await stage.settled(twin)

    facts = [line.fact for line in stage.log.facts(ROOM)]
    ends = [f.request_id for f in facts if isinstance(f, Answered | Expired | Cancelled)]
    assert sorted(ends) == ["q0", "q1", "q2"]
    for number, call in enumerate(calls):
        told = await call
        assert (told.request.request_id, told.redelivered) == (f"q{number}", False)
    acks = Counter(
        m.ref
        for relay in (stage, twin)
        for s in relay.devices.sent
        if isinstance(m := s.message, SendAck)
    )
    assert acks == {f"ref-{number:013}": 1 for number in range(1, refs + 1)}
    for relay, author in ((stage, PHONE), (twin, LAPTOP)):
        numbers = [_seq(m) for m in relay.told(author) if _seq(m)]
        assert numbers == sorted(set(numbers)), "each fact is told once, in order"


async def _nothing() -> None:
    pass


def _seq(message: Message) -> int:
    """The fact that a message reports; 0 for none. An Ack comes beside it."""
    return message.seq if isinstance(message, ShowRequest | ShowReply | ShowState) else 0
