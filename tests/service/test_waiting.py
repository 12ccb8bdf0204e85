"""Held calls: each gets its outcome, or hears that it is still open, and leaves nothing."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import RoomId
from lineup_srv.domain.effects import DeliverOutcome
from lineup_srv.domain.facts import Cancelled, HandedOver, Opened
from lineup_srv.domain.request import RequestState
from lineup_srv.service.delivery import HeldCall
from lineup_srv.service.ports import LogRefused, LogUnknown, OutcomeTold
from tests.domain.playbook import (
    ADA,
    BOB,
    LAPTOP,
    PHONE,
    cancels,
    deadline_reached,
    moves_deadline,
    opens,
    question,
    replies,
)
from tests.service.stage import ROOM, Stage

if TYPE_CHECKING:
    from lineup_srv.domain.commands import Cancel


async def test_a_held_call_gets_the_answer_and_its_agent_is_gone_after_it(stage: Stage) -> None:
    await stage.join(PHONE, LAPTOP)
    call = await stage.begin(stage.ask("q"))

    await stage.do(replies("q"))

    request = await stage.request("q")
    assert await call == OutcomeTold(
        request=request, redelivered=False, other_session=False, devices_online=2, bodies={}
    )
    assert request.handed_to == (ADA.agent_id,)
    await stage.settled()
    assert (await stage.runner()).room.live.agents == {}


async def test_a_call_whose_time_is_over_hears_that_the_request_is_pending(stage: Stage) -> None:
    told = await stage.ask("q", wait_ms=1)

    assert told.request == await stage.request("q")
    assert told.request.pending


async def test_a_time_that_is_over_takes_no_outcome_away(stage: Stage) -> None:
    """Both in one turn of the loop, before the call goes on."""
    told = await stage.ask("q", wait_ms=1)
    call = HeldCall()
    call.tell(told)

    call.wake()

    assert call.told is told
    assert not call.waits


async def test_a_pending_call_hears_of_a_deadline_that_moved_meanwhile(stage: Stage) -> None:
    call = await stage.begin(stage.ask("q", wait_ms=20))
    await stage.do(moves_deadline("q", 60))

    told = await call

    assert told.request.deadline_unix_ms == stage.clock.now + 660_000


async def test_a_call_that_ends_while_an_answer_is_not_durable_hears_pending(stage: Stage) -> None:
    call = await stage.begin(stage.ask("q", wait_ms=20))
    await stage.settled()
    stage.log.appending.close()
    await stage.submit(replies("q"))

    told = await call

    assert told.request.pending
    stage.log.appending.open()
    await stage.settled()


async def test_a_call_may_wait_for_a_request_that_another_opened(stage: Stage) -> None:
    first = await stage.begin(stage.ask("q"))
    second = await stage.begin(stage.wait("q", by=BOB))

    await stage.do(replies("q"))

    assert (await first).request.request_id == (await second).request.request_id == "q"
    assert [type(line.fact) for line in stage.log.facts(ROOM)].count(HandedOver) == 2


async def test_two_calls_of_one_agent_for_one_request_both_get_the_outcome(stage: Stage) -> None:
    first = await stage.begin(stage.ask("q"))
    second = await stage.begin(stage.ask("q"))

    await stage.do(replies("q"))

    assert await first == await second


async def test_a_request_that_has_ended_is_told_at_once_and_marked_the_second_time(
    stage: Stage,
) -> None:
    await stage.ask("q", wait_ms=0)
    await stage.do(replies("q"))

    first = await stage.wait("q")
    second = await stage.wait("q")

    assert (first.request.state, first.redelivered) == (RequestState.ANSWERED, False)
    assert second.redelivered


async def test_a_refused_call_raises_the_code(stage: Stage) -> None:
    await stage.ask("q", wait_ms=0)

    with pytest.raises(LineUpError) as unknown:
        await stage.wait("no")
    with pytest.raises(LineUpError) as conflict:
        await stage.call(opens("q", asked=question("something else")))

    assert unknown.value.code is ErrorCode.UNKNOWN_REQUEST
    assert conflict.value.code is ErrorCode.ID_CONFLICT


async def test_a_caller_that_goes_while_it_waits_leaves_the_card_open(stage: Stage) -> None:
    call = await stage.begin(stage.ask("q"))
    await stage.settled()

    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    assert (await stage.request("q")).pending
    assert (await stage.runner()).room.live.agents == {}


async def test_a_caller_that_goes_before_the_commit_does_not_disturb_it(stage: Stage) -> None:
    stage.log.appending.close()
    call = await stage.begin(stage.ask("q"))
    await stage.log.appending.arrived()

    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    stage.log.appending.open()
    await stage.settled()

    assert [type(line.fact) for line in stage.log.facts(ROOM)] == [Opened]
    assert (await stage.runner()).room.live.agents == {}


async def test_an_answer_that_meets_a_caller_that_just_went_goes_to_its_stream(
    stage: Stage,
) -> None:
    _, stream = await stage.attach()
    call = await stage.begin(stage.ask("q"))
    await stage.settled()
    stream.events.clear()
    stage.log.appending.close()
    await stage.submit(replies("q"))
    await stage.log.appending.arrived()

    call.cancel()
    stage.log.appending.open()
    await stage.settled()

    assert [type(event) for event in stream.events] == [OutcomeTold]


async def test_an_outcome_goes_to_the_held_call_and_not_to_the_stream_as_well(
    stage: Stage,
) -> None:
    _, stream = await stage.attach()
    call = await stage.begin(stage.ask("q"))
    await stage.settled()
    stream.events.clear()

    await stage.do(replies("q"))

    await call
    assert stream.events == []


async def test_an_outcome_after_the_call_goes_to_the_stream(stage: Stage) -> None:
    _, stream = await stage.attach()
    await stage.ask("q", wait_ms=0)
    stream.events.clear()

    await stage.do(replies("q"))

    [told] = stream.events
    assert isinstance(told, OutcomeTold)
    assert told.request == await stage.request("q")


async def test_an_answer_that_comes_while_a_pending_call_reads_bodies_is_not_lost() -> None:
    """The call's time is over, and its question has to be read from the disk once more."""
    stage = Stage(cache_bytes=1)
    asked = replace(question("long"), text=await stage.keep("x" * 5_000))
    call = await stage.begin(stage.call(opens("q", asked=asked), wait_ms=1))
    await stage.settled()
    await stage.keep("something that takes its place in the cache" * 500)
    stage.blobs.reading.close()
    await stage.blobs.reading.arrived()

    answering = await stage.submit(replies("q"))
    await stage.blobs.reading.arrived(2)
    stage.blobs.reading.step(last=True)
    await answering
    stage.blobs.reading.open()

    assert (await call).request.state is RequestState.ANSWERED
    await stage.check_nothing_is_left()


