from __future__ import annotations

from lineup_srv.domain.call_facts import (
    CallAttached,
    CallDeadlineMoved,
    CallEnded,
    CallFact,
    CallOpened,
    CallResultKept,
    ToolForgotten,
    ToolRemembered,
)
from lineup_srv.domain.facts import (
    Answered,
    Cancelled,
    DeadlineMoved,
    Declined,
    Expired,
    Joined,
    Opened,
    PictureShown,
    TextHandedOver,
    TextKept,
    TextReceived,
    TextSaid,
)
from lineup_srv.logs.derived import begins, blobs_of, clears_deadline, deadline_set_by, subject_of
from tests.logs.sample import DEADLINE, PICTURE, conversation, opened
from tests.logs.sample_calls import SNAPSHOT_PICTURE


def test_the_subject_is_the_request_text_call_or_tool() -> None:
    for fact in conversation():
        if isinstance(fact, TextKept | TextHandedOver | TextReceived | TextSaid | PictureShown):
            assert subject_of(fact) == fact.text_id
        elif isinstance(fact, ToolRemembered):
            assert subject_of(fact) == fact.tool.definition.name
        elif isinstance(fact, ToolForgotten):
            assert subject_of(fact) == fact.tool.name
        elif isinstance(fact, CallFact):
            assert subject_of(fact) == fact.call_id
        else:
            assert subject_of(fact) == fact.request_id


def test_an_opening_a_joining_and_a_move_set_the_deadline() -> None:
    setting = {type(fact) for fact in conversation() if deadline_set_by(fact) is not None}
    assert setting == {
        Opened,
        Joined,
        DeadlineMoved,
        CallOpened,
        CallAttached,
        CallDeadlineMoved,
    }
    assert deadline_set_by(opened(1)) == DEADLINE


def test_every_end_clears_the_deadline() -> None:
    clearing = {type(fact) for fact in conversation() if clears_deadline(fact)}
    assert clearing == {Answered, Declined, Expired, Cancelled, CallEnded}


def test_only_contents_that_are_not_inline_are_blobs() -> None:
    naming = {type(fact) for fact in conversation() if blobs_of(fact) == [PICTURE]}
    assert naming == {Opened, TextKept, TextSaid, PictureShown}
    drawing = {type(fact) for fact in conversation() if blobs_of(fact) == [SNAPSHOT_PICTURE]}
    assert drawing == {CallEnded, CallResultKept}
    known: tuple[list[str], ...] = ([], [PICTURE], [SNAPSHOT_PICTURE])
    assert all(blobs_of(fact) in known for fact in conversation())


def test_only_an_opening_begins() -> None:
    assert {type(fact) for fact in conversation() if begins(fact)} == {Opened, CallOpened}
