"""What the commands share: which data directory, how they fail, how they write a file."""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
import sys
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

import click

from lineup_srv.config import data_directory_of
from lineup_srv.settings.resolve import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["CommandFailed", "new_file", "on_data"]

P = ParamSpec("P")


class CommandFailed(Exception):
    """The command did not do what it was asked for; `str()` says why. Exit status 1."""


def on_data(command: Callable[Concatenate[Path, P], None]) -> Callable[P, None]:
    """Give a command --config and --data-dir; it gets the directory, its failures a status.

    The options may also stand before the command's name.
    """

    @click.option("--config", metavar="FILE", help="Configuration file that names the directory.")
    @click.option("--data-dir", metavar="DIR", help="Where the log lives. Default: per user.")
    @click.pass_context
    @wraps(command)
    def within(context: click.Context, *args: Any, **options: Any) -> None:
        flags = dict(context.find_root().obj or {})
        named = {name: options.pop(name) for name in ("config", "data_dir")}
        flags |= {name: value for name, value in named.items() if value is not None}
        try:
            command(data_directory_of(flags), *args, **options)
        except SettingsError as error:
            _end(error, 2)
        except (CommandFailed, OSError, sqlite3.Error) as error:
            _end(error, 1)
        except Exception as error:
            from lineup_srv.logs.errors import LogUnusable
            from lineup_srv.service.ports import LogRefused

            if not isinstance(error, LogUnusable | LogRefused):
                raise
            _end(error, 1)

    return within


def _end(error: Exception, status: int) -> None:
    click.echo(f"lineup-srv: {error}", err=True)
    sys.exit(status)


@contextlib.contextmanager
def new_file(path: Path, *, force: bool) -> Iterator[Path]:
    """A draft beside `path` that becomes it at the end, whole or not at all; for its owner only.

    Args:
        path: the file to be.
        force: replace a file that is there.

    Raises:
        CommandFailed: there is one.
    """
    if path.exists() and not force:
        raise CommandFailed(f"{path} exists; --force replaces it")
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        yield draft
        handle = os.open(draft, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        if force:
            draft.replace(path)
        else:
            try:
                # Unlike a rename it fails if somebody else made the file meanwhile.
                os.link(draft, path)
            except FileExistsError as error:
                raise CommandFailed(f"{path} exists; --force replaces it") from error
    finally:
        draft.unlink(missing_ok=True)
