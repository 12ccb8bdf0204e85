"""Carries out a room's effects: messages to devices, outcomes to agents, timers."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from lineup_srv.domain.agents import agent_lines
from lineup_srv.domain.call_effects import (
    CatalogChanged,
    CheckCall,
    ClearCallTimers,
    ForgetSecret,
    SetCallTimer,
    SetCallWait,
    TellCall,
)
from lineup_srv.domain.effects import (
    AgentLeft,
    AgentPresent,
    ClearTimer,
    DeliverOutcome,
    DevicesChanged,
    Effect,
    Everyone,
    Except,
    MailChanged,
    MemberJoined,
    Only,
    SetLease,
    SetTimer,
    ShowAgents,
    ShowPresence,
    ShowRequest,
    ShowState,
    TellDeadline,
    Those,
    Welcome,
)
from lineup_srv.domain.mailbox import mail_count
from lineup_srv.domain.presence import devices_online
from lineup_srv.service.bodies import readable_request, refs_of_message, refs_of_outcome
from lineup_srv.service.ports import (
    DeadlineTold,
    DevicesCounted,
    MailCounted,
    OutcomeTold,
    UnknownTold,
)
from lineup_srv.service.presence_flow import PresenceFlow, merged_for_ms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lineup_srv.contract.ids import AgentId, CommandId, RequestId
    from lineup_srv.domain.contents import ContentRef
    from lineup_srv.domain.decision import Resumed
    from lineup_srv.domain.effects import Change, Message, To
    from lineup_srv.domain.people import Member
    from lineup_srv.domain.request import Request
    from lineup_srv.service.ports import AgentEvent, AgentOutbox
    from lineup_srv.service.rooms import Outside, RoomRunner

__all__ = ["Delivery", "HeldCall", "Outgoing", "resumption"]


@dataclass(frozen=True, slots=True)
class ResumeOutcome:
    """An agent's stream gets an outcome that it missed."""

    agent_id: AgentId
    request: Request
    redelivered: bool


@dataclass(frozen=True, slots=True)
class ResumeUnknown:
    """An agent's stream hears that the room does not know a request."""

    agent_id: AgentId
    request_id: RequestId


Outgoing = Effect | ResumeOutcome | ResumeUnknown


class HeldCall:
    """A call that waits for an outcome; `woken` is done when it has it, or gave up waiting.

    A future of its own for each, because `asyncio.wait` takes one more turn of the loop.
    """

    __slots__ = ("told", "woken")

    def __init__(self) -> None:
        """Wait on the running event loop."""
        self.woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.told: OutcomeTold | None = None

    @property
    def waits(self) -> bool:
        """Whether it can take the outcome: it has none, and its caller is still there."""
        return self.told is None and not self.woken.cancelled()

    def tell(self, told: OutcomeTold) -> None:
        """Give it the outcome."""
        self.told = told
        self.wake()

    def wake(self) -> None:
        """Let it go on, with the outcome or without."""
        if not self.woken.done():
            self.woken.set_result(None)


