"""Commands of `lineup-mcp` for people and scripts, one module each.

Without a command the program serves MCP, and an agent program waits for its first answer: so a
command's module is imported only when the command is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["COMMANDS", "LazyCommands"]

COMMANDS: Final[Mapping[str, str]] = {
    "ask": "ask",
    "doctor": "doctor",
    "hook": "hook",
    "install": "install",
    "miniapp": "miniapp",
    "permissions": "permissions",
    "report": "report",
    "uninstall": "uninstall",
}
"""Each command's name and the module of this package that has it, under the same name."""


class LazyCommands(click.Group):
    """A group that imports a command when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, none of which is imported for it."""
        return sorted({*super().list_commands(ctx), *COMMANDS})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported; None if there is none."""
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        module = importlib.import_module(f"{__name__}.{COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, COMMANDS[cmd_name])
        return command
