"""Files for the agent program: long texts, sounds, and what no result can carry.

Only their owner can read them; the folder is bounded in number, size and age.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.settings.files import state_directory

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["keep"]

_NAME_CHARACTERS: Final = 60


def keep(data: bytes, name: str) -> Path | None:
    """Write a file and remove old ones. Does file I/O.

    Args:
        data: its contents.
        name: how its name ends, as the sender spelled it.

    Returns:
        its absolute path; None if it could not be written.
    """
    directory = state_directory() / "answers"
    safe = re.sub(r"[^A-Za-z0-9._-]", "_", name)[-_NAME_CHARACTERS:]
    path = directory / f"answer-{secrets.token_hex(8)}-{safe}"
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        _remove_oldest(directory, path)
    except OSError:
        return None
    return path


def _remove_oldest(directory: Path, newest: Path) -> None:
    """Keep what is young, as long as there is room; the newest stays in any case."""
    found = []
    for path in directory.glob("answer-*"):
        try:
            status = path.stat()
        except OSError:
            # Another bridge removed it.
            continue
        found.append((status.st_mtime, status.st_size, path))
    oldest_time = time.time() - limits.KEPT_FILE_DAYS * 86_400  # noqa: TID251 - as files tell it
    count, size = 0, 0
    for modified, length, path in sorted(found, reverse=True):
        count, size = count + 1, size + length
        full = count > limits.KEPT_FILES or size > limits.KEPT_FILES_BYTES
        if path != newest and (full or modified < oldest_time):
            path.unlink(missing_ok=True)
