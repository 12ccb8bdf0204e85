"""What a device is sent later: one message for each fact, as of the fact."""

from __future__ import annotations

from dataclasses import replace

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.domain.effects import Message, Only, ShowReply, ShowRequest, ShowState, ShowText
from lineup_srv.domain.facts import Fact, TextHandedOver, TextKept, TextReceived
from lineup_srv.domain.history import message_of_request, message_of_text
from lineup_srv.domain.request import RequestState
from lineup_srv.domain.state import KeptText
from tests.domain.lives import whole_life
from tests.domain.playbook import PHONE, Play

TO = Only(PHONE.client_id)
WHOLE = whole_life()


def message(play: Play, seq: int, fact: Fact) -> Message:
    if isinstance(fact, TextKept | TextHandedOver | TextReceived):
        return message_of_text(fact, _kept_text(play), TO, seq)
    return message_of_request(play.room, fact, play.request(fact.request_id), TO, seq)


def _kept_text(play: Play) -> KeptText:
    [kept] = [f for f in play.log if isinstance(f, TextKept)]
    return KeptText(kept.text_id, kept.agent_id, kept.contents, kept.by, kept.at_unix_ms, ())


def test_every_fact_has_a_message_with_its_number() -> None:
    messages = [message(WHOLE, seq, fact) for seq, fact in enumerate(WHOLE.log, start=1)]

    assert [_seq(m) for m in messages] == list(range(1, len(WHOLE.log) + 1))
    assert all(m.to == TO for m in messages)


def _seq(message: Message) -> int:
    assert isinstance(message, ShowRequest | ShowReply | ShowState | ShowText)
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
    text = _kept_text(WHOLE)
    messages = [message(WHOLE, seq, fact) for seq, fact in enumerate(WHOLE.log, start=1)]

    texts = [replace(m, seq=0) for m in messages if isinstance(m, ShowText)]
    assert texts == [
        ShowText(TO, text, received=False, seq=0),
        ShowText(TO, text, received=False, seq=0),
        ShowText(TO, text, received=True, seq=0),
    ]
