"""Opening, joining, awaiting, cancelling: the agent's half of the request table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ERRORS, ErrorCode
from lineup_srv.contract.ids import RequestId
from lineup_srv.domain.decision import Ended, Held, Refused
from lineup_srv.domain.effects import (
    ClearTimer,
    DeliverOutcome,
    Everyone,
    MailChanged,
    SetTimer,
    ShowRequest,
    ShowState,
)
from lineup_srv.domain.facts import Cancelled, HandedOver, Joined, Opened
from lineup_srv.domain.request import Asked, OnTimeout, RequestState
from lineup_srv.domain.updates import state_update
from tests.domain.playbook import (
    ADA,
    BOB,
    NOW,
    TIMEOUT,
    Play,
    Step,
    agent,
    approval,
    awaits,
    cancels,
    deadline_reached,
    hangs_up,
    opens,
    question,
    replies,
    report,
    says_goodbye,
)

if TYPE_CHECKING:
    from lineup_srv.domain.people import AgentIdentity

DEADLINE = NOW + TIMEOUT * 1000
NEXT_ADA = replace(ADA, agent_id=agent("ada2").agent_id)
"""Another process of the same agent program, which names no session."""


def unknown() -> Refused:
    return Refused(ErrorCode.UNKNOWN_REQUEST, ERRORS[ErrorCode.UNKNOWN_REQUEST].meaning)


# Open ---------------------------------------------------------------------------------------------


@pytest.mark.requirement("seed002:ask:shown-to-all", "B13")
def test_a_new_question_is_logged_and_shown_to_all_before_its_commit() -> None:
    play = Play()

    step = play.do(opens("q1"))

    request = play.request("q1")
    assert step == Step(
        facts=(
            Opened(
                *play.stamp(),
                request_id=RequestId("q1"),
                asked=question("about q1"),
                agent=ADA,
                agent_name="Ada",
                model="model",
                on_timeout=OnTimeout.CONTINUE,
                timeout_seconds=TIMEOUT,
                deadline_unix_ms=DEADLINE,
            ),
        ),
        early=(ShowRequest(Everyone(), request, 0),),
        told=(
            SetTimer(RequestId("q1"), DEADLINE),
            ShowState(Everyone(), state_update(play.room, request, by=None), 1),
        ),
        effects=(),
        result=Held(request),
    )
    assert request.state is RequestState.PENDING
    assert request.opened_seq == 1
    assert not play.room.live.shown


def test_a_card_that_was_shown_is_not_shown_again_when_it_is_decided_again() -> None:
    play = Play()
    first = play.decide(opens("q1"))
    play.restart_logged()

    again = play.decide(opens("q1"))

    assert first.early
    assert not again.early


def test_opening_the_same_id_again_makes_the_caller_another_waiter() -> None:
    play = Play()
    play.do(opens("q1"))

    step = play.do(opens("q1", by=BOB, timeout_seconds=60))

    assert step == Step((), (), (), (), Held(play.request("q1")))
    assert play.room.live.waiters(RequestId("q1")) == ("ada", "bob")


@pytest.mark.requirement("B51")
def test_opening_an_answered_id_again_gives_the_stored_outcome_and_logs_the_hand_over() -> None:
    play = Play()
    play.do(opens("q1"))
    play.do(hangs_up("c1"))
    play.do(replies("q1"))
    before = play.request("q1")

    step = play.do(opens("q1"))

    handed = HandedOver(*play.stamp(), RequestId("q1"), ADA.agent_id, taken=True, redelivered=False)
    assert step == Step((handed,), (), (MailChanged(),), (), Ended(before, redelivered=False))


def test_a_second_outcome_is_marked_as_redelivered() -> None:
    play = Play()
    play.do(opens("q1"))
    play.do(replies("q1"))

    step = play.do(awaits("q1"))

    assert step.result == Ended(
        replace(play.request("q1"), handed_to=(ADA.agent_id,)), redelivered=True
    )
    assert step.facts == (
        HandedOver(*play.stamp(), RequestId("q1"), ADA.agent_id, taken=True, redelivered=True),
    )


def test_an_outcome_for_the_next_process_is_marked_when_the_first_may_have_written_it() -> None:
    play = Play()
    play.do(opens("q1"))
    play.do(replies("q1"))

    step = play.do(awaits("q1", by=NEXT_ADA))

    assert step.result == Ended(
        replace(play.request("q1"), handed_to=(ADA.agent_id,)), redelivered=True
    )


def test_an_id_in_use_for_another_question_is_refused() -> None:
    play = Play()
    play.do(opens("q1"))

    step = play.do(opens("q1", asked=question("something else")))

    refusal = Refused(ErrorCode.ID_CONFLICT, ERRORS[ErrorCode.ID_CONFLICT].meaning)
    assert step == Step((), (), (), (), refusal)


@pytest.mark.requirement("B07")
def test_two_questions_of_two_agents_stand_side_by_side() -> None:
    play = Play()
    play.do(opens("q1"))
    play.do(opens("q2", by=BOB))

    second = play.do(replies("q2", "two"))
    first = play.do(replies("q1", "one", ref="ref-1111111111111"))

    assert [r.request_id for r in play.room.logged.open_requests()] == []
    assert second.told[-1] == DeliverOutcome(BOB.agent_id, play.request("q2"), redelivered=False)
    assert first.told[-1] == DeliverOutcome(ADA.agent_id, play.request("q1"), redelivered=False)


# Joining ------------------------------------------------------------------------------------------


def test_a_repeated_call_joins_the_open_question_that_nobody_waits_for() -> None:
    play = Play()
    play.do(opens("q1", asked=question("go?")))
    play.do(hangs_up("c1"))
    play.later(60)

    step = play.do(opens("q2", by=NEXT_ADA, asked=question("go?")))

    request = play.request("q1")
    assert step == Step(
        facts=(
            Joined(*play.stamp(), RequestId("q1"), RequestId("q2"), NEXT_ADA, DEADLINE + 60_000),
        ),
        early=(),
        told=(
            SetTimer(RequestId("q1"), DEADLINE + 60_000),
            ShowState(Everyone(), state_update(play.room, request, by=None), 2),
        ),
        effects=(),
        result=Held(request),
    )
    assert request.agent == NEXT_ADA
    assert request.aliases == ("q2",)
    assert request.deadline_unix_ms == DEADLINE + 60_000


def test_joining_never_moves_a_deadline_closer() -> None:
    play = Play()
    play.do(opens("q1", asked=question("go?")))
    play.do(hangs_up("c1"))

    play.do(opens("q2", asked=question("go?"), timeout_seconds=60))

    assert play.request("q1").deadline_unix_ms == DEADLINE


def joined() -> Play:
    """`q2` has joined `q1`, and Ada's second process holds the call."""
    play = Play()
    play.do(opens("q1", asked=question("go?")))
    play.do(hangs_up("c1"))
    play.do(opens("q2", by=NEXT_ADA, asked=question("go?")))
    return play


