"""What the devices of a room share beside its log: settings, by key (wire §4, 113)."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Setting"]


@dataclass(frozen=True, slots=True)
class Setting:
    """A shared setting.

    Attributes:
        key: its name.
        value_json: its value, JSON text; empty while nobody has written it.
        revision: 1 with its first value, one more with each change; 0 while nobody has written it.
    """

    key: str
    value_json: str
    revision: int
