"""The settings of a program: its files are found and read, then each value is decided."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from lineup_srv.settings.files import find_files
from lineup_srv.settings.resolve import Settings, resolve

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineup_srv.settings.keys import Key

__all__ = ["read_settings"]


def read_settings(
    keys: Sequence[Key],
    flags: Mapping[str, object],
    *,
    environ: Mapping[str, str] | None,
    working_directory: Path | None,
) -> Settings:
    """Decide every key of one program. Creates nothing.

    Args:
        keys: the program's keys.
        flags: what the command line gave, by key name, `config` too; None = not given.
        environ: the environment; None = this process's.
        working_directory: None = this process's.

    Raises:
        SettingsError: a file or value cannot be used.
    """
    environ = os.environ if environ is None else environ
    config = flags.get("config")
    files = find_files(
        config if isinstance(config, str) else None,
        environ=environ,
        working_directory=working_directory or Path.cwd(),
    )
    return resolve(keys, flags=flags, environ=environ, files=files)
