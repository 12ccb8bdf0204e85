"""An agent's lease: what its stream is told, when it replaces another, and how it ends."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import CommandId, RequestId
from lineup_srv.domain.commands import Logout
from lineup_srv.domain.facts import Cancelled, Opened
from lineup_srv.domain.request import RequestState
from lineup_srv.service.ports import (
    DeadlineTold,
    DevicesCounted,
    MailCounted,
    OutcomeTold,
    UnknownTold,
)
from tests.domain.playbook import (
    ADA,
    BOB,
    LAPTOP,
    PHONE,
    logs_in,
    moves_deadline,
    opens,
    replies,
)
from tests.service.fakes import ListStream
from tests.service.memory import Fault
from tests.service.stage import ROOM

if TYPE_CHECKING:
    from lineup_srv.domain.request import Request
    from tests.service.stage import Stage


async def test_a_stream_begins_with_the_devices_and_what_ended_and_what_waits(
    stage: Stage,
) -> None:
    await stage.join(PHONE, LAPTOP)
    await stage.ask("answered", wait_ms=0)
    await stage.ask("open", wait_ms=0)
    await stage.ask("unfetched", wait_ms=0)
    await stage.do(replies("answered"))
    await stage.do(replies("unfetched"))

    _, stream = await stage.attach("answered", "open", "no")

    answered = await stage.request("answered")
    assert stream.events == [
        DevicesCounted(2),
        OutcomeTold(
            # As it was before this: the stream is the first to get it.
            request=_outcome(stream),
            redelivered=False,
            other_session=False,
            devices_online=2,
            bodies={},
        ),
        UnknownTold(RequestId("no")),
        MailCounted(1),
    ]
    assert answered.handed_to == (ADA.agent_id,)
    assert _outcome(stream).reply == answered.reply


async def test_what_ended_is_told_only_when_it_is_durable_that_it_was_handed_over(
    stage: Stage,
) -> None:
    await stage.ask("q", wait_ms=0)
    await stage.do(replies("q"))
    stage.log.appending.close()

    stream = ListStream()
    attaching = await stage.begin(stage.relay.attach(ROOM, ADA, [RequestId("q")], stream))
    await stage.log.appending.arrived()

    assert stream.events == [DevicesCounted(0)]
    stage.log.appending.open()
    await attaching
    await stage.settled()
    assert [type(event) for event in stream.events] == [DevicesCounted, OutcomeTold]


async def test_an_attached_agent_hears_of_devices_deadlines_and_mail(stage: Stage) -> None:
    _, stream = await stage.attach()
    await stage.ask("q", wait_ms=0)
    stream.events.clear()

    await stage.do(logs_in(PHONE))
    await stage.do(moves_deadline("q", 60))
    await stage.do(replies("no", "a note", agent_id="ada"))
    await stage.do(Logout(CommandId(""), PHONE.client_id))
    await stage.settled()

    deadline = stage.clock.now + 660_000
    assert stream.events == [
        DevicesCounted(1),
        DeadlineTold(RequestId("q"), deadline),
        MailCounted(1),
        DevicesCounted(0),
    ]


async def test_mail_is_counted_for_each_agent_and_told_only_when_it_changes(stage: Stage) -> None:
    _, ada = await stage.attach()
    _, bob = await stage.attach(by=BOB)
    ada.events.clear()
    bob.events.clear()

    for number in range(2):
        await stage.do(replies(f"no {number}", "a note", agent_id="ada", ref=f"ref-{number:013}"))
    await stage.relay.set_waiting(ROOM, ADA.agent_id, [])
    await stage.relay.take_messages(ROOM, ADA.agent_id, 0)

    assert ada.events == [MailCounted(1), MailCounted(2)]
    assert bob.events == []


async def test_a_second_stream_of_an_agent_takes_the_place_of_the_first(stage: Stage) -> None:
    first_lease, first = await stage.attach()
    second_lease, second = await stage.attach()
    first.events.clear()
    second.events.clear()

    await stage.relay.detach(ROOM, ADA.agent_id, first_lease, first)
    await stage.ask("q", wait_ms=0)
    await stage.do(replies("q"))

    assert first_lease != second_lease
    assert first.events == []
    assert [type(event) for event in second.events] == [OutcomeTold]
    assert stage.clock.watched == []


async def test_a_broken_stream_ends_the_lease_half_a_minute_later(stage: Stage) -> None:
    lease, stream = await stage.attach()
    await stage.relay.detach(ROOM, ADA.agent_id, lease, stream)
    runner = await stage.runner()

    stage.clock.advance(29)
    assert ADA.agent_id in runner.room.live.agents
    stage.clock.advance(1)

    assert runner.room.live.agents == {}
    assert runner.delivery.streams == {}


async def test_a_lease_that_was_renewed_is_not_ended_by_the_old_timer(stage: Stage) -> None:
    lease, stream = await stage.attach()
    await stage.relay.detach(ROOM, ADA.agent_id, lease, stream)
    await stage.attach()

    stage.clock.advance(30)

    assert ADA.agent_id in (await stage.runner()).room.live.agents


async def test_a_second_break_gives_the_whole_time_again(stage: Stage) -> None:
    lease, stream = await stage.attach()
    await stage.relay.detach(ROOM, ADA.agent_id, lease, stream)
    lease, stream = await stage.attach()
    stage.clock.advance(20)

    await stage.relay.detach(ROOM, ADA.agent_id, lease, stream)

    assert stage.clock.watched == [30]


async def test_a_caller_that_goes_while_it_attaches_leaves_no_lease(stage: Stage) -> None:
    await stage.ask("q", wait_ms=0)
    await stage.do(replies("q"))
    stage.log.appending.close()
    attaching = await stage.begin(stage.attach("q"))
    await stage.log.appending.arrived()

    attaching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await attaching
    stage.log.appending.open()
    await stage.settled()
    await asyncio.sleep(0)

    runner = await stage.runner()
    assert runner.delivery.streams == {}
    assert not runner.room.live.agents[ADA.agent_id].attached
    assert stage.clock.watched == [30]


async def test_a_caller_that_goes_while_its_attach_fails_leaves_nothing(stage: Stage) -> None:
    await stage.ask("q", wait_ms=0)
    await stage.do(replies("q"))
    stage.log.appending.close()
    attaching = await stage.begin(stage.attach("q"))
    await stage.log.appending.arrived()
    stage.log.faults.append(Fault.REFUSED)

    attaching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await attaching
    stage.log.appending.open()
    await stage.settled()
    await asyncio.sleep(0)

    assert (await stage.runner()).room.live.agents == {}


async def test_a_new_waiting_list_brings_what_ended_just_before(stage: Stage) -> None:
    await stage.do(opens("q", by=BOB))
    _, stream = await stage.attach()
    stream.events.clear()
    stage.log.appending.close()
    await stage.submit(replies("q"))
    await stage.log.appending.arrived()

    setting = await stage.begin(stage.relay.set_waiting(ROOM, ADA.agent_id, [RequestId("q")]))

    assert stream.events == []
    stage.log.appending.open()
    await setting
    [told] = stream.events
    assert isinstance(told, OutcomeTold)
    assert told.request.state is RequestState.ANSWERED


async def test_a_waiting_list_is_taken_although_its_caller_went(stage: Stage) -> None:
    await stage.do(opens("q", by=BOB))
    await stage.do(replies("q"))
    _, stream = await stage.attach()
    stream.events.clear()
    stage.log.appending.close()
    setting = await stage.begin(stage.relay.set_waiting(ROOM, ADA.agent_id, [RequestId("q")]))
    await stage.log.appending.arrived()

    setting.cancel()
    stage.log.appending.open()
    await stage.settled()

    assert [type(event) for event in stream.events] == [OutcomeTold]


async def test_a_waiting_list_that_cannot_be_logged_is_refused(stage: Stage) -> None:
    await stage.do(opens("q", by=BOB))
    await stage.do(replies("q"))
    _, stream = await stage.attach()
    stream.events.clear()
    stage.log.faults.append(Fault.REFUSED)

    with pytest.raises(LineUpError) as caught:
        await stage.relay.set_waiting(ROOM, ADA.agent_id, [RequestId("q")])
    await stage.settled()
    await stage.relay.set_waiting(ROOM, ADA.agent_id, [RequestId("q")])

    assert caught.value.code is ErrorCode.LOG_UNAVAILABLE
    assert [type(event) for event in stream.events] == [OutcomeTold]


async def test_an_agent_that_is_not_attached_waits_for_nothing(stage: Stage) -> None:
    await stage.relay.set_waiting(ROOM, ADA.agent_id, [RequestId("q")])

    assert (await stage.runner()).room.live.agents == {}


async def test_goodbye_withdraws_the_agents_cards_and_is_durable(stage: Stage) -> None:
    await stage.ask("q", wait_ms=0)

    await stage.relay.goodbye(ROOM, ADA.agent_id)

    assert [type(line.fact) for line in stage.log.facts(ROOM)] == [Opened, Cancelled]
    assert (await stage.request("q")).reason is ErrorCode.AGENT_ENDED


async def test_a_goodbye_that_cannot_be_logged_is_refused(stage: Stage) -> None:
    await stage.ask("q", wait_ms=0)
    stage.log.faults.append(Fault.REFUSED)

    with pytest.raises(LineUpError) as caught:
        await stage.relay.goodbye(ROOM, ADA.agent_id)

    assert caught.value.code is ErrorCode.LOG_UNAVAILABLE
    assert (await stage.request("q")).pending


def _outcome(stream: ListStream) -> Request:
    [told] = [event for event in stream.events if isinstance(event, OutcomeTold)]
    return told.request
