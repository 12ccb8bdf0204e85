from __future__ import annotations

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
from lineup_srv.logs.derived import blobs_of, clears_deadline, deadline_set_by, subject_of
from tests.logs.sample import DEADLINE, PICTURE, conversation, opened


def test_the_subject_is_the_request_or_the_text() -> None:
    for fact in conversation():
        if isinstance(fact, TextKept | TextHandedOver | TextReceived | TextSaid | PictureShown):
            assert subject_of(fact) == fact.text_id
        else:
            assert subject_of(fact) == fact.request_id


def test_an_opening_a_joining_and_a_move_set_the_deadline() -> None:
    setting = {type(fact) for fact in conversation() if deadline_set_by(fact) is not None}
    assert setting == {Opened, Joined, DeadlineMoved}
    assert deadline_set_by(opened(1)) == DEADLINE


def test_every_end_clears_the_deadline() -> None:
    clearing = {type(fact) for fact in conversation() if clears_deadline(fact)}
    assert clearing == {Answered, Declined, Expired, Cancelled}


def test_only_contents_that_are_not_inline_are_blobs() -> None:
    naming = {type(fact) for fact in conversation() if blobs_of(fact) == [PICTURE]}
    assert naming == {Opened, TextKept, TextSaid, PictureShown}
    assert all(blobs_of(fact) in ([], [PICTURE]) for fact in conversation())
