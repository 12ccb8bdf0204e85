"""What was looked at and found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

__all__ = ["Finding", "Level"]


class Level(IntEnum):
    """How bad it is; the worst one is the outcome."""

    OK = 0
    NOTE = 1
    """Nothing is wrong, and it is good to know."""
    WARNING = 2
    """It works, but not always, or not as it could."""
    ERROR = 3
    """It does not work."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Args:
        level: how bad it is.
        subject: what was looked at, a word or two.
        text: what was found, one sentence.
        mend: the command, or the words, that mend it; empty if nothing is to be done.
    """

    level: Level
    subject: str
    text: str
    mend: str = ""
