"""The JSON form of one tool → its definition, or all that is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.json_text import below, print_json
from lineup_srv.contract.schema import judge_schema
from lineup_srv.contract.tools import ActionDefinition, Hints, ToolDefinition, ToolType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lineup_srv.contract.faults import Faults
    from lineup_srv.contract.fields import Fields

__all__ = ["check_new", "read_name", "read_tool"]


def read_tool(
    item: Fields, name: str, can_match: Callable[[str], bool], faults: Faults
) -> ToolDefinition:
    """Read a tool; what comes back counts only if no fault was noted.

    Args:
        item: the tool.
        name: its name, read before.
        can_match: as in `judge_schema`.
        faults: where all that is wrong is noted, with the paths.
    """
    reader = _Reader(can_match, faults)
    kind = faults.read(None, item.choice, "type", ToolType)
    actions = reader.actions(item)
    single = kind is ToolType.ACTION
    if single and actions:
        faults.note(item.wrong("actions", "has no place: a tool of type action is one action"))
    if kind is not None and not single and actions == ():
        faults.note(item.wrong("actions", "is missing: an app or toolset has actions"))
    return ToolDefinition(
        name=name,
        type=kind or ToolType.APP,
        description=reader.description(item),
        actions=actions or (),
        input_schema_json=reader.schema(item, "inputSchema") if single else "",
        interactive=reader.flag(item, "interactive"),
        result_schema_json=reader.result_schema(item) if single else "",
        version=faults.read("", item.text, "version", default=""),
        hints=reader.hints(item),
    )


def read_name(item: Fields, field_name: str) -> str:
    """The name of a tool or an action, or the id of an application.

    Raises:
        LineUpError: INVALID_ARGUMENT or TOO_LARGE.
    """
    name = item.id(field_name)
    if not name.isprintable() or name != name.strip():
        raise item.wrong(field_name, "must be printable, without spaces around it")
    return name


def check_new(item: Fields, field_name: str, name: str, taken: Mapping[str, object]) -> None:
    """Refuse a name that an earlier one has.

    Raises:
        LineUpError: NAME_CONFLICT.
    """
    if name in taken:
        where = below(item.path, field_name)
        raise LineUpError(ErrorCode.NAME_CONFLICT, "stands there twice", field=where)


class _Reader:
    """Reads the parts of a tool."""

    def __init__(self, can_match: Callable[[str], bool], faults: Faults) -> None:
        self._can_match = can_match
        self._faults = faults

    def actions(self, item: Fields) -> tuple[ActionDefinition, ...] | None:
        """The actions; None: there is no telling which."""
        count = self._faults.read(None, item.count, "actions", limits.ACTIONS_PER_TOOL)
        if count is None:
            return None
        actions: dict[str, ActionDefinition] = {}
        for index in range(count):
            told = self._faults.read(None, item.item, "actions", index)
            if told is not None:
                name = self._faults.read("", read_name, told, "name")
                self._faults.read(None, check_new, told, "name", name, actions)
                actions[name or str(index)] = self._action(told, name)
        return tuple(actions.values())

    def _action(self, item: Fields, name: str) -> ActionDefinition:
        return ActionDefinition(
            name=name,
            description=self.description(item),
            input_schema_json=self.schema(item, "inputSchema"),
            hints=self.hints(item),
            interactive=self.flag(item, "interactive"),
            result_schema_json=self.result_schema(item),
        )

    def description(self, item: Fields) -> str:
        most = limits.TOOL_DESCRIPTION_CHARACTERS
        return self._faults.read("", item.text, "description", most)

    def flag(self, item: Fields, name: str) -> bool:
        return self._faults.read(False, item.flag, name, default=False)

    def hints(self, item: Fields) -> Hints:
        hints = self._faults.read(None, item.fields, "hints") if item.has("hints") else None
        if hints is None:
            return Hints()
        return Hints(
            read_only=self.flag(hints, "read_only"),
            destructive=self.flag(hints, "destructive"),
            idempotent=self.flag(hints, "idempotent"),
        )

    def schema(self, item: Fields, name: str) -> str:
        schema = self._faults.read(None, item.json, name)
        if schema is None:
            return ""
        where = below(item.path, name)
        self._faults.read(None, judge_schema, schema, where, self._can_match, self._faults)
        return print_json(schema)

    def result_schema(self, item: Fields) -> str:
        return self.schema(item, "resultSchema") if item.has("resultSchema") else ""
