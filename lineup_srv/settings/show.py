"""What `--print-config` prints: each value, its source, and what was ignored. Tokens are masked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lineup_srv.settings.keys import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineup_srv.settings.keys import Key
    from lineup_srv.settings.resolve import Settings

__all__ = ["mask", "show"]


def show(keys: Sequence[Key], settings: Settings) -> str:
    """One line per key, `name = value  # source`, then the files and notes as comments."""
    lines = [_line(key, settings) for key in keys]
    lines += [f"# read: {path}" for path in settings.files]
    lines += [f"# note: {note}" for note in settings.notes]
    return "\n".join(lines)


def mask(secret: str) -> str:
    """A token as it may be printed: its length only."""
    return f"<hidden, {len(secret)} characters>" if secret else "<none>"


def _line(key: Key, settings: Settings) -> str:
    setting = settings.values[key.name]
    return f"{'.'.join(key.path)} = {_value(key, setting.value)}  # {setting.source}"


def _value(key: Key, value: object) -> str:
    if value is None:
        return "<not set>"
    if key.kind is Kind.SECRET:
        return mask(str(value))
    if key.kind is Kind.SECRETS and isinstance(value, tuple):
        return "[" + ", ".join(mask(str(item)) for item in value) + "]"
    if isinstance(value, tuple):
        return json.dumps(list(value), ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False)