def test_an_answer_to_the_alias_is_an_answer_to_the_first_id() -> None:
    play = joined()

    step = play.do(replies("q2"))

    assert play.request("q1").state is RequestState.ANSWERED
    outcome = DeliverOutcome(NEXT_ADA.agent_id, play.request("q1"), redelivered=False)
    assert step.told[-1] == outcome


def test_every_command_takes_the_alias() -> None:
    play = joined()
    assert play.do(opens("q2", by=NEXT_ADA, asked=question("go?"))).result == Held(
        play.request("q1")
    )
    assert play.do(awaits("q2")).result == Held(play.request("q1"))
    play.attached("q2", by=BOB)
    assert play.agent(BOB).waiting == {"q1"}
    play.do(deadline_reached("q2", DEADLINE))
    assert play.request("q2").state is RequestState.EXPIRED
    result = play.do(cancels("q2")).result
    assert result == Ended(play.request("q1"), redelivered=False)


def test_an_approval_is_never_joined() -> None:
    play = Play()
    play.do(opens("q1", asked=approval("rm -r build")))
    play.do(hangs_up("c1"))

    play.do(opens("q2", asked=approval("rm -r build")))

    assert list(play.room.logged.open_ids) == ["q1", "q2"]


def test_a_report_is_joined_like_a_question() -> None:
    play = Play()
    play.do(opens("q1", asked=report("done")))
    play.do(hangs_up("c1"))

    play.do(opens("q2", asked=report("done")))

    assert list(play.room.logged.open_ids) == ["q1"]


def test_a_question_that_is_waited_for_is_never_joined() -> None:
    play = Play()
    play.do(opens("q1", asked=question("go?")))

    play.do(opens("q2", by=NEXT_ADA, asked=question("go?")))

    assert list(play.room.logged.open_ids) == ["q1", "q2"]


