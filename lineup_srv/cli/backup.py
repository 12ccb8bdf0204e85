"""`lineup-srv backup`: a copy of the log while the relay runs."""

from __future__ import annotations

from pathlib import Path

import click

from lineup_srv.cli.places import new_file, on_data

__all__ = ["backup"]


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
@on_data
def backup(data_dir: Path, *, file: Path, force: bool) -> None:
    """Copy log, pictures, settings and token hashes into FILE, while the relay runs or not.

    The copy is checked before it gets its name, and only its owner can read it. To restore it, stop
    the relay and put it in place of lineup.db in an empty data directory.
    """
    from lineup_srv.logs.sqlite.offline import back_up

    with new_file(file.absolute(), force=force) as draft:
        back_up(data_dir, draft)
    click.echo(f"{file}: {file.stat().st_size} bytes", err=True)
