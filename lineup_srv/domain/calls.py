"""The call table of design §4.2: what agents and time do to a call.

| state | command | next |
|---|---|---|
| none | CallTool | OFFERED; refused when nothing may run it, attached when an equal call was left |
| any | CallTool, AwaitCall, same id | same; nothing runs, the caller waits or gets the stored end |
| OFFERED | UpdateCall, accepted | ACCEPTED |
| ACCEPTED | UpdateCall, starting or started | STARTING, STARTED |
| any live | UpdateCall, progress | same |
| any live | UpdateCall, result | SUCCEEDED or FAILED |
| any live | CancelCall, Goodbye | CANCELLED |
| any live | CallDeadlineReached | EXPIRED |
| OFFERED | CallWaitOver, accept | OFFERED to the next device, or FAILED as NO_ANSWER |
| OFFERED | CallWaitOver, app | FAILED as NO_APP |
| any live | Logout of the owner | same, for `limits.CALL_OWNER_SECONDS` |
| any live | CallWaitOver, owner | FAILED as APP_GONE |
| CANCELLED | UpdateCall, result | same; the result is stored and not returned |
| any end | anything else | same, ignored |

What devices do is in `call_updates`, what follows from their coming and going in `offers`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.tools import ToolType
from lineup_srv.domain.acks import refused
from lineup_srv.domain.call import Call, Called, CallPhase, Holding, WaitKind
from lineup_srv.domain.call_effects import CallHeldBy
from lineup_srv.domain.call_facts import (
    CallAttached,
    CallDeadlineMoved,
    CallOpened,
    CallReceived,
)
from lineup_srv.domain.call_flow import (
    clients_of,
    end_call,
    give,
    give_to_next,
    is_repeatable,
    wait_for,
)
from lineup_srv.domain.decision import CallDone, CallHeld, Refused
from lineup_srv.domain.fold_calls import changed_call, opened_call
from lineup_srv.domain.offers import find_tool

if TYPE_CHECKING:
    from lineup_srv.contract.ids import AgentId
    from lineup_srv.contract.tools import ActionDefinition
    from lineup_srv.domain.call import Instance, OfferedTool
    from lineup_srv.domain.call_commands import (
        AckCalls,
        AwaitCall,
        CallDeadlineReached,
        CallTool,
        CallWaitOver,
        CancelCall,
        HangUpCall,
    )
    from lineup_srv.domain.commands import Goodbye, RelayReturned
    from lineup_srv.domain.decision import Draft
    from lineup_srv.domain.state import Room

__all__ = [
    "ack_calls",
    "await_call",
    "call_deadline_reached",
    "call_tool",
    "call_wait_over",
    "cancel_call",
    "end_calls_of",
    "hang_up_call",
    "keep_calls",
]


def call_tool(room: Room, command: CallTool, draft: Draft) -> None:
    """Call an action, attach to an equal call that was left, or return to a known id."""
    known = room.logged.calls.find(command.call_id)
    if known is not None:
        if known.called != command.called:
            draft.result = refused(ErrorCode.ID_CONFLICT)
        else:
            _wait(room, known, command, draft)
        return
    left = _left(room, command, draft.now_unix_ms)
    if left is not None:
        _attach(room, left, command, draft)
    elif _crowded(room, command.agent.agent_id):
        draft.result = refused(ErrorCode.RATE_LIMITED)
    else:
        _open(room, command, draft)


def await_call(room: Room, command: AwaitCall, draft: Draft) -> None:
    """Wait for a call by its id; nothing runs."""
    call = room.logged.calls.find(command.call_id)
    if call is None:
        draft.result = refused(ErrorCode.UNKNOWN_REQUEST)
    else:
        _wait(room, call, command, draft)


def hang_up_call(room: Room, command: HangUpCall, draft: Draft) -> None:
    """A stream is over. The call goes on: its bridge may come back."""
    call = room.logged.calls.find(command.call_id)
    holding = None if call is None else room.live.holdings.get(call.call_id)
    if call is None or holding is None or command.holder not in holding.holders:
        return
    rest = holding.holders - {command.holder}
    left = 0 if rest else draft.now_unix_ms
    after = Holding(rest, holding.agent_id, left) if rest or call.live else None
    draft.changes.append(CallHeldBy(call.call_id, after))


def cancel_call(room: Room, command: CancelCall, draft: Draft) -> None:
    """The agent that called withdraws the call; another agent has no say in it."""
    call = room.logged.calls.find(command.call_id)
    if call is None:
        draft.result = refused(ErrorCode.UNKNOWN_REQUEST)
        return
    if call.live and call.agent.agent_id == command.agent_id:
        call = changed_call(call, end_call(call, CallPhase.CANCELLED, command.reason, draft))
    draft.result = CallHeld(call) if call.live else CallDone(call)


def end_calls_of(room: Room, command: Goodbye, draft: Draft) -> None:
    """An agent ends: nobody is left to take what its calls bring."""
    for call in room.logged.calls.live():
        if call.agent.agent_id == command.agent_id:
            end_call(call, CallPhase.CANCELLED, ErrorCode.AGENT_ENDED, draft)


def ack_calls(room: Room, command: AckCalls, draft: Draft) -> None:
    """Mark as received what the agent that called, or attached, confirms."""
    found = (room.logged.calls.find(call_id) for call_id in command.call_ids)
    for call in {call.call_id: call for call in found if call is not None}.values():
        if not call.live and not call.received and call.agent.agent_id == command.agent_id:
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


# A new call ------------------------------------------------------------------------------------


def _wait(room: Room, call: Call, command: CallTool | AwaitCall, draft: Draft) -> None:
    if not call.live:
        draft.result = CallDone(call)
        return
    _hold(room, call, command, draft)
    draft.result = CallHeld(call)


def _hold(room: Room, call: Call, command: CallTool | AwaitCall, draft: Draft) -> None:
    holding = room.live.holdings.get(call.call_id)
    holders = frozenset({command.command_id})
    if holding is not None:
        holders |= holding.holders
    agent_id = command.agent.agent_id
    draft.changes.append(CallHeldBy(call.call_id, Holding(holders, agent_id, 0)))


def _left(room: Room, command: CallTool, now_unix_ms: int) -> Call | None:
    """The equal call of the same agent whose bridge vanished a moment ago without a result."""
    horizon = now_unix_ms - limits.CALL_ATTACH_SECONDS * 1000
    for call in room.logged.calls.live():
        holding = room.live.holdings.get(call.call_id)
        if (
            call.called == command.called
            and call.agent.same_agent(command.agent)
            and holding is not None
            and not holding.holders
            and holding.left_unix_ms > horizon
            and not _is_here(room, call.agent.agent_id)
        ):
            return call
    return None


def _is_here(room: Room, agent_id: AgentId) -> bool:
    presence = room.live.agents.get(agent_id)
    return presence is not None and (presence.attached or bool(presence.calls))


def _attach(room: Room, call: Call, command: CallTool, draft: Draft) -> None:
    attached = CallAttached(
        *draft.stamp(),
        call_id=call.call_id,
        alias=command.call_id,
        agent=command.agent,
        deadline_unix_ms=max(call.deadline_unix_ms, draft.now_unix_ms + command.timeout_ms),
    )
    draft.log(attached)
    _hold(room, call, command, draft)
    draft.result = CallHeld(changed_call(call, attached))


def _crowded(room: Room, agent_id: AgentId) -> bool:
    """Whether this agent, or the room, has as many live calls as the limits allow."""
    calls = room.logged.calls
    if len(calls.live_ids) < limits.OPEN_CALLS_PER_AGENT:
        return False
    own = sum(1 for call in calls.live() if call.agent.agent_id == agent_id)
    return own >= limits.OPEN_CALLS_PER_AGENT or len(calls.live_ids) >= limits.OPEN_CALLS_PER_ROOM


def _open(room: Room, command: CallTool, draft: Draft) -> None:
    called = command.called
    tool = find_tool(room, called.tool)
    action = None if tool is None else tool.definition.operation(called.action)
    if tool is None or action is None:
        draft.result = refused(ErrorCode.UNKNOWN_TOOL)
        return
    instance = _instance(room, tool, called)
    refusal = _refusal(command, action) or (instance if isinstance(instance, Refused) else None)
    if refusal is not None:
        draft.result = refusal
        return
    opened = CallOpened(
        *draft.stamp(),
        call_id=command.call_id,
        called=called,
        tool_type=tool.definition.type,
        action=action,
        agent=command.agent,
        agent_name=command.agent_name,
        deadline_unix_ms=draft.now_unix_ms + command.timeout_ms,
    )
    draft.log(opened)
    call = opened_call(opened, room.logged.last_seq + 1)
    _hold(room, call, command, draft)
    _route(room, call, None if isinstance(instance, Refused) else instance, draft)
    draft.result = CallHeld(call)


def _refusal(command: CallTool, action: ActionDefinition) -> Refused | None:
    if command.schema_json != action.input_schema_json:
        return refused(ErrorCode.TOOL_CHANGED)
    if command.misfit:
        return Refused(ErrorCode.INVALID_ARGUMENT, command.misfit)
    return None


def _instance(room: Room, tool: OfferedTool, called: Called) -> Instance | Refused | None:
    """The open app that is called; None: the call is not of one."""
    if tool.definition.type is not ToolType.APP or not called.instance_id:
        return None
    instance = room.logged.calls.instances.get(called.instance_id)
    if instance is None or instance.tool != called.tool:
        return refused(ErrorCode.APP_GONE)
    return instance


def _route(room: Room, call: Call, instance: Instance | None, draft: Draft) -> None:
    """Find who runs the call: the owner of its instance, everybody, or one device."""
    if instance is not None:
        give(call, instance.owner, draft)
        here = set(clients_of(room, instance.owner))
        if not here.intersection(room.live.catalog.providers(call.called.tool)):
            wait_for(call, WaitKind.OWNER, draft)
        elif not call.action.interactive:
            wait_for(call, WaitKind.ACCEPT, draft)
    elif not call.action.interactive and not give_to_next(room, call, draft):
        wait_for(call, WaitKind.APP, draft)
