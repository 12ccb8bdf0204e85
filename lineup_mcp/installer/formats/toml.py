"""TOML, edited with tomlkit, which keeps comments, order and spaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import tomli
import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable, Table

from lineup_mcp.installer.formats.errors import Unreadable, Unwritable

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["drop", "put", "read"]


def read(text: str) -> dict[str, object]:
    """See `Format`."""
    try:
        return dict(tomli.loads(text))
    except (tomli.TOMLDecodeError, RecursionError) as error:
        msg = f"it is not TOML: {error}"
        raise Unreadable(msg) from error


def put(text: str, path: Sequence[str], value: object) -> str:
    """See `Format`."""
    spaced = _put(text, path, value, spaced=True)
    # A free line before what follows; none at the end of the file.
    return _put(text, path, value, spaced=False) if spaced.endswith("\n\n") else spaced


def _put(text: str, path: Sequence[str], value: object, *, spaced: bool) -> str:
    try:
        document = tomlkit.parse(text)
        table: Any = document
        for name in path[:-1]:
            if name not in table:
                table[name] = (
                    tomlkit.inline_table() if _inline(table) else tomlkit.table(is_super_table=True)
                )
            table = table[name]
        item = _item(value, inline=_inline(table))
        if spaced and isinstance(item, Table):
            item.add(tomlkit.nl())
        table[path[-1]] = item
        return tomlkit.dumps(document)
    except (TOMLKitError, TypeError, AttributeError) as error:
        raise Unwritable(path) from error


def drop(text: str, path: Sequence[str]) -> str:
    """See `Format`."""
    try:
        document = tomlkit.parse(text)
        table: Any = document
        for name in path[:-1]:
            table = table[name]
        del table[path[-1]]
        rest = tomlkit.dumps(document)
    except (TOMLKitError, TypeError, KeyError, AttributeError) as error:
        raise Unwritable(path) from error
    # The line that `put` left free before a table at the end of the file.
    return rest[:-1] if rest.endswith("\n\n") and not text.endswith("\n\n") else rest.lstrip("\n")


def _inline(table: object) -> bool:
    return isinstance(table, InlineTable)


def _item(value: object, *, inline: bool) -> Any:
    if not isinstance(value, dict):
        return value
    table: Any = tomlkit.inline_table() if inline else tomlkit.table()
    for name, below in value.items():
        # A table within an entry reads best on one line: env = { A = "1" }.
        table[name] = _item(below, inline=True)
    return table
