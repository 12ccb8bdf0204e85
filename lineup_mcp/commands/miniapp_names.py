"""What agents would see of MiniApps' actions, and what they would not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lineup_mcp.tools.listing import RESERVED
from lineup_srv.contract.errors import LineUpError
from lineup_srv.contract.host_schema import host_schema
from lineup_srv.contract.json_places import places
from lineup_srv.contract.json_text import below
from lineup_srv.contract.tool_names import action_keys, mcp_names
from lineup_srv.miniapps import MANIFEST, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lineup_srv.contract.tool_names import ActionKey
    from lineup_srv.miniapps import MiniApp

__all__ = ["hidden_actions", "taken_names"]


def taken_names(apps: Sequence[MiniApp]) -> Iterator[tuple[MiniApp, Fault]]:
    """Actions whose name for agents another one has: they get one that says nothing."""
    by_id = {app.manifest.application.id: app for app in apps}
    keys = list(action_keys((), [app.manifest.application for app in apps]))
    names = mcp_names(keys, RESERVED)
    for name, key in names.items():
        ((alone, _),) = mcp_names([key], ()).items()
        if name == alone:
            continue
        other = names.get(alone)
        holder = "LineUp itself" if other is None else _told(other)
        message = f"agents call this {name}, for {holder} has the name {alone}: choose another"
        app = by_id[key.application]
        yield app, _fault(app, key, "name", message)


def hidden_actions(app: MiniApp) -> Iterator[Fault]:
    """Actions whose schema agent programs cannot be shown."""
    application = app.manifest.application
    for key in action_keys((), [application]):
        (tool,) = (tool for tool in application.tools if tool.name == key.tool)
        action = tool.operation(key.action)
        try:
            host_schema(action.input_schema_json if action else "")
        except LineUpError as error:
            field = below("inputSchema", error.field) if error.field else "inputSchema"
            message = f"{error.message}; so no agent would be offered this action"
            yield _fault(app, key, field, message)


def _told(key: ActionKey) -> str:
    action = key.tool if key.single else f"{key.tool} {key.action}"
    return f"{action} of {key.application}"


def _fault(app: MiniApp, key: ActionKey, field: str, message: str) -> Fault:
    text = (app.folder / MANIFEST).read_text("utf-8-sig")
    path = below(_path_of(json.loads(text), key), field)
    return Fault(file=MANIFEST, place=places(text, [path])[path], path=path, message=message)


def _path_of(manifest: dict[str, list[dict[str, object]]], key: ActionKey) -> str:
    """Where the action stands; tools before it may be bad ones that nobody is offered."""
    tools = manifest["tools"]
    index = next(i for i, tool in enumerate(tools) if _is_named(tool, key.tool))
    path = f"tools[{index}]"
    actions = tools[index].get("actions")
    if key.single or not isinstance(actions, list):
        return path
    inner = next(i for i, action in enumerate(actions) if _is_named(action, key.action))
    return f"{path}.actions[{inner}]"


def _is_named(value: object, name: str) -> bool:
    return isinstance(value, dict) and value.get("name") == name
