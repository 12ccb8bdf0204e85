"""Agents: the lease, what each waits for, and how it goes (design §4.3, §6).

An agent is present while its stream is attached, while its lease runs after a broken stream, or
while it holds a call. When it is gone its pending requests stay, marked agent_gone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.domain.acks import refused
from lineup_srv.domain.arrivals import (
    directories_with,
    ended_unanswered,
    has_place,
    known,
    newcomer,
    waiting_of,
)
from lineup_srv.domain.commands import Open
from lineup_srv.domain.decision import Ended, Resumed
from lineup_srv.domain.effects import (
    AgentLeft,
    AgentLine,
    AgentPresent,
    Everyone,
    MailChanged,
    SetLease,
    ShowState,
)
from lineup_srv.domain.facts import Cancelled, DeadlineMoved, HandedOver, Joined
from lineup_srv.domain.mailbox import mail_count
from lineup_srv.domain.updates import agent_gone, state_update

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineup_srv.contract.ids import AgentId, RequestId
    from lineup_srv.domain.commands import (
        Attach,
        Await,
        Detach,
        HangUp,
        LeaseEnded,
        SetWaiting,
    )
    from lineup_srv.domain.decision import Draft
    from lineup_srv.domain.request import Request
    from lineup_srv.domain.state import AgentPresence, Room

__all__ = [
    "agent_lines",
    "attach",
    "await_agents",
    "detach",
    "hang_up",
    "hold_call",
    "lease_ended",
    "leave",
    "leave_request",
    "set_waiting",
]

_TELLING = (Joined, Cancelled, DeadlineMoved)


def attach(room: Room, command: Attach, draft: Draft) -> None:
    """Begin (or renew) the agent's lease and tell it what ended while it was away."""
    agent_id = command.agent.agent_id
    if not has_place(room, agent_id):
        draft.result = refused(ErrorCode.RATE_LIMITED)
        return
    presence = known(room, command.agent)
    presence = replace(
        presence,
        identity=command.agent,
        attached=True,
        lease=room.live.last_lease + 1,
        waiting=_first_ids(room, command.waiting),
        directories=directories_with(presence, command.agent.directory),
    )
    _resume(room, agent_id, command.waiting, draft, lease=presence.lease)
    _change(room, agent_id, presence, draft)


def set_waiting(room: Room, command: SetWaiting, draft: Draft) -> None:
    """Replace the waiting list; ids that are new to it are resumed as by Attach."""
    presence = room.live.agents.get(command.agent_id)
    if presence is None:
        draft.result = Resumed(lease=0, ended=(), unknown=())
        return
    new = tuple(i for i in command.waiting if _first_id(room, i) not in presence.waiting)
    _resume(room, command.agent_id, new, draft, lease=presence.lease)
    waiting = _first_ids(room, command.waiting)
    _change(room, command.agent_id, replace(presence, waiting=waiting), draft)
    draft.effects.append(MailChanged())


def _resume(
    room: Room, agent_id: AgentId, ids: tuple[RequestId, ...], draft: Draft, *, lease: int
) -> None:
    ended = []
    unknown = []
    for request_id in dict.fromkeys(_first_id(room, i) for i in ids):
        request = room.logged.requests.get(request_id)
        if request is None:
            unknown.append(request_id)
        elif not request.pending:
            redelivered = bool(request.handed_to)
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


def hold_call(room: Room, command: Open | Await, request_id: RequestId, draft: Draft) -> None:
    """The agent holds a call for the request; an attached one also waits by its stream."""
    agent = command.agent
    presence = known(room, agent)
    waiting = waiting_of(room, presence)
    if presence.attached:
        waiting |= {request_id}
    name, model = presence.name, presence.model
    if isinstance(command, Open):
        name, model = command.agent_name, command.model
    holding = replace(
        presence,
        name=name,
        model=model,
        waiting=waiting,
        calls=presence.calls | {(command.command_id, request_id)},
        directories=directories_with(presence, agent.directory),
        last_call_unix_ms=draft.now_unix_ms,
    )
    _change(room, agent.agent_id, holding, draft)


def hang_up(room: Room, command: HangUp, draft: Draft) -> None:
    """A held call is over; an agent that was here only by its calls is gone with the last."""
    presence = room.live.agents.get(command.agent_id)
    if presence is None:
        return
    calls = frozenset(held for held in presence.calls if held[0] != command.call_id)
    _stay_or_leave(room, replace(presence, calls=calls), draft)


def leave_request(room: Room, agent_id: AgentId, request_id: RequestId, draft: Draft) -> None:
    """The agent no longer waits for the request; one that was here only for it is gone."""
    presence = room.live.agents.get(agent_id)
    if presence is None:
        return
    calls = frozenset(held for held in presence.calls if held[1] != request_id)
    waiting = presence.waiting - {request_id}
    _stay_or_leave(room, replace(presence, waiting=waiting, calls=calls), draft)


