"""`lineup-mcp uninstall HOST`: takes the bridge out of an agent program's configuration."""

from __future__ import annotations

import sys

import click

from lineup_mcp.commands.configured import fail
from lineup_mcp.commands.install import carry_out, here, scoped
from lineup_mcp.installer.hooks import with_hooks
from lineup_mcp.installer.places import Scope
from lineup_mcp.installer.plan import removed
from lineup_mcp.installer.program import Server
from lineup_mcp.installer.programs import PROGRAMS

__all__ = ["uninstall"]


@click.command()
@scoped
def uninstall(*, program: str, scope: str, dry_run: bool) -> None:
    """Take LineUp out of the configuration of an agent program.

    Its entry, its switches where they still have its values, its hooks and its rules go; everything
    around them stays as it is written. A file that says nothing else is removed.
    """
    known, where, place = PROGRAMS[program], Scope(scope), here()
    server = Server(command="lineup-mcp")
    files = known.files(place, where, server)
    rules = known.rules(place, where)
    if not files:
        fail(f"{known.title} reads no configuration of a project: leave --scope out", 2)
    if known.extras:
        files = with_hooks(files, server, platform=sys.platform)
    carry_out(lambda: removed(files, [rules], where), dry_run=dry_run)
