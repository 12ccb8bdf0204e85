"""A log that cannot even be read: everything is refused, and the room comes back by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract.errors import ERRORS, ErrorCode
from lineup_srv.contract.ids import CommandId, Ref
from lineup_srv.domain.commands import Logout
from lineup_srv.domain.decision import Held, Refused
from lineup_srv.domain.effects import Only, SendAck, ShowRequest
from lineup_srv.service.timers import RETRY_MS
from tests.domain.playbook import (
    BOB,
    LAPTOP,
    PHONE,
    attaches,
    awaits,
    detaches,
    hangs_up,
    logs_in,
    opens,
    replies,
)
from tests.service.memory import Fault
from tests.service.stage import ROOM, opened

if TYPE_CHECKING:
    from tests.service.stage import Stage

REF = "ref-0000000000000"
UNAVAILABLE = Refused(ErrorCode.LOG_UNAVAILABLE, ERRORS[ErrorCode.LOG_UNAVAILABLE].meaning)
RETRY_SECONDS = RETRY_MS // 1000


async def test_while_the_log_cannot_be_read_everything_is_refused_but_departures_are_kept(
    stage: Stage,
) -> None:
    await stage.join(PHONE, LAPTOP)
    lease, _ = await stage.attach(by=BOB)
    await stage.do(opens("q"))
    call_id = stage.log.appends[0].facts[0].fact_id.removesuffix(":0")
    await _lose_the_log(stage)
    stage.devices.sent.clear()

    login = await stage.do(logs_in(PHONE))
    reply = await stage.do(replies("q", ref=REF))
    await stage.do(Logout(CommandId(""), LAPTOP.client_id))
    await stage.do(detaches(lease, by=BOB))
    await stage.do(hangs_up(call_id))

    assert (login, reply) == (UNAVAILABLE, UNAVAILABLE)
    assert stage.told() == [_ack(accepted=False, seq=0)]
    stage.log.unreadable = False
    stage.clock.advance(RETRY_SECONDS)
    await stage.settled()
    live = (await stage.runner()).room.live
    assert list(live.members) == [PHONE.client_id]
    assert [(p.identity, p.attached) for p in live.agents.values()] == [(BOB, False)]
    assert isinstance(await stage.do(awaits("q")), Held)


async def test_a_log_that_stays_unreadable_is_asked_again_and_again(stage: Stage) -> None:
    await stage.join()
    await stage.do(opens("q", timeout_seconds=60))
    await _lose_the_log(stage)

    stage.clock.advance(60)
    await stage.settled()
    assert stage.clock.watched == [RETRY_SECONDS]
    stage.log.unreadable = False
    stage.clock.advance(RETRY_SECONDS)
    await stage.settled()

    assert not (await stage.request("q")).pending


async def test_what_others_appended_meanwhile_is_told_as_soon_as_it_can_be_read(
    stage: Stage,
) -> None:
    await stage.join()
    await _lose_the_log(stage)
    stage.devices.sent.clear()
    stage.log.silent = True
    stage.log.write(ROOM, [opened(opens("foreign", by=BOB), "third")])
    stage.log.unreadable = False

    stage.clock.advance(RETRY_SECONDS)
    await stage.settled()

    [shown] = [told for told in stage.told() if isinstance(told, ShowRequest)]
    assert (shown.request.request_id, shown.seq) == ("foreign", 1)


async def test_what_was_lost_with_the_log_leaves_no_trace_in_the_room(stage: Stage) -> None:
    """The append failed and the log cannot be read: cards go, members stay."""
    await stage.join(PHONE)
    stage.log.appending.close()
    opened = await stage.submit(opens("q"))
    await stage.submit(attaches(by=BOB))
    await stage.submit(Logout(CommandId(""), PHONE.client_id))
    await stage.submit(logs_in(LAPTOP))
    await stage.log.appending.arrived()
    stage.log.unreadable = True
    stage.log.faults.append(Fault.REFUSED)

    stage.log.appending.open()
    await stage.settled()

    runner = await stage.runner()
    assert opened.result() == UNAVAILABLE
    assert list(runner.room.live.members) == [PHONE.client_id]
    assert runner.room.live.agents == {}
    stage.log.unreadable = False
    stage.clock.advance(RETRY_SECONDS)
    await stage.settled()
    assert runner.room.live.members == {}


async def test_a_resend_during_and_after_a_failed_read_is_answered(stage: Stage) -> None:
    await stage.join()
    await stage.do(opens("q"))
    await _lose_the_log(stage)
    stage.devices.sent.clear()

    await (await stage.resubmit(replies("q", ref=REF)))
    await (await stage.resubmit(replies("q", ref=REF)))
    stage.log.unreadable = False
    await (await stage.resubmit(replies("q", ref=REF)))

    assert [m for m in stage.told() if isinstance(m, SendAck)] == [
        _ack(accepted=False, seq=0),
        _ack(accepted=False, seq=0),
        _ack(accepted=True, seq=2),
    ]
    stage.clock.advance(RETRY_SECONDS)


async def _lose_the_log(stage: Stage) -> None:
    """An append fails and what is there cannot be read."""
    stage.log.faults.append(Fault.REFUSED)
    stage.log.unreadable = True
    assert await stage.do(opens("lost", by=BOB)) == UNAVAILABLE
    await stage.settled()


def _ack(*, accepted: bool, seq: int) -> SendAck:
    code = ErrorCode.UNSPECIFIED if accepted else ErrorCode.LOG_UNAVAILABLE
    message = "" if accepted else ERRORS[code].meaning
    return SendAck(Only(PHONE.client_id), Ref(REF), accepted, code, message, seq)
