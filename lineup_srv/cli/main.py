"""`lineup-srv` without a command runs the relay; this puts its commands together."""

from __future__ import annotations

import sys

import click

from lineup_srv import __version__
from lineup_srv.cli.backup import backup
from lineup_srv.cli.export import export
from lineup_srv.cli.stop import stop
from lineup_srv.cli.token import token
from lineup_srv.config import describe, load
from lineup_srv.settings.resolve import SettingsError

__all__ = ["main"]


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--config", metavar="FILE", help="Configuration file; default: see below.")
@click.option("--host", metavar="ADDRESS", help="Address to bind. Default: 127.0.0.1.")
@click.option("--port", type=int, help="HTTP port; 0: any free one. Default: 22080.")
@click.option("--grpc-port", type=int, help="gRPC port. Default: the HTTP port + 1.")
@click.option("--token", metavar="TOKEN", help="The only token that is let in; leaves open mode.")
@click.option("--data-dir", metavar="DIR", help="Where the log lives. Default: per user.")
@click.option("--miniapps", metavar="DIR", help="MiniApps besides those in the data directory.")
@click.option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    help="What is logged on stderr. Default: info.",
)
@click.option("--print-config", is_flag=True, help="Print each value and its source, then exit.")
@click.version_option(__version__, prog_name="lineup-srv")
@click.pass_context
def main(context: click.Context, /, *, print_config: bool, **flags: object) -> None:
    """Run the LineUp relay, or a command on its data.

    When it accepts connections it prints one line of JSON on stdout; logs go to stderr.
    Configuration: flags, then LINEUP_* variables, then --config, ./lineup-mcp.toml, or the file in
    the user's configuration directory, then defaults.
    """
    context.obj = flags
    if context.invoked_subcommand is not None:
        return
    try:
        if print_config:
            click.echo(describe(flags))
            return
        config = load(flags)
    except SettingsError as error:
        click.echo(f"lineup-srv: {error}", err=True)
        sys.exit(2)
    # The servers take a moment to import; --help and --print-config do without them.
    from lineup_srv.app import run

    sys.exit(run(config))


main.add_command(backup)
main.add_command(export)
main.add_command(stop)
main.add_command(token)
