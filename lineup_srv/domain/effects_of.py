"""Whom a fact concerns, derived when it is delivered, by whichever relay appended it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from lineup_srv.domain.call_effects import (
    CallHeldBy,
    CallWaits,
    CatalogChanged,
    CatalogTouched,
)
from lineup_srv.domain.call_facts import (
    CallEnded,
    CallFact,
    ToolForgotten,
    ToolRemembered,
)
from lineup_srv.domain.effects import (
    ClearTimer,
    DeliverOutcome,
    Effect,
    Everyone,
    Except,
    MailChanged,
    SetTimer,
    ShownEarly,
    ShowPictureShown,
    ShowReply,
    ShowRequest,
    ShowSaid,
    ShowState,
    ShowText,
    ShowTextReceived,
    TellDeadline,
)
from lineup_srv.domain.effects_of_calls import effects_of_call
from lineup_srv.domain.facts import (
    Answered,
    Cancelled,
    Corrected,
    DeadlineMoved,
    Declined,
    Expired,
    Fact,
    HandedOver,
    Joined,
    LateReplied,
    Opened,
    PictureShown,
    Received,
    TextHandedOver,
    TextKept,
    TextReceived,
    TextSaid,
)
from lineup_srv.domain.fold import kept_text
from lineup_srv.domain.updates import as_pending, state_update

if TYPE_CHECKING:
    from lineup_srv.domain.effects import Change
    from lineup_srv.domain.facts import RequestFact
    from lineup_srv.domain.request import Request
    from lineup_srv.domain.state import Room

__all__ = ["changes_of", "effects_of"]


def effects_of(room: Room, fact: Fact, seq: int) -> tuple[Effect, ...]:
    """What members and waiters are told of a committed fact with this log number."""
    if isinstance(fact, CallFact):
        call = room.logged.calls.by_id.get(fact.call_id)
        return () if call is None else effects_of_call(room, call, fact, seq)
    match fact:
        case TextKept():
            shown = ShowText(Everyone(), kept_text(fact), received=False, seq=seq)
            return shown, MailChanged()
        case TextHandedOver():
            return (MailChanged(),)
        case TextReceived():
            return ShowTextReceived(Everyone(), fact.text_id, seq), MailChanged()
        case TextSaid():
            return (ShowSaid(Everyone(), fact, seq),)
        case PictureShown():
            return (ShowPictureShown(Everyone(), fact, seq),)
        case ToolRemembered() | ToolForgotten():
            return (CatalogChanged(),)
        case _:
            request = room.logged.requests.get(fact.request_id)
            return () if request is None else _of_request(room, request, fact, seq)


def changes_of(fact: Fact) -> tuple[Change, ...]:
    """What a delivered fact changes in Live: the early showing has had its echo."""
    match fact:
        case Opened():
            return (ShownEarly(fact.request_id, echoed=True),)
        case ToolRemembered() | ToolForgotten():
            return (CatalogTouched(fact.at_unix_ms),)
        case CallEnded():
            return CallHeldBy(fact.call_id, None), CallWaits(fact.call_id, None)
        case _:
            return ()


def _of_request(  # noqa: C901 - one case for each kind
    room: Room,
    request: Request,
    fact: RequestFact,
    seq: int,
) -> tuple[Effect, ...]:
    match fact:
        case Opened():
            timer = SetTimer(request.request_id, fact.deadline_unix_ms)
            if fact.request_id in room.live.shown:
                return timer, _pending(room, request, fact.deadline_unix_ms, seq)
            return timer, ShowRequest(Everyone(), request, seq)
        case Joined():
            timer = SetTimer(request.request_id, fact.deadline_unix_ms)
            return timer, _pending(room, request, fact.deadline_unix_ms, seq)
        case Answered() | Declined():
            return (
                ClearTimer(request.request_id),
                ShowReply(Except(fact.reply.by.client_id), request, fact.reply, seq),
                MailChanged(),
            )
        case LateReplied() | Corrected():
            return (
                ShowReply(Except(fact.reply.by.client_id), request, fact.reply, seq),
                MailChanged(),
            )
        case Expired() | Cancelled():
            ended = replace(request, reply=None, late=False, changed_unix_ms=fact.at_unix_ms)
            return (
                ClearTimer(request.request_id),
                ShowState(Everyone(), state_update(room, ended, by=None), seq),
                *_outcomes(room, ended),
            )
        case DeadlineMoved():
            told = (
                TellDeadline(agent_id, request.request_id, fact.deadline_unix_ms)
                for agent_id in room.live.waiters(request.request_id)
            )
            timer = SetTimer(request.request_id, fact.deadline_unix_ms)
            shown = _pending(room, request, fact.deadline_unix_ms, seq)
            moved = replace(shown.update, by=fact.by, reason=fact.reason)
            return timer, ShowState(Everyone(), moved, seq), *told
        case HandedOver():
            if fact.taken:
                return (MailChanged(),)
            return (DeliverOutcome(fact.agent_id, request, fact.redelivered),)
        case Received():
            update = state_update(room, request, by=None)
            return ShowState(Everyone(), update, seq), MailChanged()
        case _:  # pragma: no cover - mypy proves that nothing is left
            assert_never(fact)


def _pending(room: Room, request: Request, deadline_unix_ms: int, seq: int) -> ShowState:
    """The request as pending: later facts may be folded already but are not committed yet."""
    pending = as_pending(request, deadline_unix_ms)
    return ShowState(Everyone(), state_update(room, pending, by=None), seq)


def _outcomes(room: Room, request: Request) -> list[DeliverOutcome]:
    """An end without an answer needs no HandedOver: there is nothing that could be lost."""
    return [
        DeliverOutcome(agent_id, request, redelivered=False)
        for agent_id in room.live.waiters(request.request_id)
    ]
