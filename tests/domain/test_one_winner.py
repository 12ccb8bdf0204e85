"""Two answers, a dismissal, the deadline and a cancel at once: whatever the order, one outcome."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import TYPE_CHECKING, Final

import pytest

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.domain.decision import Ended
from lineup_srv.domain.effects import DeliverOutcome, SendAck, ShowReply
from lineup_srv.domain.facts import (
    Answered,
    Cancelled,
    Declined,
    Expired,
    Fact,
    HandedOver,
    LateReplied,
)
from tests.domain.playbook import (
    ADA,
    BOB,
    LAPTOP,
    NOW,
    PHONE,
    TIMEOUT,
    Play,
    Step,
    cancels,
    deadline_reached,
    declines,
    device,
    opens,
    replies,
)

if TYPE_CHECKING:
    from lineup_srv.domain.commands import Command

RIVALS: Final[dict[str, Command]] = {
    "phone": replies("q1", "a", by=PHONE, ref="ref-phone-0000000"),
    "laptop": replies("q1", "b", by=LAPTOP, ref="ref-laptop-000000"),
    "tablet": declines("q1", by=device("tablet"), ref="ref-tablet-000000"),
    "deadline": deadline_reached("q1", NOW + TIMEOUT * 1000),
    "cancel": cancels("q1"),
}
END: Final[dict[str, type[Fact]]] = {
    "phone": Answered,
    "laptop": Answered,
    "tablet": Declined,
    "deadline": Expired,
    "cancel": Cancelled,
}
Run = Callable[[Play, tuple[str, ...]], dict[str, Step]]
REPLIES: Final = ("phone", "laptop", "tablet")
ORDERS: Final = list(permutations(RIVALS))
ENDS: Final = (Answered, Declined, Expired, Cancelled)


def one_after_the_other(play: Play, order: tuple[str, ...]) -> dict[str, Step]:
    return {name: play.do(RIVALS[name]) for name in order}


def all_at_once(play: Play, order: tuple[str, ...]) -> dict[str, Step]:
    """Every command is decided before the first fact is on disk."""
    decisions = {name: play.decide(RIVALS[name]) for name in order}
    return {name: play.commit(decision) for name, decision in decisions.items()}


def outcomes(steps: dict[str, Step]) -> list[DeliverOutcome]:
    told = [effect for step in steps.values() for effect in step.told]
    return [effect for effect in told if isinstance(effect, DeliverOutcome)]


def acks(steps: dict[str, Step]) -> dict[str, list[SendAck]]:
    return {name: [e for e in steps[name].effects if isinstance(e, SendAck)] for name in REPLIES}


@pytest.mark.requirement("seed002:ask:first-reply-wins", "B11")
@pytest.mark.parametrize("run", [one_after_the_other, all_at_once])
@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_the_first_of_all_rivals_decides_alone(run: Run, order: tuple[str, ...]) -> None:
    play = Play()
    play.do(opens("q1"))

    steps = run(play, order)

    [end] = [fact for fact in play.log if isinstance(fact, ENDS)]
    assert type(end) is END[order[0]]
    first = next(name for name in order if name in REPLIES)
    late = order[0] not in REPLIES
    assert len([f for f in play.log if isinstance(f, LateReplied)]) == late
    for name, [ack] in acks(steps).items():
        if name == first:
            assert ack.accepted
            assert ack.code is (ErrorCode.KEPT_LATE if late else ErrorCode.UNSPECIFIED)
        else:
            assert (ack.accepted, ack.code) == (False, ErrorCode.ALREADY_ANSWERED)
    told = outcomes(steps)
    assert len(told) <= 1
    cancelled = steps["cancel"].result
    assert isinstance(cancelled, Ended)
    assert told or cancelled.request.state is play.request("q1").state
    shown = [e for s in steps.values() for e in s.told if isinstance(e, ShowReply)]
    assert [e.reply for e in shown] == [play.request("q1").reply]


@pytest.mark.parametrize("run", [one_after_the_other, all_at_once])
@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_another_agent_that_waits_gets_one_outcome_and_a_cancel_does_not_take_it(
    run: Run, order: tuple[str, ...]
) -> None:
    play = Play()
    play.do(opens("q1"))
    play.attached("q1", by=BOB)

    steps = run(play, order)

    decisive = next(name for name in order if name != "cancel")
    [end] = [fact for fact in play.log if isinstance(fact, ENDS)]
    assert type(end) is END[decisive]
    [told] = [o for o in outcomes(steps) if o.agent_id == BOB.agent_id]
    assert told.request.state is play.request("q1").state
    assert (told.request.reply is None) == (decisive == "deadline")
    handed = [f for f in play.log if isinstance(f, HandedOver)]
    assert len({f.agent_id for f in handed}) == len(handed)
    assert len([o for o in outcomes(steps) if o.agent_id == ADA.agent_id]) <= 1
