"""The message that a device is sent later for a fact (design §2.1: one fact, one message)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from lineup_srv.domain.effects import (
    ShowPictureShown,
    ShowReply,
    ShowRequest,
    ShowSaid,
    ShowState,
    ShowText,
)
from lineup_srv.domain.facts import (
    Answered,
    Cancelled,
    Corrected,
    DeadlineMoved,
    Declined,
    Expired,
    HandedOver,
    Joined,
    LateReplied,
    Opened,
    Received,
    TextReceived,
    TextSaid,
)
from lineup_srv.domain.updates import as_pending, state_update

if TYPE_CHECKING:
    from lineup_srv.domain.effects import Message, To
    from lineup_srv.domain.facts import RequestFact, SaidFact, TextFact
    from lineup_srv.domain.request import Request
    from lineup_srv.domain.state import KeptText, Room

__all__ = [
    "message_of_request",
    "message_of_said",
    "message_of_text",
]


def message_of_request(
    room: Room, fact: RequestFact, request: Request, to: To, seq: int
) -> Message:
    """What a device is told of a fact about `request`, as of the fact.

    Args:
        room: the room as it is now, for who is here.
        fact: the fact.
        request: the request as it stands now.
        to: who asks.
        seq: the fact's number.
    """
    match fact:
        case Opened():
            return ShowRequest(to, request, seq)
        case Answered() | Declined() | LateReplied() | Corrected():
            return ShowReply(to, request, fact.reply, seq)
        case _:
            update = state_update(room, _as_of(request, fact), by=None)
            if isinstance(fact, DeadlineMoved):
                update = replace(update, by=fact.by, reason=fact.reason)
            return ShowState(to, update, seq)


def message_of_text(fact: TextFact, text: KeptText, to: To, seq: int) -> Message:
    """What a device is told of a fact about a text."""
    return ShowText(to, text, received=isinstance(fact, TextReceived), seq=seq)


def message_of_said(fact: SaidFact, to: To, seq: int) -> Message:
    """What a device is told of an agent's text or picture."""
    if isinstance(fact, TextSaid):
        return ShowSaid(to, fact, seq)
    return ShowPictureShown(to, fact, seq)


def _as_of(
    request: Request,
    fact: Joined | Expired | Cancelled | DeadlineMoved | HandedOver | Received,
) -> Request:
    """The request as it was right after the fact; what came later is taken back."""
    match fact:
        case Joined() | DeadlineMoved():
            return as_pending(request, fact.deadline_unix_ms)
        case Expired() | Cancelled():
            return replace(request, late=False, received=False, changed_unix_ms=fact.at_unix_ms)
        case HandedOver():
            return replace(request, received=False)
        case Received():
            return replace(request, received=True)
        case _:  # pragma: no cover - mypy proves that nothing is left
            assert_never(fact)