def test_a_stream_that_waits_keeps_others_from_joining() -> None:
    play = Play()
    play.do(opens("q1", asked=question("go?")))
    play.attached("q1")
    play.do(hangs_up("c1"))

    play.do(opens("q2", by=NEXT_ADA, asked=question("go?")))

    assert list(play.room.logged.open_ids) == ["q1", "q2"]


@pytest.mark.requirement("B10")
@pytest.mark.parametrize(
    ("by", "asked"),
    [
        (replace(NEXT_ADA, machine="m9"), question("go?")),
        (replace(NEXT_ADA, client="other"), question("go?")),
        (replace(NEXT_ADA, session="s9"), question("go?")),
        (NEXT_ADA, question("stop?")),
        (NEXT_ADA, question("go?", directory="/elsewhere")),
    ],
    ids=["machine", "program", "session", "question", "directory"],
)
def test_a_call_that_differs_opens_a_card_of_its_own(by: AgentIdentity, asked: Asked) -> None:
    play = Play()
    play.do(opens("q1", asked=question("go?")))
    play.do(hangs_up("c1"))

    play.do(opens("q2", by=by, asked=asked))

    assert list(play.room.logged.open_ids) == ["q1", "q2"]


def test_calls_without_a_machine_are_never_joined() -> None:
    nameless = agent("call:1", machine="")
    play = Play()
    play.do(opens("q1", by=nameless, asked=question("go?")))
    play.do(hangs_up("c1", by=nameless))

    play.do(opens("q2", by=agent("call:2", machine=""), asked=question("go?")))

    assert list(play.room.logged.open_ids) == ["q1", "q2"]


# Await --------------------------------------------------------------------------------------------


def test_awaiting_an_unknown_id_is_refused() -> None:
    assert Play().do(awaits("q1")).result == unknown()


def test_awaiting_a_pending_request_holds_a_call() -> None:
    play = Play()
    play.do(opens("q1"))

    step = play.do(awaits("q1", by=BOB))

    assert step == Step((), (), (), (), Held(play.request("q1")))
    assert play.agent(BOB).calls == {("c2", "q1")}


def test_awaiting_an_end_without_answer_hands_nothing_over() -> None:
    play = Play()
    play.do(opens("q1"))
    play.do(deadline_reached("q1", DEADLINE))

    step = play.do(awaits("q1"))

    assert step == Step((), (), (), (), Ended(play.request("q1"), redelivered=False))


def test_scripts_without_an_agent_id_each_get_the_outcome() -> None:
    script = agent("", machine="")
    play = Play()
    play.do(opens("q1"))
    play.do(awaits("q1", by=script))
    play.do(awaits("q1", by=script))

    step = play.do(replies("q1"))

    assert [f.agent_id for f in step.facts if isinstance(f, HandedOver)] == ["ada", ""]
    assert play.agent(script).calls == {("c2", "q1"), ("c3", "q1")}
    assert DeliverOutcome(script.agent_id, play.request("q1"), redelivered=False) in step.told


# Cancel -------------------------------------------------------------------------------------------


def test_a_cancel_of_the_last_waiter_withdraws_the_card_and_says_why() -> None:
    play = Play()
    play.attached()
    play.do(opens("q1"))

    step = play.do(cancels("q1"))

    request = play.request("q1")
    assert step == Step(
        facts=(
            Cancelled(
                *play.stamp(), RequestId("q1"), ADA.agent_id, ErrorCode.CANCELLED, message=""
            ),
        ),
        early=(),
        told=(
            ClearTimer(RequestId("q1")),
            ShowState(Everyone(), state_update(play.room, request, by=None), 2),
        ),
        effects=(),
        result=Ended(request, redelivered=False),
    )
    assert request.state is RequestState.CANCELLED
    assert play.agent().waiting == frozenset()
    assert play.agent().calls == frozenset()


def test_a_cancel_while_another_agent_waits_only_removes_the_waiter() -> None:
    play = Play()
    play.do(opens("q1"))
    play.do(awaits("q1", by=BOB))

    step = play.do(cancels("q1"))

    assert step.result == Held(play.request("q1"))
    assert not step.facts
    assert play.room.live.waiters(RequestId("q1")) == ("bob",)


