"""What a tool is, in the one form that every layer works with (seed 000 §1).

A definition here is checked and in normal form: a tool of type ACTION has one action, named as
the tool; `interactive` of a tool stands on each of its actions; schemas are canonical JSON text,
so that equal text is an equal schema.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["ActionDefinition", "Application", "Hints", "ToolDefinition", "ToolType"]


class ToolType(Enum):
    """The three shapes of a tool. The value is the JSON spelling."""

    APP = "app"
    TOOLSET = "toolset"
    ACTION = "action"


@dataclass(frozen=True, slots=True)
class Hints:
    """What an action does to the world, as MCP's tool annotations say it.

    Attributes:
        read_only: it changes nothing.
        destructive: it may destroy something.
        idempotent: running it again changes nothing more.
    """

    read_only: bool
    destructive: bool
    idempotent: bool

    @property
    def repeatable(self) -> bool:
        """Whether running it twice does no harm (design §4.2)."""
        return self.read_only or self.idempotent


@dataclass(frozen=True, slots=True)
class ActionDefinition:
    """One action of a tool.

    Attributes:
        name: its name inside the tool; for type ACTION the tool's.
        description: for the agent.
        input_schema_json: JSON Schema 2020-12 of the arguments, canonical JSON text.
        result_schema_json: JSON Schema of the result, canonical JSON text; empty: any.
        hints: what it does to the world.
        interactive: a human answers it.
    """

    name: str
    description: str
    input_schema_json: str
    result_schema_json: str
    hints: Hints
    interactive: bool


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """One tool with its actions, at least one.

    Attributes:
        name: unique in the room, or in its MiniApp.
        type: its shape.
        description: for the agent.
        actions: in the announced order, each name once.
        version: of the definition, dotted numbers; empty: it has none. A newer one replaces an
            older one.
    """

    name: str
    type: ToolType
    description: str
    actions: tuple[ActionDefinition, ...]
    version: str

    def action(self, name: str) -> ActionDefinition | None:
        """The action with this name; a tool of type ACTION has one, whatever the name."""
        if self.type is ToolType.ACTION:
            return self.actions[0]
        return next((action for action in self.actions if action.name == name), None)


@dataclass(frozen=True, slots=True)
class Application:
    """A MiniApp and its tools.

    Attributes:
        id: from its manifest.
        version: of the MiniApp, dotted numbers; may be empty.
        title: for people.
        tools: what it offers.
    """

    id: str
    version: str
    title: str
    tools: tuple[ToolDefinition, ...]
