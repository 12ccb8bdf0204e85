"""A log that refuses, or does not say: nothing is lost and the room comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract.errors import ERRORS, ErrorCode, LineUpError
from lineup_srv.contract.ids import CommandId, Ref
from lineup_srv.domain.commands import ListPending
from lineup_srv.domain.decision import Held, Refused
from lineup_srv.domain.effects import (
    Only,
    SendAck,
    SendPending,
    ShowReply,
    ShowRequest,
    ShowState,
)
from lineup_srv.domain.facts import Answered, DeadlineMoved, Expired, HandedOver, Opened
from lineup_srv.domain.request import RequestState
from lineup_srv.service.timers import RETRY_MS
from tests.domain.playbook import (
    BOB,
    LAPTOP,
    PHONE,
    logs_in,
    moves_deadline,
    opens,
    replies,
)
from tests.service.memory import Fault
from tests.service.stage import ROOM

if TYPE_CHECKING:
    from lineup_srv.domain.effects import Message
    from tests.service.stage import Stage

REF = "ref-0000000000000"
UNAVAILABLE = Refused(ErrorCode.LOG_UNAVAILABLE, ERRORS[ErrorCode.LOG_UNAVAILABLE].meaning)
RETRY_SECONDS = RETRY_MS // 1000


@pytest.mark.parametrize("fault", [Fault.LOST, Fault.UNHEARD])
async def test_an_append_of_unknown_fate_is_asked_for_again_and_written_once(
    stage: Stage, fault: Fault
) -> None:
    await stage.join()
    stage.log.faults.extend([fault, fault])

    await stage.do(opens("q"))

    assert [type(line.fact) for line in stage.log.facts(ROOM)] == [Opened]
    first, *again = stage.log.appends
    assert again == [first, first]
    assert [(type(m), _seq(m)) for m in stage.told()] == [(ShowRequest, 0), (ShowState, 1)]


async def test_what_is_in_the_log_counts_even_if_the_log_never_said_so(stage: Stage) -> None:
    await stage.join()
    await stage.do(opens("q"))
    stage.devices.sent.clear()
    stage.log.faults.extend([Fault.UNHEARD] * 5)

    await (await stage.submit(replies("q", ref=REF)))

    assert [type(line.fact) for line in stage.log.facts(ROOM)] == [Opened, Answered, HandedOver]
    assert stage.told() == [_ack(accepted=True, seq=2)]


async def test_an_append_whose_fate_stays_unknown_is_refused(stage: Stage) -> None:
    await stage.join()
    await stage.do(opens("q"))
    stage.devices.sent.clear()
    stage.log.faults.extend([Fault.LOST] * 5)

    result = await stage.do(replies("q", ref=REF))

    assert result == UNAVAILABLE
    assert stage.told() == [_ack(accepted=False, seq=0)]
    assert (await stage.request("q")).pending


async def test_refs_hear_that_the_log_refused(stage: Stage) -> None:
    await stage.join(PHONE, LAPTOP)
    await stage.do(opens("q"))
    stage.devices.sent.clear()
    stage.log.faults.append(Fault.REFUSED)

    moved = await stage.submit(moves_deadline("q", 60, ref=REF))
    unsigned = await stage.submit(replies("q", by=LAPTOP, ref=""))
    await stage.settled()

    assert [moved.result(), unsigned.result()] == [UNAVAILABLE, UNAVAILABLE]
    assert [(s.to, s.message) for s in stage.devices.sent] == [
        ((PHONE.client_id,), _ack(accepted=False, seq=0))
    ]


async def test_a_card_that_was_shown_but_not_logged_is_withdrawn_and_its_call_refused(
    stage: Stage,
) -> None:
    await stage.join()
    stage.log.faults.append(Fault.REFUSED)

    with pytest.raises(LineUpError) as caught:
        await stage.ask("q")
    await stage.settled()

    assert caught.value.code is ErrorCode.LOG_UNAVAILABLE
    shown, withdrawn = stage.told()
    assert isinstance(shown, ShowRequest)
    assert isinstance(withdrawn, ShowState)
    update = withdrawn.update
    assert (update.request_id, update.state, update.reason) == (
        "q",
        RequestState.CANCELLED,
        ErrorCode.LOG_UNAVAILABLE,
    )
    live = (await stage.runner()).room.live
    assert live.agents == {}


async def test_other_commands_are_decided_again_without_what_was_refused(stage: Stage) -> None:
    await stage.join(PHONE, LAPTOP)
    await stage.do(opens("q"))
    stage.log.appending.close()
    await stage.submit(replies("q", ref=REF))
    await stage.log.appending.arrived()
    second = await stage.submit(replies("q", "later", by=LAPTOP, ref="ref-second-000000"))
    listed = await stage.submit(ListPending(CommandId(""), PHONE.client_id))
    stage.devices.sent.clear()
    stage.log.faults.append(Fault.REFUSED)

    stage.log.appending.open()
    await stage.settled()

    assert second.result() is None
    assert listed.done()
    refused, notified, pending = stage.told(PHONE)
    assert refused == _ack(accepted=False, seq=0)
    assert isinstance(notified, ShowReply)
    assert (notified.reply.by, notified.seq) == (LAPTOP, 2)
    assert pending == SendPending(Only(PHONE.client_id), ())
    reply = (await stage.request("q")).reply
    assert reply is not None
    assert reply.by == LAPTOP


async def test_a_login_that_only_waited_for_a_refused_append_goes_on(stage: Stage) -> None:
    await stage.join(PHONE)
    stage.log.appending.close()
    await stage.submit(opens("q"))
    joined = await stage.submit(logs_in(LAPTOP))
    await stage.log.appending.arrived()
    stage.log.faults.append(Fault.REFUSED)

    stage.log.appending.open()
    await stage.settled()

    assert joined.result() is None
    assert len((await stage.runner()).room.live.members) == 2
    assert (await stage.runner()).room.live.agents == {}


async def test_an_agent_whose_lease_could_not_begin_is_not_there(stage: Stage) -> None:
    await stage.do(opens("q", by=BOB))
    await stage.do(replies("q"))
    stage.log.faults.append(Fault.REFUSED)

    with pytest.raises(LineUpError):
        await stage.attach("q")
    await stage.settled()

    runner = await stage.runner()
    assert "ada" not in runner.room.live.agents
    assert runner.delivery.streams == {}


async def test_a_room_works_again_as_soon_as_its_log_does(stage: Stage) -> None:
    stage.log.faults.append(Fault.REFUSED)
    assert await stage.do(opens("q")) == UNAVAILABLE

    assert isinstance(await stage.do(opens("q")), Held)


async def test_a_deadline_that_could_not_be_logged_is_tried_again(stage: Stage) -> None:
    await stage.do(opens("q", timeout_seconds=60))
    stage.log.faults.append(Fault.REFUSED)

    stage.clock.advance(60)
    await stage.settled()
    assert (await stage.request("q")).pending
    stage.clock.advance(RETRY_SECONDS)
    await stage.settled()

    assert [type(line.fact) for line in stage.log.facts(ROOM)] == [Opened, Expired]
    assert stage.clock.watched == []


async def test_what_is_tried_again_is_new_to_a_log_that_wrote_it_in_the_end(
    stage: Stage, twin: Stage
) -> None:
    """The first try moved only the near deadline; the second moves the other."""
    await stage.do(opens("near", timeout_seconds=60))
    await stage.do(opens("later", timeout_seconds=122))
    stage.stop()
    twin.log.faults.extend([Fault.LOST] * 5)
    await twin.runner()
    await twin.settled()

    twin.log.write(ROOM, twin.log.appends[-1].facts)
    await twin.settled()
    twin.clock.advance(RETRY_SECONDS)
    await twin.settled()

    moved = [f.fact for f in twin.log.facts(ROOM) if isinstance(f.fact, DeadlineMoved)]
    assert [fact.request_id for fact in moved] == ["near", "near", "later"]
    twin.clock.advance(30)


async def test_an_answer_of_another_relay_that_could_not_be_handed_over_is_tried_again(
    stage: Stage, twin: Stage
) -> None:
    await stage.do(opens("q", by=BOB))
    _, stream = await twin.attach("q")
    stream.events.clear()
    stage.log.appending.close()
    await stage.submit(replies("q"))
    await stage.log.appending.arrived()
    stage.log.appending.step()
    await stage.log.appending.arrived()
    stage.log.faults.append(Fault.REFUSED)
    stage.log.appending.open()
    await stage.settled(twin)
    before = list(stream.events)

    stage.clock.advance(RETRY_SECONDS)
    await stage.settled(twin)

    assert (len(before), len(stream.events)) == (0, 1)


def _ack(*, accepted: bool, seq: int) -> SendAck:
    code = ErrorCode.UNSPECIFIED if accepted else ErrorCode.LOG_UNAVAILABLE
    message = "" if accepted else ERRORS[code].meaning
    return SendAck(Only(PHONE.client_id), Ref(REF), accepted, code, message, seq)


def _seq(message: Message) -> int:
    assert isinstance(message, ShowRequest | ShowState)
    return message.seq
