"""Applies facts and changes. Nothing here decides, so a later release cannot change the past."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar, assert_never

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.domain.call_effects import (
    CallHeldBy,
    CallWaits,
    CatalogTouched,
    ClientUsed,
    ToolsGone,
    ToolsOffered,
)
from lineup_srv.domain.call_facts import CallFact, ToolForgotten, ToolRemembered
from lineup_srv.domain.effects import (
    NEVER_HERE,
    AgentLeft,
    AgentPresent,
    Change,
    MemberJoined,
    MemberLeft,
    ShownEarly,
)
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
    RequestStep,
    TextHandedOver,
    TextKept,
    TextReceived,
    TextSaid,
)
from lineup_srv.domain.fold_calls import fold_call, fold_tool
from lineup_srv.domain.request import Request, RequestState
from lineup_srv.domain.state import KeptText, Live, Logged

if TYPE_CHECKING:
    from lineup_srv.contract.ids import AgentId

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

__all__ = ["apply_change", "changed_request", "fold", "kept_text", "opened_request"]


def fold(logged: Logged, fact: Fact) -> None:
    """Apply the next fact of the room to `logged`, in place.

    A fact about a request that is no longer kept only counts: it was decided when the request was
    known, and nothing can follow from it.
    """
    logged.last_seq += 1
    if isinstance(fact, CallFact):
        fold_call(logged.calls, fact, logged.last_seq)
        return
    match fact:
        case Opened():
            logged.put(opened_request(fact, logged.last_seq))
            logged.forget_old(fact.at_unix_ms)
        case TextKept():
            logged.keep_text(kept_text(fact))
        case TextHandedOver():
            _hand_over(logged, fact)
        case TextReceived():
            logged.texts.pop(fact.text_id, None)
        case TextSaid() | PictureShown():
            pass
        case ToolRemembered() | ToolForgotten():
            fold_tool(logged.calls, fact)
        case _:
            request = logged.requests.get(fact.request_id)
            if request is not None:
                if isinstance(fact, Joined):
                    logged.aliases[fact.alias] = fact.request_id
                logged.put(changed_request(request, fact))


def _hand_over(logged: Logged, fact: TextHandedOver) -> None:
    text = logged.texts.get(fact.text_id)
    if text is not None:
        handed_to = _with(text.handed_to, fact.agent_id)
        logged.texts[fact.text_id] = replace(text, handed_to=handed_to)


def kept_text(fact: TextKept) -> KeptText:
    """The text that a TextKept fact makes."""
    return KeptText(
        text_id=fact.text_id,
        agent_id=fact.agent_id,
        contents=fact.contents,
        by=fact.by,
        at_unix_ms=fact.at_unix_ms,
        handed_to=(),
    )


def _with(handed_to: tuple[AgentId, ...], agent_id: AgentId) -> tuple[AgentId, ...]:
    """Each agent once: one that takes again and again must not make a room grow."""
    return handed_to if agent_id in handed_to else (*handed_to, agent_id)


def opened_request(fact: Opened, seq: int) -> Request:
    """The pending request that an Opened fact makes."""
    return Request(
        request_id=fact.request_id,
        aliases=(),
        asked=fact.asked,
        agent=fact.agent,
        agent_name=fact.agent_name,
        model=fact.model,
        on_timeout=fact.on_timeout,
        timeout_seconds=fact.timeout_seconds,
        opened_unix_ms=fact.at_unix_ms,
        opened_seq=seq,
        deadline_unix_ms=fact.deadline_unix_ms,
        state=RequestState.PENDING,
        reason=ErrorCode.UNSPECIFIED,
        message="",
        changed_unix_ms=fact.at_unix_ms,
        reply=None,
        late=False,
        handed_to=(),
        received=False,
    )


def changed_request(  # noqa: C901 - one case for each kind
    request: Request, fact: RequestStep
) -> Request:
    """The request after the fact."""
    at = fact.at_unix_ms
    match fact:
        case Joined():
            return replace(
                request,
                aliases=(*request.aliases, fact.alias),
                agent=fact.agent,
                deadline_unix_ms=fact.deadline_unix_ms,
            )
        case Answered():
            return _ended(request, RequestState.ANSWERED, at, reply=fact)
        case Declined():
            return replace(
                _ended(request, RequestState.DECLINED, at, reply=fact), reason=ErrorCode.DECLINED
            )
        case Expired():
            return replace(
                _ended(request, RequestState.EXPIRED, at, reply=None), reason=ErrorCode.EXPIRED
            )
        case Cancelled():
            return replace(
                _ended(request, RequestState.CANCELLED, at, reply=None),
                reason=fact.reason,
                message=fact.message,
            )
        case LateReplied():
            return replace(request, reply=fact.reply, late=True, changed_unix_ms=at)
        case Corrected():
            return replace(request, reply=fact.reply, changed_unix_ms=at)
        case DeadlineMoved():
            return replace(request, deadline_unix_ms=fact.deadline_unix_ms)
        case HandedOver():
            return replace(request, handed_to=_with(request.handed_to, fact.agent_id))
        case Received():
            return replace(request, received=True)
        case _:  # pragma: no cover - mypy proves that nothing is left
            assert_never(fact)


def _ended(
    request: Request, state: RequestState, at_unix_ms: int, *, reply: Answered | Declined | None
) -> Request:
    return replace(
        request,
        state=state,
        changed_unix_ms=at_unix_ms,
        reply=None if reply is None else reply.reply,
    )


def apply_change(  # noqa: C901 - one case for each kind
    live: Live, change: Change
) -> None:
    """Apply one change of who is here, in place."""
    match change:
        case MemberJoined():
            live.members[change.member.author.client_id] = change.member
        case MemberLeft():
            live.members.pop(change.client_id, None)
        case AgentPresent():
            live.put_agent(change.presence.identity.agent_id, change.presence)
            live.last_lease = max(live.last_lease, change.presence.lease)
        case AgentLeft():
            _remember_gone(live, change)
        case ShownEarly():
            if change.echoed:
                live.shown.pop(change.request_id, None)
            else:
                live.shown[change.request_id] = None
        case ToolsOffered():
            live.catalog.put(change.client_id, change.tools, change.at_unix_ms)
        case ToolsGone():
            live.catalog.drop(change.client_id, change.at_unix_ms)
        case CatalogTouched():
            live.catalog.touch(change.at_unix_ms)
        case CallWaits():
            _set(live.call_waits, change.call_id, change.wait)
        case CallHeldBy():
            _set(live.holdings, change.call_id, change.holding)
        case ClientUsed():
            _set(live.used, change.client_id, change.at_unix_ms or None)
        case _:  # pragma: no cover - mypy proves that nothing is left
            assert_never(change)


def _set(kept: dict[_Key, _Value], key: _Key, value: _Value | None) -> None:
    if value is None:
        kept.pop(key, None)
    else:
        kept[key] = value


def _remember_gone(live: Live, change: AgentLeft) -> None:
    presence = live.agents.get(change.agent_id)
    live.put_agent(change.agent_id, None)
    if presence is None or presence.is_call or change.left_unix_ms == NEVER_HERE:
        return
    left = replace(presence, attached=False, lease=0, waiting=frozenset(), calls=frozenset())
    live.gone.pop(change.agent_id, None)
    live.gone[change.agent_id] = (left, change.left_unix_ms)
    while len(live.gone) > limits.AGENTS_GONE:
        del live.gone[next(iter(live.gone))]
