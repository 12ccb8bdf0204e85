"""What the log keeps beside a fact, read off the fact: its subject, its blobs, its deadline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.domain.call import refs_of_result
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

    from lineup_srv.domain.contents import ContentRef
    from lineup_srv.domain.request import Asked

__all__ = ["begins", "blobs_of", "clears_deadline", "deadline_set_by", "subject_of"]


def subject_of(fact: Fact) -> str:
    """The request, text, call or (by its name) tool that the fact is about."""
    if isinstance(fact, CallFact):
        return fact.call_id
    match fact:
        case TextKept() | TextHandedOver() | TextReceived() | TextSaid() | PictureShown():
            return fact.text_id
        case ToolRemembered():
            return fact.tool.definition.name
        case ToolForgotten():
            return fact.tool.name
        case _:
            return fact.request_id


def deadline_set_by(fact: Fact) -> int | None:
    """The subject's deadline after the fact, Unix milliseconds; None: it says nothing about it."""
    match fact:
        case Opened() | Joined() | DeadlineMoved():
            return fact.deadline_unix_ms
        case CallOpened() | CallAttached() | CallDeadlineMoved():
            return fact.deadline_unix_ms
        case _:
            return None


def clears_deadline(fact: Fact) -> bool:
    """Whether the subject is at its end with the fact, so that no deadline is left."""
    return isinstance(fact, Answered | Declined | Expired | Cancelled | CallEnded)


def begins(fact: Fact) -> bool:
    """Whether the fact is the first about its request or call."""
    return isinstance(fact, Opened | CallOpened)


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
        case CallOpened():
            yield fact.called.arguments
        case CallEnded() | CallResultKept():
            if fact.result is not None:
                yield from refs_of_result(fact.result)
        case _:
            return


def _asked_refs(asked: Asked) -> Iterator[ContentRef]:
    yield asked.text
    yield from (question.text for question in asked.questions)
    yield from (content.ref for content in asked.contents)
