"""`lineup-mcp install HOST`: enters the bridge into an agent program's configuration."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from lineup_mcp.commands.configured import fail, flags_of, show
from lineup_mcp.installer.hooks import with_hooks
from lineup_mcp.installer.places import Place, Scope
from lineup_mcp.installer.plan import added, difference
from lineup_mcp.installer.programs import PROGRAMS
from lineup_mcp.installer.start import make_server
from lineup_mcp.installer.writing import CannotRead, CannotWrite, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from lineup_mcp.installer.plan import Change

__all__ = ["carry_out", "here", "install", "scoped"]

F = TypeVar("F", bound="Callable[..., Any]")


def scoped(command: F) -> F:
    """The argument and the options that both directions have."""
    for option in (
        click.option("--dry-run", is_flag=True, help="Show what would change; change nothing."),
        click.option(
            "--scope",
            type=click.Choice([scope.value for scope in Scope]),
            default=Scope.USER.value,
            show_default=True,
            help="Your own configuration, or that of the project in the working directory.",
        ),
        click.argument("program", metavar="HOST", type=click.Choice(list(PROGRAMS))),
    ):
        command = option(command)
    return command


@click.command()
@scoped
@click.option("--rules", is_flag=True, help="Also tell the agent, in CLAUDE.md or its like.")
@click.option("--hooks", is_flag=True, help="Also answer its permission dialogs (Claude Code).")
@click.option("--channels", is_flag=True, help="Also push your words into it (Claude Code).")
@click.pass_context
def install(
    context: click.Context,
    /,
    *,
    program: str,
    scope: str,
    dry_run: bool,
    rules: bool,
    hooks: bool,
    channels: bool,
) -> None:
    """Enter LineUp into the configuration of an agent program.

    HOST is one of claude, codex, hermes, gemini, opencode, cursor, cline, vscode. Only LineUp's own
    entry and the switches it needs are written; comments and order stay, what was there is kept as
    a copy, and a second run changes nothing. Options that stand before `install` go into the entry.
    """
    known, where, place = PROGRAMS[program], Scope(scope), here()
    if (hooks or channels) and not known.extras:
        fail(f"{known.title} has neither these hooks nor channels: only Claude Code does", 2)
    server, notes = make_server(flags_of(context), place, where, channels=channels)
    files = known.files(place, where, server)
    if not files:
        fail(f"{known.title} reads no configuration of a project: leave --scope out", 2)
    if hooks:
        files = with_hooks(files, server, platform=sys.platform)
    block = known.rules(place, where) if rules else None
    if rules and block is None:
        notes.append(f"{known.title} has no file for rules in this scope: use --scope project.")
    if channels:
        notes.append(
            "Start it with --dangerously-load-development-channels server:lineup, signed in."
        )
    done = carry_out(lambda: added(files, block, where), dry_run=dry_run)
    if done and not dry_run:
        notes.append(known.next_step)
    for note in notes:
        click.echo(note)


def here() -> Place:
    """This user, on this machine, in the working directory."""
    return Place(
        home=Path.home(), project=Path.cwd(), platform=sys.platform, environ=dict(os.environ)
    )


def carry_out(plan: Callable[[], list[Change]], *, dry_run: bool) -> bool:
    """Show a plan's changes and write them; a failure ends the program with status 1.

    Returns:
        whether there was anything to change.
    """
    try:
        changes = plan()
        for change in changes:
            show("\n".join(map(_coloured, difference(change).splitlines())))
            if not dry_run:
                copy = write(change)
                kept = "" if copy is None else f"; what was there is in {copy}"
                click.echo(f"{'Removed' if change.after is None else 'Wrote'} {change.path}{kept}")
    except CannotRead as error:
        fail(f"{error}. Mend the file and try again", 1)
    except CannotWrite as error:
        fail(str(error), 1)
    if not changes:
        click.echo("Nothing to change.")
    elif dry_run:
        click.echo("Nothing was changed (--dry-run).")
    return bool(changes)


def _coloured(line: str) -> str:
    """A line of a diff, by what it says."""
    colour = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1])
    return click.style(line, fg=colour) if colour else line
