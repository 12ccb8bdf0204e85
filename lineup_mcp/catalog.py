"""The relay's catalog → the actions that agent programs are offered. Knows protobuf, not the relay.

What an agent program could not take is left out, alone, with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lineup_mcp.tools.apps import AppAction
from lineup_mcp.tools.listing import Dropped
from lineup_srv.contract import limits
from lineup_srv.contract.errors import LineUpError
from lineup_srv.contract.host_schema import host_schema
from lineup_srv.contract.tool_names import ActionKey
from lineup_srv.wire._gen.lineup.v1 import tool_pb2

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lineup_srv.wire._gen.lineup.v1 import relay_pb2

__all__ = ["Catalog", "read_catalog"]

_EMPTY_SCHEMA: Final = '{"type":"object"}'


@dataclass(frozen=True, slots=True)
class Catalog:
    """What devices offer.

    Args:
        actions: what agents can call, tool by tool.
        schemas: the schema of each action's arguments as its author wrote it, JSON text.
        refused: what no agent can call, and why.
    """

    actions: tuple[AppAction, ...]
    schemas: dict[ActionKey, str]
    refused: tuple[Dropped, ...]


@dataclass(frozen=True, slots=True)
class _Offered:
    """One action with all that its tool says about it."""

    key: ActionKey
    title: str
    description: str
    schema_json: str
    hints: tool_pb2.ActionHints
    interactive: bool


def read_catalog(told: relay_pb2.ListToolsResponse) -> Catalog:
    """Read what the relay told."""
    actions: dict[ActionKey, AppAction] = {}
    schemas: dict[ActionKey, str] = {}
    refused: list[Dropped] = []
    for offered in _all(told):
        try:
            schema = host_schema(offered.schema_json)
        except (LineUpError, ValueError, RecursionError) as error:
            reason = _reason(error)
            refused.append(Dropped(f"{offered.key.tool}: {offered.key.action}", reason))
            continue
        actions.setdefault(
            offered.key,
            AppAction(
                key=offered.key,
                title=offered.title[: limits.NAME_CHARACTERS],
                description=offered.description[: limits.TOOL_DESCRIPTION_CHARACTERS],
                schema=schema,
                read_only=offered.hints.read_only,
                destructive=offered.hints.destructive,
                idempotent=offered.hints.idempotent,
                interactive=offered.interactive,
            ),
        )
        schemas.setdefault(offered.key, offered.schema_json)
    return Catalog(tuple(actions.values()), schemas, tuple(refused))


def _reason(error: Exception) -> str:
    """Why an action is left out, for its author."""
    if not isinstance(error, LineUpError):
        return "its schema is no JSON Schema"
    where = f" at {error.field}" if error.field else ""
    return f"its schema {error.message}{where}"


def _all(told: relay_pb2.ListToolsResponse) -> Iterator[_Offered]:
    yield from _offered("", "", told.tools)
    for application in told.applications:
        yield from _offered(application.id, application.title, application.tools)


def _offered(
    application: str, title: str, tools: Iterable[tool_pb2.ToolDefinition]
) -> Iterator[_Offered]:
    for tool in tools:
        single = tool.type == tool_pb2.TOOL_TYPE_ACTION
        name = f"{title} {tool.name}" if title and title != tool.name else tool.name
        if single:
            yield _Offered(
                ActionKey(application=application, tool=tool.name, action=tool.name, single=True),
                name,
                tool.description,
                tool.input_schema_json or _EMPTY_SCHEMA,
                tool.hints,
                tool.interactive,
            )
        for action in () if single else tool.actions:
            yield _Offered(
                ActionKey(
                    application=application, tool=tool.name, action=action.name, single=False
                ),
                name,
                action.description or tool.description,
                action.input_schema_json or _EMPTY_SCHEMA,
                action.hints,
                tool.interactive or action.interactive,
            )
