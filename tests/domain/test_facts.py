"""What the log and the Acks need to know of a fact."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.domain.effects import SendAck
from lineup_srv.domain.facts import Fact, LateReplied, TextKept, ack_code_of, ref_of
from tests.domain.lives import call_life, whole_life
from tests.domain.playbook import (
    Play,
    corrects,
    deadline_reached,
    declines,
    hangs_up,
    moves_deadline,
    opens,
    replies,
    writes,
)

if TYPE_CHECKING:
    from lineup_srv.contract.ids import Ref
    from lineup_srv.domain.commands import Command


def test_the_lives_have_every_kind_of_fact() -> None:
    logs = (*whole_life().log, *call_life().log)
    assert {type(fact) for fact in logs} == set(get_args(Fact))


def test_only_what_a_device_sent_has_a_ref() -> None:
    refs: dict[str, Ref | None] = {}
    for fact in whole_life().log:
        refs.setdefault(type(fact).__name__, ref_of(fact))

    assert refs == {
        "Opened": None,
        "Joined": None,
        "Answered": "ref-0000000000000",
        "Corrected": "ref-correct-00000",
        "Declined": "ref-0000000000000",
        "Expired": None,
        "LateReplied": "ref-late-00000000",
        "Cancelled": None,
        "DeadlineMoved": "ref-move-00000000",
        "HandedOver": None,
        "Received": None,
        "TextKept": "ref-text-00000000",
        "TextHandedOver": None,
        "TextReceived": None,
        "TextSaid": None,
        "PictureShown": None,
    }


@pytest.mark.parametrize(
    "command",
    [
        replies("pending"),
        declines("pending"),
        corrects("answered", "no"),
        replies("expired"),
        moves_deadline("pending", 60),
        replies("unknown", agent_id="ada"),
        writes("note"),
    ],
)
def test_the_first_ack_says_what_the_log_says_of_its_fact(command: Command) -> None:
    play = Play()
    for request_id in ("pending", "answered", "expired"):
        play.do(opens(request_id))
        play.do(hangs_up(play.command_id))
    play.do(replies("answered", ref="ref-first-0000000"))
    play.do(deadline_reached("expired", play.request("expired").deadline_unix_ms))

    step = play.do(command)

    [ack] = step.effects
    assert isinstance(ack, SendAck)
    assert (ref_of(step.facts[0]), ack_code_of(step.facts[0])) == (ack.ref, ack.code)
    assert ack.seq == len(play.log) - len(step.facts) + 1


def test_only_what_is_kept_for_later_has_a_code() -> None:
    coded = [f for f in whole_life().log if ack_code_of(f) is not ErrorCode.UNSPECIFIED]

    assert [(type(fact), ack_code_of(fact)) for fact in coded] == [
        (LateReplied, ErrorCode.KEPT_LATE),
        (TextKept, ErrorCode.KEPT_UNKNOWN),
    ]
