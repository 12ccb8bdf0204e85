"""The three formats of configuration files: read one, set one value, drop one value.

Editing changes as little of the text as it can. Whether the edit did what it should is checked
here, by reading the new text: an unusual file is refused and never spoiled.
"""

from __future__ import annotations

import copy
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from lineup_mcp.installer.formats import jsonc, toml, yaml
from lineup_mcp.installer.formats.errors import Unreadable, Unwritable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["JSON", "TOML", "YAML", "Document", "Format", "Unreadable", "Unwritable"]


class Format(Protocol):
    """One format, on texts whose lines end with LF."""

    def read(self, text: str) -> dict[str, object]:
        """The text as plain data; an empty text is an empty table.

        Raises:
            Unreadable: it is not of this format.
        """
        ...

    def put(self, text: str, path: Sequence[str], value: object) -> str:
        """Set a value; tables on the way are made. Everything else stays as it is written."""
        ...

    def drop(self, text: str, path: Sequence[str]) -> str:
        """Remove a value that is there. Everything else stays as it is written."""
        ...


JSON: Final[Format] = jsonc
TOML: Final[Format] = toml
YAML: Final[Format] = yaml


class Document:
    """A configuration text under change.

    Args:
        form: its format.
        text: as the file has it; a byte order mark and CRLF come back at the end.

    Raises:
        Unreadable: the text is not of that format.
    """

    def __init__(self, form: Format, text: str) -> None:
        self._form = form
        self._mark = "\ufeff" if text.startswith("\ufeff") else ""
        self._crlf = "\r\n" in text
        self._text = text.removeprefix(self._mark).replace("\r\n", "\n")
        self._data = form.read(self._text)
        try:
            copy.deepcopy(self._data)
        except RecursionError as error:
            msg = "it is nested too deeply"
            raise Unreadable(msg) from error

    @property
    def text(self) -> str:
        """The text as it stands now."""
        text = self._text.replace("\n", "\r\n") if self._crlf else self._text
        return self._mark + text if text else ""

    def get(self, path: Sequence[str]) -> object:
        """A copy of the value at a path; None if there is none."""
        value: object = self._data
        for name in path:
            if not isinstance(value, dict) or name not in value:
                return None
            value = value[name]
        return copy.deepcopy(value)

    def put(self, path: Sequence[str], value: object) -> None:
        """Set a value.

        Raises:
            Unwritable: the file is written in a way that cannot be edited safely.
        """
        wanted = copy.deepcopy(self._data)
        _place(wanted, path, value)
        self._become(partial(self._form.put, self._text, path, value), wanted, path)

    def drop(self, path: Sequence[str]) -> None:
        """Remove a value that is there, and the tables around it that are empty then.

        Raises:
            Unwritable: the file is written in a way that cannot be edited safely.
        """
        for length in range(len(path), 0, -1):
            wanted = copy.deepcopy(self._data)
            *outer, name = path[:length]
            table: Any = wanted
            for step in outer:
                table = table.get(step) or {}
            if name not in table:
                # It went with what was in it, as TOML's tables do.
                continue
            if length < len(path) and table[name]:
                return
            del table[name]
            shorter = path[:length]
            self._become(partial(self._form.drop, self._text, shorter), wanted, path)

    def _become(
        self, edit: Callable[[], str], wanted: Mapping[str, object], path: Sequence[str]
    ) -> None:
        try:
            text = edit()
            data = self._form.read(text)
        except Unreadable as error:
            raise Unwritable(path) from error
        if _filled(data) != _filled(wanted):
            raise Unwritable(path)
        self._text, self._data = text, data


def _place(data: dict[str, object], path: Sequence[str], value: object) -> None:
    table = data
    for name in path[:-1]:
        below = table.get(name)
        if below is None:
            below = table[name] = {}
        if not isinstance(below, dict):
            raise Unwritable(path)
        table = below
    table[path[-1]] = value


def _filled(value: object) -> object:
    """Data without its empty tables and missing values, which formats write differently."""
    if isinstance(value, dict):
        filled = {name: _filled(below) for name, below in value.items()}
        return {name: below for name, below in filled.items() if below not in ({}, None)}
    if isinstance(value, list):
        return [_filled(item) for item in value]
    return value
