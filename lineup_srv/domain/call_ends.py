"""Ends of calls that no device brings, and what becomes of a call when the relay was away."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.domain.acks import refused
from lineup_srv.domain.call import Call, CallPhase, Holding, WaitKind
from lineup_srv.domain.call_effects import CallHeldBy
from lineup_srv.domain.call_facts import CallDeadlineMoved, CallReceived
from lineup_srv.domain.call_flow import clients_of, end_call, give_to_next, is_repeatable, wait_for
from lineup_srv.domain.call_holders import holder_of, is_own
from lineup_srv.domain.decision import CallDone, CallHeld
from lineup_srv.domain.fold_calls import changed_call

if TYPE_CHECKING:
    from lineup_srv.domain.call_commands import (
        AckCalls,
        CallDeadlineReached,
        CallWaitOver,
        CancelCall,
    )
    from lineup_srv.domain.commands import Goodbye, RelayReturned
    from lineup_srv.domain.decision import Draft
    from lineup_srv.domain.state import Room


__all__ = [
    "ack_calls",
    "call_deadline_reached",
    "call_wait_over",
    "cancel_call",
    "end_calls_of",
    "keep_calls",
]


def cancel_call(room: Room, command: CancelCall, draft: Draft) -> None:
    """An agent whose call it is withdraws the call; another agent has no say in it."""
    call = room.logged.calls.find(command.call_id)
    if call is None:
        draft.result = refused(ErrorCode.UNKNOWN_REQUEST)
        return
    if call.live and is_own(room, call, command.agent_id):
        call = changed_call(call, end_call(call, CallPhase.CANCELLED, command.reason, draft))
    draft.result = CallHeld(call) if call.live else CallDone(call)


def end_calls_of(room: Room, command: Goodbye, draft: Draft) -> None:
    """An agent ends: nobody is left to take what its calls bring."""
    for call in room.logged.calls.live():
        if holder_of(room, call) == command.agent_id:
            end_call(call, CallPhase.CANCELLED, ErrorCode.AGENT_ENDED, draft)


def ack_calls(room: Room, command: AckCalls, draft: Draft) -> None:
    """Mark as received what an agent whose calls they are confirms."""
    found = (room.logged.calls.find(call_id) for call_id in command.call_ids)
    for call in {call.call_id: call for call in found if call is not None}.values():
        if not (call.live or call.received) and is_own(room, call, command.agent_id):
            draft.log(CallReceived(*draft.stamp(), call_id=call.call_id))


def call_deadline_reached(room: Room, command: CallDeadlineReached, draft: Draft) -> None:
    """Expire a live call, unless its deadline has moved since the timer was set."""
    call = room.logged.calls.find(command.call_id)
    if call is None or not call.live or call.deadline_unix_ms != command.deadline_unix_ms:
        return
    end_call(call, CallPhase.EXPIRED, ErrorCode.EXPIRED, draft)


def call_wait_over(room: Room, command: CallWaitOver, draft: Draft) -> None:
    """What a call waited for has not come."""
    call = room.logged.calls.find(command.call_id)
    if call is None or not call.live:
        return
    if room.live.call_waits.get(call.call_id) != command.wait:
        return  # it came at the same moment
    match command.wait.kind:
        case WaitKind.ACCEPT:
            _not_taken(room, call, draft)
        case WaitKind.APP:
            end_call(call, CallPhase.FAILED, ErrorCode.NO_APP, draft)
        case WaitKind.OWNER:
            end_call(call, CallPhase.FAILED, ErrorCode.APP_GONE, draft)
        case _:  # pragma: no cover - mypy proves that nothing is left
            assert_never(command.wait.kind)


def _not_taken(room: Room, call: Call, draft: Draft) -> None:
    """Ask the next device, but never for what must not run twice: the first may be running it."""
    if is_repeatable(call) and give_to_next(room, call, draft):
        return
    if call.owner is not None and not clients_of(room, call.owner):
        wait_for(call, WaitKind.OWNER, draft)
    else:
        end_call(call, CallPhase.FAILED, ErrorCode.NO_ANSWER, draft)


def keep_calls(room: Room, command: RelayReturned, draft: Draft) -> None:
    """The relay was away: near deadlines move (design §4.4); after a start all have to come back.

    Nobody is here after a start: devices that run calls and bridges that wait for them have their
    time to return from now on.
    """
    until = draft.now_unix_ms + limits.RELAY_AWAY_GRACE_SECONDS * 1000
    for call in room.logged.calls.live():
        if call.deadline_unix_ms < until:
            draft.log(
                CallDeadlineMoved(*draft.stamp(), call_id=call.call_id, deadline_unix_ms=until)
            )
        if not command.loaded:
            continue
        if call.call_id not in room.live.holdings:
            holding = Holding(frozenset(), call.agent.agent_id, draft.now_unix_ms)
            draft.changes.append(CallHeldBy(call.call_id, holding))
        if call.owner is not None:
            if not clients_of(room, call.owner):
                wait_for(call, WaitKind.OWNER, draft)
        elif not call.action.interactive:
            wait_for(call, WaitKind.APP, draft)