def test_the_last_waiter_cancels_for_an_owner_that_is_gone() -> None:
    play = Play()
    play.do(opens("q1"))
    play.do(awaits("q1", by=BOB))
    play.do(hangs_up("c1"))

    play.do(cancels("q1", by=BOB))

    assert play.request("q1").state is RequestState.CANCELLED


def test_an_owner_that_does_not_wait_may_cancel() -> None:
    play = Play()
    play.do(opens("q1"))
    play.do(hangs_up("c1"))

    play.do(cancels("q1"))

    assert play.request("q1").state is RequestState.CANCELLED


def test_a_cancel_by_somebody_who_neither_owns_nor_waits_changes_nothing() -> None:
    play = Play()
    play.do(opens("q1"))

    step = play.do(cancels("q1", by=BOB))

    assert step == Step((), (), (), (), Held(play.request("q1")))


def test_a_cancel_of_an_unknown_id_is_refused() -> None:
    assert Play().do(cancels("q1")).result == unknown()


def test_a_cancel_after_the_end_only_stops_the_waiting() -> None:
    play = Play()
    play.attached()
    play.do(opens("q1"))
    play.do(replies("q1"))

    step = play.do(cancels("q1"))

    assert not step.facts
    assert step.result == Ended(play.request("q1"), redelivered=False)
    assert play.room.live.waiters(RequestId("q1")) == ()


def test_an_agent_that_was_here_only_by_its_call_is_gone_after_its_cancel() -> None:
    play = Play()
    play.do(opens("q1"))
    play.do(opens("q2"))
    play.do(hangs_up("c2"))

    step = play.do(cancels("q1"))

    assert not play.room.live.agents
    gone = state_update(play.room, play.request("q2"), by=None)
    assert gone.agent_gone
    assert step.effects == (ShowState(Everyone(), gone, 0), MailChanged())


# Goodbye ------------------------------------------------------------------------------------------


def test_goodbye_cancels_what_the_agent_asked_and_tells_each_once() -> None:
    play = Play()
    play.attached()
    play.do(opens("q1"))
    play.do(opens("q2", by=BOB))

    step = play.do(says_goodbye())

    request = play.request("q1")
    assert step == Step(
        facts=(
            Cancelled(
                *play.stamp(), RequestId("q1"), ADA.agent_id, ErrorCode.AGENT_ENDED, message=""
            ),
        ),
        early=(),
        told=(
            ClearTimer(RequestId("q1")),
            ShowState(Everyone(), state_update(play.room, request, by=None), 3),
        ),
        effects=(MailChanged(),),
        result=None,
    )
    assert request.reason is ErrorCode.AGENT_ENDED
    assert play.request("q2").pending
    assert list(play.room.live.agents) == ["bob"]


def test_goodbye_leaves_a_card_that_another_agent_waits_for() -> None:
    play = Play()
    play.do(opens("q1"))
    play.do(awaits("q1", by=BOB))

    step = play.do(says_goodbye())

    assert step == Step((), (), (), (MailChanged(),), None)
    assert play.request("q1").pending


def test_a_second_goodbye_does_nothing_more() -> None:
    play = Play()
    play.do(opens("q1"))
    play.do(says_goodbye())

    assert play.do(says_goodbye()) == Step((), (), (), (MailChanged(),), None)


# Limits -------------------------------------------------------------------------------------------


def flooded() -> Refused:
    return Refused(ErrorCode.RATE_LIMITED, ERRORS[ErrorCode.RATE_LIMITED].meaning)


def test_an_agent_has_at_most_256_open_cards_and_others_are_not_affected() -> None:
    play = Play()
    for number in range(limits.OPEN_REQUESTS_PER_AGENT):
        play.do(opens(f"q{number}"))

    assert play.do(opens("more")) == Step((), (), (), (), flooded())
    assert isinstance(play.do(opens("more", by=BOB)).result, Held)
    play.do(cancels("q0"))
    assert isinstance(play.do(opens("more again")).result, Held)


def test_a_room_has_a_limit_of_open_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "OPEN_REQUESTS_PER_AGENT", 2)
    monkeypatch.setattr(limits, "OPEN_REQUESTS_PER_ROOM", 3)
    play = Play()
    for number in range(3):
        play.do(opens(f"q{number}", by=agent(f"agent{number}")))

    assert play.do(opens("more", by=BOB)).result == flooded()
