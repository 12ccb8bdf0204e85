"""Tool calls as conversations: how they begin, who waits for them, how agents end them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.domain.call import CallPhase
from lineup_srv.domain.call_effects import (
    ForgetSecret,
    SetCallTimer,
    SetCallWait,
    ShowCall,
    ShowCallUpdate,
    TellCall,
)
from lineup_srv.domain.commands import RelayReturned
from lineup_srv.domain.decision import CallDone, CallHeld, Refused
from lineup_srv.domain.effects import Those
from tests.domain.playbook import (
    ADA,
    BOB,
    LAPTOP,
    NOW,
    PHONE,
    agent,
    attaches,
    device,
    logs_in,
    says_goodbye,
)
from tests.domain.toolbook import (
    CALL_MS,
    CANVAS,
    CHOICE,
    LIGHT,
    MAIL,
    NONE,
    OTHER_SCHEMA,
    ToolPlay,
    accepts,
    acknowledges_calls,
    awaits_call,
    call_deadline_reached,
    calls,
    cancels_call,
    fails,
    hangs_up_call,
    result,
    secret_result,
    succeeds,
    tab_of,
    toolset,
)

if TYPE_CHECKING:
    from lineup_srv.domain.commands import Command
from tests.domain.heard import acks, kinds, ready, refused, shown_to, told, updates

TABLET = device("tablet")
REF = "ref-call-00000000"


# A new call ------------------------------------------------------------------------------------


def test_a_call_is_offered_to_a_device_that_offers_the_tool() -> None:
    play = ready()

    step = play.do(calls("call", MAIL, "send"))

    call = play.call()
    assert kinds(step) == ["CallOpened", "CallGiven"]
    assert step.result == CallHeld(replace(call, owner=None))
    assert (call.phase, call.owner) == (CallPhase.OFFERED, tab_of(PHONE))
    assert call.deadline_unix_ms == NOW + CALL_MS
    assert (call.tool_type, call.action) == (
        MAIL.definition.type,
        MAIL.definition.operation("send"),
    )
    assert step.early == ()
    show = ShowCall(Those((PHONE.client_id,)), call, 1)
    assert told(step, ShowCall) == [replace(show, seq=call.opened_seq)]
    assert told(step, SetCallTimer) == [SetCallTimer(call.call_id, NOW + CALL_MS)]
    assert told(step, SetCallWait) == [SetCallWait(call.call_id, play.wait())]


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (calls("call", toolset("unknown")), ErrorCode.UNKNOWN_TOOL),
        (calls("call", MAIL, "burn"), ErrorCode.UNKNOWN_TOOL),
        (calls("call", MAIL, misfit="arguments.x: is missing"), ErrorCode.INVALID_ARGUMENT),
        (calls("call", MAIL, schema=OTHER_SCHEMA), ErrorCode.TOOL_CHANGED),
        (calls("call", CANVAS, "draw", instance_id="never opened"), ErrorCode.APP_GONE),
    ],
)
def test_what_cannot_be_called_is_refused_with_a_stable_code(
    command: Command, code: ErrorCode
) -> None:
    play = ready()

    step = play.do(command)

    assert refused(step) is code
    assert step.facts == ()


def test_the_words_of_a_misfit_reach_the_caller() -> None:
    step = ready().do(calls("call", MAIL, misfit="arguments.x: is missing"))
    assert step.result == Refused(ErrorCode.INVALID_ARGUMENT, "arguments.x: is missing")


def test_an_agent_has_so_many_calls_open_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "OPEN_CALLS_PER_AGENT", 2)
    monkeypatch.setattr(limits, "OPEN_CALLS_PER_ROOM", 3)
    play = ready()
    play.do(calls("one", CHOICE))
    play.do(calls("two", CHOICE, arguments="2"))

    assert refused(play.do(calls("three", CHOICE, arguments="3"))) is ErrorCode.RATE_LIMITED
    assert isinstance(play.do(calls("four", CHOICE, by=BOB)).result, CallHeld)
    assert refused(play.do(calls("five", CHOICE, by=BOB))) is ErrorCode.RATE_LIMITED
    play.do(succeeds("one"))
    assert isinstance(play.do(calls("three", CHOICE, arguments="3")).result, CallHeld)


def test_a_tool_of_type_action_ignores_the_name_of_the_action() -> None:
    play = ready()
    play.do(calls("call", CHOICE, "whatever"))
    assert play.call().action.name == "choice"


# Replays ---------------------------------------------------------------------------------------


@pytest.mark.requirement("seed004:calls:replay")
def test_a_replay_returns_what_is_stored_and_runs_nothing() -> None:
    play = ready()
    first = play.do(calls("call", MAIL, "send"))
    play.do(accepts("call"))

    again = play.do(calls("call", MAIL, "send"))
    waiting = play.do(awaits_call("call"))
    play.do(succeeds("call"))
    ended = play.do(calls("call", MAIL, "send"))
    play.restart()
    after = play.do(awaits_call("call"))

    assert shown_to(first) == [PHONE.client_id]
    for step in (again, waiting):
        assert (step.facts, shown_to(step)) == ((), [])
        assert isinstance(step.result, CallHeld)
        assert step.result.call.phase is CallPhase.ACCEPTED
    for step in (ended, after):
        assert (step.facts, shown_to(step)) == ((), [])
        assert step.result == CallDone(play.call())


def test_the_same_id_for_another_call_is_a_conflict() -> None:
    play = ready()
    play.do(calls("call", MAIL, "send"))

    for other in (
        calls("call", MAIL, "list"),
        calls("call", MAIL, "send", arguments='{"x":1}'),
        calls("call", LIGHT),
    ):
        assert refused(play.do(other)) is ErrorCode.ID_CONFLICT


def test_a_call_that_nobody_made_cannot_be_awaited() -> None:
    assert refused(ready().do(awaits_call("call"))) is ErrorCode.UNKNOWN_REQUEST


def vanished(play: ToolPlay, *, after_seconds: int = 0) -> None:
    """Ada calls, and her bridge vanishes."""
    play.do(calls("call", CHOICE, by=agent("ada", session="s")))
    play.later(10)
    play.do(hangs_up_call("call", play.command_id))
    play.later(after_seconds)


def test_an_equal_call_attaches_to_one_whose_bridge_vanished() -> None:
    play = ready()
    vanished(play, after_seconds=59)
    heir = agent("ada2", session="s")

    step = play.do(calls("again", CHOICE, by=heir))

    call = play.call("again")
    assert kinds(step) == ["CallAttached"]
    assert step.result == CallHeld(call)
    assert (call.call_id, call.aliases, call.agent) == ("call", ("again",), heir)
    assert call.deadline_unix_ms == play.now + CALL_MS
    assert told(step, SetCallTimer) == [SetCallTimer(call.call_id, call.deadline_unix_ms)]
    assert shown_to(step) == []
    answered = play.do(succeeds("call"))
    assert [e.call.call_id for e in told(answered, TellCall) if isinstance(e, TellCall)] == ["call"]
    assert play.do(calls("again", CHOICE, by=heir)).result == CallDone(play.call())


@pytest.mark.parametrize(
    "command",
    [
        calls("again", CHOICE, by=agent("ada2", session="other")),
        calls("again", CHOICE, by=agent("ada2", session="s"), arguments='{"x":1}'),
        calls("again", LIGHT, by=agent("ada2", session="s")),
    ],
)
def test_another_call_does_not_attach(command: Command) -> None:
    play = ready()
    vanished(play)
    assert "CallOpened" in kinds(play.do(command))


def test_a_call_attaches_only_for_a_minute() -> None:
    play = ready()
    vanished(play, after_seconds=60)
    assert "CallOpened" in kinds(play.do(calls("again", CHOICE, by=agent("ada2", session="s"))))


def test_nothing_attaches_to_a_call_that_is_held_or_whose_bridge_is_here() -> None:
    heir = agent("ada2", session="s")
    held = ready()
    held.do(calls("call", CHOICE, by=agent("ada", session="s")))
    assert "CallOpened" in kinds(held.do(calls("again", CHOICE, by=heir)))

    attached = ready()
    attached.do(attaches(by=agent("ada", session="s")))
    vanished(attached)
    assert "CallOpened" in kinds(attached.do(calls("again", CHOICE, by=heir)))


def test_nothing_attaches_to_a_call_that_has_its_result() -> None:
    play = ready()
    vanished(play)
    play.do(succeeds("call"))
    assert "CallOpened" in kinds(play.do(calls("again", CHOICE, by=agent("ada2", session="s"))))


def test_after_a_restart_bridges_have_their_minute_from_then_on() -> None:
    play = ready()
    vanished(play, after_seconds=300)
    play.restart()
    play.do(RelayReturned(NONE, loaded=True))
    play.later(59)
    assert kinds(play.do(calls("again", CHOICE, by=agent("ada2", session="s")))) == ["CallAttached"]


# Cancel, deadline, goodbye ----------------------------------------------------------------------


def test_a_cancel_ends_the_call_and_reaches_the_device() -> None:
    play = ready()
    play.do(calls("call", MAIL, "send"))
    play.do(accepts("call"))

    step = play.do(cancels_call("call"))

    call = play.call()
    assert (call.phase, call.code) == (CallPhase.CANCELLED, ErrorCode.CANCELLED)
    assert step.result == CallDone(call)
    assert updates(step) == [((PHONE.client_id,), CallPhase.CANCELLED, False)]
    assert told(step, TellCall) == [TellCall(call, None)]


def test_the_result_of_a_cancelled_call_is_stored_and_not_returned() -> None:
    play = ready()
    play.do(calls("call", MAIL, "send"))
    play.do(cancels_call("call"))

    step = play.do(succeeds("call", ref=REF))
    second = play.do(succeeds("call", "another", ref="ref-call-11111111"))

    call = play.call()
    assert kinds(step) == ["CallResultKept"]
    assert told(step, TellCall) == []
    assert acks(step) == [(True, ErrorCode.CANCELLED)]
    assert (call.phase, call.result, call.kept) == (CallPhase.CANCELLED, None, result())
    assert play.do(awaits_call("call")).result == CallDone(call)
    assert second.facts == ()
    assert acks(second) == [(False, ErrorCode.CANCELLED)]


def test_what_fails_after_a_cancel_is_not_stored() -> None:
    play = ready()
    play.do(calls("call", MAIL, "send"))
    play.do(cancels_call("call"))
    assert play.do(fails("call")).facts == ()


def test_another_device_adds_nothing_to_a_cancelled_call() -> None:
    play = ready()
    play.do(logs_in(LAPTOP))
    play.do(calls("call", MAIL, "send"))
    play.do(cancels_call("call"))
    assert play.do(succeeds("call", by=LAPTOP)).facts == ()


def test_only_the_agent_that_called_may_cancel() -> None:
    play = ready()
    play.do(calls("call", CHOICE))

    assert play.do(cancels_call("call", by=BOB)).result == CallHeld(play.call())
    assert refused(play.do(cancels_call("other"))) is ErrorCode.UNKNOWN_REQUEST
    play.do(succeeds("call"))
    late = play.do(cancels_call("call"))
    assert (late.facts, late.result) == ((), CallDone(play.call()))


def test_a_successor_that_goes_on_waiting_may_cancel_and_confirm() -> None:
    play = ready()
    play.do(calls("call", CHOICE))
    play.do(awaits_call("call", by=BOB))
    assert isinstance(play.do(cancels_call("call", by=BOB)).result, CallDone)

    play.do(calls("other", CHOICE))
    play.do(awaits_call("other", by=BOB))
    play.do(says_goodbye(by=ADA))
    assert play.call("other").live
    play.do(says_goodbye(by=BOB))
    assert play.call("other").code is ErrorCode.AGENT_ENDED


def test_another_bridge_of_the_session_may_confirm_what_it_has() -> None:
    play = ready()
    old, heir = agent("ada", session="s"), agent("heir", session="s")
    play.do(calls("call", CHOICE, by=old))
    play.do(succeeds("call"))
    assert play.do(acknowledges_calls("call", by=heir)).facts == ()
    play.do(attaches(by=agent("stranger", session="t")))
    assert play.do(acknowledges_calls("call", by=agent("stranger"))).facts == ()
    play.do(attaches(by=heir))
    assert kinds(play.do(acknowledges_calls("call", by=heir))) == ["CallReceived"]


def test_devices_see_when_an_agent_last_called() -> None:
    play = ready()
    play.do(attaches())
    play.later(7)
    play.do(calls("call", CHOICE))
    assert (play.agent().last_call_unix_ms, play.agent().name) == (play.now, "Ada")
    play.do(calls("other", CHOICE, by=BOB))
    assert BOB.agent_id not in play.room.live.agents


def test_the_deadline_ends_the_call_and_reaches_the_devices() -> None:
    play = ready()
    play.here(LAPTOP, CHOICE)
    play.do(calls("call", CHOICE))
    deadline = play.call().deadline_unix_ms

    assert play.do(call_deadline_reached("call", deadline - 1)).facts == ()
    assert play.do(call_deadline_reached("other", deadline)).facts == ()
    step = play.do(call_deadline_reached("call", deadline))

    assert (play.call().phase, play.call().code) == (CallPhase.EXPIRED, ErrorCode.EXPIRED)
    both = (PHONE.client_id, LAPTOP.client_id)
    assert updates(step) == [(both, CallPhase.EXPIRED, False)]
    assert play.do(call_deadline_reached("call", deadline)).facts == ()
    late = play.do(succeeds("call", ref=REF))
    assert (late.facts, acks(late)) == ((), [(False, ErrorCode.EXPIRED)])


def test_the_calls_of_an_agent_that_ends_are_withdrawn() -> None:
    play = ready()
    play.do(attaches(by=ADA))
    play.do(calls("call", MAIL, "send"))
    play.do(calls("other", CHOICE, by=BOB))

    step = play.do(says_goodbye())

    assert (play.call().phase, play.call().code) == (CallPhase.CANCELLED, ErrorCode.AGENT_ENDED)
    assert updates(step) == [((PHONE.client_id,), CallPhase.CANCELLED, False)]
    assert play.call("other").live


# Who waits --------------------------------------------------------------------------------------


def test_a_call_goes_on_when_its_stream_is_over() -> None:
    play = ready()
    play.do(calls("call", CHOICE))
    first = play.command_id
    play.do(awaits_call("call"))
    second = play.command_id
    play.later(5)

    assert play.do(hangs_up_call("call", "nobody")).facts == ()
    play.do(hangs_up_call("call", first))
    holding = play.room.live.holdings[play.call().call_id]
    assert (holding.holders, holding.left_unix_ms) == (frozenset({second}), 0)
    play.do(hangs_up_call("call", second))
    holding = play.room.live.holdings[play.call().call_id]
    assert (holding.holders, holding.left_unix_ms) == (frozenset(), play.now)
    assert play.call().live
    play.do(succeeds("call"))
    assert play.room.live.holdings == {}
    play.do(hangs_up_call("call", second))
    play.do(hangs_up_call("other", second))
    assert play.room.live.holdings == {}


def test_what_the_agent_program_has_is_marked_once() -> None:
    play = ready()
    play.do(calls("call", CHOICE))
    assert play.do(acknowledges_calls("call")).facts == ()
    play.do(succeeds("call"))

    assert play.do(acknowledges_calls("call", "other", by=BOB)).facts == ()
    step = play.do(acknowledges_calls("call", "call", "other"))
    assert kinds(step) == ["CallReceived"]
    assert play.call().received
    assert play.do(acknowledges_calls("call")).facts == ()


@pytest.mark.requirement("design:calls:answers-shown")
def test_the_others_read_what_a_human_answered_and_all_see_when_the_agent_has_it() -> None:
    play = ready()
    play.here(LAPTOP, CHOICE)
    play.do(calls("call", CHOICE))

    step = play.do(succeeds("call"))
    taken, end = told(step, ShowCallUpdate)
    assert isinstance(taken, ShowCallUpdate)
    assert isinstance(end, ShowCallUpdate)
    assert (taken.answer, end.answer) == (None, play.call().result)
    assert play.call().result is not None
    assert end.to == Those((LAPTOP.client_id,))

    step = play.do(acknowledges_calls("call"))
    [received] = told(step, ShowCallUpdate)
    assert isinstance(received, ShowCallUpdate)
    assert received.call.received
    assert (received.phase, received.answer) == (CallPhase.SUCCEEDED, None)
    assert received.to == Those((PHONE.client_id, LAPTOP.client_id))


def test_what_a_device_worked_out_is_told_to_the_agent_only() -> None:
    play = ready()
    play.do(calls("call", MAIL, "send"))
    step = play.do(succeeds("call"))
    assert [m.answer for m in told(step, ShowCallUpdate) if isinstance(m, ShowCallUpdate)] == [
        None,
        None,
    ]
    assert told(play.do(acknowledges_calls("call")), ShowCallUpdate) == []


# Secrets ----------------------------------------------------------------------------------------


def test_a_secret_is_forgotten_when_it_was_received() -> None:
    play = ready()
    play.do(calls("call", CHOICE, secret=True))
    step = play.do(succeeds("call", kept=secret_result("s1")))
    assert told(step, ForgetSecret) == []

    received = play.do(acknowledges_calls("call"))

    assert told(received, ForgetSecret) == [ForgetSecret("s1")]


def test_a_secret_that_came_after_the_cancel_is_forgotten_at_once() -> None:
    play = ready()
    play.do(calls("call", CHOICE, secret=True))
    play.do(cancels_call("call"))
    step = play.do(succeeds("call", kept=secret_result("s1")))
    assert told(step, ForgetSecret) == [ForgetSecret("s1")]
