"""Carries out a room's effects: messages to devices, outcomes to agents, timers."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from lineup_srv.domain.effects import (
    ClearTimer,
    DeliverOutcome,
    DevicesChanged,
    Effect,
    Everyone,
    Except,
    MailChanged,
    Only,
    SendAck,
    SendPending,
    SetLease,
    SetTimer,
    ShowPresence,
    ShowReply,
    ShowRequest,
    ShowState,
    ShowText,
    TellDeadline,
    Welcome,
)
from lineup_srv.domain.mailbox import mail_count
from lineup_srv.domain.presence import devices_online
from lineup_srv.service.bodies import refs_of_message, refs_of_outcome
from lineup_srv.service.ports import DeadlineTold, DevicesCounted, MailCounted, OutcomeTold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lineup_srv.contract.ids import AgentId, CommandId
    from lineup_srv.domain.contents import ContentRef
    from lineup_srv.domain.effects import To
    from lineup_srv.domain.people import Member
    from lineup_srv.domain.request import Request
    from lineup_srv.service.ports import AgentOutbox
    from lineup_srv.service.rooms import Outside, RoomRunner

__all__ = ["Delivery"]

_MESSAGES = (
    ShowRequest,
    ShowReply,
    ShowState,
    ShowText,
    ShowPresence,
    Welcome,
    SendPending,
    SendAck,
)


class Delivery:
    """The outgoing side of one room.

    `mail_signal` is set, and replaced, when what waits in mailboxes may have changed. `streams` are
    the attached agents' streams; `calls` the held calls by the command that opened
    each. Both are put here by the relay and taken away by it.
    """

    def __init__(self, runner: RoomRunner, outside: Outside) -> None:
        """Deliver for `runner` through the ports in `outside`."""
        self._runner = runner
        self._outside = outside
        self._deferred: deque[Effect] = deque()
        self._counts: dict[AgentId, int] = {}
        self._mail_changed = False
        self.mail_signal = asyncio.Event()
        self.streams: dict[AgentId, AgentOutbox] = {}
        self.calls: dict[CommandId, asyncio.Future[OutcomeTold]] = {}

    async def emit(self, effects: Iterable[Effect]) -> None:
        """Carry out effects in order, reading bodies from disk where needed."""
        for effect in _expanded(effects):
            bodies = self._at_hand(effect)
            if bodies is None:
                bodies = await self._outside.bodies.gather(self._runner.room_id, _refs(effect))
            self._carry_out(effect, bodies)

    def try_emit(self, effects: Sequence[Effect]) -> bool:
        """Carry out effects now if all bodies are at hand; else none of them."""
        ready = []
        for effect in _expanded(effects):
            bodies = self._at_hand(effect)
            if bodies is None:
                return False
            ready.append((effect, bodies))
        for effect, bodies in ready:
            self._carry_out(effect, bodies)
        return True

    def emit_early(self, effects: Sequence[Effect]) -> None:
        """Carry out effects that wait for nothing; without bodies at hand, before the append."""
        if effects and (self._deferred or not self.try_emit(effects)):
            self._deferred.extend(effects)

    async def emit_deferred(self) -> None:
        """Carry out what `emit_early` could not."""
        while self._deferred:
            await self.emit([self._deferred.popleft()])

    def told(
        self,
        request: Request,
        bodies: Mapping[str, bytes],
        *,
        redelivered: bool,
        other_session: bool,
    ) -> OutcomeTold:
        """An outcome as an agent gets it."""
        return OutcomeTold(
            request=request,
            redelivered=redelivered,
            other_session=other_session,
            devices_online=devices_online(self._runner.room.live.members.values()),
            bodies=bodies,
        )

    def tell_counts(self) -> None:
        """Tell attached agents how much waits for them, if that changed."""
        if not self._mail_changed:
            return
        self._mail_changed = False
        self.mail_signal.set()
        self.mail_signal = asyncio.Event()
        room = self._runner.room
        for agent_id, stream in self.streams.items():
            presence = room.live.agents.get(agent_id)
            count = 0 if presence is None else mail_count(room, presence)
            if self._counts.get(agent_id, 0) != count:
                self._counts[agent_id] = count
                stream.put(MailCounted(count))

    def attach(self, agent_id: AgentId, stream: AgentOutbox) -> None:
        """Give an agent's events to this stream, in place of an earlier one."""
        self.streams[agent_id] = stream
        self._counts.pop(agent_id, None)
        self._mail_changed = True
        stream.put(DevicesCounted(devices_online(self._runner.room.live.members.values())))

    def detach(self, agent_id: AgentId, stream: AgentOutbox) -> None:
        """Forget the stream, unless another has taken its place."""
        if self.streams.get(agent_id) is stream:
            del self.streams[agent_id]
            self._counts.pop(agent_id, None)

    def _at_hand(self, effect: Effect) -> Mapping[str, bytes] | None:
        return self._outside.bodies.at_hand(self._runner.room_id, _refs(effect))

    def _carry_out(  # noqa: C901 - one case for each kind
        self, effect: Effect, bodies: Mapping[str, bytes]
    ) -> None:
        if isinstance(effect, _MESSAGES):
            members = self._members(effect.to)
            if members:
                self._outside.devices.send(members, effect, bodies)
            return
        match effect:
            case DeliverOutcome():
                self._deliver_outcome(effect, bodies)
            case SetTimer():
                self._runner.timers.set_deadline(effect.request_id, effect.deadline_unix_ms)
            case ClearTimer():
                self._runner.timers.clear_deadline(effect.request_id)
            case SetLease():
                self._runner.timers.set_lease(effect.agent_id, effect.lease)
            case MailChanged():
                self._mail_changed = True
            case DevicesChanged():
                for stream in self.streams.values():
                    stream.put(DevicesCounted(effect.count))
            case TellDeadline():
                told = self.streams.get(effect.agent_id)
                if told is not None:
                    told.put(DeadlineTold(effect.request_id, effect.deadline_unix_ms))

    def _deliver_outcome(self, effect: DeliverOutcome, bodies: Mapping[str, bytes]) -> None:
        """To the agent's held calls for the request, else to its stream.

        A call that breaks at this moment loses nothing: the outcome is not received yet, and the
        bridge asks again with the same id.
        """
        told = self.told(
            effect.request, bodies, redelivered=effect.redelivered, other_session=False
        )
        presence = self._runner.room.live.agents.get(effect.agent_id)
        calls = () if presence is None else presence.calls
        held = [
            self.calls[call_id]
            for call_id, request_id in calls
            if request_id == effect.request.request_id and call_id in self.calls
        ]
        for future in held:
            if not future.done():
                future.set_result(told)
        stream = self.streams.get(effect.agent_id)
        if not held and stream is not None:
            stream.put(told)

    def _members(self, to: To) -> list[Member]:
        members = self._runner.room.live.members
        match to:
            case Everyone():
                return list(members.values())
            case Except():
                return [m for c, m in members.items() if c != to.client_id]
            case Only():
                member = members.get(to.client_id)
                return [] if member is None else [member]


def _expanded(effects: Iterable[Effect]) -> Iterator[Effect]:
    """A welcome is followed by each open card and its state, so that each is one frame."""
    for effect in effects:
        yield effect
        if isinstance(effect, Welcome) and not effect.renamed and effect.member.extended:
            for request, update in effect.updates:
                yield ShowRequest(effect.to, request, request.opened_seq)
                yield ShowState(effect.to, update, request.opened_seq)


def _refs(effect: Effect) -> Iterable[ContentRef]:
    if isinstance(effect, DeliverOutcome):
        return refs_of_outcome(effect.request)
    return refs_of_message(effect) if isinstance(effect, _MESSAGES) else ()
