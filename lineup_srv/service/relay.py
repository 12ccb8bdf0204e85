"""What transports may ask of the relay: rooms by token, calls that wait, mail and history."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import CommandId, TextId
from lineup_srv.domain.acks import ref_matters
from lineup_srv.domain.commands import (
    AckMessages,
    Attach,
    Await,
    Cancel,
    Detach,
    Goodbye,
    HangUp,
    Open,
    SayText,
    SetWaiting,
    ShowPicture,
    TakeMessages,
)
from lineup_srv.domain.contents import Content, Picture
from lineup_srv.domain.decision import Ended, Held, Mail, MailedText, Refused, Resumed, Said
from lineup_srv.domain.people import unknown_agent
from lineup_srv.domain.presence import devices_online
from lineup_srv.service.admissions import Admissions
from lineup_srv.service.bodies import readable, refs_of_outcome
from lineup_srv.service.delivery import HeldCall
from lineup_srv.service.history import History
from lineup_srv.service.ports import LogRefused, LogUnknown
from lineup_srv.service.registry import Rooms
from lineup_srv.service.shared import SharedSettings
from lineup_srv.service.tool_calls import ToolCalls

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineup_srv.contract.ids import AgentId, LogId, RequestId, RoomId
    from lineup_srv.domain.acks import RefCommand
    from lineup_srv.domain.commands import Command
    from lineup_srv.domain.decision import Result
    from lineup_srv.domain.people import AgentIdentity
    from lineup_srv.domain.request import Request
    from lineup_srv.service.bodies import Intake
    from lineup_srv.service.ports import AgentOutbox, OutcomeTold, Tokens
    from lineup_srv.service.rooms import Outside, RoomRunner

Words = tuple[Content, ...]
"""The contents of a text."""

__all__ = ["MailTold", "Relay", "TextTold"]


@dataclass(frozen=True, slots=True)
class TextTold:
    """A text from the mailbox, with the bytes behind its contents."""

    mailed: MailedText
    bodies: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class MailTold:
    """What was waiting in a mailbox."""

    outcomes: Sequence[OutcomeTold]
    texts: Sequence[TextTold]


class Relay:
    """The service as transports see it. Every method names its room; nothing crosses rooms."""

    def __init__(self, outside: Outside, tokens: Tokens) -> None:
        """Serve rooms through these ports."""
        self._outside = outside
        self._tokens = tokens
        self.rooms = Rooms(outside)
        self.stopping = False
        """Set when the relay is about to end: calls that break now were not hung up."""
        self.history = History(self.rooms, outside)
        self.admissions = Admissions()
        self.settings = SharedSettings(self.rooms, outside)
        self.tools = ToolCalls(self.rooms, outside)

    @property
    def log_id(self) -> LogId:
        """Identifies the log."""
        return self._outside.log.log_id

    def new_command_id(self) -> CommandId:
        """A fresh command id."""
        return CommandId(self._outside.ids.new())

    async def authenticate(self, token: str) -> RoomId | None:
        """The room of a token, or None if it opens none.

        Raises:
            LineUpError: LOG_UNAVAILABLE, a new room cannot be made now.
        """
        try:
            return await self._tokens.room_of(token)
        except (LogRefused, LogUnknown) as error:
            raise LineUpError(ErrorCode.LOG_UNAVAILABLE, str(error)) from error

    async def keep(self, room_id: RoomId, intake: Intake) -> None:
        """Make the bytes of an incoming message durable, before its command.

        Raises:
            LineUpError: LOG_UNAVAILABLE.
        """
        try:
            await self._outside.bodies.keep(room_id, intake)
        except (LogRefused, LogUnknown) as error:
            raise LineUpError(ErrorCode.LOG_UNAVAILABLE, str(error)) from error

    async def submit(self, room_id: RoomId, command: Command) -> asyncio.Future[Result | None]:
        """Decide a command in its room; see `RoomRunner.submit`.

        Raises:
            LineUpError: LOG_UNAVAILABLE, the room cannot be loaded.
        """
        return (await self.rooms.get(room_id)).submit(command)

    async def submit_with_ref(
        self, room_id: RoomId, command: RefCommand
    ) -> asyncio.Future[Result | None]:
        """Decide a device's command, knowing what the log remembers of its ref."""
        runner = await self.rooms.get(room_id)
        return await runner.submit_with_ref(command, lambda room: ref_matters(room, command))

    # Calls that wait ---------------------------------------------------------------------------

    async def wait_for(
        self, room_id: RoomId, command: Open | Await, wait_ms: int | None
    ) -> OutcomeTold:
        """Open or await a request and hold on for its outcome.

        Args:
            room_id: the room.
            command: what to wait for.
            wait_ms: how long to hold, None: until it ends.

        Returns:
            The outcome; with a pending request when the time is over.

        Raises:
            LineUpError: refused, with the code.
        """
        runner = await self.rooms.get(room_id)
        call = runner.delivery.calls[command.command_id] = HeldCall()
        try:
            result = await runner.submit(command)
            match result:
                case Held():
                    return await self._hold(runner, result.request, call, wait_ms)
                case Ended():
                    return await self._told(runner, result.request, result.redelivered)
                case _:
                    raise _refusal(result)
        finally:
            del runner.delivery.calls[command.command_id]
            agent_id = command.agent.agent_id
            runner.submit(HangUp(self.new_command_id(), agent_id, command.command_id))

    async def _hold(
        self, runner: RoomRunner, held: Request, call: HeldCall, wait_ms: int | None
    ) -> OutcomeTold:
        if wait_ms is None:
            await call.woken
        else:
            timer = asyncio.get_running_loop().call_later(wait_ms / 1000, call.wake)
            try:
                await call.woken
            finally:
                timer.cancel()
        if call.told is None:
            request = runner.room.logged.find(held.request_id) or held
            pending = await self._told(runner, request if request.pending else held, False)
            if call.told is None:  # it may have come while the bodies were read
                return pending
        return call.told

    async def cancel(self, room_id: RoomId, command: Cancel) -> OutcomeTold:
        """Withdraw a request for an agent; how it stands after that.

        Raises:
            LineUpError: refused, with the code.
        """
        runner = await self.rooms.get(room_id)
        result = await runner.submit(command)
        if isinstance(result, Held | Ended):
            return await self._told(runner, result.request, False)
        raise _refusal(result)

    # The lease and the mailbox -----------------------------------------------------------------

    async def attach(
        self,
        room_id: RoomId,
        agent: AgentIdentity,
        waiting: Sequence[RequestId],
        stream: AgentOutbox,
    ) -> int:
        """Begin an agent's lease on `stream`; returns its number for `detach`.

        Raises:
            LineUpError: refused, with the code.
        """
        runner = await self.rooms.get(room_id)
        runner.delivery.attach(agent.agent_id, stream)
        attached = runner.submit(Attach(self.new_command_id(), agent, tuple(waiting)))
        try:
            result = await asyncio.shield(attached)
        except asyncio.CancelledError:
            # Nobody will detach with the number that is still to come.
            runner.delivery.detach(agent.agent_id, stream)
            attached.add_done_callback(partial(self._end_lease, runner, agent.agent_id))
            raise
        if not isinstance(result, Resumed):
            runner.delivery.detach(agent.agent_id, stream)
            raise _refusal(result)
        return result.lease

    def _end_lease(
        self, runner: RoomRunner, agent_id: AgentId, attached: asyncio.Future[Result | None]
    ) -> None:
        result = attached.result()
        if isinstance(result, Resumed):
            runner.submit(Detach(self.new_command_id(), agent_id, result.lease))

    async def detach(
        self, room_id: RoomId, agent_id: AgentId, lease: int, stream: AgentOutbox
    ) -> None:
        """The stream is over; the lease runs out unless the agent attaches again."""
        runner = await self.rooms.get(room_id)
        runner.delivery.detach(agent_id, stream)
        await runner.submit(Detach(self.new_command_id(), agent_id, lease))

    async def devices_online(self, room_id: RoomId) -> int:
        """How many devices of a room are connected now."""
        runner = await self.rooms.get(room_id)
        return devices_online(runner.room.live.members.values())

    async def set_waiting(
        self, room_id: RoomId, agent_id: AgentId, waiting: Sequence[RequestId]
    ) -> None:
        """Replace the list of requests that an attached agent waits for.

        Raises:
            LineUpError: refused, with the code.
        """
        runner = await self.rooms.get(room_id)
        result = await runner.submit(SetWaiting(self.new_command_id(), agent_id, tuple(waiting)))
        if not isinstance(result, Resumed):
            raise _refusal(result)

    async def take_messages(self, room_id: RoomId, agent_id: AgentId, wait_ms: int) -> MailTold:
        """Hand over the agent's mailbox, waiting at most `wait_ms` for a first item.

        Raises:
            LineUpError: refused, with the code.
        """
        runner = await self.rooms.get(room_id)
        until = asyncio.get_running_loop().time() + wait_ms / 1000
        signal = runner.delivery.mail_signal
        mail = await self._take(runner, agent_id)
        # The time is only up while nothing is being taken: what was taken is told.
        while not (mail.requests or mail.texts):
            try:
                async with asyncio.timeout_at(until):
                    await signal.wait()
            except TimeoutError:
                break
            signal = runner.delivery.mail_signal
            mail = await self._take(runner, agent_id)
        return await self._mail_told(runner, mail)

    async def ack_messages(self, room_id: RoomId, command: AckMessages) -> None:
        """Mark outcomes and texts as received; durable when it returns.

        Raises:
            LineUpError: refused, with the code.
        """
        result = await (await self.submit(room_id, command))
        if isinstance(result, Refused):
            raise _refusal(result)

    async def agent(self, room_id: RoomId, agent_id: AgentId) -> tuple[AgentIdentity, str]:
        """Who an agent is, and its name for itself; no more than its id if it is not known here.

        Raises:
            LineUpError: LOG_UNAVAILABLE, the room cannot be loaded.
        """
        presence = (await self.rooms.get(room_id)).room.live.agents.get(agent_id)
        if presence is None:
            return unknown_agent(agent_id), ""
        return presence.identity, presence.name

    async def say(self, room_id: RoomId, agent_id: AgentId, said: Words | Picture) -> int:
        """Show what an agent writes, or a picture, on every device; durable when it returns.

        Returns:
            Its log number.

        Raises:
            LineUpError: refused, with the code.
        """
        runner = await self.rooms.get(room_id)
        agent, name = await self.agent(room_id, agent_id)
        command_id = self.new_command_id()
        text_id = TextId(command_id)
        if isinstance(said, Picture):
            command: Command = ShowPicture(command_id, text_id, agent, name, said)
        else:
            command = SayText(command_id, text_id, agent, name, said)
        result = await runner.submit(command)
        if not isinstance(result, Said):
            raise _refusal(result)
        return result.seq

    async def goodbye(self, room_id: RoomId, agent_id: AgentId) -> None:
        """End an agent.

        Raises:
            LineUpError: refused, with the code.
        """
        result = await (await self.submit(room_id, Goodbye(self.new_command_id(), agent_id)))
        if isinstance(result, Refused):
            raise _refusal(result)

    async def _take(self, runner: RoomRunner, agent_id: AgentId) -> Mail:
        result = await runner.submit(TakeMessages(self.new_command_id(), agent_id))
        if not isinstance(result, Mail):
            raise _refusal(result)
        return result

    async def _mail_told(self, runner: RoomRunner, mail: Mail) -> MailTold:
        bodies = self._outside.bodies
        outcomes = [
            await self._told(
                runner, item.request, item.redelivered, other_session=item.other_session
            )
            for item in mail.requests
        ]
        texts = []
        for item in mail.texts:
            contents = item.text.contents
            found = await bodies.gather(runner.room_id, [c.ref for c in contents])
            text = replace(item.text, contents=readable(contents, found))
            texts.append(TextTold(replace(item, text=text), found))
        return MailTold(outcomes, texts)

    async def _told(
        self,
        runner: RoomRunner,
        request: Request,
        redelivered: bool,
        *,
        other_session: bool = False,
    ) -> OutcomeTold:
        bodies = await self._outside.bodies.gather(runner.room_id, refs_of_outcome(request))
        return runner.delivery.told(
            request, bodies, redelivered=redelivered, other_session=other_session
        )


def _refusal(result: Result | None) -> LineUpError:
    assert isinstance(result, Refused), f"unexpected {type(result).__name__}"
    return LineUpError(result.code, result.message)
