"""JSON text → a checked tree, and back. What is wrong is named by its path, never by its value.

Used for everything in JSON that strangers wrote: text frames, schemas and arguments in protobuf,
manifests. JSON readers disagree about some texts; those are refused here, so that two programs
never see two messages in one text.
"""

from __future__ import annotations

import json
import re
from typing import Final

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError

__all__ = ["NotJsonError", "below", "check", "is_whole", "load", "load_object", "print_json"]

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_NOT_FINITE: Final = object()
_PATH_CHARACTERS: Final = 256


class NotJsonError(LineUpError):
    """A text is no JSON from some place on, which is counted from 1.

    The place is all that is told of the text: the parser's words may hold parts of it.
    """

    def __init__(self, path: str, line: int, column: int) -> None:
        """The text at `path` breaks at this line and column."""
        message = f"is not JSON at line {line}, column {column}"
        super().__init__(ErrorCode.INVALID_ARGUMENT, message, field=path)
        self.line = line
        self.column = column


class _Repeating(dict[str, object]):
    """An object that names a field twice."""

    repeated = ""


def load(text: str, path: str, *, most_bytes: int) -> object:
    """Read a JSON text; `check` comes next.

    Args:
        text: the text.
        path: where it stands, for errors; empty for a message as a whole.
        most_bytes: how large it may be. Letters are counted: they are at most as many.

    Raises:
        NotJsonError: it is none.
        LineUpError: INVALID_ARGUMENT or TOO_LARGE, naming the path.
    """
    if len(text) > most_bytes:
        raise LineUpError(ErrorCode.TOO_LARGE, f"has more than {most_bytes} bytes", field=path)
    if sum(map(text.count, "{[,")) > limits.JSON_VALUES_PER_MESSAGE:
        most = limits.JSON_VALUES_PER_MESSAGE
        raise LineUpError(ErrorCode.TOO_LARGE, f"has more than {most} values", field=path)
    try:
        read: object = json.loads(
            text,
            object_pairs_hook=_object,
            parse_float=_finite,
            parse_constant=lambda _: _NOT_FINITE,
        )
    except RecursionError:
        raise _too_deep(path, limits.JSON_DEPTH) from None
    except json.JSONDecodeError as error:
        raise NotJsonError(path, error.lineno, error.colno) from None
    except ValueError:
        message = "has a whole number of more digits than can be read"
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, message, field=path) from None
    return read


def load_object(text: str, path: str, *, most_bytes: int) -> dict[str, object]:
    """Read a JSON text that is an object; otherwise as `load`.

    Raises:
        LineUpError: INVALID_ARGUMENT or TOO_LARGE, naming the path.
    """
    read = load(text, path, most_bytes=most_bytes)
    if not isinstance(read, dict):
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, "must be a JSON object", field=path)
    return read


def print_json(value: object) -> str:
    """Write a value as compact JSON text, in the order of its fields."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


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


def check(value: object, path: str, depth: int) -> None:
    """Refuse what JSON readers disagree about, anywhere in a value that was read.

    Args:
        value: what `json.loads` gave.
        path: where it stands.
        depth: how many objects and arrays may still stand in each other.

    Raises:
        LineUpError: a repeated field, a number that is not finite, half a character, too deep.
    """
    _check(value, path, depth, depth)


def _check(value: object, path: str, left: int, depth: int) -> None:
    if isinstance(value, str):
        _check_text(value, path)
    elif value is _NOT_FINITE:
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, "must be a finite number", field=path)
    elif isinstance(value, dict | list):
        if not left:
            raise _too_deep(path, depth)
        if isinstance(value, list):
            for index, item in enumerate(value):
                _check(item, f"{path}[{index}]", left - 1, depth)
            return
        if isinstance(value, _Repeating):
            where = below(path, value.repeated)
            raise LineUpError(ErrorCode.INVALID_ARGUMENT, "stands there twice", field=where)
        for name, item in value.items():
            _check_text(name, path)
            _check(item, below(path, name), left - 1, depth)


def is_whole(text: str) -> bool:
    """Whether it has no half of a character, which nobody could write again."""
    return text.isascii() or not _SURROGATE.search(text)


def _check_text(text: str, path: str) -> None:
    if not is_whole(text):
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, "has half of a character", field=path)


def below(path: str, name: str) -> str:
    """The path of a field of what stands at `path`, cut when strangers' names make it endless."""
    return (f"{path}.{name}" if path else name)[:_PATH_CHARACTERS]


def _too_deep(path: str, depth: int) -> LineUpError:
    return LineUpError(ErrorCode.TOO_LARGE, f"is nested deeper than {depth} levels", field=path)
