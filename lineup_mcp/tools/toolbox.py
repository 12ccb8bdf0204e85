"""All tools of one bridge: those that speak with the human, and those of devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lineup_mcp import results
from lineup_mcp.hosts import HOST_ARGUMENTS
from lineup_mcp.tools.app_definitions import APP_TOOLS
from lineup_mcp.tools.call import Reply
from lineup_mcp.tools.definitions import TOOLS, UNLISTED, argument_names, is_closed
from lineup_mcp.tools.reading import ArgumentError, only_known

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineup_mcp.tools.app_tools import AppTools
    from lineup_mcp.tools.builtin import BuiltinTools
    from lineup_mcp.tools.call import Call

__all__ = ["Toolbox"]

_BUILTIN: Final = frozenset(tool["name"] for tool in TOOLS)
_CLOSED: Final = {
    tool["name"]: argument_names(tool["inputSchema"])
    for tool in (*TOOLS, *APP_TOOLS)
    if is_closed(tool)
}
"""What each of the bridge's own tools takes; the schema of a device's tool is checked with it."""
_BESIDES: Final = HOST_ARGUMENTS | UNLISTED


class Toolbox:
    """Finds the tool that a name means.

    Args:
        builtin: speak with the human.
        apps: are offered by devices.
    """

    def __init__(self, builtin: BuiltinTools, apps: AppTools) -> None:
        self._builtin = builtin
        self._apps = apps

    async def call(self, name: str, arguments: Mapping[str, object], call: Call) -> Reply:
        """Run a tool. Every refusal is a normal result that names the next step.

        Raises:
            KeyError: there is no such tool.
        """
        tools = self._builtin if name in _BUILTIN else self._apps
        try:
            if name in _CLOSED:
                only_known(arguments, _CLOSED[name], besides=_BESIDES)
            return await tools.call(name, arguments, call)
        except ArgumentError as error:
            return Reply(results.invalid(error))
