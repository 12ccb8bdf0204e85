"""`lineup_list_tools` and `lineup_call_tool` as `tools/list` shows them: for agent programs whose
list is frozen, and for tools beyond the number that is offered by name. Plain data.
"""

from __future__ import annotations

from typing import Final

from lineup_mcp.tools.definitions import TIMEOUT, Definition, own_tool

__all__ = ["APP_TOOLS", "CALL_TOOL", "LIST_TOOLS"]

LIST_TOOLS: Final = "lineup_list_tools"
CALL_TOOL: Final = "lineup_call_tool"


def _hints(*, read_only: bool) -> Definition:
    return {
        "readOnlyHint": read_only,
        # What is called may be anything; an action with a name of its own says what it is.
        "destructiveHint": not read_only,
        "idempotentHint": read_only,
        "openWorldHint": False,
    }


APP_TOOLS: Final[tuple[Definition, ...]] = (
    own_tool(
        LIST_TOOLS,
        "List the tools of devices",
        "Lists the tools that the human's devices offer now (canvas, calculator, choices, small "
        "apps), with their actions and arguments, also those that do not stand among your tools. "
        "Call them with lineup_call_tool.",
        {
            "name": {
                "type": "string",
                "description": "Only this tool, with the JSON Schemas of its actions.",
            },
        },
        hints=_hints(read_only=True),
    ),
    own_tool(
        CALL_TOOL,
        "Call a tool of a device",
        "Calls an action of a tool that lineup_list_tools names, on the human's device, and "
        "returns its result. Some are answered by the human and take minutes or hours. If a "
        "result says it is not finished yet, call again with its `call_id` only.",
        {
            "name": {"type": "string", "description": "The tool, e.g. canvas."},
            "action": {
                "type": "string",
                "description": "The action, e.g. draw; may be left out if the tool has only one.",
            },
            "arguments": {
                "type": "object",
                "description": "The action's arguments, as its schema says.",
                "additionalProperties": True,
            },
            "application": {
                "type": "string",
                "description": "The MiniApp's id, if two tools have the same name.",
            },
            "timeout": TIMEOUT,
            "call_id": {
                "type": "string",
                "description": (
                    "Go on waiting for an earlier call; from its result. Leave everything else "
                    "out then."
                ),
            },
        },
        hints=_hints(read_only=False),
    ),
)
