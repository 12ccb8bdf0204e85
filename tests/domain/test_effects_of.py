"""Whom a delivered fact concerns, whichever relay appended it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.domain.effects import (
    ClearTimer,
    DeliverOutcome,
    Everyone,
    MailChanged,
    SetTimer,
    ShownEarly,
    ShowPictureShown,
    ShowRequest,
    ShowSaid,
    ShowState,
    ShowTextReceived,
    StateUpdate,
    TellDeadline,
)
from lineup_srv.domain.effects_of import changes_of, effects_of
from lineup_srv.domain.facts import (
    DeadlineMoved,
    Expired,
    Fact,
    Opened,
    PictureShown,
    TextHandedOver,
    TextKept,
    TextReceived,
    TextSaid,
)
from lineup_srv.domain.request import RequestState
from lineup_srv.domain.state import Live, Logged, Room
from lineup_srv.domain.updates import state_update
from tests.domain.lives import whole_life
from tests.domain.playbook import (
    ADA,
    NOW,
    PHONE,
    TIMEOUT,
    Play,
    cancels,
    deadline_reached,
    moves_deadline,
    opens,
    question,
    replies,
)

WHOLE = whole_life()
ABOUT_TEXTS = TextKept | TextHandedOver | TextReceived | TextSaid | PictureShown
DEADLINE = NOW + TIMEOUT * 1000


def test_a_card_that_another_relay_opened_is_shown_with_its_number() -> None:
    elsewhere, here = Play(), Play()
    elsewhere.do(opens("q1"))

    told = here.receive(elsewhere.log[0])

    request = here.request("q1")
    assert told == (SetTimer(request.request_id, DEADLINE), ShowRequest(Everyone(), request, 1))


def test_the_echo_of_a_card_ends_its_early_showing() -> None:
    opened = WHOLE.log[0]
    assert isinstance(opened, Opened)

    assert changes_of(opened) == (ShownEarly(opened.request_id, echoed=True),)
    assert all(changes_of(f) == () for f in WHOLE.log if not isinstance(f, Opened))


@pytest.mark.parametrize(
    "fact",
    [f for f in WHOLE.log if not isinstance(f, ABOUT_TEXTS)],
    ids=lambda fact: type(fact).__name__,
)
def test_a_fact_about_a_request_that_is_forgotten_concerns_nobody(fact: Fact) -> None:
    assert effects_of(Room(Logged(), Live()), fact, 1) == ()


def test_what_is_told_of_a_fact_does_not_know_facts_that_are_not_on_disk() -> None:
    play = Play()
    opened = play.decide(opens("q1"))
    moved = play.decide(moves_deadline("q1", 60))
    expired = play.decide(deadline_reached("q1", DEADLINE + 60_000))
    play.later(5)
    late = play.decide(replies("q1", ref="ref-late-00000000"))
    pending = StateUpdate(
        request_id=play.request("q1").request_id,
        report=False,
        state=RequestState.PENDING,
        reason=ErrorCode.UNSPECIFIED,
        by=None,
        deadline_unix_ms=DEADLINE,
        late=False,
        received=False,
        agent_gone=False,
        message="",
        changed_unix_ms=NOW,
    )

    told = [play.commit(decision).told for decision in (opened, moved, expired, late)]

    q1 = pending.request_id
    moved_update = replace(pending, by=PHONE, deadline_unix_ms=DEADLINE + 60_000)
    ended = replace(
        pending, state=RequestState.EXPIRED, reason=ErrorCode.EXPIRED, deadline_unix_ms=0
    )
    request = replace(play.request("q1"), reply=None, late=False, changed_unix_ms=NOW)
    assert told[:3] == [
        (SetTimer(q1, DEADLINE), ShowState(Everyone(), pending, 1)),
        (
            SetTimer(q1, DEADLINE + 60_000),
            ShowState(Everyone(), moved_update, 2),
            TellDeadline(ADA.agent_id, q1, DEADLINE + 60_000),
        ),
        (
            ClearTimer(q1),
            ShowState(Everyone(), ended, 3),
            DeliverOutcome(ADA.agent_id, request, redelivered=False),
        ),
    ]


def test_a_cancelled_card_says_in_whose_words() -> None:
    play = Play()
    play.do(opens("q1"))

    step = play.do(replace(cancels("q1"), message="changed my mind"))

    [shown] = [e for e in step.told if isinstance(e, ShowState)]
    assert shown.update.message == "changed my mind"
    assert shown.update.reason is ErrorCode.CANCELLED


def test_nothing_is_told_to_a_waiter_of_another_request() -> None:
    play = Play()
    play.do(opens("q1"))
    play.do(opens("q2", asked=question("other")))

    step = play.do(deadline_reached("q1", DEADLINE))

    assert [e.request.request_id for e in step.told if isinstance(e, DeliverOutcome)] == ["q1"]


def test_a_text_that_is_taken_changes_only_the_mail() -> None:
    [taken] = [f for f in WHOLE.log if isinstance(f, TextHandedOver)]

    assert effects_of(WHOLE.room, taken, 1) == (MailChanged(),)


def test_a_text_that_is_received_is_told_as_received() -> None:
    [received] = [f for f in WHOLE.log if isinstance(f, TextReceived)]

    told = (ShowTextReceived(Everyone(), received.text_id, 7), MailChanged())
    assert effects_of(WHOLE.room, received, 7) == told


def test_what_an_agent_says_and_shows_is_shown_to_everyone() -> None:
    [said] = [f for f in WHOLE.log if isinstance(f, TextSaid)]
    [shown] = [f for f in WHOLE.log if isinstance(f, PictureShown)]

    assert effects_of(WHOLE.room, said, 7) == (ShowSaid(Everyone(), said, 7),)
    assert effects_of(WHOLE.room, shown, 8) == (ShowPictureShown(Everyone(), shown, 8),)


def test_an_absence_of_the_relay_is_told_as_the_reason() -> None:
    play = Play()
    play.do(opens("q1"))
    away = DeadlineMoved(
        *play.stamp(1),
        request_id=play.request("q1").request_id,
        deadline_unix_ms=DEADLINE + 1,
        reason=ErrorCode.RELAY_AWAY,
        by=None,
        ref=replies("q1", ref="").ref,
    )

    told = play.receive(away)

    update = state_update(play.room, play.request("q1"), by=None)
    assert told[1] == ShowState(Everyone(), replace(update, reason=ErrorCode.RELAY_AWAY), 2)


def test_an_end_elsewhere_is_told_to_who_waits_here() -> None:
    play = Play()
    play.do(opens("q1"))

    told = play.receive(Expired(*play.stamp(1), play.request("q1").request_id))

    assert told[-1] == DeliverOutcome(ADA.agent_id, play.request("q1"), redelivered=False)
