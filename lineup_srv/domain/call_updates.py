"""What devices say of calls: receipts, progress, and the one result (design §4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.domain.acks import accept, refuse
from lineup_srv.domain.call import LIVE_PHASES, Call, CallPhase, Provider, WaitKind
from lineup_srv.domain.call_effects import CallWaits, ShowCallUpdate
from lineup_srv.domain.call_facts import (
    CallEnded,
    CallProgressed,
    CallReceipt,
    CallResultKept,
)
from lineup_srv.domain.call_flow import provider_of, wait_for
from lineup_srv.domain.effects import Only
from lineup_srv.domain.presence import note_use

if TYPE_CHECKING:
    from lineup_srv.domain.call_commands import UpdateCall
    from lineup_srv.domain.decision import Draft
    from lineup_srv.domain.state import Room

__all__ = ["update_call"]


def update_call(room: Room, command: UpdateCall, draft: Draft) -> None:
    """Take a device's word on a call, if it is its to say."""
    call = room.logged.calls.find(command.call_id)
    member = room.live.members.get(command.by.client_id)
    if member is None:
        return
    if call is None:
        refuse(command, draft, ErrorCode.UNKNOWN_REQUEST)
        return
    tab = provider_of(member)
    if not call.live:
        _after_the_end(room, call, tab, command, draft)
    elif not _may_answer(call, tab):
        _tell_how_it_stands(call, command, draft)
    elif command.phase in (CallPhase.SUCCEEDED, CallPhase.FAILED):
        _end(room, call, tab, command, draft)
    else:
        _go_on(room, call, command, draft)


def _may_answer(call: Call, tab: Provider) -> bool:
    """Whether the call is this tab's: it was given to it, or a human answers it anywhere."""
    if call.owner is not None:
        return call.owner.same_tab(tab)
    return call.action.interactive


def _go_on(room: Room, call: Call, command: UpdateCall, draft: Draft) -> None:
    """A receipt or progress; a phase that is behind the present one says nothing new."""
    phase = command.phase
    if phase is None and call.phase is CallPhase.OFFERED and call.owner is not None:
        phase = CallPhase.ACCEPTED  # who makes progress has taken it
    if phase is not None and LIVE_PHASES.index(phase) > LIVE_PHASES.index(call.phase):
        draft.log(
            CallReceipt(*draft.stamp(), call_id=call.call_id, phase=phase, message=command.message)
        )
        wait = room.live.call_waits.get(call.call_id)
        if wait is not None and wait.kind is WaitKind.ACCEPT:
            wait_for(call, None, draft)
    if command.progress is not None:
        draft.log(CallProgressed(*draft.stamp(), call_id=call.call_id, progress=command.progress))
    accept(room, command, draft, ErrorCode.UNSPECIFIED)


def _end(room: Room, call: Call, tab: Provider, command: UpdateCall, draft: Draft) -> None:
    """The result; one that does not fit the schema as called is none."""
    fits = not command.misfit
    draft.log(
        CallEnded(
            *draft.stamp(),
            call_id=call.call_id,
            phase=command.phase if fits and command.phase is not None else CallPhase.FAILED,
            code=command.code if fits else ErrorCode.INVALID_RESULT,
            message=command.message if fits else command.misfit,
            owner=tab,
            by=command.by,
            result=command.result if fits else None,
            ref=command.ref,
        )
    )
    draft.changes.append(CallWaits(call.call_id, None))
    if call.action.interactive:
        note_use(room, command.by.client_id, draft)
    if fits:
        accept(room, command, draft, ErrorCode.UNSPECIFIED)
    else:
        refuse(command, draft, ErrorCode.INVALID_RESULT, message=command.misfit)


def _after_the_end(
    room: Room, call: Call, tab: Provider, command: UpdateCall, draft: Draft
) -> None:
    """A resend gets its Ack again; the result of a cancelled call is stored, once."""
    if command.ref and command.ref == call.ref:
        accept(room, command, draft, ErrorCode.UNSPECIFIED, logged=False)
        return
    withdrawn = call.phase is CallPhase.CANCELLED and call.kept is None
    if withdrawn and command.result is not None and _may_answer(call, tab):
        draft.log(
            CallResultKept(
                *draft.stamp(), call_id=call.call_id, by=command.by, result=command.result
            )
        )
        accept(room, command, draft, ErrorCode.CANCELLED)
        return
    _tell_how_it_stands(call, command, draft)


def _tell_how_it_stands(call: Call, command: UpdateCall, draft: Draft) -> None:
    """It is not, or no longer, the device's to answer: it stops, and shows who has it."""
    ended_by_nobody = not call.live and call.by is None
    code = call.code if ended_by_nobody else ErrorCode.ALREADY_ANSWERED
    refuse(command, draft, code)
    draft.effects.append(
        ShowCallUpdate(
            Only(command.by.client_id), call, call.phase, taken=not ended_by_nobody, seq=0
        )
    )