def detach(room: Room, command: Detach, draft: Draft) -> None:
    """The stream broke: the lease runs out unless the agent attaches again."""
    presence = room.live.agents.get(command.agent_id)
    if presence is None or presence.lease != command.lease or not presence.attached:
        return
    _change(room, command.agent_id, replace(presence, attached=False), draft)
    draft.effects.append(SetLease(command.agent_id, command.lease))


def lease_ended(room: Room, command: LeaseEnded, draft: Draft) -> None:
    """The agent counts as gone, unless it came back or holds a call."""
    presence = room.live.agents.get(command.agent_id)
    if presence is None or presence.lease != command.lease or presence.attached:
        return
    _stay_or_leave(room, replace(presence, lease=0), draft)


def leave(room: Room, agent_id: AgentId, draft: Draft) -> None:
    """The agent is gone for good."""
    _change(room, agent_id, None, draft)
    draft.effects.append(MailChanged())


def await_agents(room: Room, draft: Draft) -> None:
    """After a start, agents of open or undelivered requests get a lease's time to attach."""
    logged, live = room.logged, room.live
    lease = live.last_lease + 1
    owners = {
        logged.requests[request_id].agent.agent_id: logged.requests[request_id].agent
        for request_id in (*logged.open_ids, *logged.mail_ids)
    }
    for agent_id, identity in owners.items():
        if agent_id not in live.agents and agent_id not in live.gone:
            _change(room, agent_id, replace(newcomer(identity), lease=lease), draft)
            draft.effects.append(SetLease(agent_id, lease))


def _stay_or_leave(room: Room, presence: AgentPresence, draft: Draft) -> None:
    if presence.attached or presence.lease or presence.calls:
        _change(room, presence.identity.agent_id, presence, draft)
    else:
        leave(room, presence.identity.agent_id, draft)


def _change(room: Room, agent_id: AgentId, after: AgentPresence | None, draft: Draft) -> None:
    """Note the agent's new presence, and tell devices whose cards lost or regained their agent.

    A card that a fact of this command is about is left out: that fact tells how it stands.
    """
    left = AgentLeft(agent_id, draft.now_unix_ms)
    draft.changes.append(left if after is None else AgentPresent(after))
    before = room.live.agents.get(agent_id)
    touched = _taken_by(before) ^ _taken_by(after)
    if before is None or after is None:
        touched |= {
            r.request_id for r in room.logged.open_requests() if r.agent.agent_id == agent_id
        }
    touched -= {f.request_id for f in draft.facts if isinstance(f, _TELLING)}
    for request_id in sorted(touched & room.logged.open_ids.keys()):
        request = room.logged.requests[request_id]
        gone = _nobody_there(room, request, agent_id, after)
        if gone != agent_gone(room, request):
            update = replace(state_update(room, request, by=None), agent_gone=gone)
            draft.effects.append(ShowState(Everyone(), update, 0))


def _nobody_there(
    room: Room, request: Request, agent_id: AgentId, after: AgentPresence | None
) -> bool:
    """What `agent_gone` will say when this agent's presence has become `after`."""
    owner = request.agent.agent_id
    if (after is not None) if owner == agent_id else (owner in room.live.agents):
        return False
    if request.request_id in _taken_by(after):
        return False
    return all(waiter == agent_id for waiter in room.live.waiters(request.request_id))


def agent_lines(room: Room) -> tuple[AgentLine, ...]:
    """All agents as devices see them: those who are here, then those who left, newest last."""
    live = room.live
    here = [(presence, 0) for presence in live.agents.values() if not presence.is_call]
    gone = [left for agent_id, left in live.gone.items() if agent_id not in live.agents]
    own: dict[AgentId, list[tuple[RequestId, int]]] = {}
    for request in room.logged.open_requests():
        waiting = (request.request_id, request.opened_unix_ms)
        own.setdefault(request.agent.agent_id, []).append(waiting)
    return tuple(_line(room, *agent, own) for agent in (*here, *gone))


def _line(
    room: Room,
    presence: AgentPresence,
    left_unix_ms: int,
    own: Mapping[AgentId, Sequence[tuple[RequestId, int]]],
) -> AgentLine:
    return AgentLine(
        identity=presence.identity,
        name=presence.name,
        model=presence.model,
        attached=presence.attached,
        waiting=tuple(own.get(presence.identity.agent_id, ())),
        last_call_unix_ms=presence.last_call_unix_ms,
        left_unix_ms=left_unix_ms,
        messages_waiting=mail_count(room, presence),
    )


def _taken_by(presence: AgentPresence | None) -> frozenset[RequestId]:
    return frozenset() if presence is None else presence.takes


def _first_id(room: Room, request_id: RequestId) -> RequestId:
    return room.logged.aliases.get(request_id, request_id)


def _first_ids(room: Room, ids: tuple[RequestId, ...]) -> frozenset[RequestId]:
    """The first ids of what is worth waiting for: an end without an answer brings nothing more.

    An answer stays in the list until its agent takes it out, or the mailbox would give it again.
    """
    first = (_first_id(room, request_id) for request_id in ids)
    return frozenset(i for i in first if not ended_unanswered(room.logged.requests.get(i)))
