"""The request table of design §4.1: what each command does to a question or report.

| state | command | next |
|---|---|---|
| none | Open | PENDING |
| any | Open, same id | same; refused as ID_CONFLICT when the content differs |
| PENDING | Reply | ANSWERED, or DECLINED when it dismisses |
| PENDING | DeadlineReached | EXPIRED, unless the timer is stale |
| PENDING | MoveDeadline | PENDING |
| PENDING | Cancel | CANCELLED when nobody else waits |
| ANSWERED, not handed over | Reply, correct, same device | ANSWERED |
| EXPIRED, CANCELLED, not late | Reply | same and late |
| any with an answer | Reply | refused as ALREADY_ANSWERED; a known ref gets its first Ack again |
| any end | Cancel, DeadlineReached, MoveDeadline | ignored |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.domain.acks import refused
from lineup_srv.domain.agents import hold_call, leave, leave_request
from lineup_srv.domain.arrivals import may_wait
from lineup_srv.domain.decision import Ended, Held
from lineup_srv.domain.effects import Everyone, ShownEarly, ShowRequest
from lineup_srv.domain.facts import Cancelled, HandedOver, Joined, Opened
from lineup_srv.domain.fold import changed_request, opened_request
from lineup_srv.domain.request import Request, RequestKind
from lineup_srv.domain.unlogged import withdraw_card

if TYPE_CHECKING:
    from lineup_srv.contract.ids import AgentId
    from lineup_srv.domain.commands import Await, Cancel, Goodbye, Open
    from lineup_srv.domain.decision import Draft
    from lineup_srv.domain.state import Room

__all__ = ["await_request", "cancel", "goodbye", "open_request"]


def open_request(room: Room, command: Open, draft: Draft) -> None:
    """Open a request, join one that nobody waits for, or return to a known id."""
    known = room.logged.find(command.request_id)
    if known is not None:
        if known.asked != command.asked:
            draft.result = refused(ErrorCode.ID_CONFLICT)
        else:
            _wait_for(room, known, command, draft)
        return
    joined = _joinable(room, command)
    waits_for = command.request_id if joined is None else joined.request_id
    allowed = may_wait(room, command.agent.agent_id, waits_for)
    if allowed and joined is not None:
        _join(room, joined, command, draft)
        _take_back_showing(room, command, ErrorCode.CANCELLED, draft)
    elif allowed and not _crowded(room, command.agent.agent_id):
        _open_new(room, command, draft)
    else:
        draft.result = refused(ErrorCode.RATE_LIMITED)
        _take_back_showing(room, command, ErrorCode.RATE_LIMITED, draft)


def _take_back_showing(room: Room, command: Open, code: ErrorCode, draft: Draft) -> None:
    """Before a conflict it was decided to open a card of its own, which devices saw at once."""
    if command.request_id in room.live.shown:
        gone, change = withdraw_card(command, code)
        draft.early.append(gone)
        draft.changes.append(change)


def await_request(room: Room, command: Await, draft: Draft) -> None:
    """Wait for a request by its id."""
    known = room.logged.find(command.request_id)
    if known is None:
        draft.result = refused(ErrorCode.UNKNOWN_REQUEST)
    else:
        _wait_for(room, known, command, draft)


def _wait_for(room: Room, request: Request, command: Open | Await, draft: Draft) -> None:
    if request.pending and not may_wait(room, command.agent.agent_id, request.request_id):
        draft.result = refused(ErrorCode.RATE_LIMITED)
        return
    if request.pending:
        hold_call(room, command, request.request_id, draft)
        draft.result = Held(request)
        return
    redelivered = bool(request.handed_to)
    if request.reply is not None:
        draft.log(
            HandedOver(
                *draft.stamp(),
                request_id=request.request_id,
                agent_id=command.agent.agent_id,
                taken=True,
                redelivered=redelivered,
            )
        )
    draft.result = Ended(request, redelivered)


def _open_new(room: Room, command: Open, draft: Draft) -> None:
    opened = Opened(
        *draft.stamp(),
        request_id=command.request_id,
        asked=command.asked,
        agent=command.agent,
        agent_name=command.agent_name,
        model=command.model,
        on_timeout=command.on_timeout,
        timeout_seconds=command.timeout_seconds,
        deadline_unix_ms=draft.now_unix_ms + command.timeout_seconds * 1000,
    )
    draft.log(opened)
    shown = opened_request(opened, room.logged.last_seq + 1)
    hold_call(room, command, command.request_id, draft)
    if command.request_id not in room.live.shown:
        draft.changes.append(ShownEarly(command.request_id, echoed=False))
        draft.early.append(ShowRequest(Everyone(), shown, 0))
    draft.result = Held(shown)


def _crowded(room: Room, agent_id: AgentId) -> bool:
    """Whether this agent, or the room, has as many open requests as the limits allow."""
    if len(room.logged.open_ids) < limits.OPEN_REQUESTS_PER_AGENT:
        return False
    if len(room.logged.open_ids) >= limits.OPEN_REQUESTS_PER_ROOM:
        return True
    own = sum(1 for r in room.logged.open_requests() if r.agent.agent_id == agent_id)
    return own >= limits.OPEN_REQUESTS_PER_AGENT


def _joinable(room: Room, command: Open) -> Request | None:
    """The open request that this call means, if nobody waits for it; approvals are never joined."""
    if command.asked.kind is RequestKind.APPROVAL:
        return None
    for request in room.logged.open_requests():
        if (
            request.asked == command.asked
            and request.agent.same_agent(command.agent)
            and not room.live.waiters(request.request_id)
        ):
            return request
    return None


def _join(room: Room, request: Request, command: Open, draft: Draft) -> None:
    asked_until = draft.now_unix_ms + command.timeout_seconds * 1000
    joined = Joined(
        *draft.stamp(),
        request_id=request.request_id,
        alias=command.request_id,
        agent=command.agent,
        deadline_unix_ms=max(request.deadline_unix_ms, asked_until),
    )
    draft.log(joined)
    hold_call(room, command, request.request_id, draft)
    draft.result = Held(changed_request(request, joined))


def cancel(room: Room, command: Cancel, draft: Draft) -> None:
    """A host withdraws its call; the card goes when nobody else waits."""
    request = room.logged.find(command.request_id)
    if request is None:
        draft.result = refused(ErrorCode.UNKNOWN_REQUEST)
        return
    if request.pending:
        reason, message = command.reason, command.message
        cancelled = _withdraw(room, request, command.agent_id, reason, message, draft)
        if cancelled is not None:
            request = changed_request(request, cancelled)
    leave_request(room, command.agent_id, request.request_id, draft)
    draft.result = Held(request) if request.pending else Ended(request, redelivered=False)


def _withdraw(
    room: Room, request: Request, agent_id: AgentId, reason: ErrorCode, message: str, draft: Draft
) -> Cancelled | None:
    """End the request if the agent is its owner or a waiter, and no other agent waits."""
    waiters = room.live.waiters(request.request_id)
    concerned = request.agent.agent_id == agent_id or agent_id in waiters
    if not concerned or any(waiter != agent_id for waiter in waiters):
        return None
    cancelled = Cancelled(
        *draft.stamp(),
        request_id=request.request_id,
        agent_id=agent_id,
        reason=reason,
        message=message,
    )
    draft.log(cancelled)
    return cancelled


def goodbye(room: Room, command: Goodbye, draft: Draft) -> None:
    """An agent ends: its pending requests are cancelled as AGENT_ENDED, still answerable late."""
    for request in list(room.logged.open_requests()):
        _withdraw(room, request, command.agent_id, ErrorCode.AGENT_ENDED, "", draft)
    leave(room, command.agent_id, draft)
