"""The command line of the bridge."""

from __future__ import annotations

import io
import logging
import os
import stat
import sys

import click

from lineup_mcp import __version__
from lineup_mcp.commands import LazyCommands
from lineup_srv.settings.resolve import SettingsError

__all__ = ["main"]

_LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


@click.group(
    cls=LazyCommands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option("--config", metavar="FILE", help="Read this configuration file and no other.")
@click.option("--host", metavar="HOST", help="The relay's host.  [default: 127.0.0.1]")
@click.option("--port", metavar="PORT", help="The relay's HTTP port.  [default: 22080]")
@click.option("--grpc-port", metavar="PORT", help="Its gRPC port.  [default: HTTP port + 1]")
@click.option("--token", metavar="TOKEN", help="The room's token; visible in the process list.")
@click.option("--agent", metavar="NAME", help="A name for an agent program that gives none.")
@click.option("--tools", metavar="NAMES", help="Offer only these tools, with commas between.")
@click.option("--wait-slice", metavar="SECONDS", help="How long one call waits at most.")
@click.option("--channels", is_flag=True, default=None, help="Offer Claude Code channels.")
@click.option(
    "--web", is_flag=True, help="Open the page first; starts a relay if none answers here."
)
@click.option("--no-autostart", is_flag=True, help="Never start a relay.")
@click.option("--print-config", is_flag=True, help="Show every value and its source, then exit.")
@click.version_option(__version__, prog_name="lineup-mcp")
@click.pass_context
def main(
    context: click.Context,
    /,
    *,
    web: bool,
    no_autostart: bool,
    print_config: bool,
    **flags: object,
) -> None:
    """Connect an agent program (on stdin and stdout, MCP) with the LineUp relay.

    Without a command it serves MCP. The options below also stand before a command.
    """
    values: dict[str, object] = dict(flags)
    if no_autostart:
        values["autostart"] = False
    context.obj = values
    if context.invoked_subcommand is None:
        _serve(values, web=web, print_config=print_config)
        return
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # An answer may have characters that a terminal or a pipe cannot show.
            stream.reconfigure(errors="replace")


def _serve(values: dict[str, object], *, web: bool, print_config: bool) -> None:
    from lineup_mcp import config as configuration

    try:
        if print_config:
            click.echo(configuration.describe(values))
            return
        config = configuration.load(values)
    except SettingsError as error:
        raise click.ClickException(str(error)) from error

    from lineup_mcp.stdio import claim_standard_streams

    piped = _is_pipe(0)
    try:
        source, sink = claim_standard_streams()
    except OSError as error:
        message = "stdin and stdout must be open: this is an MCP server for an agent program"
        raise click.ClickException(message) from error
    logging.basicConfig(
        level=_LEVELS[config.log_level],
        stream=sys.stderr,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    if web:
        from lineup_mcp.web import open_page

        opened = open_page(config, environ=os.environ, out=sys.stderr)
        if not piped:
            raise SystemExit(0 if opened else 1)

    from lineup_mcp.lifecycle import run

    run(config, source, sink)


def _is_pipe(descriptor: int) -> bool:
    """Whether an agent program may be at the other end."""
    try:
        mode = os.fstat(descriptor).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
