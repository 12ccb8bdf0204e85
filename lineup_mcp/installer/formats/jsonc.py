"""JSON with comments and trailing commas, edited in place.

A reader of our own, which knows where in the text each value stands: the libraries that keep
comments read a tenth of a megabyte per second or need Node, and Claude Code's file can have
several megabytes.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NoReturn

from lineup_mcp.installer.formats.errors import Unreadable, Unwritable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["drop", "put", "read"]

_TOKEN: Final = re.compile(
    r'(?P<space>\s+|//[^\n]*|/\*.*?\*/)|(?P<text>"(?:[^"\\\x00-\x1f]|\\.)*")'
    r"|(?P<mark>[{}\[\]:,])|(?P<word>[^\s{}\[\]:,\"/]+)",
    re.DOTALL,
)
_DEEPEST: Final = 200
_REST_OF_LINE: Final = re.compile(r"[^\S\n]*(?://[^\n]*|/\*[^\n]*?\*/[^\S\n]*(?=\n))?")


@dataclass(slots=True)
class _Value:
    """A value and where it stands; `members` of an object, by name, in order."""

    start: int
    data: object = None
    end: int = 0
    members: dict[str, _Member] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Member:
    """A member of an object: where its name begins, its value, and its comma (None without)."""

    start: int
    value: _Value
    comma: int | None


def read(text: str) -> dict[str, object]:
    """See `Format`."""
    try:
        # Most files are plain JSON, which the standard library reads far faster.
        data = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        data = _parse(text).data
    if not isinstance(data, dict):
        msg = "its outermost value is not an object"
        raise Unreadable(msg)
    return data


def put(text: str, path: Sequence[str], value: object) -> str:
    """See `Format`."""
    if not text.strip():
        text = "{}\n"
    elif _is_bare(text):
        text = text.rstrip("\n") + "\n{}\n"
    table = _parse(text)
    for position, name in enumerate(path):
        member = table.members.get(name)
        if member is None:
            for missing in reversed(path[position + 1 :]):
                value = {missing: value}
            return _insert(text, table, name, value)
        if position < len(path) - 1 and member.value.data is None:
            return put(_replace(text, table, member, {}), path, value)
        if position < len(path) - 1 and not isinstance(member.value.data, dict):
            raise Unwritable(path)
        if position == len(path) - 1:
            return _replace(text, table, member, value)
        table = member.value
    return text


def drop(text: str, path: Sequence[str]) -> str:
    """See `Format`."""
    table = _parse(text)
    for name in path[:-1]:
        table = table.members[name].value
    names = list(table.members)
    index = names.index(path[-1])
    member = table.members[path[-1]]
    start = len(text[: member.start].rstrip(" \t"))
    if start and text[start - 1] == "\n":
        start -= 1
    end = member.value.end if member.comma is None else member.comma + 1
    rest = text[:start] + text[end:]
    before = table.members[names[index - 1]] if index else None
    if member.comma is None and before is not None and before.comma is not None:
        rest = rest[: before.comma] + rest[before.comma + 1 :]
    if len(names) == 1 and not text[table.start + 1 : start].strip():
        inside = rest[table.start + 1 : table.end - 1 - (end - start)]
        if not inside.strip():
            rest = rest[: table.start + 1] + rest[table.end - 1 - (end - start) :]
    return "" if rest.strip() == "{}" else rest


def _insert(text: str, table: _Value, name: str, value: object) -> str:
    """Add a member as the last one, in the style of the others."""
    unit = _unit(text)
    head = json.dumps(name, ensure_ascii=False) + ": "
    if not table.members:
        outer = _indent(text, table.start)
        line = f"\n{outer}{unit}{head}{_written(value, unit, outer + unit)}"
        if "\n" not in text[table.start : table.end]:
            line += f"\n{outer}"
        at = table.start + 1
        return text[:at] + line + text[at:]
    last = list(table.members.values())[-1]
    first = next(iter(table.members.values()))
    if "\n" not in text[table.start : first.start]:
        if last.comma is not None:
            at = last.comma + 1
            return f"{text[:at]} {head}{json.dumps(value, ensure_ascii=False)},{text[at:]}"
        at = last.value.end
        return f"{text[:at]}, {head}{json.dumps(value, ensure_ascii=False)}{text[at:]}"
    indent = _indent(text, last.start)
    line = f"\n{indent}{head}{_written(value, unit, indent)}"
    if last.comma is not None:
        at = _line_end(text, last.comma + 1)
        return f"{text[:at]}{line},{text[at:]}"
    # The comma directly behind the value, the new line behind a comment that follows it.
    end = last.value.end
    at = _line_end(text, end)
    return f"{text[:end]},{text[end:at]}{line}{text[at:]}"


def _replace(text: str, table: _Value, member: _Member, value: object) -> str:
    """Give a member another value."""
    if "\n" in text[table.start : member.start]:
        written = _written(value, _unit(text), _indent(text, member.start))
    else:
        written = json.dumps(value, ensure_ascii=False)
    return text[: member.value.start] + written + text[member.value.end :]


def _written(value: object, unit: str, indent: str) -> str:
    return json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", "\n" + indent)


def _line_end(text: str, position: int) -> int:
    """The end of spaces and a comment behind a position, on the same line."""
    match = _REST_OF_LINE.match(text, position)
    end = match.end() if match else position
    return end if text[end : end + 1] in ("\n", "") else position


def _indent(text: str, position: int) -> str:
    """The white space at the beginning of the line of a position."""
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip())]


def _unit(text: str) -> str:
    """What the file indents by: of its first indented member."""
    match = re.search(r'\n([ \t]+)"', text)
    return match[1] if match else "  "


def _is_bare(text: str) -> bool:
    """Whether there are comments and nothing else."""
    return not any(True for _ in _tokens(text))


def _tokens(text: str) -> Iterator[re.Match[str]]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise _bad(text, position)
        if match.lastgroup != "space":
            yield match
        position = match.end()


def _parse(text: str) -> _Value:
    if not text.strip():
        return _Value(0, {})
    try:
        return _Reader(text).document()
    except StopIteration as error:
        msg = "it is not JSON: it ends too early"
        raise Unreadable(msg) from error


class _Reader:
    """Reads one document.

    Args:
        text: the document.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._rest = _tokens(text)
        self._depth = 0
        self._token: re.Match[str] | None = None

    def document(self) -> _Value:
        """The outermost value.

        Raises:
            Unreadable: it is not JSON.
            StopIteration: it ends too early.
        """
        self._token = next(self._rest, None)
        if self._token is None:
            return _Value(0, {})
        value = self._value()
        extra = next(self._rest, None)
        if extra is not None:
            raise _bad(self._text, extra.start())
        return value

    def _value(self) -> _Value:
        """The value that begins with the current token; its last token is current afterwards."""
        token = self._current()
        value = _Value(token.start())
        if token[0] in "{[":
            self._depth += 1
            if self._depth > _DEEPEST:
                msg = "it is nested too deeply"
                raise Unreadable(msg)
            if token[0] == "{":
                self._object(value)
            else:
                value.data = self._array()
            self._depth -= 1
        elif token.lastgroup == "mark":
            raise _bad(self._text, token.start())
        else:
            value.data = self._scalar(token)
        value.end = self._current().end()
        return value

    def _object(self, value: _Value) -> None:
        data: dict[str, object] = {}
        value.data = data
        self._advance()
        while self._current()[0] != "}":
            key = self._current()
            if key.lastgroup != "text":
                raise _bad(self._text, key.start())
            if self._advance()[0] != ":":
                raise _bad(self._text, self._current().start())
            self._advance()
            below = self._value()
            name = str(self._scalar(key))
            comma = self._separator("}")
            data[name] = below.data
            value.members[name] = _Member(key.start(), below, comma)

    def _array(self) -> list[object]:
        items: list[object] = []
        self._advance()
        while self._current()[0] != "]":
            items.append(self._value().data)
            self._separator("]")
        return items

    def _separator(self, closing: str) -> int | None:
        """Step over a comma, and tell where it is; None before the closing bracket."""
        token = self._advance()
        if token[0] == ",":
            self._advance()
            return token.start()
        if token[0] != closing:
            raise _bad(self._text, token.start())
        return None

    def _scalar(self, token: re.Match[str]) -> object:
        try:
            return json.loads(token[0], parse_constant=_refuse)
        except ValueError as error:
            raise _bad(self._text, token.start()) from error

    def _advance(self) -> re.Match[str]:
        self._token = next(self._rest)
        return self._token

    def _current(self) -> re.Match[str]:
        if self._token is None:
            raise StopIteration
        return self._token


def _refuse(word: str) -> NoReturn:
    raise ValueError(word)


def _bad(text: str, position: int) -> Unreadable:
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return Unreadable(f"it is not JSON at line {line}, column {column}")
