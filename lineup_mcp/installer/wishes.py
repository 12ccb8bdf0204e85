"""What must hold in a configuration file, how to make it so, and how to undo it. No I/O."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from lineup_mcp.installer.formats import Document

__all__ = ["Entry", "Member", "Switch", "Wish"]

_OF_THE_MACHINE = ("command", "args", "env", "environment")


class Wish(Protocol):
    """Something that must hold."""

    @property
    def path(self) -> Sequence[str]:
        """Where it stands in the file."""
        ...

    def lacks(self, document: Document) -> list[str]:
        """The dotted names of what does not hold; how the bridge is started is not compared."""
        ...

    def grant(self, document: Document) -> None:
        """Make it hold; nothing changes when it does."""
        ...

    def withdraw(self, document: Document) -> None:
        """Undo it, and leave what the user changed since."""
        ...


@dataclass(frozen=True, slots=True)
class Entry:
    """A table of ours; what the user added in it stays until it is withdrawn as a whole."""

    path: Sequence[str]
    value: Mapping[str, object]

    def lacks(self, document: Document) -> list[str]:
        """What of the table is missing or differs."""
        found = document.get(self.path)
        if not isinstance(found, dict):
            return [".".join(self.path)]
        wanted = {n: v for n, v in self.value.items() if n not in _OF_THE_MACHINE}
        return [".".join((*self.path, *path)) for path, _ in _differences(found, wanted)]

    def grant(self, document: Document) -> None:
        """Put in what is missing or differs; the rest of the table stays."""
        found = document.get(self.path)
        if not isinstance(found, dict):
            document.put(self.path, dict(self.value))
            return
        for path, value in _differences(found, self.value):
            document.put((*self.path, *path), value)

    def withdraw(self, document: Document) -> None:
        """Take the table out, with all that is in it."""
        if document.get(self.path) is not None:
            document.drop(self.path)


@dataclass(frozen=True, slots=True)
class Switch:
    """A value among the user's own.

    Args:
        path: where.
        value: what it must be.
        at_least: a higher number is as good.
    """

    path: Sequence[str]
    value: str | int | bool
    at_least: bool = False

    def lacks(self, document: Document) -> list[str]:
        """The value's name, unless it is as it must be."""
        return [] if self._holds(document) else [".".join(self.path)]

    def grant(self, document: Document) -> None:
        """Set the value, unless it is good as it is."""
        if not self._holds(document):
            document.put(self.path, self.value)

    def withdraw(self, document: Document) -> None:
        """Take the value out, unless the user has another one since."""
        if document.get(self.path) == self.value:
            document.drop(self.path)

    def _holds(self, document: Document) -> bool:
        found = document.get(self.path)
        if self.at_least and isinstance(found, int | float) and isinstance(self.value, int):
            return found >= self.value
        return found == self.value


@dataclass(frozen=True, slots=True)
class Member:
    """One item of a list that the user has others in.

    Args:
        path: of the list.
        item: ours.
        is_ours: tells it from the user's, in any form an earlier installation gave it.
    """

    path: Sequence[str]
    item: object
    is_ours: Callable[[object], bool]

    def lacks(self, document: Document) -> list[str]:
        """The list's name, unless an item of ours is in it."""
        return [] if any(map(self.is_ours, self._items(document))) else [".".join(self.path)]

    def grant(self, document: Document) -> None:
        """Put our item at the end, in place of older forms of it."""
        items = self._items(document)
        if self.item not in items:
            others = [item for item in items if not self.is_ours(item)]
            document.put(self.path, [*others, self.item])

    def withdraw(self, document: Document) -> None:
        """Take our item out, in any form, and the list when nothing else is in it."""
        items = self._items(document)
        others = [item for item in items if not self.is_ours(item)]
        if not others and items:
            document.drop(self.path)
        elif others != items:
            document.put(self.path, others)

    def _items(self, document: Document) -> list[object]:
        found = document.get(self.path)
        return found if isinstance(found, list) else []


def _differences(
    found: Mapping[str, object], wanted: Mapping[str, object]
) -> Iterator[tuple[tuple[str, ...], object]]:
    """Paths and values to set so that `found` has all of `wanted`."""
    for name, value in wanted.items():
        there = found.get(name)
        if isinstance(value, dict) and isinstance(there, dict):
            for path, below in _differences(there, value):
                yield (name, *path), below
        elif isinstance(value, list) and isinstance(there, list) and name not in _OF_THE_MACHINE:
            # A list of permissions: the user's own stay.
            if more := [item for item in value if item not in there]:
                yield (name,), [*there, *more]
        elif there != value and not (value == {} and there is None):
            yield (name,), value
