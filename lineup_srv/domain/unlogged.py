"""What a command leads to when its facts could not be logged (design §2.1).

A ref is told LOG_UNAVAILABLE; a card that was shown before its commit is withdrawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract.errors import ERRORS, ErrorCode
from lineup_srv.domain.call_commands import UpdateCall
from lineup_srv.domain.commands import MoveDeadline, Open, ReplyTo, WriteText
from lineup_srv.domain.effects import Everyone, Only, SendAck, ShownEarly, ShowState, StateUpdate
from lineup_srv.domain.request import RequestKind, RequestState

if TYPE_CHECKING:
    from lineup_srv.domain.commands import Command
    from lineup_srv.domain.effects import Change, Effect
    from lineup_srv.domain.state import Room

__all__ = ["withdraw", "withdraw_card"]

_CODE = ErrorCode.LOG_UNAVAILABLE


def withdraw(room: Room, command: Command) -> tuple[tuple[Effect, ...], tuple[Change, ...]]:
    """What the sender and the devices are told of a command that could not be logged."""
    match command:
        case ReplyTo() | MoveDeadline() | WriteText() | UpdateCall() if command.ref:
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
            gone, change = withdraw_card(command, _CODE)
            return (gone,), (change,)
        case _:
            return (), ()


def withdraw_card(command: Open, code: ErrorCode) -> tuple[ShowState, ShownEarly]:
    """A card that was shown before its commit is not opened after all."""
    update = StateUpdate(
        request_id=command.request_id,
        report=command.asked.kind is RequestKind.REPORT,
        state=RequestState.CANCELLED,
        reason=code,
        by=None,
        deadline_unix_ms=0,
        late=False,
        received=False,
        agent_gone=False,
        message=ERRORS[code].meaning,
        changed_unix_ms=0,
    )
    return ShowState(Everyone(), update, 0), ShownEarly(command.request_id, echoed=True)
