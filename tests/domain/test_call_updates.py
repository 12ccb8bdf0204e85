"""What devices say of a call: receipts, progress, and one result."""

from __future__ import annotations

import pytest

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.domain.call import CallPhase
from lineup_srv.domain.call_effects import (
    ClearCallTimers,
    TellCall,
)
from lineup_srv.domain.decision import CallHeld
from lineup_srv.domain.effects import SendAck
from tests.domain.heard import acks, kinds, ready, told, updates
from tests.domain.playbook import (
    LAPTOP,
    PHONE,
    device,
)
from tests.domain.toolbook import (
    CHOICE,
    MAIL,
    accepts,
    awaits_call,
    calls,
    fails,
    progresses,
    receipt,
    result,
    succeeds,
)

TABLET = device("tablet")
REF = "ref-call-00000000"


# Receipts, progress, results --------------------------------------------------------------------


@pytest.mark.requirement("seed004:calls:receipts-are-no-result")
def test_receipts_go_to_the_agent_and_are_no_result() -> None:
    play = ready()
    play.do(calls("call", MAIL, "send"))

    for phase in (CallPhase.ACCEPTED, CallPhase.STARTING, CallPhase.STARTED):
        step = play.do(receipt("call", phase, ref=REF, message="soon"))
        assert kinds(step) == ["CallReceipt"]
        [heard] = told(step, TellCall)
        assert isinstance(heard, TellCall)
        assert (heard.call.phase, heard.call.message, heard.progress) == (phase, "soon", None)
        assert heard.call.result is None
        assert acks(step) == [(True, ErrorCode.UNSPECIFIED)]
        assert play.call().live
    assert play.wait() is None


def test_a_phase_never_goes_back() -> None:
    play = ready()
    play.do(calls("call", MAIL, "send"))
    play.do(receipt("call", CallPhase.STARTED))

    step = play.do(accepts("call", ref=REF))

    assert step.facts == ()
    assert acks(step) == [(True, ErrorCode.UNSPECIFIED)]
    assert play.call().phase is CallPhase.STARTED


def test_progress_is_told_and_stored() -> None:
    play = ready()
    play.do(calls("call", MAIL, "send"))
    play.do(accepts("call"))

    step = play.do(progresses("call", 3))

    assert kinds(step) == ["CallProgressed"]
    [heard] = told(step, TellCall)
    assert isinstance(heard, TellCall)
    assert heard.progress == play.call().progress
    assert play.call().phase is CallPhase.ACCEPTED
    replay = play.do(awaits_call("call")).result
    assert isinstance(replay, CallHeld)
    assert replay.call.progress is not None


def test_who_makes_progress_has_taken_the_call() -> None:
    play = ready()
    play.do(calls("call", MAIL, "send"))

    step = play.do(progresses("call", 1))

    assert kinds(step) == ["CallReceipt", "CallProgressed"]
    assert play.call().phase is CallPhase.ACCEPTED
    assert play.wait() is None


def test_progress_of_what_a_human_answers_takes_it_from_nobody() -> None:
    play = ready()
    play.do(calls("call", CHOICE))
    assert kinds(play.do(progresses("call", 1))) == ["CallProgressed"]
    assert play.call().owner is None


@pytest.mark.parametrize("phase", [CallPhase.SUCCEEDED, CallPhase.FAILED])
def test_a_result_ends_the_call(phase: CallPhase) -> None:
    play = ready()
    play.do(calls("call", MAIL, "send"))
    play.do(accepts("call"))
    play.do(progresses("call", 9))

    said = succeeds("call", ref=REF) if phase is CallPhase.SUCCEEDED else fails("call", ref=REF)
    step = play.do(said)

    call = play.call()
    assert kinds(step) == ["CallEnded"]
    assert (call.phase, call.by, call.ref) == (phase, PHONE, REF)
    assert told(step, TellCall) == [TellCall(call, None)]
    assert told(step, ClearCallTimers) == [ClearCallTimers(call.call_id)]
    assert updates(step) == [((), phase, True), ((), phase, False)]
    assert acks(step) == [(True, ErrorCode.UNSPECIFIED)]
    if phase is CallPhase.SUCCEEDED:
        assert (call.result, call.code) == (result(), ErrorCode.UNSPECIFIED)
    else:
        assert (call.result, call.message) == (None, "no paper")


def test_a_code_of_the_device_is_passed_on() -> None:
    play = ready()
    play.do(calls("call", MAIL, "send"))
    play.do(fails("call", ErrorCode.NOT_SUPPORTED, message="not on this phone"))
    assert (play.call().code, play.call().message) == (
        ErrorCode.NOT_SUPPORTED,
        "not on this phone",
    )


def test_a_result_that_does_not_fit_the_schema_is_none() -> None:
    play = ready()
    play.do(calls("call", MAIL, "send"))

    step = play.do(succeeds("call", ref=REF, misfit="result.x: is missing"))

    call = play.call()
    assert (call.phase, call.code) == (CallPhase.FAILED, ErrorCode.INVALID_RESULT)
    assert (call.message, call.result) == ("result.x: is missing", None)
    [ack] = [e for e in step.effects if isinstance(e, SendAck)]
    assert (ack.accepted, ack.code, ack.message) == (
        False,
        ErrorCode.INVALID_RESULT,
        "result.x: is missing",
    )


def test_a_result_that_is_sent_again_gets_its_ack_again() -> None:
    play = ready()
    play.do(calls("call", MAIL, "send"))
    play.do(succeeds("call", ref=REF))

    step = play.do(succeeds("call", "another", ref=REF))

    assert step.facts == ()
    assert acks(step) == [(True, ErrorCode.UNSPECIFIED)]
    assert play.call().result == result()


def test_a_second_result_changes_nothing() -> None:
    play = ready()
    play.do(calls("call", MAIL, "send"))
    play.do(succeeds("call", ref=REF))

    step = play.do(fails("call", ref="ref-call-11111111"))

    assert step.facts == ()
    assert acks(step) == [(False, ErrorCode.ALREADY_ANSWERED)]
    assert updates(step) == [((PHONE.client_id,), CallPhase.SUCCEEDED, True)]
    assert play.call().phase is CallPhase.SUCCEEDED


def test_a_word_on_a_call_that_nobody_made_is_refused() -> None:
    play = ready()
    assert acks(play.do(succeeds("call", ref=REF))) == [(False, ErrorCode.UNKNOWN_REQUEST)]
    assert play.do(succeeds("call")).effects == ()


def test_a_word_of_a_device_that_is_gone_counts_nothing() -> None:
    play = ready()
    play.do(calls("call", CHOICE))
    step = play.do(succeeds("call", by=LAPTOP, ref=REF))
    assert (step.facts, step.effects) == ((), ())
