"""Agents: the lease, what each waits for, and how it goes (design §4.3, §6).

An agent is present while its stream is attached, while its lease runs after a broken stream, or
while it holds a call. When it is gone its pending requests stay, marked agent_gone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineup_srv.domain.decision import Ended, Resumed
from lineup_srv.domain.effects import (
    AgentLeft,
    AgentPresent,
    Everyone,
    MailChanged,
    SetLease,
    ShowState,
)
from lineup_srv.domain.facts import HandedOver
from lineup_srv.domain.state import AgentPresence
from lineup_srv.domain.updates import state_update

if TYPE_CHECKING:
    from lineup_srv.contract.ids import AgentId, RequestId
    from lineup_srv.domain.commands import (
        Attach,
        Await,
        Detach,
        HangUp,
        LeaseEnded,
        Open,
        SetWaiting,
    )
    from lineup_srv.domain.decision import Draft
    from lineup_srv.domain.people import AgentIdentity
    from lineup_srv.domain.state import Room

__all__ = [
    "attach",
    "await_agents",
    "detach",
    "hang_up",
    "lease_ended",
    "leave",
    "leave_request",
    "set_waiting",
    "waiting_call",
]


def attach(room: Room, command: Attach, draft: Draft) -> None:
    """Begin (or renew) the agent's lease and tell it what ended while it was away."""
    agent_id = command.agent.agent_id
    before = room.live.agents.get(agent_id)
    presence = before or _newcomer(command.agent)
    presence = replace(
        presence,
        identity=command.agent,
        attached=True,
        lease=presence.lease + 1,
        waiting=_first_ids(room, command.waiting),
        directories=presence.directories | {command.agent.directory},
    )
    draft.changes.append(AgentPresent(presence))
    _resume(room, agent_id, command.waiting, draft, lease=presence.lease)
    if before is None:
        _tell_gone(room, agent_id, draft, gone=False)


def set_waiting(room: Room, command: SetWaiting, draft: Draft) -> None:
    """Replace the waiting list; ids that are new to it are resumed as by Attach."""
    presence = room.live.agents.get(command.agent_id)
    if presence is None:
        draft.result = Resumed(lease=0, ended=(), unknown=())
        return
    new = tuple(i for i in command.waiting if _first_id(room, i) not in presence.waiting)
    draft.changes.append(AgentPresent(replace(presence, waiting=_first_ids(room, command.waiting))))
    _resume(room, command.agent_id, new, draft, lease=presence.lease)
    draft.effects.append(MailChanged())


def _resume(
    room: Room, agent_id: AgentId, ids: tuple[RequestId, ...], draft: Draft, *, lease: int
) -> None:
    ended = []
    unknown = []
    for request_id in ids:
        request = room.logged.find(request_id)
        if request is None:
            unknown.append(request_id)
        elif not request.pending:
            redelivered = agent_id in request.handed_to
            ended.append(Ended(request, redelivered))
            if request.reply is not None:
                draft.log(
                    HandedOver(
                        *draft.stamp(),
                        request_id=request.request_id,
                        agent_id=agent_id,
                        taken=True,
                        redelivered=redelivered,
                    )
                )
    draft.result = Resumed(lease=lease, ended=tuple(ended), unknown=tuple(unknown))


def waiting_call(room: Room, command: Open | Await, request_id: RequestId) -> AgentPresent:
    """The agent holds a call for the request; an attached one also waits by its stream."""
    agent = command.agent
    presence = room.live.agents.get(agent.agent_id) or _newcomer(agent)
    directories = presence.directories | {agent.directory}
    waiting = presence.waiting | {request_id} if presence.attached else presence.waiting
    return AgentPresent(
        replace(
            presence,
            waiting=waiting,
            calls=presence.calls | {(command.command_id, request_id)},
            directories=directories,
        )
    )


def hang_up(room: Room, command: HangUp, draft: Draft) -> None:
    """A held call is over; an agent that was here only by its calls is gone with the last."""
    presence = room.live.agents.get(command.agent_id)
    if presence is None:
        return
    calls = frozenset(held for held in presence.calls if held[0] != command.call_id)
    _stay_or_leave(room, replace(presence, calls=calls), draft)


def leave_request(room: Room, agent_id: AgentId, request_id: RequestId) -> AgentPresent | None:
    """The agent no longer waits for the request."""
    presence = room.live.agents.get(agent_id)
    if presence is None:
        return None
    calls = frozenset(held for held in presence.calls if held[1] != request_id)
    return AgentPresent(replace(presence, waiting=presence.waiting - {request_id}, calls=calls))


def detach(room: Room, command: Detach, draft: Draft) -> None:
    """The stream broke: the lease runs out unless the agent attaches again."""
    presence = room.live.agents.get(command.agent_id)
    if presence is None or presence.lease != command.lease or not presence.attached:
        return
    draft.changes.append(AgentPresent(replace(presence, attached=False)))
    draft.effects.append(SetLease(command.agent_id, command.lease))


def lease_ended(room: Room, command: LeaseEnded, draft: Draft) -> None:
    """The agent counts as gone, unless it came back or holds a call."""
    presence = room.live.agents.get(command.agent_id)
    if presence is None or presence.lease != command.lease or presence.attached:
        return
    _stay_or_leave(room, replace(presence, lease=0), draft)


def leave(room: Room, agent_id: AgentId, draft: Draft) -> None:
    """The agent is gone for good."""
    draft.changes.append(AgentLeft(agent_id))
    _tell_gone(room, agent_id, draft, gone=True)
    draft.effects.append(MailChanged())


def await_agents(room: Room, draft: Draft) -> None:
    """After a start, agents of open or undelivered requests get a lease's time to attach."""
    logged = room.logged
    owners = {
        logged.requests[request_id].agent.agent_id: logged.requests[request_id].agent
        for request_id in (*logged.open_ids, *logged.mail_ids)
    }
    for agent_id, identity in owners.items():
        if agent_id not in room.live.agents:
            draft.changes.append(AgentPresent(_newcomer(identity)))
            draft.effects.append(SetLease(agent_id, 0))


def _stay_or_leave(room: Room, presence: AgentPresence, draft: Draft) -> None:
    if presence.attached or presence.lease or presence.calls:
        draft.changes.append(AgentPresent(presence))
    else:
        leave(room, presence.identity.agent_id, draft)


def _tell_gone(room: Room, agent_id: AgentId, draft: Draft, *, gone: bool) -> None:
    """Devices hear whether the agent behind its pending requests is there."""
    for request in room.logged.open_requests():
        if request.agent.agent_id == agent_id:
            update = replace(state_update(room, request, by=None), agent_gone=gone)
            draft.effects.append(ShowState(Everyone(), update, 0))


def _newcomer(identity: AgentIdentity) -> AgentPresence:
    return AgentPresence(
        identity=identity,
        attached=False,
        lease=0,
        waiting=frozenset(),
        calls=frozenset(),
        directories=frozenset({identity.directory}),
    )


def _first_id(room: Room, request_id: RequestId) -> RequestId:
    return room.logged.aliases.get(request_id, request_id)


def _first_ids(room: Room, ids: tuple[RequestId, ...]) -> frozenset[RequestId]:
    return frozenset(_first_id(room, request_id) for request_id in ids)
