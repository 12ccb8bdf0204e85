"""`lineup-mcp permissions`: what humans allowed for whole sessions, and taking it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from lineup_mcp.commands.configured import fail

if TYPE_CHECKING:
    from lineup_mcp.standing import Standing

__all__ = ["permissions"]


@click.group(invoke_without_command=True)
@click.pass_context
def permissions(context: click.Context) -> None:
    """List what was allowed for whole sessions of agent programs on this machine."""
    if context.invoked_subcommand is not None:
        return
    from lineup_mcp.standing import standing

    found = standing()
    for one in found:
        click.echo(_line(one))
    if not found:
        click.echo("Nothing is allowed for a whole session.")


@permissions.command()
@click.argument("permission_id", metavar="ID", required=False)
@click.option("--all", "every", is_flag=True, help="Take all of them back.")
def revoke(permission_id: str | None, every: bool) -> None:
    """Take a permission back; the agent program asks again then."""
    from lineup_mcp import standing

    if (permission_id is None) is not every:
        fail("name one permission, or give --all", 2)
    wanted = [one.id for one in standing.standing()] if permission_id is None else [permission_id]
    for one in wanted:
        if not standing.revoke(one) and not every:
            fail(f"there is no permission {one}; `lineup-mcp permissions` lists them", 1)
        click.echo(f"Taken back: {one}")


def _line(one: Standing) -> str:
    from lineup_mcp.phrases import local_time

    scope = " ".join(one.scope.split())
    printable = "".join(c if c.isprintable() else "?" for c in f"{one.tool}: {scope}")
    by = "".join(c if c.isprintable() else "?" for c in one.by)
    return f"{one.id}  {printable}  (by {by}, {local_time(one.given_unix_ms)})"
