"""A message that is sent again with its ref gets its first Ack again and does nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract.errors import ERRORS, ErrorCode
from lineup_srv.contract.ids import Ref
from lineup_srv.domain.effects import Only, SendAck, ShowReply
from lineup_srv.domain.facts import Answered, DeadlineMoved, HandedOver, Opened, TextKept
from tests.domain.playbook import BOB, LAPTOP, PHONE, moves_deadline, opens, replies, writes
from tests.service.memory import Fault
from tests.service.stage import ROOM, opened

if TYPE_CHECKING:
    from tests.service.stage import Stage

REF = "ref-0000000000000"
PLAIN = ErrorCode.UNSPECIFIED
UNKNOWN = ErrorCode.KEPT_UNKNOWN
UNAVAILABLE = ErrorCode.LOG_UNAVAILABLE


async def test_a_resend_while_the_first_is_in_flight_waits_and_gets_its_ack(stage: Stage) -> None:
    await stage.join()
    await stage.do(opens("q"))
    stage.log.appending.close()
    await stage.resubmit(replies("q", ref=REF))
    await stage.log.appending.arrived()

    again = await stage.begin(stage.resubmit(replies("q", ref=REF)))

    assert not again.done()
    stage.log.appending.open()
    await (await again)
    assert _acks(stage) == [_ack(PLAIN, seq=2)] * 2
    assert _facts(stage) == [Opened, Answered, HandedOver]


async def test_a_resend_in_the_next_batch_waits_for_that_one(stage: Stage) -> None:
    await stage.join()
    await stage.do(opens("q"))
    stage.log.appending.close()
    await stage.submit(opens("q2"))
    await stage.log.appending.arrived()
    await stage.resubmit(replies("q", ref=REF))
    again = await stage.begin(stage.resubmit(replies("q", ref=REF)))

    stage.log.appending.step()
    await stage.log.appending.arrived()

    assert not again.done()
    stage.log.appending.open()
    await (await again)
    assert _acks(stage) == [_ack(PLAIN, seq=3)] * 2


async def test_a_resend_while_a_conflict_is_read_waits_and_gets_the_first_ack(
    stage: Stage,
) -> None:
    await stage.join()
    await stage.do(opens("q"))
    stage.log.reading.close()
    stage.log.write(ROOM, [opened(opens("foreign", by=BOB), "third")])
    await stage.log.reading.arrived()
    await stage.resubmit(replies("q", ref=REF))

    again = await stage.begin(stage.resubmit(replies("q", ref=REF)))
    stage.log.reading.open()
    await (await again)

    assert _acks(stage) == [_ack(PLAIN, seq=3)] * 2


async def test_a_resend_after_the_commit_gets_the_first_ack(stage: Stage) -> None:
    await stage.join()
    await stage.do(opens("q"))

    for _ in range(3):
        await (await stage.resubmit(replies("q", ref=REF)))

    assert _acks(stage) == [_ack(PLAIN, seq=2)] * 3
    assert _facts(stage) == [Opened, Answered, HandedOver]


async def test_a_resend_after_a_restart_gets_the_first_ack(stage: Stage, twin: Stage) -> None:
    await stage.do(opens("q"))
    await stage.resubmit(replies("q", ref=REF))
    await stage.settled()
    stage.stop()
    await twin.join()

    await (await twin.resubmit(replies("q", ref=REF)))

    assert _acks(twin) == [_ack(PLAIN, seq=2)]
    assert _facts(twin) == [Opened, Answered, HandedOver]
    twin.clock.advance(30)


async def test_a_resend_after_the_first_sender_went_gets_its_ack(stage: Stage) -> None:
    """The connection broke while the answer was in flight, and its task was cancelled."""
    await stage.join()
    await stage.do(opens("q"))
    stage.log.appending.close()
    first = await stage.resubmit(replies("q", ref=REF))
    await stage.log.appending.arrived()
    first.cancel()

    again = await stage.begin(stage.resubmit(replies("q", ref=REF)))
    stage.log.appending.open()
    await (await again)

    assert _facts(stage) == [Opened, Answered, HandedOver]


async def test_a_resend_of_what_was_refused_by_the_log_is_decided_again(stage: Stage) -> None:
    await stage.join()
    await stage.do(opens("q"))
    stage.log.faults.append(Fault.REFUSED)

    await (await stage.resubmit(replies("q", ref=REF)))
    await (await stage.resubmit(replies("q", ref=REF)))

    assert _acks(stage) == [_ack(UNAVAILABLE, seq=0, accepted=False), _ack(PLAIN, seq=2)]


async def test_another_device_with_another_ref_is_refused(stage: Stage) -> None:
    await stage.join(PHONE, LAPTOP)
    await stage.do(opens("q"))
    await (await stage.resubmit(replies("q", ref=REF)))
    stage.devices.sent.clear()

    await (await stage.resubmit(replies("q", by=LAPTOP, ref="ref-1111111111111")))

    [refused] = _acks(stage)
    assert (refused.accepted, refused.code) == (False, ErrorCode.ALREADY_ANSWERED)


async def test_a_client_without_refs_is_never_looked_up(stage: Stage) -> None:
    await stage.join()
    await stage.do(opens("q"))
    reads = stage.log.reads

    await (await stage.resubmit(replies("q", ref="")))
    await (await stage.resubmit(replies("q", ref="")))

    assert stage.log.reads == reads
    assert [type(m) for m in stage.told()][-1] is ShowReply


async def test_an_answer_that_is_kept_for_an_unknown_request_is_kept_once(stage: Stage) -> None:
    await stage.join()
    reply = replies("no", ref=REF, agent_id="ada")

    for _ in range(2):
        await (await stage.resubmit(reply))

    assert _facts(stage) == [TextKept]
    assert _acks(stage) == [_ack(UNKNOWN, seq=1)] * 2


@pytest.mark.parametrize("kind", ["reply", "move"])
async def test_two_resends_at_once_are_one(stage: Stage, kind: str) -> None:
    """Both connections of a device look the ref up before either is decided."""
    await stage.join()
    await stage.do(opens("q"))
    command = (
        replies("no", ref=REF, agent_id="ada")
        if kind == "reply"
        else moves_deadline("q", 60, ref=REF)
    )
    stage.log.reading.close()
    both = [await stage.begin(stage.resubmit(command)) for _ in range(2)]
    await stage.log.reading.arrived()

    stage.log.reading.open()
    for task in both:
        await (await task)

    assert _facts(stage) == [Opened, TextKept if kind == "reply" else DeadlineMoved]
    first, second = _acks(stage)
    assert first == second


async def test_a_ref_that_cannot_be_looked_up_is_refused(stage: Stage) -> None:
    await stage.join()
    await stage.do(opens("q"))
    stage.log.unreadable = True

    await (await stage.resubmit(moves_deadline("q", 60, ref=REF)))
    await (await stage.resubmit(writes("a note", ref=REF)))

    assert _acks(stage) == [_ack(UNAVAILABLE, seq=0, accepted=False)] * 2
    assert _facts(stage) == [Opened]
    stage.log.unreadable = False


def _ack(code: ErrorCode, *, seq: int, accepted: bool = True) -> SendAck:
    message = "" if code is PLAIN else ERRORS[code].meaning
    return SendAck(Only(PHONE.client_id), Ref(REF), accepted, code, message, seq)


def _acks(stage: Stage) -> list[SendAck]:
    return [s.message for s in stage.devices.sent if isinstance(s.message, SendAck)]


def _facts(stage: Stage) -> list[type]:
    return [type(line.fact) for line in stage.log.facts(ROOM)]
