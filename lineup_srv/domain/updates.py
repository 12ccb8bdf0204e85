"""How a request stands now, in the form that devices are told."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.domain.effects import StateUpdate
from lineup_srv.domain.request import Request, RequestKind, RequestState

if TYPE_CHECKING:
    from lineup_srv.domain.people import Author
    from lineup_srv.domain.state import Room

__all__ = ["agent_gone", "as_pending", "state_update"]


def state_update(room: Room, request: Request, *, by: Author | None) -> StateUpdate:
    """The request's present state; `by` is the device that caused the change, if any."""
    return StateUpdate(
        request_id=request.request_id,
        report=request.asked.kind is RequestKind.REPORT,
        state=request.state,
        reason=request.reason,
        by=by,
        deadline_unix_ms=request.deadline_unix_ms if request.pending else 0,
        late=request.late,
        received=request.received,
        agent_gone=agent_gone(room, request),
        message=request.message,
        changed_unix_ms=request.changed_unix_ms,
    )


def as_pending(request: Request, deadline_unix_ms: int) -> Request:
    """The request as it was before its end, with this deadline; what came later is taken back."""
    return replace(
        request,
        state=RequestState.PENDING,
        reason=ErrorCode.UNSPECIFIED,
        message="",
        deadline_unix_ms=deadline_unix_ms,
        changed_unix_ms=request.opened_unix_ms,
        late=False,
        received=False,
    )


def agent_gone(room: Room, request: Request) -> bool:
    """Whether nobody is there for a pending request: its agent left and no other waits."""
    if not request.pending or request.agent.agent_id in room.live.agents:
        return False
    return not room.live.waiters(request.request_id)
