"""Reads files and replaces them, whole or not at all; keeps a copy of what was there."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import time
from typing import TYPE_CHECKING, Final

from lineup_srv.settings.files import state_directory

if TYPE_CHECKING:
    from pathlib import Path

    from lineup_mcp.installer.plan import Change

__all__ = ["CannotRead", "CannotWrite", "CopyFailed", "read_text", "write"]

_MOST_BYTES: Final = 64 * 1024 * 1024
_MOST_COPIES: Final = 100


class CannotWrite(Exception):
    """A file cannot be read or written; `str()` says which and why."""


class CannotRead(CannotWrite):
    """A file cannot be read as what it should be.

    Args:
        path: the file.
        problem: what is wrong with it, a sentence about "it".
        text: what it says, as far as that is known.
    """

    def __init__(self, path: Path, problem: str, *, text: str = "") -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path
        self.problem = problem
        self.text = text


class CopyFailed(CannotWrite):
    """The copy of what was there cannot be made, so nothing was changed."""


def read_text(path: Path) -> str | None:
    """What a file says; None if there is none.

    Raises:
        CannotRead: it is no ordinary file, too large, not UTF-8 or not ours to read.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
            raise CannotRead(path, f"it is not an ordinary file of at most {_MOST_BYTES} bytes")
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise CannotRead(path, "it is not UTF-8") from error
    except OSError as error:
        raise CannotRead(path, f"it cannot be read: {error.strerror}") from error


def write(change: Change) -> Path | None:
    """Carry out a change; a link is followed and the file's mode is kept.

    Returns:
        the copy of what was there; None if there was nothing.

    Raises:
        CannotWrite: it failed, or somebody else changed the file meanwhile; it is as it was.
    """
    if read_text(change.path) != change.before:
        msg = f"{change.path} has changed meanwhile: try again"
        raise CannotWrite(msg)
    copy = None if change.before is None else _keep(change.path, change.before)
    try:
        path = change.path.resolve()
        if change.after is None:
            path.unlink()
            change.path.unlink(missing_ok=True)
        else:
            _replace(path, change.after, private=change.private)
    except OSError as error:
        msg = f"cannot write {change.path}: {error.strerror}"
        raise CannotWrite(msg) from error
    return copy


def _replace(path: Path, text: str, *, private: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700 if private else 0o777)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        mode = 0o600 if private else 0o666 & ~_umask()
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        draft.chmod(mode)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _keep(path: Path, text: str) -> Path:
    """A copy in the user's own directory: a project's is no place for it, it may hold tokens."""
    directory = state_directory() / "backups"
    copy = directory / f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}-{path.name}"
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
    except OSError as error:
        msg = f"cannot keep a copy of {path} in {directory}: {error.strerror}"
        raise CopyFailed(msg) from error
    for old in sorted(directory.iterdir())[:-_MOST_COPIES]:
        with contextlib.suppress(OSError):
            old.unlink()
    return copy
