"""The names under which agent programs see actions, and the way back (design: hosts).

`<tool>_<action>`, or `<tool>` for type action: at most 40 characters of `[a-z0-9_]`, so that no
program's prefix or rule breaks them.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.tools import ToolType

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from lineup_srv.contract.tools import Application, ToolDefinition

__all__ = ["ActionKey", "action_keys", "mcp_names"]

_FOREIGN: Final = re.compile("[^a-z0-9]+")
_HASH_CHARACTERS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionKey:
    """One action of a room.

    Attributes:
        application: the MiniApp that has the tool; empty for none.
        tool: the tool's name.
        action: the action's name; the tool's own for type action.
        single: the tool is of type action.
    """

    application: str
    tool: str
    action: str
    single: bool


def action_keys(
    tools: Iterable[ToolDefinition], applications: Iterable[Application]
) -> Iterator[ActionKey]:
    """Every action, in the catalog's order."""
    groups = [("", tools), *((application.id, application.tools) for application in applications)]
    for application, offered in groups:
        for tool in offered:
            for action in tool.operations():
                yield ActionKey(
                    application=application,
                    tool=tool.name,
                    action=action.name,
                    single=tool.type is ToolType.ACTION,
                )


def mcp_names(keys: Iterable[ActionKey], taken: Collection[str]) -> dict[str, ActionKey]:
    """A name for every action, and so the reverse map.

    The first of two that would have the same name keeps it, so an action's name never changes
    because of one that came later; the other's, and one that is too long, is cut and gets six
    digits of its identity's hash.

    Args:
        keys: the actions, different from each other.
        taken: names that are in use already.
    """
    names: dict[str, ActionKey] = {}
    for key in keys:
        name = _plain(key)
        if len(name) > limits.MCP_NAME_CHARACTERS or name in names or name in taken:
            name = _hashed(name, key, names, taken)
        names[name] = key
    return names


def _plain(key: ActionKey) -> str:
    told = key.tool if key.single else f"{key.tool}_{key.action}"
    name = _FOREIGN.sub("_", told.lower()).strip("_")
    # Programs that know names as identifiers want a letter first; there may be none at all.
    return name if name[:1].isalpha() else f"tool_{name}".strip("_")


def _hashed(name: str, key: ActionKey, *taken: Collection[str]) -> str:
    room = limits.MCP_NAME_CHARACTERS - _HASH_CHARACTERS - 1
    attempt = 0
    while True:
        identity = "\0".join((key.application, key.tool, key.action, str(attempt or "")))
        digits = hashlib.sha256(identity.encode()).hexdigest()[:_HASH_CHARACTERS]
        hashed = f"{name[:room].rstrip('_')}_{digits}"
        if not any(hashed in names for names in taken):
            return hashed
        attempt += 1
