"""The actions of announced tools, as agent programs see them: plain data.

Nothing here knows protobuf, so that the last known actions can be listed before anything heavy is
imported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits

if TYPE_CHECKING:
    from lineup_mcp.tools.definitions import Definition
    from lineup_srv.contract.tool_names import ActionKey

__all__ = ["AppAction"]

# Not "anthropic/alwaysLoad": these would fill the context of conversations that never use them.
_META: Final[Definition] = {"anthropic/maxResultSizeChars": 200_000}
_WAITS: Final = " (A human answers it on a device, in minutes or hours.)"


@dataclass(frozen=True, slots=True, kw_only=True)
class AppAction:
    """One action of a tool that a device offers.

    Args:
        key: what names it.
        title: the tool for people, such as the MiniApp's title; empty: its name.
        description: for the agent; at most TOOL_DESCRIPTION_CHARACTERS.
        schema: JSON Schema of the arguments, as every agent program takes it.
        read_only: it changes nothing.
        destructive: it may destroy something.
        idempotent: running it again changes nothing more.
        interactive: a human answers it.
    """

    key: ActionKey
    title: str
    description: str
    schema: Definition
    read_only: bool
    destructive: bool
    idempotent: bool
    interactive: bool

    @property
    def label(self) -> str:
        """Tool and action for people."""
        tool, action = self.title or self.key.tool, self.key.action
        return tool if self.key.single else f"{tool}: {action}"

    def definition(self, name: str) -> Definition:
        """The MCP tool.

        Args:
            name: what the action is called there.
        """
        return {
            "name": name,
            "title": self.label,
            "description": self._described(),
            "inputSchema": self.schema,
            "annotations": {
                "title": self.label,
                "readOnlyHint": self.read_only,
                "destructiveHint": self.destructive,
                "idempotentHint": self.idempotent,
                # It acts on the human's own devices.
                "openWorldHint": False,
            },
            "_meta": _META,
        }

    def _described(self) -> str:
        text = self.description or self.label
        if not self.interactive:
            return text
        return text[: limits.TOOL_DESCRIPTION_CHARACTERS - len(_WAITS)] + _WAITS
