"""Tools as devices offer them in the tests, in protobuf."""

from __future__ import annotations

import json

from lineup_srv.wire._gen.lineup.v1 import tool_pb2

__all__ = ["CALCULATOR", "CANVAS", "CHOICE", "POMODORO", "action", "toolset"]

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
