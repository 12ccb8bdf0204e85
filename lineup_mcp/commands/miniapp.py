"""`lineup-mcp miniapp …`: for those who write MiniApps."""

from __future__ import annotations

from pathlib import Path

import click

from lineup_srv.contract.errors import LineUpError
from lineup_srv.miniapps import complaint, read_folder

__all__ = ["miniapp"]


@click.group()
def miniapp() -> None:
    """Write MiniApps: small pages with tools that agents operate."""


@miniapp.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True))
def check(folder: Path) -> None:
    """Say what a relay would find wrong with the MiniApp in DIR; exit with 1 if anything."""
    try:
        app = read_folder(folder)
    except LineUpError as error:
        raise click.ClickException(complaint(error)) from error
    manifest = app.manifest
    for refusal in manifest.refused:
        click.echo(f"Error: {complaint(refusal)}", err=True)
    if manifest.refused:
        raise click.exceptions.Exit(1)
    application = manifest.application
    names = [
        f"{tool.name}.{action.name}" for tool in application.tools for action in tool.operations()
    ]
    click.echo(f"{application.title} {application.version} ({application.id}) is fine.")
    click.echo(f"Page: {manifest.entry}. Actions: {', '.join(names) or 'none'}.")
