"""Why a configuration file cannot be changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Unreadable", "Unwritable"]


class Unreadable(Exception):
    """The text is not of its format; `str()` says where, and never quotes it."""


class Unwritable(Exception):
    """The text cannot be edited safely at `path`.

    Args:
        path: where something was to be changed.
    """

    def __init__(self, path: Sequence[str]) -> None:
        super().__init__(".".join(path))
        self.path = tuple(path)
