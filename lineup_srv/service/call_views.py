"""Calls and the catalog as agents' transports exchange them with the service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineup_srv.contract.ids import CallId
    from lineup_srv.domain.call import Call, OfferedTool, Progress, ToolKey
    from lineup_srv.domain.people import AgentIdentity

__all__ = ["CallTold", "CallWanted", "CatalogView"]


@dataclass(frozen=True, slots=True)
class CallWanted:
    """A call as an agent asks for it.

    Attributes:
        call_id: chosen by the caller; the same one again runs nothing.
        tool: which tool.
        action: which action; ignored for tools of type ACTION.
        arguments_json: a JSON object as text.
        timeout_ms: until its deadline.
        catalog_revision: the newest that the caller has seen; 0: none.
    """

    call_id: CallId
    tool: ToolKey
    action: str
    arguments_json: str
    agent: AgentIdentity
    agent_name: str
    timeout_ms: int
    catalog_revision: int


@dataclass(frozen=True, slots=True)
class CallTold:
    """How a call stands, as its caller hears it.

    Attributes:
        call: the call; the stream ends with one that has ended.
        progress: set when progress is what is new.
        bodies: the bytes behind every content reference that is not inline, by sha256.
        secret_json: the secret result as JSON text; empty: there is none, or it was received.
    """

    call: Call
    progress: Progress | None
    bodies: Mapping[str, bytes]
    secret_json: str


@dataclass(frozen=True, slots=True)
class CatalogView:
    """The catalog as agents see it, each tool with its number of providers (0: they sleep)."""

    revision: int
    tools: Sequence[tuple[OfferedTool, int]]
