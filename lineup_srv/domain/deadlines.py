"""Deadlines: they expire, a human may move them later, an absence of the relay moves them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import Ref
from lineup_srv.domain.acks import accept, acknowledge_again, refuse
from lineup_srv.domain.facts import DeadlineMoved, Expired
from lineup_srv.domain.request import Request, RequestState

if TYPE_CHECKING:
    from lineup_srv.domain.commands import DeadlineReached, MoveDeadline, RelayReturned
    from lineup_srv.domain.decision import Draft
    from lineup_srv.domain.state import Room

__all__ = ["deadline_reached", "move_deadline", "relay_returned"]


def deadline_reached(room: Room, command: DeadlineReached, draft: Draft) -> None:
    """Expire a pending request, unless its deadline has moved since the timer was set."""
    request = room.logged.find(command.request_id)
    if request is None or not request.pending:
        return
    if request.deadline_unix_ms == command.deadline_unix_ms:
        draft.log(Expired(*draft.stamp(), request_id=request.request_id))


def move_deadline(room: Room, command: MoveDeadline, draft: Draft) -> None:
    """Give a pending request more time; a deadline never moves closer."""
    if acknowledge_again(room, command, draft):
        return
    request = room.logged.find(command.request_id)
    if request is None or not request.pending:
        code = ErrorCode.UNKNOWN_REQUEST if request is None else _end_code(request)
        refuse(command, draft, code)
        return
    horizon = request.opened_unix_ms + limits.DEADLINE_HORIZON_SECONDS * 1000
    moved = min(request.deadline_unix_ms + command.add_seconds * 1000, horizon)
    if moved <= request.deadline_unix_ms:
        refuse(command, draft, ErrorCode.INVALID_ARGUMENT)
        return
    draft.log(
        DeadlineMoved(
            *draft.stamp(),
            request_id=request.request_id,
            deadline_unix_ms=moved,
            reason=ErrorCode.UNSPECIFIED,
            by=command.by,
            ref=command.ref,
        )
    )
    accept(room, command, draft, ErrorCode.UNSPECIFIED)


def _end_code(request: Request) -> ErrorCode:
    if request.state is RequestState.ANSWERED:
        return ErrorCode.ALREADY_ANSWERED
    return request.reason


def relay_returned(room: Room, _command: RelayReturned, draft: Draft) -> None:
    """Move every deadline that fell into the absence, or is near, to now + 120 s (design §4.4)."""
    until = draft.now_unix_ms + limits.RELAY_AWAY_GRACE_SECONDS * 1000
    for request in room.logged.open_requests():
        if request.deadline_unix_ms < until:
            draft.log(
                DeadlineMoved(
                    *draft.stamp(),
                    request_id=request.request_id,
                    deadline_unix_ms=until,
                    reason=ErrorCode.RELAY_AWAY,
                    by=None,
                    ref=Ref(""),
                )
            )
