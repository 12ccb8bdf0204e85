"""`lineup-srv stop`: ends the relay that holds the data directory, whoever started it."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING, Final

import click

from lineup_srv.cli.places import CommandFailed, on_data

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["stop"]

_PATIENCE_SECONDS: Final = 10.0
"""A relay ends within 2 s; a slow disk may need longer."""
_LOOK_SECONDS: Final = 0.05


@click.command()
@on_data
def stop(data_dir: Path) -> None:
    """End the relay that runs on this data directory, and wait until it has.

    Open requests stay in the log. A bridge that finds no relay starts one again on this machine's
    own address, so start yours at once if it is to be another: lineup-srv stop && lineup-srv
    """
    from lineup_srv.logs.lock import holder_of, is_locked

    if not is_locked(data_dir):
        click.echo(f"No relay runs on {data_dir}.")
        return
    pid = holder_of(data_dir)
    if pid is None:
        raise CommandFailed(f"a relay on {data_dir} is just starting or ending: try again")
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        pass  # It has just ended by itself.
    except PermissionError as error:
        raise CommandFailed(f"the relay, process {pid}, is another user's") from error
    end = time.monotonic() + _PATIENCE_SECONDS
    # Another one may hold the directory as soon as this one is gone.
    while is_locked(data_dir) and holder_of(data_dir) == pid:
        if time.monotonic() > end:
            waited = f"{_PATIENCE_SECONDS:.0f} s"
            raise CommandFailed(
                f"the relay, process {pid}, was told to end and runs after {waited}"
            )
        time.sleep(_LOOK_SECONDS)
    click.echo(f"The relay, process {pid}, has ended.")
