"""Acks: a ref that is known gets its first Ack again and does nothing."""

from __future__ import annotations

import pytest

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import Ref
from lineup_srv.domain.acks import RefCommand, ref_matters
from lineup_srv.domain.commands import Command, StoredAck
from lineup_srv.domain.effects import Only, SendAck
from tests.domain.playbook import (
    LAPTOP,
    PHONE,
    Play,
    Step,
    corrects,
    deadline_reached,
    hangs_up,
    moves_deadline,
    opens,
    replies,
    writes,
)

FIRST = StoredAck(ErrorCode.KEPT_LATE, 7)


def again(ref: str, code: ErrorCode, seq: int) -> SendAck:
    meaning = {
        ErrorCode.UNSPECIFIED: "",
        ErrorCode.KEPT_LATE: "Too late for the call; kept for the agent's next one.",
    }[code]
    return SendAck(
        Only(PHONE.client_id), Ref(ref), accepted=True, code=code, message=meaning, seq=seq
    )


def asked() -> Play:
    play = Play()
    play.do(opens("q1"))
    return play


@pytest.mark.requirement("B01", "B11")
@pytest.mark.parametrize(
    "command",
    [
        replies("q1", first_ack=FIRST),
        replies("unknown", agent_id="ada", first_ack=FIRST),
        moves_deadline("q1", 60, first_ack=FIRST),
        writes("note", first_ack=FIRST),
    ],
)
def test_a_ref_that_the_log_knows_gets_its_first_ack_again(command: RefCommand) -> None:
    step = asked().do(command)

    assert step == Step((), (), (), (again(command.ref, FIRST.code, 7),), None)


@pytest.mark.requirement("B01")
def test_an_answer_sent_again_before_its_commit_is_acknowledged_again() -> None:
    play = asked()
    play.decide(replies("q1"))

    step = play.do(replies("q1"))

    assert step == Step((), (), (), (again(replies("q1").ref, ErrorCode.UNSPECIFIED, 0),), None)


def test_a_late_answer_sent_again_is_kept_late_again() -> None:
    play = asked()
    play.do(deadline_reached("q1", play.request("q1").deadline_unix_ms))
    play.do(replies("q1"))

    step = play.do(replies("q1"))

    assert step.effects == (again(replies("q1").ref, ErrorCode.KEPT_LATE, 0),)


def test_the_same_words_under_a_new_ref_are_a_second_answer() -> None:
    play = asked()
    play.do(replies("q1"))

    [refusal] = play.do(replies("q1", ref="ref-new-000000000")).effects

    assert isinstance(refusal, SendAck)
    assert not refusal.accepted


def test_a_message_without_a_ref_is_never_taken_for_a_known_one() -> None:
    play = asked()
    play.do(replies("q1", ref=""))

    [shown] = play.do(replies("q1", ref="", first_ack=FIRST)).effects

    assert not isinstance(shown, SendAck)


@pytest.mark.parametrize(
    ("command", "matters"),
    [
        (replies("pending"), False),
        (replies("answered"), True),
        (replies("unknown"), True),
        (replies("answered", ref=""), False),
        (replies("answered", first_ack=FIRST), False),
        (moves_deadline("pending", 60), True),
        (moves_deadline("pending", 60, ref=""), False),
        (moves_deadline("pending", 60, first_ack=FIRST), False),
        (writes("note"), True),
        (writes("note", ref=""), False),
        (writes("note", first_ack=FIRST), False),
    ],
)
def test_the_log_is_asked_only_where_its_memory_can_matter(
    command: RefCommand, matters: bool
) -> None:
    play = Play()
    play.do(opens("pending"))
    play.do(opens("answered"))
    play.do(replies("answered"))

    assert ref_matters(play.room, command) is matters


@pytest.mark.parametrize(
    "command",
    [
        replies("q1"),
        replies("q1", by=LAPTOP),
        corrects("q1", "no"),
        replies("unknown"),
        replies("unknown", agent_id="ada"),
        moves_deadline("q1", 60),
        moves_deadline("q1", 0),
        moves_deadline("unknown", 60),
        writes("note"),
    ],
)
def test_every_message_with_a_ref_gets_exactly_one_ack(command: Command) -> None:
    for answered in (False, True):
        play = asked()
        play.do(hangs_up("c1"))
        if answered:
            play.do(replies("q1", ref="ref-first-0000000"))

        step = play.do(command)

        acks = [e for e in step.effects if isinstance(e, SendAck)]
        assert len(acks) == len(step.effects) == 1
        assert acks[0].accepted == bool(step.facts)
        assert acks[0].seq == (len(play.log) if step.facts else 0)
