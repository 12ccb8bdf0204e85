"""Deadlines: they expire, a human moves them later, an absence of the relay moves them."""

from __future__ import annotations

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ERRORS, ErrorCode
from lineup_srv.contract.ids import AgentId, CommandId, Ref, RequestId
from lineup_srv.domain.commands import Command, RelayReturned
from lineup_srv.domain.effects import (
    ClearTimer,
    DeliverOutcome,
    Everyone,
    Only,
    SendAck,
    SetLease,
    SetTimer,
    ShowState,
    TellDeadline,
)
from lineup_srv.domain.facts import DeadlineMoved, Expired
from lineup_srv.domain.request import RequestState
from lineup_srv.domain.updates import state_update
from tests.domain.playbook import (
    ADA,
    BOB,
    NOW,
    PHONE,
    TIMEOUT,
    Play,
    Step,
    awaits,
    cancels,
    deadline_reached,
    declines,
    hangs_up,
    lease_ends,
    moves_deadline,
    opens,
    replies,
    says_goodbye,
)

DEADLINE = NOW + TIMEOUT * 1000
HORIZON = NOW + limits.DEADLINE_HORIZON_SECONDS * 1000
GRACE = limits.RELAY_AWAY_GRACE_SECONDS * 1000
Q1 = RequestId("q1")
REF = Ref("ref-move-00000000")


def asked() -> Play:
    play = Play()
    play.do(opens("q1"))
    return play


def ack(seq: int) -> SendAck:
    return SendAck(
        Only(PHONE.client_id), REF, accepted=True, code=ErrorCode.UNSPECIFIED, message="", seq=seq
    )


def refusal(code: ErrorCode) -> SendAck:
    meaning = ERRORS[code].meaning
    return SendAck(Only(PHONE.client_id), REF, accepted=False, code=code, message=meaning, seq=0)


# The deadline is reached --------------------------------------------------------------------------


@pytest.mark.requirement("B05", "seed002:ask:timeout")
def test_at_the_deadline_the_request_expires_and_who_waits_is_told_that_nobody_answered() -> None:
    play = asked()
    play.do(awaits("q1", by=BOB))
    play.now = DEADLINE

    step = play.do(deadline_reached("q1", DEADLINE))

    request = play.request("q1")
    assert step == Step(
        facts=(Expired(*play.stamp(), Q1),),
        early=(),
        told=(
            ClearTimer(Q1),
            ShowState(Everyone(), state_update(play.room, request, by=None), 2),
            DeliverOutcome(ADA.agent_id, request, redelivered=False),
            DeliverOutcome(BOB.agent_id, request, redelivered=False),
        ),
        effects=(),
        result=None,
    )
    assert (request.state, request.reason) == (RequestState.EXPIRED, ErrorCode.EXPIRED)
    assert request.reply is None


@pytest.mark.parametrize("offset", [-1, 1])
def test_a_timer_for_another_deadline_is_ignored(offset: int) -> None:
    play = asked()

    assert play.do(deadline_reached("q1", DEADLINE + offset)) == Step((), (), (), (), None)
    assert play.request("q1").pending


def test_a_timer_for_an_unknown_or_ended_request_is_ignored() -> None:
    play = asked()
    play.do(replies("q1"))

    assert play.do(deadline_reached("q1", DEADLINE)) == Step((), (), (), (), None)
    assert play.do(deadline_reached("unknown", DEADLINE)) == Step((), (), (), (), None)


def test_an_end_is_told_without_an_answer_that_is_not_on_disk_yet() -> None:
    play = asked()
    end = play.decide(deadline_reached("q1", DEADLINE))
    expired = play.request("q1")
    late = play.decide(replies("q1"))

    told = play.commit(end).told

    assert told == (
        ClearTimer(Q1),
        ShowState(Everyone(), state_update(play.room, expired, by=None), 2),
        DeliverOutcome(ADA.agent_id, expired, redelivered=False),
    )
    play.commit(late)
    assert play.request("q1").late


# A human moves it ---------------------------------------------------------------------------------


def test_a_human_gives_more_time_and_everyone_is_told() -> None:
    play = asked()

    step = play.do(moves_deadline("q1", 60))

    later = DEADLINE + 60_000
    told = state_update(play.room, play.request("q1"), by=PHONE)
    assert step == Step(
        facts=(DeadlineMoved(*play.stamp(), Q1, later, ErrorCode.UNSPECIFIED, by=PHONE, ref=REF),),
        early=(),
        told=(
            SetTimer(Q1, later),
            ShowState(Everyone(), told, 2),
            TellDeadline(ADA.agent_id, Q1, later),
        ),
        effects=(ack(2),),
        result=None,
    )
    assert told.deadline_unix_ms == later


def test_the_old_timer_is_stale_after_a_move() -> None:
    play = asked()
    play.do(moves_deadline("q1", 60))

    assert not play.do(deadline_reached("q1", DEADLINE)).facts
    assert play.do(deadline_reached("q1", DEADLINE + 60_000)).facts


