"""What can be wrong with a log as a whole. What one append can meet is in `service.ports`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.service.ports import LogRefused

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["DirectoryTaken", "LogUnusable", "RecordUnreadable"]


class LogUnusable(Exception):
    """The log cannot be opened: no database, a newer schema, a directory that is not ours."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class DirectoryTaken(Exception):
    """Another relay holds the data directory; `holder` is what its lock file says (JSON)."""

    def __init__(self, path: Path, holder: str) -> None:
        super().__init__(path, holder)
        self.path = path
        self.holder = holder

    def __str__(self) -> str:
        return f"{self.path} is used by another relay: {self.holder or 'it does not say which'}"


class RecordUnreadable(LogRefused):
    """A record or snapshot that this release cannot read: unknown, newer or damaged.

    To the service it is one room that the log cannot give; the others go on.
    """

    def __init__(self, kind: str, version: int, reason: str) -> None:
        super().__init__(kind, version, reason)
        self.kind = kind
        self.version = version
        self.reason = reason

    def __str__(self) -> str:
        return f"record {self.kind!r} version {self.version}: {self.reason}"
