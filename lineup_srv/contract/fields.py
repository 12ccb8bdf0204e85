"""The fields of a JSON object by name and type. What is wrong is named by its path."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Final, TypeVar

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.json_text import below

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from enum import Enum

__all__ = ["Fields"]

E = TypeVar("E", bound="Enum")
T = TypeVar("T")

_SAFE_INTEGER: Final = 2**53 - 1
"""What every JSON reader can keep exactly."""
_NAMES: Final[dict[type, str]] = {
    str: "a string",
    bool: "true or false",
    dict: "an object",
    list: "an array",
    int: "a whole number",
    float: "a number",
}


class Fields:
    """The fields of one object. `null` is as good as absent; unknown fields are ignored.

    Every method reads one field. Without a default it must be there.

    Raises:
        LineUpError: INVALID_ARGUMENT or TOO_LARGE, naming the field.
    """

    def __init__(self, values: Mapping[str, object], path: str) -> None:
        """Read `values`, which stand at `path`."""
        self._values = values
        self._path = path

    def has(self, name: str) -> bool:
        """Whether it is there."""
        return self._values.get(name) is not None

    @property
    def path(self) -> str:
        """Where the object stands."""
        return self._path

    def wrong(self, name: str, message: str) -> LineUpError:
        """The error of a field that has the right type and is wrong all the same."""
        return LineUpError(ErrorCode.INVALID_ARGUMENT, message, field=below(self._path, name))

    def text(
        self, name: str, most: int = limits.NAME_CHARACTERS, *, default: str | None = None
    ) -> str:
        """A string of at most so many characters."""
        text = self._read(name, str, default)
        self._check_size(name, len(text), most, "characters")
        return text

    def id(self, name: str) -> str:
        """An id that must be there and say something."""
        text = self.text(name, limits.ID_CHARACTERS)
        if not text:
            raise self.wrong(name, "is empty")
        return text

    def flag(self, name: str, *, default: bool | None = None) -> bool:
        """True or false."""
        return self._read(name, bool, default)

    def integer(self, name: str, *, default: int | None = None) -> int:
        """A whole number that every JSON reader keeps exactly."""
        number = self._read(name, int, default)
        if abs(number) > _SAFE_INTEGER:
            raise self.wrong(name, "is beyond 2^53")
        return number

    def number(self, name: str, *, default: float | None = None) -> float:
        """Any number."""
        if isinstance(self._values.get(name), int):
            return self.integer(name)
        return self._read(name, float, default)

    def data(self, name: str) -> bytes:
        """Bytes in base64; none by default."""
        try:
            return base64.b64decode(self._read(name, str, ""), validate=True)
        except ValueError:
            raise self.wrong(name, "must be base64") from None

    def choice(self, name: str, kind: type[E], *, default: E | None = None) -> E:
        """One of the values of an enum."""
        text = self._read(name, str, None if default is None else str(default.value))
        try:
            return kind(text)
        except ValueError:
            known = ", ".join(str(member.value) for member in kind if member.value)
            raise self.wrong(name, f"must be one of {known}") from None

    def code(self, name: str, *, default: ErrorCode | None = None) -> ErrorCode:
        """An error code; UNSPECIFIED for one that a newer peer knows."""
        text = self._read(name, str, None if default is None else default.value)
        try:
            return ErrorCode(text)
        except ValueError:
            return ErrorCode.UNSPECIFIED

    def json(self, name: str) -> dict[str, object]:
        """An object that is passed on as it is."""
        return self._read(name, dict, None)

    def fields(self, name: str) -> Fields:
        """An object with fields of its own."""
        return Fields(self.json(name), below(self._path, name))

    def array(self, name: str) -> list[object]:
        """An array of anything, however long; empty by default."""
        return self._read(name, list, [])

    def each(self, name: str, read: Callable[[Fields], T], most: int) -> tuple[T, ...]:
        """An array of at most so many objects; none by default."""
        return tuple(read(self.item(name, index)) for index in range(self.count(name, most)))

    def count(self, name: str, most: int) -> int:
        """How many items an array has, at most so many; none by default."""
        items = self.array(name)
        self._check_size(name, len(items), most, "items")
        return len(items)

    def item(self, name: str, index: int) -> Fields:
        """One of an array's objects; there must be as many items."""
        path = f"{below(self._path, name)}[{index}]"
        return Fields(_typed(self.array(name)[index], dict, path), path)

    def texts(self, name: str, most: int, characters: int) -> tuple[str, ...]:
        """An array of at most so many strings; none by default."""
        path, items = below(self._path, name), self.array(name)
        self._check_size(name, len(items), most, "items")
        texts = tuple(_typed(item, str, f"{path}[{index}]") for index, item in enumerate(items))
        for index, text in enumerate(texts):
            self._check_size(f"{name}[{index}]", len(text), characters, "characters")
        return texts

    def _read(self, name: str, kind: type[T], default: T | None) -> T:
        value = self._values.get(name)
        if value is None:
            if default is None:
                raise self.wrong(name, "is missing")
            return default
        return _typed(value, kind, below(self._path, name))

    def _check_size(self, name: str, size: int, most: int, what: str) -> None:
        if size > most:
            path = below(self._path, name)
            raise LineUpError(ErrorCode.TOO_LARGE, f"has more than {most} {what}", field=path)


def _typed(value: object, kind: type[T], path: str) -> T:
    """The value, if it is of this very type: `true` is no number."""
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, f"must be {_NAMES[kind]}", field=path)
    return value
