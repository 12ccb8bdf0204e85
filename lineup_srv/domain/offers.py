"""What devices offer, and what follows when that changes (design §4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.domain.acks import taken
from lineup_srv.domain.call import CallPhase, WaitKind
from lineup_srv.domain.call_effects import (
    CatalogChanged,
    CheckCall,
    ShowCallUpdate,
    ShowRefusedTools,
    ToolsGone,
    ToolsOffered,
)
from lineup_srv.domain.call_facts import ToolForgotten, ToolRemembered
from lineup_srv.domain.call_flow import (
    clients_of,
    end_call,
    give_to_next,
    is_repeatable,
    provider_of,
    show_again,
    wait_for,
)
from lineup_srv.domain.catalog import interactive_part, same_tool
from lineup_srv.domain.effects import Only

if TYPE_CHECKING:
    from lineup_srv.contract.ids import ClientId
    from lineup_srv.domain.call import Call, OfferedTool, ToolKey
    from lineup_srv.domain.call_commands import Announce, CallChecked, MatchCalls
    from lineup_srv.domain.decision import Draft
    from lineup_srv.domain.people import Member
    from lineup_srv.domain.state import Room

__all__ = ["announce", "call_checked", "find_tool", "listed_tools", "match_calls", "withdraw_offer"]


def find_tool(room: Room, key: ToolKey) -> OfferedTool | None:
    """The tool that a call under this name means: offered now, remembered, or lost lately."""
    catalog = room.live.catalog
    if (offered := catalog.find(key)) is not None:
        return offered
    return catalog.lost(key) or room.logged.calls.remembered.get(key)


def listed_tools(room: Room) -> tuple[tuple[OfferedTool, int], ...]:
    """The catalog as agents see it, by name, each tool with its number of providers.

    A tool without providers is one whose devices sleep: only what a human answers is left of it.
    """
    catalog = room.live.catalog
    tools = [(tool, len(catalog.providers(tool.key))) for tool in catalog.tools()]
    for key, remembered in room.logged.calls.remembered.items():
        part = interactive_part(remembered)
        if part is not None and catalog.find(key) is None and not catalog.taken_back(key):
            tools.append((part, 0))
    tools.sort(key=lambda line: (line[0].application_id, line[0].definition.name))
    return tuple(tools)


def announce(room: Room, command: Announce, draft: Draft) -> None:
    """Take a device's tools into the catalog and tell it what was refused.

    What it offers now and did not before, it gets the calls of: those that a human answers, and
    those that it ran when it was lost. Of the former it also hears which ended since its login: it
    may show them since, from the history.
    """
    member = room.live.members.get(command.client_id)
    if member is None:
        return
    catalog = room.live.catalog
    tools, conflicts = catalog.sift(command.client_id, command.tools)
    to = Only(command.client_id)
    draft.changes.append(ToolsOffered(command.client_id, tools, draft.now_unix_ms))
    draft.effects.append(CatalogChanged())
    refused = (*command.refused, *conflicts)
    if refused:
        draft.effects.append(ShowRefusedTools(to, command.ref, refused))
    if command.ref:
        draft.effects.append(taken(to, command.ref))
    before = catalog.offered_by(command.client_id)
    losing = {(refusal.application, refusal.name) for refusal in conflicts}
    new = {
        tool.key: tool
        for tool in tools
        if before.get(tool.key) != tool
        and (tool.application_id, tool.definition.name) not in losing
    }
    for call in room.logged.calls.live():
        tool = new.get(call.called.tool)
        if tool is not None and _concerns(call, member) and _fits(call, tool):
            show_again(room, call, command.client_id, draft)
    for call in room.logged.calls.ended():
        if call.changed_unix_ms < member.connected_unix_ms:
            break  # the newest end comes first
        if call.action.interactive and call.called.tool in new and call.by != member.author:
            draft.effects.append(ShowCallUpdate(to, call, call.phase, taken=False, seq=0))


def match_calls(room: Room, command: MatchCalls, draft: Draft) -> None:
    """Give waiting calls to a device that has announced, and note which tools are to stay."""
    member = room.live.members.get(command.client_id)
    if member is None:
        return
    _remember(room, command.client_id, draft)
    for call in room.logged.calls.live():
        tool = _in_catalog(room, command.client_id, call.called.tool)
        if tool is None:
            continue
        if not _fits(call, tool):
            if _concerns(call, member) or _unowned(call):
                schema = _schema(call, tool)
                draft.effects.append(CheckCall(call, command.client_id, schema))
        elif _unowned(call):
            give_to_next(room, call, draft)


def call_checked(room: Room, command: CallChecked, draft: Draft) -> None:
    """Go on with a call whose definition has changed, or end it as TOOL_CHANGED."""
    call = room.logged.calls.find(command.call_id)
    member = room.live.members.get(command.client_id)
    if call is None or not call.live or member is None:
        return
    tool = _in_catalog(room, command.client_id, call.called.tool)
    if tool is None or _schema(call, tool) != command.schema_json:
        return  # it has changed again, and is checked again
    if command.misfit or not command.schema_json:
        code = ErrorCode.TOOL_CHANGED
        end_call(call, CallPhase.FAILED, code, draft, message=command.misfit)
    elif _unowned(call):
        give_to_next(room, call, draft)
    elif _concerns(call, member):
        show_again(room, call, command.client_id, draft)


def withdraw_offer(room: Room, client_id: ClientId, draft: Draft) -> None:
    """A device is gone: so are its tools, and calls that it runs wait for it to come back."""
    member = room.live.members.get(client_id)
    if member is None:
        return
    if room.live.catalog.offered_by(client_id):
        draft.changes.append(ToolsGone(client_id, draft.now_unix_ms))
        draft.effects.append(CatalogChanged())
    owner = provider_of(member)
    for call in room.logged.calls.live():
        if call.owner is None or not call.owner.same_tab(owner):
            continue
        untaken = call.phase is CallPhase.OFFERED and call.call_id in room.live.call_waits
        if untaken and is_repeatable(call):
            continue  # the next device is asked when the time to take it is over
        if clients_of(room, owner) == (client_id,):
            wait_for(call, WaitKind.OWNER, draft)


def _remember(room: Room, client_id: ClientId, draft: Draft) -> None:
    catalog = room.live.catalog
    remembered = room.logged.calls.remembered
    for key in catalog.offered_by(client_id):
        tool = catalog.find(key)
        if tool is None or client_id not in catalog.providers(key):
            continue
        kept = remembered.get(key)
        if interactive_part(tool) is None:
            if kept is not None:
                draft.log(ToolForgotten(*draft.stamp(), tool=key))
        elif kept is None or not same_tool(kept.definition, tool.definition):
            draft.log(ToolRemembered(*draft.stamp(), tool=tool))
    for key in remembered:
        if catalog.taken_back(key):
            draft.log(ToolForgotten(*draft.stamp(), tool=key))


def _in_catalog(room: Room, client_id: ClientId, key: ToolKey) -> OfferedTool | None:
    """The tool of the catalog, if this device is one of its providers."""
    catalog = room.live.catalog
    return catalog.find(key) if client_id in catalog.providers(key) else None


def _concerns(call: Call, member: Member) -> bool:
    """Whether this device may answer the call, or is the one that it was given to."""
    if call.owner is None:
        return call.action.interactive
    return call.owner.same_tab(provider_of(member))


def _unowned(call: Call) -> bool:
    return call.owner is None and not call.action.interactive


def _schema(call: Call, tool: OfferedTool) -> str:
    """What the tool's action takes now; empty: there is no such action any more."""
    action = tool.definition.operation(call.called.action)
    return "" if action is None else action.input_schema_json


def _fits(call: Call, tool: OfferedTool) -> bool:
    return _schema(call, tool) == call.action.input_schema_json
