"""Texts between humans and agents, and pictures that agents show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ERRORS, ErrorCode
from lineup_srv.contract.ids import AgentId, Ref, TextId
from lineup_srv.domain.decision import Said
from lineup_srv.domain.effects import (
    Everyone,
    MailChanged,
    Only,
    SendAck,
    ShowPictureShown,
    ShowSaid,
    ShowText,
)
from lineup_srv.domain.facts import PictureShown, TextKept, TextSaid
from lineup_srv.domain.state import KeptText
from tests.domain.playbook import (
    ADA,
    NOW,
    PHONE,
    Play,
    Step,
    acknowledges,
    opens,
    replies,
    says,
    shows,
    takes,
    words,
    writes,
)

if TYPE_CHECKING:
    from lineup_srv.domain.commands import Command

KEPT = limits.ENDED_KEPT_SECONDS
REF = Ref("ref-write-0000000")


def ack(code: ErrorCode, *, accepted: bool, seq: int) -> SendAck:
    meaning = "" if code is ErrorCode.UNSPECIFIED else ERRORS[code].meaning
    return SendAck(Only(PHONE.client_id), REF, accepted, code, meaning, seq)


# From devices -------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent_id", ["ada", ""], ids=["to one", "to all"])
def test_a_text_is_kept_and_shown_to_every_device(agent_id: str) -> None:
    play = Play()

    step = play.do(writes("note", to=agent_id))

    kept = TextKept(
        *play.stamp(),
        text_id=TextId("note"),
        agent_id=AgentId(agent_id),
        contents=words("note"),
        by=PHONE,
        ref=REF,
        unknown_request=False,
    )
    text = KeptText(kept.text_id, kept.agent_id, words("note"), PHONE, NOW, handed_to=())
    assert step == Step(
        facts=(kept,),
        early=(),
        told=(ShowText(Everyone(), text, received=False, seq=1), MailChanged()),
        effects=(ack(ErrorCode.UNSPECIFIED, accepted=True, seq=1),),
        result=None,
    )
    assert play.room.logged.texts == {"note": text}


def test_a_text_without_a_ref_is_kept_without_an_ack() -> None:
    step = Play().do(writes("note", ref=""))

    assert len(step.facts) == 1
    assert step.effects == ()


@pytest.fixture
def _three_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A room takes three texts."""
    monkeypatch.setattr(limits, "UNDELIVERED_TEXTS_PER_ROOM", 3)


def full() -> Play:
    """A room with as many texts as it takes; each is a second younger than the one before."""
    play = Play()
    for text_id in ("a", "b", "c"):
        play.do(writes(text_id, to="nobody"))
        play.later(1)
    return play


@pytest.mark.usefixtures("_three_texts")
@pytest.mark.parametrize("command", [writes("d"), replies("d", agent_id="ada", ref=REF)])
def test_a_room_that_is_full_of_texts_refuses_another(command: Command) -> None:
    play = full()
    play.later(KEPT - 4)

    step = play.do(command)

    refusal = ack(ErrorCode.RATE_LIMITED, accepted=False, seq=0)
    assert step == Step((), (), (), (refusal,), None)
    assert list(play.room.logged.texts) == ["a", "b", "c"]


@pytest.mark.usefixtures("_three_texts")
@pytest.mark.parametrize("command", [writes("d"), replies("d", agent_id="ada", ref=REF)])
def test_in_a_full_room_a_text_that_waited_a_week_gives_way(command: Command) -> None:
    play = full()
    play.later(KEPT - 3)

    step = play.do(command)

    [kept] = step.facts
    assert isinstance(kept, TextKept)
    assert list(play.room.logged.texts) == ["b", "c", kept.text_id]
    assert play.folded() == play.room.logged


@pytest.mark.usefixtures("_three_texts")
def test_a_text_waits_as_long_as_there_is_room() -> None:
    play = full()
    play.later(10 * KEPT)
    play.do(opens("q1"))

    assert list(play.room.logged.texts) == ["a", "b", "c"]


def test_a_log_of_a_release_with_a_higher_limit_keeps_its_young_texts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    play = full()
    logged = play.room.logged

    monkeypatch.setattr(limits, "UNDELIVERED_TEXTS_PER_ROOM", 1)

    assert play.folded() == logged


@pytest.mark.usefixtures("_three_texts")
def test_a_text_that_is_received_makes_room() -> None:
    play = Play()
    play.attached()
    for text_id in ("a", "b", "c"):
        play.do(writes(text_id))
    play.do(takes())
    play.do(acknowledges(texts=("b",)))

    play.do(writes("d"))

    assert list(play.room.logged.texts) == ["a", "c", "d"]


# From agents --------------------------------------------------------------------------------------


def test_what_an_agent_says_is_logged_and_shown_to_every_device() -> None:
    play = Play()
    play.do(opens("q1"))

    step = play.do(says("hello"))

    said = TextSaid(*play.stamp(), TextId("hello"), ADA, "Ada", words("hello"))
    assert step == Step((said,), (), (ShowSaid(Everyone(), said, 2),), (), Said(2))
    assert not play.room.logged.texts


def test_a_picture_of_an_agent_is_logged_and_shown_to_every_device() -> None:
    play = Play()
    command = shows("graph")

    step = play.do(command)

    shown = PictureShown(*play.stamp(), TextId("graph"), ADA, "Ada", command.picture)
    assert step == Step((shown,), (), (ShowPictureShown(Everyone(), shown, 1),), (), Said(1))
