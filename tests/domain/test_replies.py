"""Answers: the first one counts, later ones are kept, refused or correct it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ERRORS, ErrorCode
from lineup_srv.contract.ids import CommandId, Ref, RequestId, TextId
from lineup_srv.domain.commands import Cancel, DeadlineReached, HandOver, ReplyTo
from lineup_srv.domain.effects import (
    ClearTimer,
    DeliverOutcome,
    Everyone,
    Except,
    MailChanged,
    Only,
    SendAck,
    ShowReply,
    ShowText,
)
from lineup_srv.domain.facts import (
    Answered,
    Corrected,
    Declined,
    HandedOver,
    LateReplied,
    TextKept,
)
from lineup_srv.domain.request import ReplyAction, RequestState
from tests.domain.playbook import (
    ADA,
    BOB,
    LAPTOP,
    NOW,
    PHONE,
    TIMEOUT,
    Play,
    Step,
    awaits,
    cancels,
    corrects,
    deadline_reached,
    declines,
    device,
    hangs_up,
    opens,
    replies,
    reply_of,
    sets_waiting,
)

DEADLINE = NOW + TIMEOUT * 1000
Q1 = RequestId("q1")
REF = "ref-0000000000000"
SECOND = "ref-1111111111111"


def ack(
    seq: int, code: ErrorCode = ErrorCode.UNSPECIFIED, *, ref: str = REF, by: str = "phone-1"
) -> SendAck:
    message = "" if code is ErrorCode.UNSPECIFIED else ERRORS[code].meaning
    who = {"phone-1": PHONE, "laptop-1": LAPTOP}[by].client_id
    return SendAck(Only(who), Ref(ref), accepted=True, code=code, message=message, seq=seq)


def refusal(code: ErrorCode, message: str = "", *, ref: str = REF, by: str = "phone-1") -> SendAck:
    accepted = ack(0, code, ref=ref, by=by)
    return replace(accepted, accepted=False, message=message or ERRORS[code].meaning)


def asked() -> Play:
    """Ada holds a call for `q1`."""
    play = Play()
    play.do(opens("q1"))
    return play


# The first answer ---------------------------------------------------------------------------------


@pytest.mark.requirement("B01", "seed002:ask:answer-returns")
def test_the_first_answer_ends_the_request_and_goes_to_who_waits() -> None:
    play = asked()

    step = play.do(replies("q1"))

    request, reply = play.request("q1"), reply_of(replies("q1"))
    assert step == Step(
        facts=(
            Answered(*play.stamp(0), Q1, reply),
            HandedOver(*play.stamp(1), Q1, ADA.agent_id, taken=False, redelivered=False),
        ),
        early=(),
        told=(
            ClearTimer(Q1),
            ShowReply(Except(PHONE.client_id), request, reply, 2),
            MailChanged(),
            DeliverOutcome(ADA.agent_id, request, redelivered=False),
        ),
        effects=(ack(2),),
        result=None,
    )
    assert (request.state, request.reply) == (RequestState.ANSWERED, reply)
    assert request.handed_to == (ADA.agent_id,)


def test_an_answer_that_ends_the_conversation_is_an_answer() -> None:
    play = asked()

    play.do(replies("q1", action=ReplyAction.DONE))

    assert play.request("q1").state is RequestState.ANSWERED
    assert play.request("q1").reply == reply_of(replies("q1", action=ReplyAction.DONE))


def test_a_dismissal_ends_the_request_and_says_so() -> None:
    play = asked()

    step = play.do(declines("q1"))

    request, reply = play.request("q1"), reply_of(declines("q1"))
    assert step == Step(
        facts=(
            Declined(*play.stamp(0), Q1, reply),
            HandedOver(*play.stamp(1), Q1, ADA.agent_id, taken=False, redelivered=False),
        ),
        early=(),
        told=(
            ClearTimer(Q1),
            ShowReply(Except(PHONE.client_id), request, reply, 2),
            MailChanged(),
            DeliverOutcome(ADA.agent_id, request, redelivered=False),
        ),
        effects=(ack(2),),
        result=None,
    )
    assert (request.state, request.reason) == (RequestState.DECLINED, ErrorCode.DECLINED)


def test_every_agent_that_waits_gets_the_answer() -> None:
    play = asked()
    play.attached("q1", by=BOB)

    step = play.do(replies("q1"))

    outcomes = [e for e in step.told if isinstance(e, DeliverOutcome)]
    assert [o.agent_id for o in outcomes] == ["ada", "bob"]


def test_an_answer_that_nobody_waits_for_is_logged_alone() -> None:
    play = asked()
    play.do(hangs_up("c1"))

    step = play.do(replies("q1"))

    assert step.facts == (Answered(*play.stamp(), Q1, reply_of(replies("q1"))),)
    assert play.request("q1").waits_in_mailbox


def test_an_answer_without_a_ref_gets_no_ack() -> None:
    play = asked()

    assert play.do(replies("q1", ref="")).effects == ()
    assert play.request("q1").state is RequestState.ANSWERED


@pytest.mark.requirement("B75")
def test_an_answer_from_a_new_connection_is_as_good() -> None:
    play = asked()
    again = replace(PHONE, client_id=device("phone2").client_id)

    step = play.do(replies("q1", by=again))

    assert play.request("q1").state is RequestState.ANSWERED
    assert step.effects == (replace(ack(2), to=Only(again.client_id)),)


# The second answer --------------------------------------------------------------------------------


@pytest.mark.requirement("seed002:ask:first-reply-wins", "B11")
def test_a_second_answer_is_refused_and_told_who_was_first() -> None:
    play = asked()
    play.do(replies("q1"))

    step = play.do(replies("q1", "no", by=LAPTOP, ref=SECOND))

    refused = refusal(ErrorCode.ALREADY_ANSWERED, "Phone answered first", ref=SECOND, by="laptop-1")
    assert step == Step((), (), (), (refused,), None)


def test_a_second_dismissal_is_refused() -> None:
    play = asked()
    play.do(declines("q1"))

    step = play.do(declines("q1", by=LAPTOP, ref=SECOND))

    assert not step.facts
    assert step.effects == (
        refusal(ErrorCode.ALREADY_ANSWERED, "Phone answered first", ref=SECOND, by="laptop-1"),
    )


def test_a_second_answer_without_a_ref_is_shown_the_first() -> None:
    play = asked()
    play.do(replies("q1"))

    step = play.do(replies("q1", "no", by=LAPTOP, ref=""))

    winner = ShowReply(Only(LAPTOP.client_id), play.request("q1"), reply_of(replies("q1")), 0)
    assert step == Step((), (), (), (winner,), None)


# Correcting ---------------------------------------------------------------------------------------


def answered_unseen() -> Play:
    """`q1` is answered by the phone and handed to nobody."""
    play = asked()
    play.do(hangs_up("c1"))
    play.do(replies("q1"))
    return play


def test_the_device_that_answered_may_correct_until_the_answer_is_handed_over() -> None:
    play = answered_unseen()

    step = play.do(corrects("q1", "no"))

    reply = reply_of(corrects("q1", "no"))
    assert step == Step(
        facts=(Corrected(*play.stamp(), Q1, reply),),
        early=(),
        told=(ShowReply(Except(PHONE.client_id), play.request("q1"), reply, 3), MailChanged()),
        effects=(ack(3, ref="ref-correct-00000"),),
        result=None,
    )
    assert play.request("q1").reply == reply
    assert play.request("q1").state is RequestState.ANSWERED


def test_a_correction_from_another_device_is_refused() -> None:
    play = answered_unseen()

    step = play.do(corrects("q1", "no", by=LAPTOP, ref=SECOND))

    assert step.effects == (
        refusal(ErrorCode.ALREADY_ANSWERED, "Phone answered first", ref=SECOND, by="laptop-1"),
    )


def test_a_correction_after_the_hand_over_is_refused() -> None:
    play = asked()
    play.do(replies("q1"))

    step = play.do(corrects("q1", "no", ref=SECOND))

    assert step.effects == (
        refusal(ErrorCode.ALREADY_ANSWERED, "Phone answered first", ref=SECOND),
    )


def test_a_dismissal_cannot_be_corrected() -> None:
    play = asked()
    play.do(hangs_up("c1"))
    play.do(declines("q1"))

    assert not play.do(corrects("q1", "after all")).facts


def test_an_ordinary_answer_does_not_correct() -> None:
    play = answered_unseen()

    assert not play.do(replies("q1", "no", ref=SECOND)).facts


def test_a_correction_of_a_pending_request_is_its_answer() -> None:
    play = asked()

    play.do(corrects("q1", "no"))

    assert play.request("q1").state is RequestState.ANSWERED


# Late answers -------------------------------------------------------------------------------------


@pytest.mark.requirement("B15", "B88")
@pytest.mark.parametrize(
    "end", [deadline_reached("q1", DEADLINE), cancels("q1")], ids=["expired", "cancelled"]
)
@pytest.mark.parametrize("late", [replies("q1"), declines("q1"), corrects("q1", "x", ref=REF)])
def test_an_answer_after_the_end_is_kept_for_the_agent(
    end: DeadlineReached | Cancel, late: ReplyTo
) -> None:
    play = asked()
    play.do(end)
    state = play.request("q1").state

    step = play.do(late)

    request, reply = play.request("q1"), reply_of(late)
    assert step == Step(
        facts=(LateReplied(*play.stamp(), Q1, reply),),
        early=(),
        told=(ShowReply(Except(PHONE.client_id), request, reply, 3), MailChanged()),
        effects=(ack(3, ErrorCode.KEPT_LATE),),
        result=None,
    )
    assert (request.state, request.late, request.reply) == (state, True, reply)
    assert request.waits_in_mailbox


def test_only_one_late_answer_is_kept() -> None:
    play = asked()
    play.do(deadline_reached("q1", DEADLINE))
    play.do(replies("q1"))

    step = play.do(replies("q1", "no", by=LAPTOP, ref=SECOND))

    assert step.effects == (
        refusal(ErrorCode.ALREADY_ANSWERED, "Phone answered first", ref=SECOND, by="laptop-1"),
    )


def test_a_late_answer_is_not_a_second_outcome_for_who_waited() -> None:
    play = asked()
    play.attached("q1")
    play.do(deadline_reached("q1", DEADLINE))
    play.do(replies("q1"))

    step = play.do(HandOver(CommandId("")))

    assert step == Step((), (), (), (), None)


# Hand over ----------------------------------------------------------------------------------------


def test_an_answer_that_another_relay_logged_goes_to_who_waits_here() -> None:
    here, elsewhere = asked(), asked()
    elsewhere.do(hangs_up("c1"))
    elsewhere.do(replies("q1"))
    here.receive(elsewhere.log[-1])

    step = here.do(HandOver(CommandId("")))

    assert step.facts == (
        HandedOver(*here.stamp(), Q1, ADA.agent_id, taken=False, redelivered=False),
    )
    assert step.told == (DeliverOutcome(ADA.agent_id, here.request("q1"), redelivered=False),)


def test_a_hand_over_gives_nobody_anything_twice() -> None:
    play = asked()
    play.do(replies("q1"))

    assert play.do(HandOver(CommandId(""))) == Step((), (), (), (), None)


# Unknown requests ---------------------------------------------------------------------------------


def test_an_answer_to_an_unknown_request_is_kept_as_a_text_for_its_agent() -> None:
    play = Play()

    step = play.do(replies("q1", agent_id="ada"))

    text = play.text("text of q1")
    assert step == Step(
        facts=(
            TextKept(
                *play.stamp(),
                text_id=TextId("text of q1"),
                agent_id=ADA.agent_id,
                contents=replies("q1").contents,
                by=PHONE,
                ref=Ref(REF),
                unknown_request=True,
            ),
        ),
        early=(),
        told=(ShowText(Everyone(), text, received=False, seq=1), MailChanged()),
        effects=(ack(1, ErrorCode.KEPT_UNKNOWN),),
        result=None,
    )


@pytest.mark.parametrize(
    "command",
    [replies("q1"), replies("q1", "", agent_id="ada")],
    ids=["names no agent", "says nothing"],
)
def test_an_answer_to_an_unknown_request_that_cannot_be_kept_is_refused(
    command: ReplyTo,
) -> None:
    step = Play().do(command)

    assert step == Step((), (), (), (refusal(ErrorCode.UNKNOWN_REQUEST),), None)


def test_a_room_keeps_a_limited_number_of_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "UNDELIVERED_TEXTS_PER_ROOM", 1)
    play = Play()
    play.do(replies("q1", agent_id="ada"))

    full = play.do(replies("q2", agent_id="ada", ref=SECOND))
    nameless = play.do(replies("q2", ref=SECOND))

    assert full.effects == (refusal(ErrorCode.RATE_LIMITED, ref=SECOND),)
    assert nameless.effects == (refusal(ErrorCode.UNKNOWN_REQUEST, ref=SECOND),)


def test_an_unknown_request_without_a_ref_gets_no_answer() -> None:
    assert Play().do(replies("q1", ref="")) == Step((), (), (), (), None)


def test_an_answer_in_flight_is_not_given_to_an_agent_that_takes_the_id_out_meanwhile() -> None:
    play = asked()
    play.attached("q1")
    play.do(hangs_up("c1"))
    answer = play.decide(replies("q1"))
    play.decide(sets_waiting())

    step = play.commit(answer)

    assert DeliverOutcome(ADA.agent_id, play.request("q1"), redelivered=False) in step.told
    assert play.do(awaits("q1")).result is not None
    assert play.request("q1").waits_in_mailbox
