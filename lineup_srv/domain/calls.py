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

Ends that no device brings are in `call_ends`, what devices say in `call_updates`, what follows from
their coming and going in `offers`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.tools import ToolType
from lineup_srv.domain.acks import refused
from lineup_srv.domain.call import Call, Called, WaitKind
from lineup_srv.domain.call_facts import CallAttached, CallOpened
from lineup_srv.domain.call_flow import clients_of, give, give_to_next, wait_for
from lineup_srv.domain.call_holders import hold, holder_of
from lineup_srv.domain.decision import CallDone, CallHeld, Refused
from lineup_srv.domain.effects import AgentPresent
from lineup_srv.domain.fold_calls import changed_call, opened_call
from lineup_srv.domain.offers import find_tool

if TYPE_CHECKING:
    from lineup_srv.contract.ids import AgentId
    from lineup_srv.contract.tools import ActionDefinition
    from lineup_srv.domain.call import Instance, OfferedTool
    from lineup_srv.domain.call_commands import AwaitCall, CallTool
    from lineup_srv.domain.decision import Draft
    from lineup_srv.domain.state import Room

__all__ = ["await_call", "call_tool"]


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


def _wait(room: Room, call: Call, command: CallTool | AwaitCall, draft: Draft) -> None:
    if not call.live:
        draft.result = CallDone(call)
        return
    hold(room, call, command, draft)
    draft.result = CallHeld(call)


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
            and not _is_here(room, holder_of(room, call))
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
    hold(room, call, command, draft)
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
    _note_call(room, command, draft)
    hold(room, call, command, draft)
    _route(room, call, None if isinstance(instance, Refused) else instance, draft)
    draft.result = CallHeld(call)


def _note_call(room: Room, command: CallTool, draft: Draft) -> None:
    """Devices see when an agent that is here last called, and under which name."""
    presence = room.live.agents.get(command.agent.agent_id)
    if presence is not None:
        now, name = draft.now_unix_ms, command.agent_name or presence.name
        draft.changes.append(AgentPresent(replace(presence, last_call_unix_ms=now, name=name)))


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
        gone = "Nothing that is open has this instance_id: it was closed, or never opened."
        return Refused(ErrorCode.APP_GONE, gone)
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