async def test_a_call_takes_one_outcome_and_a_second_goes_to_the_stream(stage: Stage) -> None:
    _, stream = await stage.attach()
    call = await stage.begin(stage.ask("q"))
    await stage.settled()
    stream.events.clear()
    outcome = DeliverOutcome(ADA.agent_id, await stage.request("q"), redelivered=False)

    await (await stage.runner()).delivery.emit([outcome, outcome])

    assert stream.events == [await call]


async def test_an_expired_request_is_told_without_anything_to_hand_over(stage: Stage) -> None:
    call = await stage.begin(stage.ask("q"))
    await stage.settled()

    await stage.do(deadline_reached("q", stage.clock.now + 600_000))

    told = await call
    assert told.request.state is RequestState.EXPIRED
    assert told.request.handed_to == ()


async def test_cancelling_tells_how_the_request_stands_after_it(stage: Stage) -> None:
    await stage.ask("q", wait_ms=0)
    other = await stage.begin(stage.ask("shared"))
    second = await stage.begin(stage.wait("shared", by=BOB))
    await stage.settled()

    ended = await stage.relay.cancel(ROOM, _cancel(stage, "q"))
    held = await stage.relay.cancel(ROOM, _cancel(stage, "shared"))

    assert (ended.request.state, ended.request.reason) == (
        RequestState.CANCELLED,
        ErrorCode.CANCELLED,
    )
    assert held.request.pending
    assert [type(line.fact) for line in stage.log.facts(ROOM)] == [Opened, Opened, Cancelled]
    other.cancel()
    await stage.do(replies("shared"))
    await second


async def test_cancelling_what_is_not_known_is_refused(stage: Stage) -> None:
    with pytest.raises(LineUpError) as caught:
        await stage.relay.cancel(ROOM, _cancel(stage, "no"))

    assert caught.value.code is ErrorCode.UNKNOWN_REQUEST


async def test_a_room_is_found_by_its_token(stage: Stage) -> None:
    assert await stage.relay.authenticate("token") == ROOM
    assert await stage.relay.authenticate("another token") is None
    assert stage.relay.log_id == stage.log.log_id


@pytest.mark.parametrize("fault", [LogRefused("disk full"), LogUnknown("no answer")])
async def test_a_token_whose_room_cannot_be_made_is_refused(stage: Stage, fault: Exception) -> None:
    stage.tokens.fault = fault

    with pytest.raises(LineUpError) as caught:
        await stage.relay.authenticate("token")

    assert caught.value.code is ErrorCode.LOG_UNAVAILABLE


async def test_rooms_know_nothing_of_each_other(stage: Stage) -> None:
    await stage.join()
    await stage.ask("q", wait_ms=0)
    stage.devices.sent.clear()
    elsewhere = RoomId("elsewhere")

    with pytest.raises(LineUpError) as caught:
        await stage.relay.cancel(elsewhere, _cancel(stage, "q"))
    await (await stage.relay.submit(elsewhere, stage.numbered(opens("q"))))
    await (await stage.relay.submit(elsewhere, stage.numbered(replies("q"))))

    assert caught.value.code is ErrorCode.UNKNOWN_REQUEST
    assert stage.devices.sent == []
    assert (await stage.request("q")).pending


def _cancel(stage: Stage, request_id: str) -> Cancel:
    return replace(cancels(request_id), command_id=stage.relay.new_command_id())
