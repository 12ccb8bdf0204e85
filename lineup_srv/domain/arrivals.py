"""How agents come: as whom, whether there is place for them, and for how much each may wait."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.domain.state import AgentPresence, is_call

if TYPE_CHECKING:
    from lineup_srv.contract.ids import AgentId, RequestId
    from lineup_srv.domain.people import AgentIdentity
    from lineup_srv.domain.request import Request
    from lineup_srv.domain.state import Room

__all__ = [
    "directories_with",
    "ended_unanswered",
    "has_place",
    "known",
    "may_wait",
    "newcomer",
    "waiting_of",
]


def known(room: Room, identity: AgentIdentity) -> AgentPresence:
    """The agent as it is here, or as it was when it left, or new."""
    presence = room.live.agents.get(identity.agent_id)
    if presence is not None:
        return presence
    left = room.live.gone.get(identity.agent_id)
    return newcomer(identity) if left is None else replace(left[0], identity=identity)


def newcomer(identity: AgentIdentity) -> AgentPresence:
    """An agent that nobody knows yet."""
    return AgentPresence(
        identity=identity,
        name="",
        model="",
        last_call_unix_ms=0,
        attached=False,
        lease=0,
        waiting=frozenset(),
        calls=frozenset(),
        directories=frozenset({identity.directory}),
    )


def directories_with(presence: AgentPresence, directory: str) -> frozenset[str]:
    """The directories it was called with; beyond the limit a new one is not remembered."""
    if len(presence.directories) >= limits.DIRECTORIES_PER_AGENT:
        return presence.directories
    return presence.directories | {directory}


def has_place(room: Room, agent_id: AgentId) -> bool:
    """Whether the agent is here or may come: a room has at most `limits.AGENTS_PER_ROOM`.

    Single calls are no agents. Nor does an agent count whose lease runs out: after a start these
    may be many that never come back.
    """
    agents = room.live.agents
    if agent_id in agents or is_call(agent_id) or len(agents) < limits.AGENTS_PER_ROOM:
        return True
    here = sum(1 for p in agents.values() if not p.is_call and (p.attached or p.calls))
    return here < limits.AGENTS_PER_ROOM


def may_wait(room: Room, agent_id: AgentId, request_id: RequestId) -> bool:
    """Whether `hold_call` keeps the limits of agents in a room and of ids that one waits for."""
    presence = room.live.agents.get(agent_id)
    if presence is None:
        return has_place(room, agent_id)
    if not presence.attached:
        return True
    waiting = waiting_of(room, presence)
    return request_id in waiting or len(waiting) < limits.WAITING_IDS_PER_AGENT


def waiting_of(room: Room, presence: AgentPresence) -> frozenset[RequestId]:
    """What it waits for; a full list loses what can bring nothing more."""
    if len(presence.waiting) < limits.WAITING_IDS_PER_AGENT:
        return presence.waiting
    requests = room.logged.requests
    return frozenset(i for i in presence.waiting if not _brings_nothing(requests.get(i)))


def _brings_nothing(request: Request | None) -> bool:
    return ended_unanswered(request) or (request is not None and request.received)


def ended_unanswered(request: Request | None) -> bool:
    """Whether nothing more can come of waiting for it, but a late answer by the mailbox."""
    return request is not None and not request.pending and request.reply is None
