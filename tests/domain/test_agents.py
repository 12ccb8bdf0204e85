"""Agents: attaching, waiting, breaking, coming back and going."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.ids import AgentId, RequestId
from lineup_srv.domain.agents import agent_lines
from lineup_srv.domain.decision import Ended, Resumed
from lineup_srv.domain.effects import (
    AgentLine,
    DeliverOutcome,
    Everyone,
    MailChanged,
    SetLease,
    ShowState,
)
from lineup_srv.domain.facts import HandedOver
from lineup_srv.domain.state import AgentPresence
from lineup_srv.domain.updates import state_update
from tests.domain.playbook import (
    ADA,
    BOB,
    NOW,
    Play,
    Step,
    acknowledges,
    agent,
    attaches,
    awaits,
    cancels,
    deadline_reached,
    detaches,
    hangs_up,
    lease_ends,
    opens,
    question,
    replies,
    says_goodbye,
    sets_waiting,
    writes,
)

if TYPE_CHECKING:
    from lineup_srv.domain.commands import Command
    from lineup_srv.domain.people import AgentIdentity

Q1 = RequestId("q1")


def gone(play: Play, request_id: str, *, expected: bool) -> ShowState:
    """What devices are told of the agent behind a pending card."""
    update = state_update(play.room, play.request(request_id), by=None)
    assert update.agent_gone is expected
    return ShowState(Everyone(), update, 0)


def resumed(step: Step) -> Resumed:
    assert isinstance(step.result, Resumed)
    return step.result


def asked() -> Play:
    """Ada holds a call for `q1`."""
    play = Play()
    play.do(opens("q1"))
    return play


# Attach -------------------------------------------------------------------------------------------


def test_an_agent_that_attaches_begins_a_lease_and_learns_what_it_missed() -> None:
    play = Play()
    for request_id in ("open", "answered", "expired"):
        play.do(opens(request_id))
        play.do(hangs_up(play.command_id))
    play.do(deadline_reached("expired", play.request("expired").deadline_unix_ms))
    play.do(replies("answered"))
    answered = play.request("answered")

    step = play.do(attaches("open", "answered", "unknown", "expired"))

    assert step == Step(
        facts=(
            HandedOver(
                *play.stamp(), answered.request_id, ADA.agent_id, taken=True, redelivered=False
            ),
        ),
        early=(),
        told=(MailChanged(),),
        effects=(gone(play, "open", expected=False),),
        result=Resumed(
            lease=1,
            ended=(
                Ended(answered, redelivered=False),
                Ended(play.request("expired"), redelivered=False),
            ),
            unknown=(RequestId("unknown"),),
        ),
    )
    assert play.agent() == AgentPresence(
        identity=ADA,
        name=play.agent().name,
        model=play.agent().model,
        last_call_unix_ms=play.agent().last_call_unix_ms,
        attached=True,
        lease=1,
        waiting=frozenset({RequestId("open"), answered.request_id, RequestId("unknown")}),
        calls=frozenset(),
        directories=frozenset({"/work"}),
    )


@pytest.mark.requirement("B51")
def test_an_answer_while_the_stream_is_broken_is_there_when_it_comes_back() -> None:
    play = asked()
    lease = play.attached("q1")
    play.do(hangs_up("c1"))
    play.do(detaches(lease))
    answer = play.do(replies("q1"))
    assert not [e for e in answer.told if isinstance(e, DeliverOutcome)]

    step = play.do(attaches("q1"))

    [handed] = step.facts
    assert handed == HandedOver(*play.stamp(), Q1, ADA.agent_id, taken=True, redelivered=False)
    assert play.do(acknowledges("q1")).facts


def test_an_outcome_that_went_into_a_broken_stream_is_given_again_and_marked() -> None:
    play = asked()
    play.attached("q1")
    play.do(replies("q1"))

    [ended] = resumed(play.do(attaches("q1"))).ended

    assert ended.redelivered


def test_ids_that_mean_the_same_request_are_resumed_once() -> None:
    play = Play()
    play.do(opens("q1", asked=question("go?")))
    play.do(hangs_up("c1"))
    play.do(opens("alias", asked=question("go?")))
    play.do(hangs_up(play.command_id))
    play.do(replies("q1"))
    answered = play.request("q1")

    step = play.do(attaches("alias", "q1", "alias"))

    assert len(step.facts) == 1
    assert step.result == Resumed(1, (Ended(answered, redelivered=False),), unknown=())
    assert play.agent().waiting == {"q1"}


def test_an_end_that_is_resumed_before_its_delivery_is_told_once() -> None:
    play = asked()
    play.do(hangs_up("c1"))
    end = play.decide(deadline_reached("q1", play.request("q1").deadline_unix_ms))
    play.decide(attaches("q1"))

    told = play.commit(end).told

    assert not [e for e in told if isinstance(e, DeliverOutcome)]


def test_an_agent_that_attaches_again_renews_its_lease_and_its_identity() -> None:
    play = Play()
    play.attached()
    moved = agent("ada", session="s1", directory="/elsewhere")

    play.do(attaches("q9", by=moved))

    assert play.agent() == AgentPresence(
        identity=moved,
        name="",
        model="",
        last_call_unix_ms=0,
        attached=True,
        lease=2,
        waiting=frozenset({RequestId("q9")}),
        calls=frozenset(),
        directories=frozenset({"/work", "/elsewhere"}),
    )


# SetWaiting ---------------------------------------------------------------------------------------


def test_a_waiting_list_replaces_the_one_before_and_resumes_only_what_is_new() -> None:
    play = Play()
    for request_id in ("q1", "q2"):
        play.do(opens(request_id))
        play.do(hangs_up(play.command_id))
    lease = play.attached("q1")
    play.do(replies("q1"))
    play.do(replies("q2", ref="ref-2222222222222"))
    second = play.request("q2")

    step = play.do(sets_waiting("q1", "q2", "unknown"))

    assert step == Step(
        facts=(
            HandedOver(
                *play.stamp(), second.request_id, ADA.agent_id, taken=True, redelivered=False
            ),
        ),
        early=(),
        told=(MailChanged(),),
        effects=(MailChanged(),),
        result=Resumed(lease, (Ended(second, redelivered=False),), (RequestId("unknown"),)),
    )
    assert play.agent().waiting == {"q1", "q2", "unknown"}


def test_an_agent_that_is_not_here_sets_nothing() -> None:
    step = Play().do(sets_waiting("q1"))

    assert step == Step((), (), (), (), Resumed(lease=0, ended=(), unknown=()))


def test_an_attached_agent_that_opens_waits_by_its_stream_when_its_call_is_over() -> None:
    play = Play()
    play.attached()
    play.do(opens("q1"))
    play.do(hangs_up(play.command_id))

    step = play.do(replies("q1"))

    assert step.told[-1] == DeliverOutcome(ADA.agent_id, play.request("q1"), redelivered=False)


# The lease ----------------------------------------------------------------------------------------


def test_a_broken_stream_starts_the_end_of_the_lease() -> None:
    play = Play()
    lease = play.attached("q1")

    step = play.do(detaches(lease))

    assert step == Step((), (), (), (SetLease(ADA.agent_id, lease),), None)
    assert not play.agent().attached


def test_the_end_of_a_lease_is_told_on_every_pending_card_of_the_agent() -> None:
    play = asked()
    play.do(opens("bobs", by=BOB))
    lease = play.attached("q1")
    play.do(hangs_up("c1"))
    play.do(detaches(lease))

    step = play.do(lease_ends(lease))

    assert step == Step((), (), (), (gone(play, "q1", expected=True), MailChanged()), None)
    assert list(play.room.live.agents) == [BOB.agent_id]
    assert play.request("q1").pending


@pytest.mark.parametrize("come_back", [attaches("q1"), awaits("q1"), opens("q1")])
def test_an_agent_that_comes_back_by_any_call_is_told_as_back(come_back: Command) -> None:
    play = asked()
    play.do(hangs_up("c1"))
    assert state_update(play.room, play.request("q1"), by=None).agent_gone

    step = play.do(come_back)

    assert step.effects == (gone(play, "q1", expected=False),)


def test_a_card_whose_agent_is_gone_is_told_when_another_waits_and_when_it_stops() -> None:
    play = asked()
    play.do(hangs_up("c1"))

    waits = play.do(awaits("q1", by=BOB))
    assert waits.effects == (gone(play, "q1", expected=False),)

    stops = play.do(hangs_up(play.command_id, by=BOB))
    assert stops.effects == (gone(play, "q1", expected=True), MailChanged())


def test_a_card_that_another_agent_waits_for_is_not_told_as_left_alone() -> None:
    play = asked()
    play.do(awaits("q1", by=BOB))

    step = play.do(hangs_up("c1"))

    assert step.effects == (MailChanged(),)


def test_a_joined_card_is_told_once_with_its_new_deadline() -> None:
    play = Play()
    play.do(opens("q1", asked=question("go?")))
    play.do(hangs_up("c1"))
    play.later(60)

    step = play.do(opens("q2", by=agent("ada2"), asked=question("go?")))

    shown = [e for e in (*step.told, *step.effects) if isinstance(e, ShowState)]
    assert [s.update.deadline_unix_ms for s in shown] == [play.request("q1").deadline_unix_ms]
    assert not shown[0].update.agent_gone


def test_an_old_stream_or_timer_cannot_end_a_new_lease() -> None:
    play = Play()
    old = play.attached()
    new = play.attached()

    assert play.do(detaches(old)) == Step((), (), (), (), None)
    assert play.do(lease_ends(old)) == Step((), (), (), (), None)
    assert play.do(lease_ends(new)) == Step((), (), (), (), None)
    assert play.agent().attached


def test_the_timer_of_an_earlier_break_does_not_end_a_later_one_early() -> None:
    play = Play()
    first = play.attached()
    play.do(detaches(first))
    second = play.attached()
    play.do(detaches(second))

    assert play.do(lease_ends(first)) == Step((), (), (), (), None)
    assert play.agent().lease == second


def test_a_lease_number_is_not_used_again_after_goodbye() -> None:
    play = Play()
    old = play.attached()
    play.do(says_goodbye())
    play.attached()

    play.do(detaches(old))

    assert play.agent().attached


def test_a_stream_breaks_once() -> None:
    play = Play()
    lease = play.attached()
    play.do(detaches(lease))

    assert play.do(detaches(lease)) == Step((), (), (), (), None)


@pytest.mark.parametrize("command", [detaches(1), lease_ends(1), hangs_up("c1")])
def test_what_ends_for_an_agent_that_is_gone_is_ignored(command: Command) -> None:
    assert Play().do(command) == Step((), (), (), (), None)


def test_an_agent_that_holds_a_call_outlives_its_lease_until_the_call_is_over() -> None:
    play = asked()
    lease = play.attached()
    play.do(detaches(lease))

    assert play.do(lease_ends(lease)) == Step((), (), (), (), None)
    assert play.agent().calls == {("c1", "q1")}

    assert play.do(hangs_up("c1")).effects == (gone(play, "q1", expected=True), MailChanged())
    assert not play.room.live.agents


def test_a_call_over_while_the_lease_runs_leaves_the_agent_here() -> None:
    play = asked()
    lease = play.attached()
    play.do(detaches(lease))

    assert play.do(hangs_up("c1")) == Step((), (), (), (), None)
    assert play.agent().lease == lease


# Agents as devices see them -----------------------------------------------------------------------


def line(play: Play, who: AgentIdentity) -> AgentLine:
    [found] = [line for line in agent_lines(play.room) if line.identity.agent_id == who.agent_id]
    return found


def test_devices_see_who_the_agents_are_and_what_they_wait_for() -> None:
    play = Play()
    play.attached()
    play.later(5)
    play.do(opens("q1"))
    play.later(5)
    play.do(opens("q2"))
    play.do(opens("bobs", by=BOB))
    play.do(replies("q2"))
    play.do(hangs_up("c3"))
    play.do(sets_waiting("q1"))

    assert agent_lines(play.room) == (
        AgentLine(
            identity=ADA,
            name="Ada",
            model="model",
            attached=True,
            waiting=((Q1, NOW + 5_000),),
            last_call_unix_ms=NOW + 10_000,
            left_unix_ms=0,
            messages_waiting=1,
        ),
        AgentLine(
            identity=BOB,
            name="Ada",
            model="model",
            attached=False,
            waiting=((RequestId("bobs"), NOW + 10_000),),
            last_call_unix_ms=NOW + 10_000,
            left_unix_ms=0,
            messages_waiting=0,
        ),
    )


def test_a_single_call_is_no_agent_that_devices_see() -> None:
    play = Play()
    call = agent("call:1")
    play.do(opens("q1", by=call))
    assert agent_lines(play.room) == ()

    play.do(hangs_up("c1", by=call))

    assert agent_lines(play.room) == ()


def test_an_agent_that_left_is_seen_with_the_time_and_with_what_still_waits_for_it() -> None:
    play = asked()
    play.attached()
    play.do(opens("q2"))
    play.do(replies("q2"))
    here = line(play, ADA)
    play.later(60)
    play.do(says_goodbye())
    play.do(writes("note", to="ada"))

    gone = replace(here, attached=False, waiting=(), left_unix_ms=play.now, messages_waiting=2)
    assert agent_lines(play.room) == (gone,)


def test_an_agent_that_comes_back_is_seen_as_it_was() -> None:
    play = asked()
    play.attached()
    before = play.agent()
    play.do(says_goodbye())
    moved = replace(ADA, directory="/elsewhere")

    play.do(attaches(by=moved))

    assert play.agent() == replace(
        before,
        identity=moved,
        lease=2,
        waiting=frozenset(),
        calls=frozenset(),
        directories=frozenset({"/work", "/elsewhere"}),
    )
    [seen] = agent_lines(play.room)
    assert (seen.attached, seen.left_unix_ms) == (True, 0)


def test_agents_that_left_are_forgotten_oldest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "AGENTS_GONE", 2)
    play = Play()
    for name in ("a", "b", "a", "c"):
        play.attached(by=agent(name))
        play.do(says_goodbye(by=agent(name)))

    assert [line.identity.agent_id for line in agent_lines(play.room)] == ["a", "c"]


def test_an_arrival_that_is_taken_back_leaves_an_agent_gone_as_it_was() -> None:
    play = asked()
    play.do(says_goodbye())
    before = agent_lines(play.room)
    play.decide(attaches())
    play.take_back(play.undo)
    assert agent_lines(play.room) == before

    play.decide(attaches(by=BOB))
    play.take_back(play.undo)

    assert agent_lines(play.room) == before


# Held calls ---------------------------------------------------------------------------------------


def test_a_held_call_gets_the_outcome_without_a_stream() -> None:
    step = asked().do(replies("q1"))

    assert isinstance(step.told[-1], DeliverOutcome)


def test_one_agent_with_two_calls_is_told_once() -> None:
    play = asked()
    play.do(awaits("q1"))

    step = play.do(replies("q1"))

    assert len([e for e in step.told if isinstance(e, DeliverOutcome)]) == 1
    play.do(hangs_up("c1"))
    assert play.agent().calls == {("c2", "q1")}


def test_a_cancelled_call_keeps_its_agent_while_it_holds_another() -> None:
    play = asked()
    play.do(opens("q2"))

    play.do(cancels("q1"))

    assert play.agent().calls == {("c2", "q2")}


def test_an_agent_that_left_before_the_delivery_finds_the_answer_in_its_mailbox() -> None:
    play = asked()
    answer = play.decide(replies("q1"))
    play.decide(hangs_up("c1"))
    assert AgentId("ada") not in play.room.live.agents

    play.commit(answer)

    assert play.request("q1").waits_in_mailbox
    [ended] = resumed(play.do(attaches("q1"))).ended
    assert ended.redelivered
