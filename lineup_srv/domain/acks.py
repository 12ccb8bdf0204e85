"""Acks: every message that carried a ref is told what became of it (wire §4, 98 and 110)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract.errors import ERRORS, ErrorCode
from lineup_srv.domain.call_commands import UpdateCall
from lineup_srv.domain.commands import MoveDeadline, ReplyTo, StoredAck, WriteText
from lineup_srv.domain.decision import Refused
from lineup_srv.domain.effects import Only, SendAck

if TYPE_CHECKING:
    from lineup_srv.contract.ids import Ref
    from lineup_srv.domain.decision import Draft
    from lineup_srv.domain.state import Room

Acknowledged = ReplyTo | MoveDeadline | WriteText | UpdateCall
"""Commands of a device that an Ack answers."""

RefCommand = ReplyTo | MoveDeadline | WriteText
"""Commands of a device whose ref the log remembers with their fact."""

__all__ = ["RefCommand", "accept", "acknowledge_again", "ref_matters", "refuse", "refused", "taken"]


def ref_matters(room: Room, command: RefCommand) -> bool:
    """Whether the log's memory of the ref can change the decision.

    A reply to a pending request cannot have been taken before, so the common case asks nothing.
    """
    if not command.ref or command.first_ack is not None:
        return False
    if not isinstance(command, ReplyTo):
        return True
    request = room.logged.find(command.request_id)
    return request is None or not request.pending


def acknowledge_again(room: Room, command: RefCommand, draft: Draft) -> bool:
    """Give a known ref its first Ack again; True if that was all there is to do."""
    first = command.first_ack or _ack_in_memory(room, command)
    if first is None or not command.ref:
        return False
    _send(command, draft, accepted=True, code=first.code, message="", seq=first.seq)
    return True


def _ack_in_memory(room: Room, command: RefCommand) -> StoredAck | None:
    """The first Ack of the reply that counts, which may not have been committed yet."""
    if isinstance(command, WriteText):
        return None
    request = room.logged.find(command.request_id)
    if request is None or request.reply is None or request.reply.ref != command.ref:
        return None
    code = ErrorCode.KEPT_LATE if request.late else ErrorCode.UNSPECIFIED
    return StoredAck(code, 0)


def accept(
    room: Room, command: Acknowledged, draft: Draft, code: ErrorCode, *, logged: bool = True
) -> None:
    """Acknowledge the command's first fact, with its log number; 0 if nothing is `logged`."""
    seq = room.logged.last_seq + 1 if logged else 0
    _send(command, draft, accepted=True, code=code, message="", seq=seq)


def taken(to: Only, ref: Ref) -> SendAck:
    """A plain yes to a message that is not logged."""
    return SendAck(to=to, ref=ref, accepted=True, code=ErrorCode.UNSPECIFIED, message="", seq=0)


def refuse(command: Acknowledged, draft: Draft, code: ErrorCode, *, message: str = "") -> None:
    """Refuse the command; nothing is logged."""
    _send(command, draft, accepted=False, code=code, message=message, seq=0)


def _send(
    command: Acknowledged,
    draft: Draft,
    *,
    accepted: bool,
    code: ErrorCode,
    message: str,
    seq: int,
) -> None:
    if not command.ref:
        return
    meaning = "" if code is ErrorCode.UNSPECIFIED else ERRORS[code].meaning
    draft.effects.append(
        SendAck(
            to=Only(command.by.client_id),
            ref=command.ref,
            accepted=accepted,
            code=code,
            message=message or meaning,
            seq=seq,
        )
    )


def refused(code: ErrorCode) -> Refused:
    """The result of a call that changes nothing."""
    return Refused(code, ERRORS[code].meaning)
