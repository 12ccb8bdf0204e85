"""JSON text → a checked tree, and its fields by name. What is wrong is named by its path."""

from __future__ import annotations

import base64
import json
import re
from typing import TYPE_CHECKING, Final, TypeVar

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from enum import Enum

__all__ = ["EnvelopeError", "Fields", "check", "is_whole", "load"]

E = TypeVar("E", bound="Enum")
T = TypeVar("T")

_SAFE_INTEGER: Final = 2**53 - 1
"""What every JSON reader can keep exactly."""
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_PATH_CHARACTERS: Final = 256
_NAMES: Final[dict[type, str]] = {
    str: "a string",
    bool: "true or false",
    dict: "an object",
    list: "an array",
    int: "a whole number",
    float: "a number",
}


class EnvelopeError(Exception):
    """A text frame that is no message of the protocol. Carries nothing of its values.

    Args:
        code: the stable code.
        message: what is wrong, for people.
        field: the path of what is wrong; empty for the frame as a whole.
        malformed: the frame is no envelope at all; these are counted.

    Attributes:
        ref: the envelope's id if it could be read; set by `parse`.
    """

    def __init__(
        self, code: ErrorCode, message: str, field: str = "", *, malformed: bool = False
    ) -> None:
        """Keep the data in attributes; see the class for the arguments."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field[:_PATH_CHARACTERS]
        self.malformed = malformed
        self.ref = ""


class _Repeating(dict[str, object]):
    """An object that names a field twice."""

    repeated = ""


_NOT_FINITE: Final = object()


def load(text: str) -> dict[str, object]:
    """Read a JSON object.

    Raises:
        EnvelopeError: it is none, or too large to be read.
    """
    # The letters are at most as many as the bytes; the frame's own limit is uvicorn's.
    if len(text) > limits.FRAME_BYTES:
        raise _broken(ErrorCode.TOO_LARGE, f"a frame has at most {limits.FRAME_BYTES} bytes")
    if sum(map(text.count, "{[,")) > limits.JSON_VALUES_PER_MESSAGE:
        most = limits.JSON_VALUES_PER_MESSAGE
        raise _broken(ErrorCode.TOO_LARGE, f"a message has at most {most} values")
    try:
        read: object = json.loads(
            text,
            object_pairs_hook=_object,
            parse_float=_finite,
            parse_constant=lambda _: _NOT_FINITE,
        )
    except RecursionError:
        raise _too_deep("") from None
    except ValueError:
        # Without the parser's words, which may hold parts of the message.
        raise _broken(ErrorCode.INVALID_ARGUMENT, "not JSON") from None
    if not isinstance(read, dict):
        raise _broken(ErrorCode.INVALID_ARGUMENT, "not a JSON object")
    return read


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    read = dict(pairs)
    if len(read) == len(pairs):
        return read
    repeating = _Repeating(read)
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            repeating.repeated = name
        seen.add(name)
    return repeating


def _finite(digits: str) -> object:
    number = float(digits)
    return number if abs(number) != float("inf") else _NOT_FINITE


def check(value: object, path: str, depth: int = 1) -> None:
    """Refuse what JSON readers disagree about, anywhere in a value that was read.

    Raises:
        EnvelopeError: a repeated field, a number that is not finite, half a character, too deep.
    """
    if isinstance(value, str):
        _check_text(value, path)
    elif value is _NOT_FINITE:
        raise _broken(ErrorCode.INVALID_ARGUMENT, "must be a finite number", path)
    elif isinstance(value, dict | list):
        if depth > limits.JSON_DEPTH:
            raise _too_deep(path)
        if isinstance(value, list):
            for index, item in enumerate(value):
                check(item, f"{path}[{index}]", depth + 1)
            return
        if isinstance(value, _Repeating):
            where = _below(path, value.repeated)
            raise _broken(ErrorCode.INVALID_ARGUMENT, "stands there twice", where)
        for name, item in value.items():
            _check_text(name, path)
            check(item, _below(path, name), depth + 1)


def is_whole(text: str) -> bool:
    """Whether it has no half of a character, which nobody could write again."""
    return text.isascii() or not _SURROGATE.search(text)


def _check_text(text: str, path: str) -> None:
    if not is_whole(text):
        raise _broken(ErrorCode.INVALID_ARGUMENT, "has half of a character", path)


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _broken(code: ErrorCode, message: str, path: str = "") -> EnvelopeError:
    return EnvelopeError(code, message, path, malformed=True)


def _too_deep(path: str) -> EnvelopeError:
    return _broken(ErrorCode.TOO_LARGE, f"is nested deeper than {limits.JSON_DEPTH} levels", path)


class Fields:
    """The fields of one object. `null` is as good as absent; unknown fields are ignored.

    Every method reads one field. Without a default it must be there.

    Raises:
        EnvelopeError: INVALID_ARGUMENT or TOO_LARGE, naming the field.
    """

    def __init__(self, values: Mapping[str, object], path: str) -> None:
        """Read `values`, which stand at `path`."""
        self._values = values
        self._path = path

    def has(self, name: str) -> bool:
        """Whether it is there."""
        return self._values.get(name) is not None

    def wrong(self, name: str, message: str) -> EnvelopeError:
        """The error of a field that has the right type and is wrong all the same."""
        return EnvelopeError(ErrorCode.INVALID_ARGUMENT, message, _below(self._path, name))

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
        return Fields(self.json(name), _below(self._path, name))

    def each(self, name: str, read: Callable[[Fields], T], most: int) -> tuple[T, ...]:
        """An array of at most so many objects; none by default."""
        path = _below(self._path, name)
        items = self._read(name, list, [])
        self._check_size(name, len(items), most, "items")
        return tuple(
            read(Fields(_typed(item, dict, f"{path}[{index}]"), f"{path}[{index}]"))
            for index, item in enumerate(items)
        )

    def texts(self, name: str, most: int, characters: int) -> tuple[str, ...]:
        """An array of at most so many strings; none by default."""
        path = _below(self._path, name)
        items = self._read(name, list, [])
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
        return _typed(value, kind, _below(self._path, name))

    def _check_size(self, name: str, size: int, most: int, what: str) -> None:
        if size > most:
            path = _below(self._path, name)
            raise EnvelopeError(ErrorCode.TOO_LARGE, f"has more than {most} {what}", path)


def _typed(value: object, kind: type[T], path: str) -> T:
    """The value, if it is of this very type: `true` is no number."""
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise EnvelopeError(ErrorCode.INVALID_ARGUMENT, f"must be {_NAMES[kind]}", path)
    return value
