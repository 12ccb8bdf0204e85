"""The mailbox: what nobody waited for is handed over once, and marked when it may be a repeat."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import RequestId, TextId
from lineup_srv.domain.commands import AckMessages
from lineup_srv.domain.effects import ShowState
from lineup_srv.domain.facts import HandedOver, Received
from lineup_srv.service.ports import MailCounted, OutcomeTold
from lineup_srv.service.relay import MailTold
from tests.domain.playbook import ADA, agent, replies
from tests.service.memory import Fault
from tests.service.stage import ROOM

if TYPE_CHECKING:
    from tests.service.stage import Stage


@pytest.fixture
async def answered(stage: Stage) -> Stage:
    """Ada is attached, and asked something that was answered when she did not wait for it."""
    await stage.attach()
    await stage.ask("q", wait_ms=0)
    await stage.relay.set_waiting(ROOM, ADA.agent_id, [])
    await stage.do(replies("q"))
    return stage


async def test_an_answer_that_nobody_waited_for_is_taken_once_and_acknowledged(
    answered: Stage,
) -> None:
    mail = await _take(answered)
    await answered.relay.ack_messages(ROOM, _ack(answered, "q"))

    [told] = mail.outcomes
    assert (told.request.request_id, told.redelivered, told.other_session) == ("q", False, False)
    assert mail.texts == []
    assert [type(line.fact) for line in answered.log.facts(ROOM)][-2:] == [HandedOver, Received]
    assert await _take(answered) == MailTold([], [])


async def test_devices_hear_that_an_answer_was_received(answered: Stage) -> None:
    await answered.join()
    await _take(answered)
    await answered.relay.ack_messages(ROOM, _ack(answered, "q"))

    [state] = answered.told()
    assert isinstance(state, ShowState)
    assert state.update.received


@pytest.mark.requirement("B51")
async def test_what_was_not_acknowledged_is_handed_over_again_and_marked(answered: Stage) -> None:
    await _take(answered)

    [again] = (await _take(answered)).outcomes

    assert again.redelivered


async def test_what_is_taken_is_durably_handed_over_first_however_long_that_takes(
    answered: Stage,
) -> None:
    answered.log.appending.close()
    taking = await answered.begin(_take(answered))
    await answered.log.appending.arrived()

    assert not taking.done()
    answered.log.appending.open()
    assert len((await taking).outcomes) == 1


async def test_another_session_of_the_agent_gets_it_marked_as_such(answered: Stage) -> None:
    runner = await answered.runner()
    presence = runner.room.live.agents[ADA.agent_id]
    await answered.relay.detach(
        ROOM, ADA.agent_id, presence.lease, runner.delivery.streams[ADA.agent_id]
    )
    answered.clock.advance(30)
    successor = agent("ada-2")
    _, stream = await answered.attach(by=successor)

    mail = await answered.relay.take_messages(ROOM, successor.agent_id, 0)

    assert [told.other_session for told in mail.outcomes] == [True]
    assert MailCounted(1) in stream.events


async def test_a_waiting_take_wakes_up_when_something_comes(stage: Stage) -> None:
    await stage.attach()
    taking = await stage.begin(_take(stage, wait_ms=5_000))

    await stage.do(replies("no", "a note", agent_id="ada"))

    [text] = (await taking).texts
    assert (text.mailed.text.contents[0].ref.inline, text.mailed.redelivered) == ("a note", False)
    assert text.bodies == {}


async def test_a_waiting_take_sleeps_on_when_something_came_for_another(stage: Stage) -> None:
    await stage.attach()
    taking = await stage.begin(_take(stage, wait_ms=5_000))

    await stage.do(replies("no", "a note", agent_id="bob"))
    await asyncio.sleep(0)
    assert not taking.done()
    await stage.do(replies("no 2", "a note", agent_id="ada", ref="ref-2222222222222"))

    assert len((await taking).texts) == 1


async def test_a_take_whose_time_is_over_gets_nothing(stage: Stage) -> None:
    await stage.attach()

    assert await _take(stage, wait_ms=1) == MailTold([], [])


async def test_texts_are_acknowledged_too(stage: Stage) -> None:
    await stage.attach()
    await stage.do(replies("no", "a note", agent_id="ada"))
    [text] = (await _take(stage)).texts

    await stage.relay.ack_messages(ROOM, _ack(stage, texts=(text.mailed.text.text_id,)))

    assert (await stage.runner()).room.logged.texts == {}


async def test_a_refused_take_or_ack_raises_the_code(answered: Stage) -> None:
    answered.log.faults.append(Fault.REFUSED)
    with pytest.raises(LineUpError) as take:
        await _take(answered)
    await _take(answered)
    answered.log.faults.append(Fault.REFUSED)
    with pytest.raises(LineUpError) as ack:
        await answered.relay.ack_messages(ROOM, _ack(answered, "q"))

    assert take.value.code is ack.value.code is ErrorCode.LOG_UNAVAILABLE
    assert not (await answered.request("q")).received


async def test_an_answer_to_a_stream_is_in_the_mailbox_of_the_next_until_it_is_acknowledged(
    stage: Stage,
) -> None:
    """The bridge died between getting the outcome and giving it to its host."""
    _, first = await stage.attach()
    await stage.ask("q", wait_ms=0)
    await stage.do(replies("q"))
    assert isinstance(first.events[-1], OutcomeTold)

    await stage.relay.goodbye(ROOM, ADA.agent_id)
    _, second = await stage.attach()

    assert second.events[-1] == MailCounted(1)
    [told] = (await _take(stage)).outcomes
    assert told.redelivered


async def _take(stage: Stage, *, wait_ms: int = 0) -> MailTold:
    return await stage.relay.take_messages(ROOM, ADA.agent_id, wait_ms)


def _ack(stage: Stage, *ids: str, texts: tuple[TextId, ...] = ()) -> AckMessages:
    return AckMessages(
        stage.relay.new_command_id(), ADA.agent_id, tuple(RequestId(i) for i in ids), texts
    )
