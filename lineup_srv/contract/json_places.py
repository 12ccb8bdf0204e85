"""Where in a JSON text the things are that paths name: for those who wrote the text by hand."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lineup_srv.contract.json_text import below

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Place", "places"]

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],]|[^\s"{}\[\],:]+', re.DOTALL)
_LAST_STEP: Final = re.compile(r"[.\[][^.\[]*$|^[^.\[]+$")


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A line and a column, counted from 1 in characters."""

    line: int
    column: int

    @classmethod
    def at(cls, text: str, offset: int) -> Place:
        """The place of a character."""
        start = text.rfind("\n", 0, offset) + 1
        return cls(text.count("\n", 0, offset) + 1, offset - start + 1)


def places(text: str, paths: Iterable[str]) -> dict[str, Place]:
    """The place of each path's name or item; of what is not there, that of what should hold it.

    Args:
        text: JSON that was read.
        paths: as errors have them, `tools[0].name`; "" is the whole. They cost more than the text,
            so only those that are asked for are kept.
    """
    steps = {path: [path, *_above(path)] for path in paths}
    wanted = {step for told in steps.values() for step in told}
    found = {path: offset for path, offset in _offsets(text) if path in wanted}
    nearest = {
        path: next((found[step] for step in told if step in found), 0)
        for path, told in steps.items()
    }
    return {path: Place.at(text, offset) for path, offset in nearest.items()}


def _above(path: str) -> Iterator[str]:
    """What holds the thing, what holds that, and so on to the whole."""
    while path:
        path = _LAST_STEP.sub("", path)
        yield path


@dataclass(slots=True)
class _Open:
    """An object or array that is being read."""

    path: str
    index: int
    """Of the next item; -1 for an object."""
    name: str | None = None
    """The path of the field whose value comes next; None: a name comes next."""


def _offsets(text: str) -> Iterator[tuple[str, int]]:
    """Every field's name and every item, with its path, in order."""
    within: list[_Open] = []
    for token in _TOKEN.finditer(text):
        sign = token[0]
        top = within[-1] if within else None
        if sign in "}]":
            within.pop()
        elif sign == ",":
            continue
        elif top is not None and top.index < 0 and top.name is None:
            top.name = below(top.path, json.loads(sign))
            yield top.name, token.start()
        else:
            path = _path_of_value(top)
            if top is None or top.index > 0:
                yield path, token.start()
            if sign in "{[":
                within.append(_Open(path, 0 if sign == "[" else -1))


def _path_of_value(top: _Open | None) -> str:
    """Where the value stands that is read now; what holds it goes on to the next."""
    if top is None:
        return ""
    if top.name is not None:
        path, top.name = top.name, None
        return path
    top.index += 1
    return f"{top.path}[{top.index - 1}]"
