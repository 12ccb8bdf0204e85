"""What a command leads to when its facts could not be logged (design §2.1).

A ref is told LOG_UNAVAILABLE; a card that was shown before its commit is withdrawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract.errors import ERRORS, ErrorCode
from lineup_srv.domain.commands import MoveDeadline, Open, ReplyTo, WriteText
from lineup_srv.domain.effects import Everyone, Only, SendAck, ShownEarly, ShowState, StateUpdate
from lineup_srv.domain.request import RequestKind, RequestState

if TYPE_CHECKING:
    from lineup_srv.domain.commands import Command
    from lineup_srv.domain.effects import Change, Effect
    from lineup_srv.domain.state import Room

__all__ = ["withdraw"]

_CODE = ErrorCode.LOG_UNAVAILABLE


def withdraw(room: Room, command: Command) -> tuple[tuple[Effect, ...], tuple[Change, ...]]:
    """What the sender and the devices are told of a command that could not be logged."""
    match command:
        case ReplyTo() | MoveDeadline() | WriteText() if command.ref:
            refusal = SendAck(
                to=Only(command.by.client_id),
                ref=command.ref,
                accepted=False,
                code=_CODE,
                message=ERRORS[_CODE].meaning,
                seq=0,
            )
            return (refusal,), ()
        case Open() if command.request_id in room.live.shown:
            gone = ShowState(Everyone(), _withdrawn(command), 0)
            return (gone,), (ShownEarly(command.request_id, echoed=True),)
        case _:
            return (), ()


def _withdrawn(command: Open) -> StateUpdate:
    return StateUpdate(
        request_id=command.request_id,
        report=command.asked.kind is RequestKind.REPORT,
        state=RequestState.CANCELLED,
        reason=_CODE,
        by=None,
        deadline_unix_ms=0,
        late=False,
        received=False,
        agent_gone=False,
        message=ERRORS[_CODE].meaning,
        changed_unix_ms=0,
    )