def test_a_deadline_moves_at_most_seven_days_after_the_opening() -> None:
    play = asked()

    play.do(moves_deadline("q1", 10 * limits.DEADLINE_HORIZON_SECONDS))
    assert play.request("q1").deadline_unix_ms == HORIZON

    further = play.do(moves_deadline("q1", 1))
    assert further == Step((), (), (), (refusal(ErrorCode.INVALID_ARGUMENT),), None)


@pytest.mark.parametrize("seconds", [0, -60])
def test_a_deadline_never_moves_closer(seconds: int) -> None:
    step = asked().do(moves_deadline("q1", seconds))

    assert step == Step((), (), (), (refusal(ErrorCode.INVALID_ARGUMENT),), None)


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (replies("q1"), ErrorCode.ALREADY_ANSWERED),
        (declines("q1"), ErrorCode.DECLINED),
        (deadline_reached("q1", DEADLINE), ErrorCode.EXPIRED),
        (cancels("q1"), ErrorCode.CANCELLED),
        (cancels("q1", reason=ErrorCode.AGENT_ENDED), ErrorCode.AGENT_ENDED),
    ],
)
def test_there_is_no_more_time_after_an_end_and_the_sender_is_told_why(
    end: Command, code: ErrorCode
) -> None:
    play = asked()
    play.do(end)

    assert play.do(moves_deadline("q1", 60)) == Step((), (), (), (refusal(code),), None)


def test_there_is_no_more_time_for_an_unknown_request() -> None:
    step = Play().do(moves_deadline("q1", 60))

    assert step == Step((), (), (), (refusal(ErrorCode.UNKNOWN_REQUEST),), None)


def test_more_time_without_a_ref_needs_no_ack() -> None:
    play = asked()

    assert play.do(moves_deadline("q1", 60, ref="")).effects == ()
    assert play.request("q1").deadline_unix_ms == DEADLINE + 60_000


# The relay was away -------------------------------------------------------------------------------


@pytest.mark.requirement("B88")
@pytest.mark.parametrize("now", [DEADLINE - GRACE + 1, DEADLINE, DEADLINE + 1_000_000])
def test_a_deadline_in_or_near_the_absence_moves(now: int) -> None:
    play = asked()
    play.restart()
    play.now = now

    step = play.do(RelayReturned(CommandId(""), loaded=True))

    later = now + GRACE
    fact = DeadlineMoved(*play.stamp(), Q1, later, ErrorCode.RELAY_AWAY, by=None, ref=Ref(""))
    told = state_update(play.room, play.request("q1"), by=None)
    assert step.facts == (fact,)
    assert step.told[0] == SetTimer(Q1, later)
    assert isinstance(step.told[1], ShowState)
    assert step.told[1].update.reason is ErrorCode.RELAY_AWAY
    assert step.told[1].update.deadline_unix_ms == told.deadline_unix_ms == later


def test_a_deadline_far_from_the_absence_stays() -> None:
    play = asked()
    play.restart()
    play.now = DEADLINE - GRACE

    assert play.do(RelayReturned(CommandId(""), loaded=True)).facts == ()


def test_after_a_start_agents_have_a_leases_time_before_they_count_as_gone() -> None:
    play = asked()
    play.do(opens("q2", by=BOB))
    play.do(hangs_up(play.command_id, by=BOB))
    play.do(replies("q2"))
    play.restart()

    step = play.do(RelayReturned(CommandId(""), loaded=True))

    waits = state_update(play.room, play.request("q1"), by=None)
    assert not waits.agent_gone
    assert step.effects == (
        ShowState(Everyone(), waits, 0),
        SetLease(ADA.agent_id, 1),
        SetLease(BOB.agent_id, 1),
    )

    gone = play.do(lease_ends(1)).effects[0]
    assert isinstance(gone, ShowState)
    assert gone.update.agent_gone
    assert list(play.room.live.agents) == [AgentId("bob")]


def test_a_jump_of_the_clock_does_not_bring_back_agents_that_are_gone() -> None:
    play = asked()
    play.do(hangs_up("c1"))
    play.now = DEADLINE

    step = play.do(RelayReturned(CommandId(""), loaded=False))

    assert [type(fact) for fact in step.facts] == [DeadlineMoved]
    assert step.effects == ()
    assert not play.room.live.agents


def test_a_start_that_is_logged_late_does_not_bring_back_agents_that_left_meanwhile() -> None:
    play = asked()
    play.restart()
    play.attached("q1")
    play.do(says_goodbye())
    play.do(replies("q1", ref="ref-late-00000000"))

    step = play.do(RelayReturned(CommandId(""), loaded=True))

    assert step.effects == ()
    assert not play.room.live.agents


def test_a_call_that_ends_within_the_time_after_a_start_does_not_end_it() -> None:
    play = asked()
    play.restart()
    play.do(RelayReturned(CommandId(""), loaded=True))
    play.do(awaits("q1"))

    play.do(hangs_up(play.command_id))

    assert play.agent().lease == 1


def test_an_agent_that_is_here_keeps_its_lease_when_the_relay_returns() -> None:
    play = asked()
    lease = play.attached("q1")

    step = play.do(RelayReturned(CommandId(""), loaded=True))

    assert step.effects == ()
    assert play.agent().lease == lease
