"""The command line of the bridge."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import click

from lineup_mcp import __version__
from lineup_mcp.commands import LazyCommands
from lineup_mcp.flags import FLAGS

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["main"]


def _with_flags(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the server's flags as options."""
    for flag in reversed(FLAGS):
        if flag.metavar:
            option = click.option(flag.name, flag.key, metavar=flag.metavar, help=flag.help)
        else:
            option = click.option(
                flag.name, flag.key, flag_value=flag.given, default=None, help=flag.help
            )
        command = option(command)
    return command


@click.group(
    cls=LazyCommands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@_with_flags
@click.option(
    "--web", is_flag=True, help="Open the page first; starts a relay if none answers here."
)
@click.option("--print-config", is_flag=True, help="Show every value and its source, then exit.")
@click.version_option(__version__, prog_name="lineup-mcp")
@click.pass_context
def main(context: click.Context, /, *, web: bool, print_config: bool, **values: object) -> None:
    """Connect an agent program (on stdin and stdout, MCP) with the LineUp relay.

    Without a command it serves MCP. The options below also stand before a command.
    """
    context.obj = values
    if context.invoked_subcommand is None:
        _serve(values, web=web, print_config=print_config)
        return
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # An answer may have characters that a terminal or a pipe cannot show.
            stream.reconfigure(errors="replace")


def _serve(values: dict[str, object], *, web: bool, print_config: bool) -> None:
    from lineup_mcp.config import describe
    from lineup_mcp.serving import CannotServe, serve
    from lineup_srv.settings.resolve import SettingsError

    try:
        if print_config:
            click.echo(describe(values))
        else:
            serve(values, web=web)
    except (CannotServe, SettingsError) as error:
        raise click.ClickException(str(error)) from error
