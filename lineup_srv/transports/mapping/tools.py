"""What devices offer ↔ protobuf."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.errors import LineUpError
from lineup_srv.contract.json_text import load_object
from lineup_srv.contract.offers import Offer, read_offer
from lineup_srv.contract.tools import Application, Hints, ToolType
from lineup_srv.schemas import can_match
from lineup_srv.transports.mapping.checks import fitting
from lineup_srv.wire._gen.lineup.v1 import relay_pb2, tool_pb2
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from lineup_srv.wire.cmd import Cmd
from lineup_srv.wire.codes import code_to_wire

if TYPE_CHECKING:
    from lineup_srv.contract.tools import ActionDefinition, ToolDefinition
    from lineup_srv.domain.call_effects import ShowRefusedTools
    from lineup_srv.service.tool_calls import CatalogView

__all__ = ["applications_of", "catalog_to_wire", "offer_from_wire", "refused_message"]

_TYPES: Final = {
    ToolType.APP: tool_pb2.TOOL_TYPE_APP,
    ToolType.TOOLSET: tool_pb2.TOOL_TYPE_TOOLSET,
    ToolType.ACTION: tool_pb2.TOOL_TYPE_ACTION,
}
_NAMES: Final = {number: kind.value for kind, number in _TYPES.items()}


def offer_from_wire(tool_list: tool_pb2.ToolList) -> Offer:
    """What a device offers, read from its JSON form: both forms have one reader and one rule."""
    return read_offer(
        {
            "tools": [_tool_tree(tool) for tool in tool_list.tools],
            "applications": [_application_tree(told) for told in tool_list.applications],
        },
        "",
        can_match,
    )


def _application_tree(told: tool_pb2.Application) -> dict[str, object]:
    tools = [_tool_tree(tool) for tool in told.tools]
    return {"id": told.id, "version": told.version, "title": told.title, "tools": tools}


def _tool_tree(tool: tool_pb2.ToolDefinition) -> dict[str, object]:
    return {
        "name": tool.name,
        "type": _NAMES.get(tool.type),
        "description": tool.description,
        "actions": [_action_tree(action) for action in tool.actions],
        "inputSchema": _tree(tool.input_schema_json),
        "interactive": tool.interactive,
        "resultSchema": _tree(tool.result_schema_json),
        "version": tool.version,
        "hints": _hints_tree(tool.hints),
    }


def _action_tree(action: tool_pb2.ActionDefinition) -> dict[str, object]:
    return {
        "name": action.name,
        "description": action.description,
        "inputSchema": _tree(action.input_schema_json),
        "hints": _hints_tree(action.hints),
        "interactive": action.interactive,
        "resultSchema": _tree(action.result_schema_json),
    }


def _hints_tree(hints: tool_pb2.ActionHints) -> dict[str, object]:
    return {
        "read_only": hints.read_only,
        "destructive": hints.destructive,
        "idempotent": hints.idempotent,
    }


def _tree(text: str) -> object:
    """A schema's tree; none for no text. A text that is no object stays one, and is refused."""
    if not text:
        return None
    try:
        return load_object(text, "", most_bytes=limits.FRAME_BYTES)
    except LineUpError:
        return text


def applications_of(view: CatalogView) -> tuple[tuple[ToolDefinition, ...], list[Application]]:
    """The catalog's tools that belong to no MiniApp, and the MiniApps with theirs."""
    own: list[ToolDefinition] = []
    applications: dict[str, Application] = {}
    for offered, _ in view.tools:
        if not offered.application_id:
            own.append(offered.definition)
            continue
        known = applications.get(offered.application_id)
        applications[offered.application_id] = Application(
            id=offered.application_id,
            version=offered.application_version,
            title=offered.application_title,
            tools=(*(known.tools if known else ()), offered.definition),
        )
    return tuple(own), list(applications.values())


def catalog_to_wire(view: CatalogView, known_revision: int) -> relay_pb2.ListToolsResponse:
    """The catalog, as much as fits; without tools if the caller knows this revision."""
    if known_revision and known_revision == view.revision:
        return relay_pb2.ListToolsResponse(revision=view.revision)
    own, applications = applications_of(view)
    listed = relay_pb2.ListToolsResponse(revision=view.revision)
    listed.tools.extend(fitting(map(_tool, own), listed.ByteSize()))
    listed.applications.extend(fitting(map(_application, applications), listed.ByteSize()))
    return listed


def _application(told: Application) -> tool_pb2.Application:
    return tool_pb2.Application(
        id=told.id,
        version=told.version,
        title=told.title,
        tools=[_tool(tool) for tool in told.tools],
    )


def _tool(tool: ToolDefinition) -> tool_pb2.ToolDefinition:
    return tool_pb2.ToolDefinition(
        name=tool.name,
        type=_TYPES[tool.type],
        description=tool.description,
        actions=[_action(action) for action in tool.actions],
        input_schema_json=tool.input_schema_json,
        interactive=tool.interactive,
        result_schema_json=tool.result_schema_json,
        version=tool.version,
        hints=_hints(tool.hints),
    )


def _action(action: ActionDefinition) -> tool_pb2.ActionDefinition:
    return tool_pb2.ActionDefinition(
        name=action.name,
        description=action.description,
        input_schema_json=action.input_schema_json,
        hints=_hints(action.hints),
        interactive=action.interactive,
        result_schema_json=action.result_schema_json,
    )


def _hints(hints: Hints) -> tool_pb2.ActionHints | None:
    if hints == Hints():
        return None
    return tool_pb2.ActionHints(
        read_only=hints.read_only, destructive=hints.destructive, idempotent=hints.idempotent
    )


def refused_message(shown: ShowRefusedTools) -> WebsocketMessage:
    """Which of its tools a device hears are not offered."""
    refused = [
        tool_pb2.ToolRefusal(
            name=refusal.name,
            application_id=refusal.application,
            code=code_to_wire(refusal.code),
            message=refusal.message,
            field=refusal.field,
        )
        for refusal in shown.refused
    ]
    return WebsocketMessage(
        Cmd=Cmd.TOOLS_REFUSED.value,
        tools_refused=tool_pb2.ToolsRefused(tools=refused),
        ref=shown.ref,
    )
