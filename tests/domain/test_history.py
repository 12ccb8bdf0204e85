"""What a device is sent later: one message for each fact, as of the fact."""

from __future__ import annotations

from dataclasses import replace

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import TextId
from lineup_srv.domain.effects import (
    Message,
    Only,
    ShowPictureShown,
    ShowReply,
    ShowRequest,
    ShowSaid,
    ShowState,
    ShowText,
)
from lineup_srv.domain.facts import (
    Fact,
    PictureShown,
    RequestFact,
    SaidFact,
    TextFact,
    TextKept,
    TextSaid,
)
from lineup_srv.domain.history import (
    message_of_request,
    message_of_said,
    message_of_text,
)
from lineup_srv.domain.request import RequestState
from lineup_srv.domain.state import KeptText
from tests.domain.lives import whole_life
from tests.domain.playbook import PHONE, Play

TO = Only(PHONE.client_id)
WHOLE = whole_life()


def message(play: Play, seq: int, fact: Fact) -> Message:
    if isinstance(fact, SaidFact):
        return message_of_said(fact, TO, seq)
    if isinstance(fact, TextFact):
        return message_of_text(fact, _kept_text(play, fact.text_id), TO, seq)
    assert isinstance(fact, RequestFact)
    return message_of_request(play.room, fact, play.request(fact.request_id), TO, seq)


def _kept_text(play: Play, text_id: TextId) -> KeptText:
    [kept] = [f for f in play.log if isinstance(f, TextKept) and f.text_id == text_id]
    return KeptText(kept.text_id, kept.agent_id, kept.contents, kept.by, kept.at_unix_ms, ())


def test_every_fact_has_a_message_with_its_number() -> None:
    messages = [message(WHOLE, seq, fact) for seq, fact in enumerate(WHOLE.log, start=1)]

    assert [_seq(m) for m in messages] == list(range(1, len(WHOLE.log) + 1))
    assert all(m.to == TO for m in messages)


def _seq(message: Message) -> int:
    assert isinstance(
        message, ShowRequest | ShowReply | ShowState | ShowText | ShowSaid | ShowPictureShown
    )
    return message.seq


def states() -> dict[str, list[ShowState]]:
    """The states that are told, by the kind of fact."""
    found: dict[str, list[ShowState]] = {}
    for seq, fact in enumerate(WHOLE.log, start=1):
        shown = message(WHOLE, seq, fact)
        if isinstance(shown, ShowState):
            found.setdefault(type(fact).__name__, []).append(shown)
    return found


def test_an_opening_is_the_card_and_an_answer_the_notification() -> None:
    messages = [message(WHOLE, seq, fact) for seq, fact in enumerate(WHOLE.log, start=1)]

    cards = [m.request.request_id for m in messages if isinstance(m, ShowRequest)]
    answers = [(m.request.request_id, m.reply.ref) for m in messages if isinstance(m, ShowReply)]
    assert cards == ["answered", "declined", "late", "cancelled"]
    assert answers == [
        ("answered", "ref-0000000000000"),
        ("answered", "ref-correct-00000"),
        ("declined", "ref-0000000000000"),
        ("late", "ref-late-00000000"),
    ]


def test_a_state_is_told_as_it_was_and_not_as_it_became() -> None:
    shown = states()

    [moved], [joined] = shown["DeadlineMoved"], shown["Joined"]
    for update in (moved.update, joined.update):
        assert update.state is RequestState.PENDING
        assert not update.received
        assert update.changed_unix_ms == WHOLE.request("answered").opened_unix_ms
    assert moved.update.by == PHONE
    assert moved.update.deadline_unix_ms == WHOLE.request("answered").deadline_unix_ms

    [expired], [cancelled] = shown["Expired"], shown["Cancelled"]
    assert (expired.update.state, expired.update.late) == (RequestState.EXPIRED, False)
    assert expired.update.changed_unix_ms < WHOLE.request("late").changed_unix_ms
    assert cancelled.update.reason is ErrorCode.CANCELLED


def test_the_agent_has_it_only_after_it_said_so() -> None:
    shown = states()

    assert {s.update.received for s in shown["HandedOver"]} == {False}
    assert [s.update.received for s in shown["Received"]] == [True]


def test_a_text_is_told_as_received_only_when_it_was() -> None:
    text, note = _kept_text(WHOLE, TextId("text of unknown")), _kept_text(WHOLE, TextId("note"))
    messages = [message(WHOLE, seq, fact) for seq, fact in enumerate(WHOLE.log, start=1)]

    texts = [replace(m, seq=0) for m in messages if isinstance(m, ShowText)]
    assert texts == [
        ShowText(TO, text, received=False, seq=0),
        ShowText(TO, text, received=False, seq=0),
        ShowText(TO, text, received=True, seq=0),
        ShowText(TO, note, received=False, seq=0),
    ]


def test_what_an_agent_said_and_showed_is_told_again_as_it_was() -> None:
    [said] = [f for f in WHOLE.log if isinstance(f, TextSaid)]
    [shown] = [f for f in WHOLE.log if isinstance(f, PictureShown)]

    assert message_of_said(said, TO, 7) == ShowSaid(TO, said, 7)
    assert message_of_said(shown, TO, 8) == ShowPictureShown(TO, shown, 8)
