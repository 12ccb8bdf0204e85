"""Tools as devices offer them in the tests, in protobuf."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lineup_mcp.catalog import read_catalog
from lineup_mcp.catalog_file import CatalogFile
from lineup_mcp.tools.listing import RESERVED, Listing
from lineup_srv.contract.tool_names import mcp_names
from lineup_srv.settings.files import state_directory
from lineup_srv.wire._gen.lineup.v1 import relay_pb2, tool_pb2
from tests.mcp.fake_relay import CLOCK, TOKEN

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "CALCULATOR",
    "CANVAS",
    "CHOICE",
    "POMODORO",
    "action",
    "offer",
    "remembered",
    "toolset",
]

_NUMBERS = {
    "type": "object",
    "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
    "required": ["a", "b"],
}


def action(name: str, schema: object = None, **fields: object) -> tool_pb2.ActionDefinition:
    """One action."""
    text = json.dumps(schema if schema is not None else {"type": "object", "properties": {}})
    values = {"description": f"Does {name}.", "input_schema_json": text, **fields}
    return tool_pb2.ActionDefinition(name=name, **values)  # type: ignore[arg-type] # by name


def toolset(name: str, *actions: tool_pb2.ActionDefinition) -> tool_pb2.ToolDefinition:
    """A toolset of these actions."""
    return tool_pb2.ToolDefinition(
        name=name, type=tool_pb2.TOOL_TYPE_TOOLSET, description=f"The {name}.", actions=actions
    )


CALCULATOR = toolset(
    "calculator",
    action("add", _NUMBERS, hints=tool_pb2.ActionHints(read_only=True, idempotent=True)),
    action("divide", _NUMBERS, hints=tool_pb2.ActionHints(read_only=True, idempotent=True)),
)
CANVAS = tool_pb2.ToolDefinition(
    name="canvas",
    type=tool_pb2.TOOL_TYPE_APP,
    description="A canvas to draw on.",
    actions=[
        action("open"),
        action(
            "draw",
            {
                "type": "object",
                "properties": {"instance_id": {"type": "string"}, "path": {"type": "string"}},
                "required": ["instance_id", "path"],
            },
        ),
        action("clear", hints=tool_pb2.ActionHints(destructive=True)),
    ],
)
CHOICE = tool_pb2.ToolDefinition(
    name="choice",
    type=tool_pb2.TOOL_TYPE_ACTION,
    description="Lets the human choose.",
    input_schema_json=json.dumps(
        {
            "type": "object",
            "properties": {
                "question": {"type": "string"},
                "options": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["question", "options"],
        }
    ),
    interactive=True,
    hints=tool_pb2.ActionHints(read_only=True),
)
POMODORO = tool_pb2.Application(
    id="com.example.pomodoro",
    version="1",
    title="Pomodoro",
    tools=[toolset("timer", action("start"), action("stop"))],
)


def offer(
    listing: Listing,
    *tools: tool_pb2.ToolDefinition,
    applications: Iterable[tool_pb2.Application] = (),
) -> Listing:
    """What the relay tells, taken as the bridge takes it."""
    told = relay_pb2.ListToolsResponse(revision=1, tools=tools, applications=applications)
    catalog = read_catalog(told)
    keys = listing.unnamed(one.key for one in catalog.actions)
    names = mcp_names(keys, RESERVED | listing.known.keys())
    listing.replace(catalog.actions, catalog.refused, names)
    return listing


def remembered(port: int) -> Listing:
    """What an earlier process left on disk for the relay of the tests on this HTTP port."""
    listing = offer(Listing((), 32), CANVAS, CALCULATOR, CHOICE)
    file = CatalogFile(state_directory() / "catalogs", f"127.0.0.1:{port}", TOKEN)
    file.save(listing.known, listing.current, CLOCK)
    return Listing((), 32, file.load(RESERVED, CLOCK))
