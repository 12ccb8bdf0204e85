"""What devices say to each other without a trace."""

from __future__ import annotations

from typing import get_args

import pytest

from lineup_srv.contract.errors import ERRORS, ErrorCode
from lineup_srv.contract.ids import Ref, RequestId
from lineup_srv.domain.effects import Except, Only, SendAck, ShowSignal
from lineup_srv.domain.signals import (
    Chat,
    ForwardFailed,
    ForwardMode,
    ForwardQuery,
    ForwardState,
    ForwardTarget,
    ForwardWindow,
    Signal,
    Typing,
)
from tests.domain.playbook import LAPTOP, PHONE, Play, Step, logs_in, member, passes

REF = "ref-signal-000000"
ME = Only(PHONE.client_id)
SIGNALS: tuple[Signal, ...] = (
    Chat("m1", "look", ForwardTarget(ForwardMode.SPECIFIC_WINDOW, "w1")),
    Chat("m2", "look", forward=None),
    Typing(RequestId("q1")),
    ForwardQuery("f1"),
    ForwardState("f1", enabled=True, windows=(ForwardWindow("w1", "Editor"),)),
    ForwardFailed("w1", "it is closed"),
)


def two_devices() -> Play:
    play = Play()
    play.do(logs_in(PHONE))
    play.do(logs_in(LAPTOP))
    return play


def taken() -> SendAck:
    return SendAck(ME, Ref(REF), accepted=True, code=ErrorCode.UNSPECIFIED, message="", seq=0)


def test_every_signal_is_tested() -> None:
    assert {type(signal) for signal in SIGNALS} == set(get_args(Signal))


@pytest.mark.parametrize("signal", SIGNALS, ids=lambda signal: type(signal).__name__)
def test_a_signal_goes_to_its_receiver_and_leaves_no_trace(signal: Signal) -> None:
    step = two_devices().do(passes(signal, to=LAPTOP, ref=REF))

    passed = ShowSignal(Only(LAPTOP.client_id), member(PHONE), member(LAPTOP), signal)
    assert step == Step((), (), (), (passed, taken()), None)


def test_a_signal_to_nobody_in_particular_goes_to_all_others() -> None:
    typing = Typing(RequestId("q1"))

    step = two_devices().do(passes(typing, ref=REF))

    passed = ShowSignal(Except(PHONE.client_id), member(PHONE), None, typing)
    assert step == Step((), (), (), (passed, taken()), None)


def test_a_signal_without_a_ref_is_not_acknowledged() -> None:
    step = two_devices().do(passes(ForwardQuery("f1"), to=LAPTOP))

    assert [type(effect) for effect in step.effects] == [ShowSignal]


@pytest.mark.parametrize("signal", SIGNALS, ids=lambda signal: type(signal).__name__)
def test_a_signal_to_a_device_that_is_not_here_is_refused(signal: Signal) -> None:
    play = Play()
    play.do(logs_in(PHONE))

    step = play.do(passes(signal, to=LAPTOP, ref=REF))

    code = ErrorCode.RECEIVER_OFFLINE
    refusal = SendAck(ME, Ref(REF), False, code, ERRORS[code].meaning, seq=0)
    assert step == Step((), (), (), (refusal,), None)


def test_a_frozen_client_is_not_told_that_nobody_is_there() -> None:
    play = Play()
    play.do(logs_in(PHONE))

    assert play.do(passes(ForwardQuery("f1"), to=LAPTOP)) == Step((), (), (), (), None)


def test_a_signal_of_a_device_that_has_left_goes_nowhere() -> None:
    play = Play()
    play.do(logs_in(LAPTOP))

    step = play.do(passes(ForwardQuery("f1"), to=LAPTOP, ref=REF))

    assert step == Step((), (), (), (), None)
