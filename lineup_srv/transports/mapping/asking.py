"""Who calls RelayService and what it names: checked texts → ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import AgentId, CallId, RequestId, TextId
from lineup_srv.domain.people import AgentIdentity, unknown_agent
from lineup_srv.transports.mapping.checks import checked, named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineup_srv.contract.ids import CommandId
    from lineup_srv.wire._gen.lineup.v1 import relay_pb2 as pb

__all__ = [
    "agent_id_of",
    "call_ids_of",
    "identity_of",
    "request_id_of",
    "request_ids_of",
    "script_of",
    "text_ids_of",
    "wait_of",
]


def identity_of(agent: pb.AgentIdentity) -> AgentIdentity:
    """One bridge process.

    Raises:
        LineUpError: INVALID_ARGUMENT or TOO_LARGE, naming the field, as all that follows.
    """
    return AgentIdentity(
        agent_id=AgentId(named(agent.agent_id, "agent.agent_id")),
        client=checked(agent.client, "agent.client"),
        machine=checked(agent.machine, "agent.machine"),
        session=checked(agent.session, "agent.session"),
        directory=checked(agent.directory, "agent.directory", limits.PATH_CHARACTERS),
        machine_name=checked(agent.machine_name, "agent.machine_name"),
    )


def script_of(agent_id: str, command_id: CommandId) -> AgentIdentity:
    """A script that waits without a lease is an agent of its own, for this call."""
    return unknown_agent(agent_id_of(agent_id or f"call:{command_id}"))


def agent_id_of(text: str, field: str = "agent_id") -> AgentId:
    """The agent that calls."""
    return AgentId(named(text, field))


def request_id_of(text: str, field: str = "request_id") -> RequestId:
    """A request."""
    return RequestId(named(text, field))


def request_ids_of(texts: Sequence[str], field: str) -> tuple[RequestId, ...]:
    """Requests that an agent waits for, or whose outcome it has."""
    return tuple(map(RequestId, _ids(texts, field, limits.WAITING_IDS_PER_AGENT)))


def text_ids_of(texts: Sequence[str], field: str) -> tuple[TextId, ...]:
    """Texts that an agent has."""
    return tuple(map(TextId, _ids(texts, field, limits.UNDELIVERED_TEXTS_PER_ROOM)))


def call_ids_of(texts: Sequence[str], field: str) -> tuple[CallId, ...]:
    """Calls whose end an agent has."""
    return tuple(map(CallId, _ids(texts, field, limits.WAITING_IDS_PER_AGENT)))


def wait_of(wait_ms: int, most: int) -> int:
    """How long to hold a call, in ms."""
    return max(0, min(wait_ms, most))


def _ids(texts: Sequence[str], field: str, most: int) -> list[str]:
    if len(texts) > most:
        raise LineUpError(ErrorCode.TOO_LARGE, f"at most {most} ids", field=field)
    return [named(text, f"{field}[{index}]") for index, text in enumerate(texts)]
