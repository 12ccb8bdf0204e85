"""What the log keeps beside a fact, read off the fact: its subject, its blobs, its deadline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.domain.facts import (
    Answered,
    Cancelled,
    Corrected,
    DeadlineMoved,
    Declined,
    Expired,
    Fact,
    Joined,
    LateReplied,
    Opened,
    PictureShown,
    TextHandedOver,
    TextKept,
    TextReceived,
    TextSaid,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineup_srv.contract.ids import RequestId, TextId
    from lineup_srv.domain.contents import ContentRef
    from lineup_srv.domain.request import Asked

__all__ = ["blobs_of", "clears_deadline", "deadline_set_by", "subject_of"]


def subject_of(fact: Fact) -> RequestId | TextId:
    """The request or text that the fact is about."""
    match fact:
        case TextKept() | TextHandedOver() | TextReceived() | TextSaid() | PictureShown():
            return fact.text_id
        case _:
            return fact.request_id


def deadline_set_by(fact: Fact) -> int | None:
    """The request's deadline after the fact, Unix milliseconds; None: it says nothing about it."""
    match fact:
        case Opened() | Joined() | DeadlineMoved():
            return fact.deadline_unix_ms
        case _:
            return None


def clears_deadline(fact: Fact) -> bool:
    """Whether the request is at its end with the fact, so that no deadline is left."""
    return isinstance(fact, Answered | Declined | Expired | Cancelled)


def blobs_of(fact: Fact) -> list[str]:
    """The hashes of the blobs that the fact names, each once."""
    return list(dict.fromkeys(ref.sha256 for ref in _refs(fact) if ref.inline is None))


def _refs(fact: Fact) -> Iterator[ContentRef]:
    match fact:
        case Opened():
            yield from _asked_refs(fact.asked)
        case Answered() | Declined() | LateReplied() | Corrected():
            yield from (content.ref for content in fact.reply.contents)
        case TextKept() | TextSaid():
            yield from (content.ref for content in fact.contents)
        case PictureShown():
            if fact.picture.ref is not None:
                yield fact.picture.ref
        case _:
            return


def _asked_refs(asked: Asked) -> Iterator[ContentRef]:
    yield asked.text
    yield from (question.text for question in asked.questions)
    yield from (content.ref for content in asked.contents)