def resumption(agent_id: AgentId, resumed: Resumed) -> Iterator[Outgoing]:
    """What an agent is told when its waiting list was taken."""
    for ended in resumed.ended:
        yield ResumeOutcome(agent_id, ended.request, ended.redelivered)
    for request_id in resumed.unknown:
        yield ResumeUnknown(agent_id, request_id)


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
        self._deferred: deque[Outgoing] = deque()
        self._counts: dict[AgentId, int] = {}
        self._mail_changed = False
        self._telling_agents = False
        self._presence = PresenceFlow(outside.clock, lambda notice: self._send(notice, {}))
        self.mail_signal = asyncio.Event()
        self.streams: dict[AgentId, AgentOutbox] = {}
        self.calls: dict[CommandId, HeldCall] = {}

    async def emit(self, effects: Iterable[Outgoing]) -> None:
        """Carry out effects in order, reading bodies from disk where needed."""
        for effect in _expanded(effects):
            bodies = self._at_hand(effect)
            if bodies is None:
                bodies = await self._outside.bodies.gather_at_any_price(
                    self._runner.room_id, _refs(effect)
                )
            self._carry_out(effect, bodies)

    def try_emit(self, effects: Sequence[Outgoing]) -> bool:
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

    def emit_early(self, effects: Sequence[Outgoing]) -> None:
        """Carry out effects that wait for nothing; without bodies at hand, before the append."""
        if effects and (self._deferred or not self.try_emit(effects)):
            self._deferred.extend(effects)

    @property
    def defers(self) -> bool:
        """Whether `emit_deferred` has something to do."""
        return bool(self._deferred)

    async def emit_deferred(self) -> None:
        """Carry out what `emit_early` could not."""
        while self._deferred:
            await self.emit([self._deferred[0]])
            self._deferred.popleft()

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
            request=readable_request(request, bodies),
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

    def note(self, changes: Iterable[Change]) -> None:
        """Who is here changed: devices hear of their agents, merged by `merged_for_ms`."""
        if any(isinstance(change, AgentPresent | AgentLeft | MemberJoined) for change in changes):
            self._agents_changed()

    def attach(self, agent_id: AgentId, stream: AgentOutbox) -> None:
        """Give an agent's events to this stream, in place of an earlier one."""
        self.streams[agent_id] = stream
        self._counts.pop(agent_id, None)
        self._mail_changed = True
        self._runner.calls.greet(stream)
        stream.put(DevicesCounted(devices_online(self._runner.room.live.members.values())))

    def detach(self, agent_id: AgentId, stream: AgentOutbox) -> None:
        """Forget the stream, unless another has taken its place."""
        if self.streams.get(agent_id) is stream:
            del self.streams[agent_id]
            self._counts.pop(agent_id, None)

    def _at_hand(self, effect: Outgoing) -> Mapping[str, bytes] | None:
        return self._outside.bodies.at_hand(self._runner.room_id, _refs(effect))

    def _carry_out(  # noqa: C901 - one case for each kind
        self, effect: Outgoing, bodies: Mapping[str, bytes]
    ) -> None:
        match effect:
            case DeliverOutcome():
                self._deliver_outcome(effect, bodies)
            case ResumeOutcome():
                told = self.told(
                    effect.request, bodies, redelivered=effect.redelivered, other_session=False
                )
                self._put(effect.agent_id, told)
            case ResumeUnknown():
                self._put(effect.agent_id, UnknownTold(effect.request_id))
            case SetTimer():
                self._runner.timers.set_deadline(effect.request_id, effect.deadline_unix_ms)
            case ClearTimer():
                self._runner.timers.clear_deadline(effect.request_id)
            case SetLease():
                self._runner.timers.set_lease(effect.agent_id, effect.lease)
            case MailChanged():
                self._mail_changed = True
                self._agents_changed()
            case DevicesChanged():
                for stream in self.streams.values():
                    stream.put(DevicesCounted(effect.count))
            case TellDeadline():
                told_deadline = DeadlineTold(effect.request_id, effect.deadline_unix_ms)
                self._put(effect.agent_id, told_deadline)
            case ShowPresence():
                self._presence.put(effect)
            case (
                TellCall()
                | CatalogChanged()
                | CheckCall()
                | SetCallTimer()
                | ClearCallTimers()
                | SetCallWait()
                | ForgetSecret()
            ):
                self._runner.calls.carry_out(effect)
            case _:
                self._send(effect, bodies)

    def _send(self, message: Message, bodies: Mapping[str, bytes]) -> None:
        members = self._members(message.to)
        if members:
            self._outside.devices.send(self._runner.room_id, members, message, bodies)

    def _agents_changed(self) -> None:
        if not self._telling_agents and self._runner.room.live.members:
            self._telling_agents = True
            clock = self._outside.clock
            wait_ms = merged_for_ms(len(self._runner.room.live.members))
            self._agents_timer = clock.call_at(clock.unix_ms() + wait_ms, self._tell_agents)

    def _tell_agents(self) -> None:
        self._telling_agents = False
        self._send(ShowAgents(Everyone(), agent_lines(self._runner.room)), {})

    def close(self) -> None:
        """Tell nothing more."""
        self._presence.close()
        if self._telling_agents:
            self._agents_timer.cancel()

    def _put(self, agent_id: AgentId, event: AgentEvent) -> None:
        stream = self.streams.get(agent_id)
        if stream is not None:
            stream.put(event)

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
            if request_id == effect.request.request_id
            and call_id in self.calls
            and self.calls[call_id].waits
        ]
        for call in held:
            call.tell(told)
        if not held:
            self._put(effect.agent_id, told)

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
            case Those():
                return [members[client_id] for client_id in to.client_ids if client_id in members]
            case _:  # pragma: no cover - mypy proves that nothing is left
                assert_never(to)


def _expanded(effects: Iterable[Outgoing]) -> Iterator[Outgoing]:
    """A welcome is followed by each open card and its state, so that each is one frame."""
    for effect in effects:
        yield effect
        if isinstance(effect, Welcome) and not effect.renamed and effect.member.extended:
            for request, update in effect.updates:
                yield ShowRequest(effect.to, request, request.opened_seq)
                yield ShowState(effect.to, update, request.opened_seq)


def _refs(effect: Outgoing) -> Iterable[ContentRef]:
    if isinstance(effect, DeliverOutcome | ResumeOutcome):
        return refs_of_outcome(effect.request)
    return refs_of_message(effect)
