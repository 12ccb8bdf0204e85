"""Tool definitions (seed 000, 1.1): what an app offers, and its JSON form.

The JSON form is the interchange format: text frames hold it, a MiniApp's manifest holds it, and
protobuf's fields are the same. `offers` reads it, `json_form` writes it: a field with a default
may be left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

from lineup_srv.contract.json_form import json_form

__all__ = [
    "ActionDefinition",
    "Application",
    "Hints",
    "ToolDefinition",
    "ToolType",
    "same_definition",
]


class ToolType(Enum):
    """The three shapes of a tool (seed 000, 1.1)."""

    APP = "app"
    """Stateful: open → use → close, by instance_id."""
    TOOLSET = "toolset"
    """Several independent actions."""
    ACTION = "action"
    """One action, named as the tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What an action does to the world, as MCP's tool annotations say it."""

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionDefinition:
    """One action of an app or a toolset.

    Attributes:
        input_schema_json: JSON Schema 2020-12 of the arguments, as compact JSON text.
        interactive: a human answers it.
        result_schema_json: JSON Schema of the result; empty: anything with a `message`.
    """

    name: str
    description: str
    input_schema_json: str = field(metadata={"name": "inputSchema", "json": True})
    hints: Hints = Hints()
    interactive: bool = False
    result_schema_json: str = field(default="", metadata={"name": "resultSchema", "json": True})


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDefinition:
    """One tool: an app and a toolset have `actions`, an action has a schema and hints of its own.

    Attributes:
        interactive: a human answers every action of it.
        version: a newer one of the page's own tools replaces an older one; dotted numbers.
    """

    name: str
    type: ToolType
    description: str
    actions: tuple[ActionDefinition, ...] = ()
    input_schema_json: str = field(default="", metadata={"name": "inputSchema", "json": True})
    interactive: bool = False
    result_schema_json: str = field(default="", metadata={"name": "resultSchema", "json": True})
    version: str = ""
    hints: Hints = Hints()

    def operations(self) -> tuple[ActionDefinition, ...]:
        """Its actions, whatever its type; the one of a type-action tool has the tool's name."""
        told = self.actions or (
            ActionDefinition(
                name=self.name,
                description=self.description,
                input_schema_json=self.input_schema_json,
                hints=self.hints,
                result_schema_json=self.result_schema_json,
            ),
        )
        if not self.interactive:
            return told
        return tuple(replace(action, interactive=True) for action in told)

    def operation(self, action: str) -> ActionDefinition | None:
        """One of `operations`; a type-action tool ignores the name (seed 000, 1.3)."""
        if self.type is ToolType.ACTION:
            return self.operations()[0]
        return next((told for told in self.operations() if told.name == action), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """A MiniApp and its tools."""

    id: str
    version: str = ""
    title: str = ""
    tools: tuple[ToolDefinition, ...] = ()


def same_definition(one: ToolDefinition, other: ToolDefinition) -> bool:
    """Whether two devices mean the same: all fields are equal, in whatever order JSON has them."""
    return one == other or _comparable(one) == _comparable(other)


def _comparable(tool: ToolDefinition) -> object:
    return _ordered(json_form(tool))


def _ordered(value: object) -> object:
    """A value that Python compares as JSON means it: `true` is not 1."""
    match value:
        case dict():
            return sorted((name, _ordered(item)) for name, item in value.items())
        case list():
            return [_ordered(item) for item in value]
        case _:
            return repr(value)
