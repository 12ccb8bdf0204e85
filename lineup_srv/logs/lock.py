"""The claim of one relay on a data directory: a lock on `data_dir/lock`, held for life.

The lock is the operating system's, so it ends with the process however that ends; the file stays
and is never removed, or two relays could hold locks on two files of the same name. What it says
lets the bridge find the relay (design §9).
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
from typing import TYPE_CHECKING, Final

from lineup_srv.logs.errors import DirectoryTaken

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["DirectoryLock", "holder_of", "is_locked", "make_data_directory"]

logger = logging.getLogger(__name__)

LOCK_NAME: Final = "lock"
_HOLDER_BYTES: Final = 4_096


def make_data_directory(path: Path) -> None:
    """Make the directory and its parents; only the owner may look into it."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)


def is_locked(data_dir: Path) -> bool:
    """Whether a relay holds the directory now."""
    try:
        file = os.open(data_dir / LOCK_NAME, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False


def holder_of(data_dir: Path) -> int | None:
    """The process id that the relay wrote; None while it writes none, as when it starts or ends.

    It is a living relay's only while `is_locked`.
    """
    try:
        with (data_dir / LOCK_NAME).open("rb") as file:
            pid = json.loads(file.read(_HOLDER_BYTES))["pid"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return pid if isinstance(pid, int) and pid > 1 else None


class DirectoryLock:
    """A held lock. Make it before anything else in the directory is touched."""

    def __init__(self, data_dir: Path) -> None:
        """Take the lock. Raises DirectoryTaken with what the holder wrote."""
        make_data_directory(data_dir)
        path = data_dir / LOCK_NAME
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(self._file, _HOLDER_BYTES, 0).decode(errors="replace").strip()
            os.close(self._file)
            raise DirectoryTaken(path, holder) from error
        # What the last holder wrote is no longer true.
        os.ftruncate(self._file, 0)

    def announce(self, *, version: str, http: int, grpc: int) -> None:
        """Write who holds the lock and where it listens; again whenever that changes.

        The claim holds without it: on a full disk bridges look where they are configured to.
        """
        record = {"pid": os.getpid(), "version": version, "http": http, "grpc": grpc}
        text = json.dumps(record).encode() + b"\n"
        try:
            os.pwrite(self._file, text, 0)
            os.ftruncate(self._file, len(text))
        except OSError as error:
            logger.warning("the lock file cannot say where the relay listens: %s", error)

    def release(self) -> None:
        """Give the lock back. Does nothing the second time."""
        if self._file >= 0:
            os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = -1
