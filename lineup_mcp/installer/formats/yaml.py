"""YAML, read by ruamel.yaml and edited in place.

Writing the whole document anew would change its line breaks and quotes, so only the lines of an
entry are written, where the parser says they belong. JSON is YAML: what stands in braces gets JSON.
"""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node

from lineup_mcp.installer.formats.errors import Unreadable, Unwritable

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["drop", "put", "read"]

_WIDTH: Final = 4096
_UNIT: Final = 2


def read(text: str) -> dict[str, object]:
    """See `Format`."""
    try:
        data = _unshared(YAML(typ="safe", pure=True).load(text))
    except (YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        msg = f"it is not YAML{where}"
        raise Unreadable(msg) from error
    if data is None:
        return {}
    if not isinstance(data, dict):
        msg = "its outermost value is not a mapping"
        raise Unreadable(msg)
    return data


def _unshared(value: object) -> object:
    """Data in which nothing occurs twice: an edit through an alias would change its anchor too."""
    if isinstance(value, dict):
        return {name: _unshared(below) for name, below in value.items()}
    return [_unshared(item) for item in value] if isinstance(value, list) else value


def put(text: str, path: Sequence[str], value: object) -> str:
    """See `Format`."""
    if text and not text.endswith("\n"):
        text += "\n"
    table = _root(text)
    if table is None:
        return text + _block(_nested(path, value), 0)
    for position, name in enumerate(path):
        rest = _nested(path[position + 1 :], value)
        found = _find(table, name)
        if found is None:
            return _insert(text, table, name, rest, path)
        below = found[1]
        if position == len(path) - 1 or not isinstance(below, MappingNode):
            return _replace(text, table, name, rest, path)
        table = below
    return text


def drop(text: str, path: Sequence[str]) -> str:
    """See `Format`."""
    table = _root(text)
    for name in path[:-1]:
        found = None if table is None else _find(table, name)
        table = found[1] if found and isinstance(found[1], MappingNode) else None
    if table is None or table.flow_style:
        raise Unwritable(path)
    start, end = _lines_of(text, table, path[-1], path)
    return text[:start] + text[end:]


def _nested(path: Sequence[str], value: object) -> object:
    for name in reversed(path):
        value = {name: value}
    return value


def _root(text: str) -> MappingNode | None:
    node = YAML(pure=True).compose(io.StringIO(text))
    return node if isinstance(node, MappingNode) else None


def _find(table: MappingNode, name: str) -> tuple[Node, Node] | None:
    for key, value in table.value:
        if key.value == name:
            return key, value
    return None


def _insert(text: str, table: MappingNode, name: str, value: object, path: Sequence[str]) -> str:
    if table.flow_style:
        at = table.end_mark.index - 1
        comma = ", " if table.value else ""
        written = f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"
        return f"{text[:at].rstrip()}{comma}{written}{text[at:]}"
    _, end = _lines_of(text, table, table.value[-1][0].value, path)
    return text[:end] + _block({name: value}, table.start_mark.column) + text[end:]


def _replace(text: str, table: MappingNode, name: str, value: object, path: Sequence[str]) -> str:
    if table.flow_style:
        found = _find(table, name)
        if found is None:
            raise Unwritable(path)
        mark, end_mark = found[1].start_mark, found[1].end_mark
        return text[: mark.index] + json.dumps(value, ensure_ascii=False) + text[end_mark.index :]
    start, end = _lines_of(text, table, name, path)
    return text[:start] + _block({name: value}, table.start_mark.column) + text[end:]


def _lines_of(text: str, table: MappingNode, name: str, path: Sequence[str]) -> tuple[int, int]:
    """Where the lines of one item of a block begin and end; comments behind it are not its own."""
    keys = [key for key, _ in table.value]
    index = next((i for i, key in enumerate(keys) if key.value == name), None)
    if index is None:
        raise Unwritable(path)
    start = text.rfind("\n", 0, keys[index].start_mark.index) + 1
    if text[start : keys[index].start_mark.index].strip():
        raise Unwritable(path)
    last = index == len(keys) - 1
    end = table.end_mark.index if last else keys[index + 1].start_mark.index
    end = len(text) if end >= len(text) else text.rfind("\n", 0, end) + 1
    lines = text[start:end].splitlines(keepends=True)
    while len(lines) > 1 and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()
    return start, start + sum(map(len, lines))


def _block(value: object, column: int) -> str:
    writer = YAML(pure=True)
    writer.width = _WIDTH
    writer.indent(mapping=_UNIT, sequence=_UNIT + 2, offset=_UNIT)
    out = io.StringIO()
    writer.dump(value, out)
    return "".join(" " * column + line for line in out.getvalue().splitlines(keepends=True))
