"""What is told of facts about calls: when they are delivered, and later from the log."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import CallId
from lineup_srv.domain.call import CallPhase
from lineup_srv.domain.call_effects import (
    CallHeldBy,
    CallWaits,
    SetCallTimer,
    ShowCall,
    ShowCallUpdate,
    TellCall,
)
from lineup_srv.domain.call_facts import (
    CallEnded,
    CallFact,
    CallGiven,
    CallOpened,
    CallProgressed,
    CallReceipt,
    CallReceived,
)
from lineup_srv.domain.call_history import call_as_of, message_of_call
from lineup_srv.domain.effects import Only
from lineup_srv.domain.effects_of import changes_of, effects_of
from lineup_srv.domain.facts import ack_code_of, ref_of
from lineup_srv.domain.fold import fold
from lineup_srv.domain.state import Live, Logged, Room
from tests.domain.lives import call_life
from tests.domain.playbook import LAPTOP, PHONE
from tests.domain.toolbook import CHOICE, MAIL, ToolPlay, acknowledges_calls, calls, succeeds

if TYPE_CHECKING:
    from lineup_srv.domain.effects import Message

TO = Only(PHONE.client_id)
LIFE = call_life()


def told_later() -> dict[str, list[Message | None]]:
    """What a device gets of each kind of fact, from the log."""
    found: dict[str, list[Message | None]] = {}
    for seq, fact in enumerate(LIFE.log, start=1):
        if isinstance(fact, CallFact):
            message = message_of_call(fact, LIFE.call(fact.call_id), TO, seq)
            found.setdefault(type(fact).__name__, []).append(message)
    return found


def test_an_opening_is_the_call_as_it_was_made() -> None:
    shown = told_later()["CallOpened"]
    calls_shown = [m.call for m in shown if isinstance(m, ShowCall)]
    assert [c.call_id for c in calls_shown] == ["done", "withdrawn", "choice"]
    assert all(c.live and c.result is None and not c.message for c in calls_shown)


def test_receipts_and_ends_are_told_as_they_were_and_without_a_body() -> None:
    messages = told_later()
    phases = [
        (m.phase, m.call.code)
        for m in (*messages["CallReceipt"], *messages["CallEnded"])
        if isinstance(m, ShowCallUpdate)
    ]
    assert phases == [
        (CallPhase.ACCEPTED, ErrorCode.UNSPECIFIED),
        (CallPhase.STARTED, ErrorCode.UNSPECIFIED),
        (CallPhase.SUCCEEDED, ErrorCode.UNSPECIFIED),
        (CallPhase.CANCELLED, ErrorCode.CANCELLED),
    ]


def test_all_else_of_calls_that_no_human_answers_is_no_business_of_devices() -> None:
    silent = {kind for kind, told in told_later().items() if set(told) == {None}}
    assert silent == {
        "CallAttached",
        "CallGiven",
        "CallProgressed",
        "CallResultKept",
        "CallDeadlineMoved",
        "CallReceived",
    }


@pytest.mark.parametrize("fact", LIFE.log, ids=lambda fact: type(fact).__name__)
def test_a_fact_about_a_call_has_no_ref_that_the_log_remembers(fact: CallFact) -> None:
    assert not ref_of(fact)
    assert ack_code_of(fact) is ErrorCode.UNSPECIFIED


@pytest.mark.parametrize(
    "fact",
    [f for f in LIFE.log if isinstance(f, CallFact)],
    ids=lambda fact: type(fact).__name__,
)
def test_a_fact_about_a_call_that_is_not_kept_says_nothing(fact: CallFact) -> None:
    room = Room(Logged(), Live())
    if not isinstance(fact, CallOpened):
        fold(room.logged, fact)
        assert room.logged == Logged(last_seq=1)
    assert effects_of(room, fact, 1) == ()


def test_what_is_told_of_a_fact_knows_nothing_of_later_ones() -> None:
    """Facts are folded before they are committed: what is not on the disk must not be told."""
    call = LIFE.call("done")
    assert call.received
    assert call.result is not None
    for fact in LIFE.log:
        if isinstance(fact, CallReceipt | CallProgressed | CallGiven) and fact.call_id == "done":
            before = call_as_of(call, fact)
            assert before.live
            assert (before.result, before.by, before.received) == (None, None, False)
        elif isinstance(fact, CallEnded) and fact.call_id == "done":
            ended = call_as_of(call, fact)
            assert (ended.result, ended.received) == (call.result, False)


def test_the_history_says_that_the_agent_has_what_a_human_answered() -> None:
    play = ToolPlay()
    play.here(PHONE, CHOICE)
    for command in (calls("call", CHOICE), succeeds("call"), acknowledges_calls("call")):
        play.do(command)
    told = [
        message_of_call(fact, play.call(), TO, seq)
        for seq, fact in enumerate(play.log, start=1)
        if isinstance(fact, CallEnded | CallReceived)
    ]
    ends = [m for m in told if isinstance(m, ShowCallUpdate)]
    assert [(m.phase, m.call.received, m.answer is not None) for m in ends] == [
        (CallPhase.SUCCEEDED, False, True),
        (CallPhase.SUCCEEDED, True, False),
    ]


def test_an_unanswered_call_is_offered_in_its_own_past() -> None:
    play = ToolPlay()
    play.here(PHONE, CHOICE)
    play.do(calls("call", CHOICE))
    [opened] = [f for f in play.log if isinstance(f, CallOpened)]
    assert call_as_of(play.call(), opened) == play.call()


def test_another_relay_tells_its_own_devices_and_callers() -> None:
    elsewhere, here = ToolPlay(), ToolPlay()
    elsewhere.here(PHONE, CHOICE)
    here.here(LAPTOP, CHOICE)
    elsewhere.do(calls("call", CHOICE))
    elsewhere.do(succeeds("call"))
    here.log.clear()
    here.room.logged = Logged()

    told = [effect for fact in elsewhere.log for effect in here.receive(fact)]

    assert [type(e).__name__ for e in told] == [
        "CatalogChanged",
        "SetCallTimer",
        "ShowCall",
        "ClearCallTimers",
        "TellCall",
        "ShowCallUpdate",
        "ShowCallUpdate",
    ]
    assert TellCall(here.call(), None) in told
    assert SetCallTimer(CallId("call"), here.call().deadline_unix_ms) in told


def test_with_its_end_nobody_holds_a_call_any_more() -> None:
    play = ToolPlay()
    play.here(PHONE, MAIL)
    play.do(calls("call", MAIL, "send"))
    ended = play.do(succeeds("call")).facts[0]
    call_id = CallId("call")
    assert changes_of(ended) == (CallHeldBy(call_id, None), CallWaits(call_id, None))
    assert changes_of(play.log[0]) == ()
    assert replace(play.call(), aliases=()) == play.call()
