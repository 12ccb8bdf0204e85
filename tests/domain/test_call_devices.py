"""Which device gets a call, and what happens when it does not take it, or is lost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import ClientId
from lineup_srv.domain.call import CallPhase, WaitKind
from lineup_srv.domain.call_effects import (
    SetCallTimer,
    SetCallWait,
    ShowCall,
    ShowCallUpdate,
)
from lineup_srv.domain.call_facts import (
    CallDeadlineMoved,
)
from lineup_srv.domain.commands import RelayReturned
from lineup_srv.domain.decision import CallHeld
from lineup_srv.domain.effects import Only
from tests.domain.playbook import (
    LAPTOP,
    NOW,
    PHONE,
    device,
    logs_in,
    member,
    sees,
    writes,
)
from tests.domain.toolbook import (
    CHOICE,
    LIGHT,
    MAIL,
    NONE,
    POMODORO,
    ToolPlay,
    accepts,
    announces,
    calls,
    fails,
    matches,
    result,
    succeeds,
    tab_of,
    wait_over,
)

if TYPE_CHECKING:
    from lineup_srv.domain.call import OfferedTool
from tests.domain.heard import (
    BACK,
    acks,
    kinds,
    onlookers,
    ready,
    running,
    shown_to,
    told,
    updates,
    waits_for,
)

TABLET = device("tablet")
REF = "ref-call-00000000"


# One device at a time ---------------------------------------------------------------------------


def two_devices() -> ToolPlay:
    play = ToolPlay()
    play.here(PHONE, MAIL, LIGHT)
    play.here(LAPTOP, MAIL, LIGHT)
    return play


def test_a_visible_device_is_asked_before_one_that_is_not() -> None:
    play = two_devices()
    play.do(sees(LAPTOP, visible=False))
    assert shown_to(play.do(calls("one", MAIL, "send"))) == [PHONE.client_id]
    play.do(sees(PHONE, visible=False))
    play.do(sees(LAPTOP, visible=True))
    assert shown_to(play.do(calls("two", MAIL, "send"))) == [LAPTOP.client_id]


def test_of_visible_devices_the_one_used_last_is_asked() -> None:
    play = two_devices()
    play.later(1)
    play.do(writes("note", by=LAPTOP))
    assert shown_to(play.do(calls("one", MAIL, "send"))) == [LAPTOP.client_id]
    play.later(1)
    play.do(sees(PHONE, visible=True))
    assert shown_to(play.do(calls("two", MAIL, "send"))) == [PHONE.client_id]


def test_answering_what_is_shown_counts_as_use() -> None:
    play = ToolPlay()
    play.here(PHONE, MAIL, CHOICE)
    play.here(LAPTOP, MAIL, CHOICE)
    play.do(calls("choice", CHOICE))
    play.later(1)
    play.do(succeeds("choice", by=LAPTOP))
    assert shown_to(play.do(calls("mail", MAIL, "send"))) == [LAPTOP.client_id]


def test_who_was_used_is_forgotten_with_the_connection() -> None:
    play = two_devices()
    play.do(writes("note", by=PHONE))
    play.do(writes("note2", by=TABLET))
    assert set(play.room.live.used) == {PHONE.client_id}
    play.gone(PHONE)
    assert play.room.live.used == {}


def two_with_a_timer() -> ToolPlay:
    play = ToolPlay()
    play.here(PHONE, POMODORO, MAIL)
    play.here(LAPTOP, POMODORO, MAIL)
    play.do(sees(LAPTOP, visible=False))
    return play


def starts_on(play: ToolPlay, call_id: str) -> list[ClientId]:
    return shown_to(play.do(calls(call_id, POMODORO, "start")))


def test_a_miniapp_goes_on_where_its_last_call_ran() -> None:
    play = two_with_a_timer()
    assert starts_on(play, "one") == [PHONE.client_id]
    play.do(succeeds("one", by=PHONE))
    play.later(1)
    play.do(sees(PHONE, visible=False))
    play.do(sees(LAPTOP, visible=True))
    assert shown_to(play.do(calls("mail", MAIL, "send"))) == [LAPTOP.client_id]
    assert starts_on(play, "two") == [PHONE.client_id]
    play.do(succeeds("two", by=PHONE))
    play.later(limits.APP_HOME_SECONDS + 1)
    assert starts_on(play, "much later") == [LAPTOP.client_id]


def test_a_miniapp_goes_on_where_a_call_of_it_runs() -> None:
    play = two_with_a_timer()
    assert starts_on(play, "one") == [PHONE.client_id]
    play.later(1)
    play.do(sees(LAPTOP, visible=True))
    assert starts_on(play, "two") == [PHONE.client_id]


def test_a_miniapp_whose_tab_is_gone_or_that_failed_there_runs_elsewhere() -> None:
    play = two_with_a_timer()
    starts_on(play, "one")
    play.do(fails("one", by=PHONE))
    play.later(1)
    play.do(sees(LAPTOP, visible=True))
    assert starts_on(play, "two") == [LAPTOP.client_id]
    play.do(succeeds("two", by=LAPTOP))
    play.gone(LAPTOP)
    assert starts_on(play, "three") == [PHONE.client_id]


@pytest.mark.parametrize(("tool", "name"), [(MAIL, "list"), (LIGHT, "on")])
def test_what_may_run_twice_goes_to_the_next_device_when_nobody_takes_it(
    tool: OfferedTool, name: str
) -> None:
    play = two_devices()
    play.do(writes("note", by=PHONE))
    play.do(calls("call", tool, name))
    wait = play.wait()
    assert wait is not None
    assert wait.until_unix_ms == NOW + 5_000

    step = play.waits_out()

    call = play.call()
    assert kinds(step) == ["CallGiven"]
    assert (call.owner, call.asked) == (tab_of(LAPTOP), (tab_of(PHONE),))
    assert updates(step) == [((PHONE.client_id,), CallPhase.OFFERED, True)]
    assert shown_to(step) == [LAPTOP.client_id]
    late = play.do(succeeds("call", by=PHONE, ref=REF))
    assert (late.facts, acks(late)) == ((), [(False, ErrorCode.ALREADY_ANSWERED)])
    assert updates(late) == [((PHONE.client_id,), CallPhase.OFFERED, True)]
    last = play.waits_out()
    assert (play.call().phase, play.call().code) == (CallPhase.FAILED, ErrorCode.NO_ANSWER)
    assert updates(last) == [((LAPTOP.client_id,), CallPhase.FAILED, False)]
    assert onlookers(last) == [((PHONE.client_id,), CallPhase.FAILED)]


@pytest.mark.requirement("design:calls:ends-shown-to-all")
def test_devices_that_never_had_a_call_are_shown_it_with_its_end_and_are_not_given_it() -> None:
    play = two_devices()
    play.do(logs_in(TABLET))
    script = replace(member(device("script")), shows_requests=False)
    play.do(replace(logs_in(script.author), member=script))
    play.do(writes("note", by=PHONE))
    given = play.do(calls("call", MAIL, "send"))
    assert shown_to(given) == [PHONE.client_id]
    assert onlookers(play.do(accepts("call"))) == []

    end = play.do(succeeds("call", by=PHONE))

    assert updates(end) == [((), CallPhase.SUCCEEDED, True), ((), CallPhase.SUCCEEDED, False)]
    assert onlookers(end) == [((LAPTOP.client_id, TABLET.client_id), CallPhase.SUCCEEDED)]


def test_what_people_answer_is_shown_to_those_who_were_asked() -> None:
    play = asked_on_all()
    play.do(logs_in(device("fourth")))
    play.do(calls("call", CHOICE))
    assert onlookers(play.do(succeeds("call", by=PHONE))) == []


@pytest.mark.requirement("design:calls:runs-once")
def test_what_must_not_run_twice_is_given_up_when_nobody_takes_it() -> None:
    play = two_devices()
    play.do(calls("call", MAIL, "send"))

    step = play.waits_out()

    assert kinds(step) == ["CallEnded"]
    assert (play.call().phase, play.call().code) == (CallPhase.FAILED, ErrorCode.NO_ANSWER)


def test_a_call_that_was_taken_waits_for_nothing_but_its_deadline() -> None:
    play = ready()
    play.do(calls("call", MAIL, "send"))
    wait = play.wait()
    assert wait is not None
    step = play.do(accepts("call"))

    assert told(step, SetCallWait) == [SetCallWait(play.call().call_id, None)]
    assert play.do(wait_over("call", wait)).facts == ()
    assert play.do(wait_over("other", wait)).facts == ()


def test_a_device_that_was_not_given_the_call_has_no_say_in_it() -> None:
    play = two_devices()
    play.do(writes("note", by=PHONE))
    play.do(calls("call", MAIL, "send"))

    for word in (accepts("call", by=LAPTOP, ref=REF), succeeds("call", by=LAPTOP, ref=REF)):
        step = play.do(word)
        assert step.facts == ()
        assert acks(step) == [(False, ErrorCode.ALREADY_ANSWERED)]
        assert updates(step) == [((LAPTOP.client_id,), CallPhase.OFFERED, True)]


# Nobody connected -------------------------------------------------------------------------------


@pytest.mark.requirement("B29")
def test_a_call_that_nobody_can_run_waits_ten_seconds_for_a_device() -> None:
    play = ready()
    play.gone(PHONE)

    step = play.do(calls("call", MAIL, "send"))

    wait = play.wait()
    assert kinds(step) == ["CallOpened"]
    assert wait is not None
    assert (wait.kind, wait.until_unix_ms) == (WaitKind.APP, NOW + 10_000)
    assert kinds(play.waits_out()) == ["CallEnded"]
    assert (play.call().phase, play.call().code) == (CallPhase.FAILED, ErrorCode.NO_APP)


def test_a_device_that_comes_in_time_gets_the_call() -> None:
    play = ready()
    play.gone(PHONE)
    play.do(calls("call", MAIL, "send"))
    waited = play.wait()
    assert waited is not None

    step = play.here(LAPTOP, MAIL)

    assert kinds(step) == ["CallGiven"]
    assert shown_to(step) == [LAPTOP.client_id]
    assert play.do(wait_over("call", waited)).facts == ()


def test_a_device_with_other_tools_gets_nothing() -> None:
    play = ready()
    play.gone(PHONE)
    play.do(calls("call", MAIL, "send"))
    assert play.here(LAPTOP, LIGHT).facts == ()
    assert play.wait() is not None


# What a human answers ---------------------------------------------------------------------------


def asked_on_all() -> ToolPlay:
    play = ToolPlay()
    for who in (PHONE, LAPTOP, TABLET):
        play.here(who, CHOICE)
    return play


def test_what_a_human_answers_is_shown_on_all_devices_and_waits() -> None:
    play = asked_on_all()

    step = play.do(calls("call", CHOICE))

    assert kinds(step) == ["CallOpened"]
    assert shown_to(step) == [PHONE.client_id, LAPTOP.client_id, TABLET.client_id]
    assert (play.call().owner, play.wait()) == (None, None)


def test_the_first_submitted_answer_claims_it() -> None:
    play = asked_on_all()
    play.do(calls("call", CHOICE))
    play.do(accepts("call", by=PHONE))
    play.do(accepts("call", by=LAPTOP))

    step = play.do(succeeds("call", by=LAPTOP, ref=REF))
    lost = play.do(succeeds("call", "mine", by=PHONE, ref=REF[:-1] + "1"))

    others = (PHONE.client_id, TABLET.client_id)
    assert updates(step) == [
        (others, CallPhase.SUCCEEDED, True),
        (others, CallPhase.SUCCEEDED, False),
    ]
    assert (play.call().by, play.call().result) == (LAPTOP, result())
    assert acks(lost) == [(False, ErrorCode.ALREADY_ANSWERED)]
    assert lost.facts == ()


def test_a_dismissal_ends_it_as_failed() -> None:
    play = asked_on_all()
    play.do(calls("call", CHOICE))
    play.do(fails("call", ErrorCode.DECLINED, message=""))
    assert (play.call().phase, play.call().code) == (CallPhase.FAILED, ErrorCode.DECLINED)


@pytest.mark.requirement("B48")
def test_a_device_that_comes_later_gets_what_waits_for_an_answer() -> None:
    play = ToolPlay()
    play.here(PHONE, CHOICE)
    play.gone(PHONE)
    held = play.do(calls("call", CHOICE))
    assert isinstance(held.result, CallHeld)
    assert play.wait() is None

    play.do(logs_in(LAPTOP))
    step = play.do(announces(LAPTOP, CHOICE))
    again = play.do(announces(LAPTOP, CHOICE, MAIL))

    assert told(step, ShowCall) == [
        ShowCall(Only(LAPTOP.client_id), play.call(), play.call().opened_seq)
    ]
    assert shown_to(again) == []
    assert play.do(matches(LAPTOP)).effects == ()


@pytest.mark.requirement("B48")
def test_a_device_that_announces_late_hears_what_ended_since_its_login() -> None:
    """It shows the card since, from the history; nobody told it of the end."""
    play = ToolPlay()
    play.here(PHONE, CHOICE, MAIL)
    play.do(calls("before", CHOICE))
    play.do(succeeds("before", by=PHONE))
    play.do(calls("call", CHOICE))
    play.later(1)
    arrival = replace(member(LAPTOP), connected_unix_ms=play.now)
    play.do(replace(logs_in(LAPTOP), member=arrival))
    play.do(calls("mail", MAIL, "send"))
    play.do(succeeds("mail", by=PHONE))
    end = play.do(succeeds("call", by=PHONE))

    step = play.do(announces(LAPTOP, CHOICE, MAIL))
    again = play.do(announces(LAPTOP, CHOICE, MAIL))

    assert updates(end) == [((), CallPhase.SUCCEEDED, True), ((), CallPhase.SUCCEEDED, False)]
    assert told(step, ShowCallUpdate) == [
        ShowCallUpdate(Only(LAPTOP.client_id), play.call(), CallPhase.SUCCEEDED, taken=False, seq=0)
    ]
    assert told(again, ShowCallUpdate) == []


def test_a_device_that_answers_before_it_announces_is_not_told_of_its_own_answer() -> None:
    play = ToolPlay()
    play.here(PHONE, CHOICE)
    play.do(calls("call", CHOICE))
    play.do(logs_in(LAPTOP))
    play.do(succeeds("call", by=LAPTOP))
    assert told(play.do(announces(LAPTOP, CHOICE)), ShowCallUpdate) == []


def test_a_phone_that_sleeps_keeps_its_cards_in_the_room() -> None:
    play = asked_on_all()
    play.do(calls("call", CHOICE))
    for who in (PHONE, LAPTOP, TABLET):
        step = play.gone(who)
        assert told(step, SetCallWait) == []
    assert play.call().live
    assert play.wait() is None


# Owners that are lost ---------------------------------------------------------------------------


@pytest.mark.parametrize("taken", [True, False])
def test_an_owner_that_is_lost_has_thirty_seconds(taken: bool) -> None:
    play = running(taken=taken)

    step = play.gone(PHONE)

    wait = play.wait()
    assert wait is not None
    assert (wait.kind, wait.until_unix_ms) == (WaitKind.OWNER, NOW + 30_000)
    assert told(step, SetCallWait) == [SetCallWait(play.call().call_id, wait)]
    play.waits_out()
    assert (play.call().phase, play.call().code) == (CallPhase.FAILED, ErrorCode.APP_GONE)


@pytest.mark.parametrize("taken", [True, False])
def test_an_owner_that_is_back_gets_the_same_call(taken: bool) -> None:
    play = running(taken=taken)
    play.gone(PHONE)
    play.later(29)
    play.do(logs_in(BACK))

    step = play.do(announces(BACK, MAIL))
    matched = play.do(matches(BACK))

    assert told(step, ShowCall) == [
        ShowCall(Only(BACK.client_id), play.call(), play.call().opened_seq)
    ]
    assert waits_for(play.wait()) is (None if taken else WaitKind.ACCEPT)
    assert matched.facts == ()
    play.do(succeeds("call", by=BACK))
    assert play.call().phase is CallPhase.SUCCEEDED


def test_another_tab_is_not_the_owner() -> None:
    play = running()
    play.gone(PHONE)
    play.here(LAPTOP, MAIL)
    assert play.wait() is not None
    assert play.do(succeeds("call", by=LAPTOP)).facts == ()


def test_an_owner_that_came_back_before_its_old_connection_ended_is_not_lost() -> None:
    play = running()
    play.here(BACK, MAIL)
    step = play.gone(PHONE)
    assert told(step, SetCallWait) == []
    assert play.wait() is None


def test_what_may_run_twice_does_not_wait_for_a_device_that_did_not_take_it() -> None:
    play = ToolPlay()
    play.here(PHONE, MAIL)
    play.do(calls("call", MAIL, "list"))
    play.here(LAPTOP, MAIL)
    play.gone(PHONE)
    assert waits_for(play.wait()) is WaitKind.ACCEPT
    play.waits_out()
    assert play.call().owner == tab_of(LAPTOP)


def test_with_no_other_device_it_waits_for_the_first_to_come_back() -> None:
    play = ToolPlay()
    play.here(PHONE, MAIL)
    play.do(calls("call", MAIL, "list"))
    play.gone(PHONE)
    play.waits_out()
    assert waits_for(play.wait()) is WaitKind.OWNER
    play.waits_out()
    assert play.call().code is ErrorCode.APP_GONE


# Time and restarts ------------------------------------------------------------------------------


def test_near_deadlines_move_when_the_relay_was_away() -> None:
    play = ready()
    play.do(calls("near", CHOICE))
    play.do(calls("far", CHOICE, arguments="far", timeout_ms=600_000))

    step = play.do(RelayReturned(NONE, loaded=False))

    assert [type(f) for f in step.facts] == [CallDeadlineMoved]
    assert play.call("near").deadline_unix_ms == NOW + 120_000
    assert told(step, SetCallTimer) == [SetCallTimer(play.call("near").call_id, NOW + 120_000)]


def test_after_a_start_devices_have_their_time_to_come_back() -> None:
    play = ready()
    play.do(calls("running", MAIL, "send"))
    play.do(accepts("running"))
    play.do(calls("card", CHOICE))
    play.gone(PHONE)
    play.do(calls("waiting", LIGHT))
    play.restart()

    play.do(RelayReturned(NONE, loaded=True))

    kinds_of = {call_id: wait.kind for call_id, wait in play.room.live.call_waits.items()}
    assert kinds_of == {"running": WaitKind.OWNER, "waiting": WaitKind.APP}
    play.do(logs_in(BACK))
    step = play.do(announces(BACK, MAIL, LIGHT, CHOICE))
    assert shown_to(step) == [BACK.client_id, BACK.client_id]
    assert kinds(play.do(matches(BACK))) == ["CallGiven"]


def test_an_owner_that_was_faster_than_the_start_is_not_waited_for() -> None:
    play = running()
    play.restart()
    play.here(BACK, MAIL)
    play.do(calls("call", MAIL, "send"))
    play.do(RelayReturned(NONE, loaded=True))
    assert play.wait() is None
    assert play.room.live.holdings[play.call().call_id].holders


def test_a_client_without_device_id_is_its_connection() -> None:
    play = ToolPlay()
    plain = device("plain", device_id="")
    play.here(plain, MAIL)
    play.do(calls("call", MAIL, "send"))
    play.do(accepts("call", by=plain))
    play.gone(plain)
    other = replace(plain, client_id=ClientId("plain-2"))
    play.here(other, MAIL)
    assert play.do(succeeds("call", by=other)).facts == ()
