"""`lineup-mcp miniapp …`: for those who write MiniApps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lineup_mcp.commands.miniapp_files import missing_files
from lineup_mcp.commands.miniapp_names import hidden_actions, taken_names
from lineup_srv.miniapps import MANIFEST, Found, examine, folders_in, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineup_srv.miniapps import Fault, MiniApp

__all__ = ["miniapp"]


@click.group()
def miniapp() -> None:
    """Write MiniApps: small pages with tools that agents operate."""


@miniapp.command()
@click.argument(
    "folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False)
)
def check(folder: Path) -> None:
    """Say all that is wrong with the MiniApp in DIR, or with the MiniApps in the folders of DIR.

    Each fault is a line: file, line and column, path in the manifest, and what to do. Exits with 1
    if there is any.
    """
    found = examine(folder)
    wrong = _faults_by_folder(folder, found)
    for where, faults in wrong.items():
        for fault in faults:
            click.echo(f"{where}/{fault}", err=True)
    for where, app in _places(folder, found):
        if not wrong.get(where):
            click.echo(printable(_summary(app)))
    for name in _others(folder):
        click.echo(printable(f"{name}: has no {MANIFEST}, so it is no MiniApp."))
    if not wrong:
        message = f"neither {folder} nor a folder in it has a {MANIFEST}: this is no MiniApp"
        raise click.ClickException(message)
    count = sum(map(len, wrong.values()))
    if count:
        click.echo("1 fault." if count == 1 else f"{count} faults.", err=True)
        raise click.exceptions.Exit(1)


def _faults_by_folder(root: Path, found: Found) -> dict[Path, list[Fault]]:
    """All folders with a manifest; nothing is wrong with some."""
    wrong: dict[Path, list[Fault]] = {where: [] for where, _ in folders_in(root)}
    for refused in found.refused:
        wrong[refused.folder] += refused.faults
        if refused.entry:
            wrong[refused.folder] += missing_files(refused.folder.resolve(), refused.entry)
    for where, app in _places(root, found):
        wrong[where] += [*hidden_actions(app), *missing_files(app.folder, app.manifest.entry)]
        wrong[where] += (
            fault for one, fault in taken_names(list(found.apps.values())) if one is app
        )
    return wrong


def _places(root: Path, found: Found) -> Iterator[tuple[Path, MiniApp]]:
    """The MiniApps by their folders as the user names them."""
    by_folder = {app.folder: app for app in found.apps.values()}
    for where, _ in folders_in(root):
        app = by_folder.pop(where.resolve(), None)
        if app is not None:
            yield where, app


def _others(root: Path) -> list[str]:
    """The folders among MiniApps that are none."""
    if (root / MANIFEST).exists():
        return []
    folders = (path for path in sorted(root.iterdir()) if path.is_dir())
    return [
        path.name
        for path in folders
        if not path.name.startswith(".") and not (path / MANIFEST).exists()
    ]


def _summary(app: MiniApp) -> str:
    application = app.manifest.application
    names = ", ".join(
        f"{tool.name}.{action.name}" for tool in application.tools for action in tool.operations()
    )
    return (
        f"{application.title} {application.version} ({application.id}) is fine. "
        f"Page: {app.manifest.entry}. Actions: {names or 'none'}."
    )
