"""The words of lineup_list_tools: what devices offer, with schemas as long as they fit."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Final

from lineup_mcp.answers import INLINE_BYTES, shortened
from lineup_mcp.phrases import device_count
from lineup_mcp.results import Result
from lineup_mcp.suggestions import did_you_mean
from lineup_mcp.tools.definitions import TOOLS

if TYPE_CHECKING:
    from lineup_mcp.tools.apps import AppAction
    from lineup_mcp.tools.listing import Dropped, Listing

__all__ = ["listed", "not_offered"]

_NAMES: Final = 50
_SHORT_CHARACTERS: Final = 80
_OPEN: Final = (
    "ask the human to open the LineUp page on a device (here: with the command `lineup-mcp --web`)"
)
_BUILTIN: Final = frozenset(tool["name"] for tool in TOOLS)


def listed(listing: Listing, *, only: str, devices_online: int, attached: bool) -> Result:
    """The list.

    Args:
        listing: what is offered.
        only: show this tool alone; empty = all.
        devices_online: how many.
        attached: whether the relay is there.
    """
    actions = [listing.known[name] for name in listing.current]
    if only:
        actions = [
            action for action in actions if only in (action.key.tool, _name(listing, action))
        ]
        if not actions and not (listing.fresh and attached):
            return Result(
                f"The relay cannot be reached now; no tool {only} was known last.\n"
                "Next step: go on without it, or list the tools again later."
            )
        if not actions:
            return not_offered(listing, only, "")
    head = _head(listing, len(actions), devices_online, attached)
    tail = [] if only else _left_out(listing)
    text = "\n".join([head, *_tools(listing, actions, schemas=True), *tail])
    if not only and len(text.encode()) > INLINE_BYTES:
        hint = "For the JSON Schemas of a tool call lineup_list_tools with its name."
        text = "\n".join([head, hint, *_tools(listing, actions, schemas=False), *tail])
    return Result(shortened(text))


def not_offered(listing: Listing, tool: str, action: str) -> Result:
    """No connected device offers a tool or action: what may be meant, and what there is."""
    name = f"{tool} {action}".rstrip()
    what = f"unknown_tool: app not connected: no connected device offers {name}; nothing was run."
    if tool in _BUILTIN:
        return Result(f"{what}\nNext step: {tool} is a tool of LineUp itself; call it directly.")
    actions = [listing.known[name] for name in listing.current]
    if not actions:
        return Result(
            f"{what}\nNo device offers any tool now.\nNext step: {_OPEN}, then call again."
        )
    of_tool = [one.key.action for one in actions if one.key.tool == tool]
    if of_tool:
        near, known = did_you_mean(action, of_tool), f"{tool} has the actions {_few(of_tool)}."
    else:
        tools = list(dict.fromkeys(one.key.tool for one in actions))
        near = did_you_mean(tool, [*tools, *listing.current])
        known = f"Offered now: {_few(tools)}."
    return Result(
        f"{what}{near}\n{known}\nNext step: call lineup_call_tool with one of these names. If the "
        f"tool is on a device that is off, {_OPEN}."
    )


def _few(names: list[str]) -> str:
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return ", ".join(names[:_NAMES]) + more


def _head(listing: Listing, count: int, devices_online: int, attached: bool) -> str:
    if not listing.fresh or not attached:
        return f"The relay cannot be reached now; {count} actions were known last:"
    if not count:
        return (
            f"No tools are offered, by {device_count(devices_online)}.\nNext step: {_OPEN}, then "
            "list the tools again."
        )
    return (
        f"{count} actions on {device_count(devices_online)}. Call them with lineup_call_tool, or "
        "by the name in brackets where there is one:"
    )


def _tools(listing: Listing, actions: list[AppAction], *, schemas: bool) -> list[str]:
    lines: list[str] = []
    for (application, tool), group in groupby(
        actions, key=lambda action: (action.key.application, action.key.tool)
    ):
        of = f' (application "{application}")' if application else ""
        lines.append(f"\n{tool}{of}")
        lines += [_line(listing, action, schemas=schemas) for action in group]
    return lines


def _line(listing: Listing, action: AppAction, *, schemas: bool) -> str:
    name = _name(listing, action)
    by_name = f" [{name}]" if listing.is_exposed(name) else ""
    waits = " (a human answers)" if action.interactive else ""
    description = " ".join(action.description.split())
    if not schemas:
        description = description[:_SHORT_CHARACTERS]
        return f"  {action.key.action}({_signature(action)}){by_name}{waits}: {description}"
    schema = json.dumps(action.schema, ensure_ascii=False, separators=(",", ":"))
    return f"  {action.key.action}{by_name}{waits}: {description}\n    arguments: {schema}"


def _signature(action: AppAction) -> str:
    """The names of the arguments; those that may be left out with a question mark."""
    properties, required = action.schema.get("properties"), action.schema.get("required")
    names = list(properties) if isinstance(properties, dict) else []
    needed = required if isinstance(required, list) else []
    return ", ".join(name if name in needed else f"{name}?" for name in names)


def _left_out(listing: Listing) -> list[str]:
    """What is not offered by name, or not at all."""
    dropped: list[Dropped] = [*listing.overflow, *listing.refused]
    if not dropped:
        return []
    shown = [f"  {one.what}: {one.reason}" for one in dropped[:_NAMES]]
    more = [f"  and {len(dropped) - _NAMES} more"] if len(dropped) > _NAMES else []
    return ["\nNot among your tools:", *shown, *more]


def _name(listing: Listing, action: AppAction) -> str:
    return listing.name_of(action.key)
