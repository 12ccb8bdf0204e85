"""An agent that speaks in JSON envelopes: it writes, shows, calls tools, gets texts (wire §5)."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.errors import LineUpError
from lineup_srv.contract.ids import AgentId, RequestId, TextId
from lineup_srv.domain.commands import AckMessages, SayText, ShowPicture
from lineup_srv.domain.decision import Refused
from lineup_srv.domain.people import AgentIdentity
from lineup_srv.service.bodies import Intake
from lineup_srv.service.ports import OutcomeTold
from lineup_srv.service.relay import MailTold
from lineup_srv.transports.envelope_acks import Acks
from lineup_srv.transports.envelope_calls import EnvelopeCalls
from lineup_srv.transports.mapping.envelope_commands import picture_from, text_contents
from lineup_srv.transports.mapping.envelopes import mail_payloads
from lineup_srv.transports.stay import TRY_AGAIN
from lineup_srv.wire.envelope import messages as m

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.service.ports import AgentEvent
    from lineup_srv.transports.envelope_line import EnvelopeLine
    from lineup_srv.wire.envelope import Envelope

__all__ = ["EnvelopeAgent"]

logger = logging.getLogger(__name__)

_PREFIX: Final = "e:"
"""Begins the ids of these agents, so that none can take the mail of a bridge."""


class EnvelopeAgent:
    """One agent in its room; also its own AgentOutbox.

    An agent that names the id it had before goes on with the mailbox it had; an older connection
    of the same agent is closed.
    """

    def __init__(self, line: EnvelopeLine, room_id: RoomId) -> None:
        """Speak on `line`; `join` comes next."""
        self._line = line
        self._room_id = room_id
        self._acks = Acks(line.write)
        self._identity: AgentIdentity | None = None
        self._name = ""
        self._lease = 0
        self._calls: EnvelopeCalls | None = None

    def put(self, event: AgentEvent) -> None:
        """Only outcomes matter, of what somebody asked in its name; `serve` waits for its mail."""
        if isinstance(event, OutcomeTold) and event.request.reply is not None:
            self._line.parts.tasks.start(self._give(MailTold([event], ())))

    # What it says ------------------------------------------------------------------------------

    async def join(self, envelope_id: str, hello: m.Hello) -> None:
        """Attach.

        Raises:
            LineUpError: it cannot attach now.
        """
        known = hello.client_id.startswith(_PREFIX)
        agent_id = hello.client_id if known else f"{_PREFIX}{self._line.parts.ids.new()}"
        self._identity = AgentIdentity(
            agent_id=AgentId(agent_id),
            client=hello.agent,
            machine="",
            session="",
            directory="",
            machine_name="",
        )
        relay, devices = self._line.parts.relay, self._line.parts.devices
        devices.add_agent(self._line.client_id, self._line.connection)
        devices.take_tab(self._room_id, agent_id, "agent", self._line.client_id)
        self._lease = await relay.attach(self._room_id, self._identity, (), self)
        await self.say_hello(envelope_id, hello)

    async def say_hello(self, envelope_id: str, hello: m.Hello) -> None:
        """Take its name, and answer."""
        self._name = hello.name.strip()
        self._line.connection.write(self._line.hello(self._me.agent_id, envelope_id))

    async def handle(self, envelope: Envelope) -> bool:
        """Carry out what an agent may say; False if it may not say this."""
        match envelope.payload:
            case m.Text() as text:
                await self._say(envelope.id, lambda intake: self._text(text, intake))
            case m.Image() as image:
                await self._say(envelope.id, lambda intake: self._picture(image, intake))
            case m.ToolList(tools=None, applications=None):
                await self._its_calls.list_tools(envelope.id)
            case m.ToolCall() | m.MiniAppToolCall() as call:
                self._its_calls.call(call, self._me, self._name)
            case m.ToolCancel() as cancel:
                await self._its_calls.cancel(cancel, self._me)
            case _:
                return False
        return True

    async def _say(
        self, envelope_id: str, command: Callable[[Intake], SayText | ShowPicture]
    ) -> None:
        if not self._acks.begin(envelope_id):
            return

        async def say() -> None:
            relay, intake = self._line.parts.relay, Intake()
            said = command(intake)
            await relay.keep(self._room_id, intake)
            result = await (await relay.submit(self._room_id, said))
            if isinstance(result, Refused):
                raise LineUpError(result.code, result.message)

        try:
            await self._line.parts.said.once(self._room_id, envelope_id, say)
            ack = m.Ack(ref=envelope_id, accepted=True)
        except LineUpError as error:
            ack = m.Ack(ref=envelope_id, accepted=False, code=error.code, message=error.in_full)
        self._acks.settle(ack)

    def _text(self, text: m.Text, intake: Intake) -> SayText:
        command_id = self._line.parts.relay.new_command_id()
        contents = text_contents(text, intake)
        return SayText(command_id, TextId(command_id), self._me, self._name, contents)

    def _picture(self, image: m.Image, intake: Intake) -> ShowPicture:
        command_id = self._line.parts.relay.new_command_id()
        picture = picture_from(image, intake)
        return ShowPicture(command_id, TextId(command_id), self._me, self._name, picture)

    # What it is told ---------------------------------------------------------------------------

    async def serve(self, listen: Callable[[], Awaitable[None]]) -> None:
        """Listen until the connection ends, and give it its mail meanwhile."""
        async with asyncio.TaskGroup() as group:
            self._calls = EnvelopeCalls(self._line, self._room_id, group)
            mail = group.create_task(self._give_mail())
            await listen()
            mail.cancel()
            self._calls.end()

    async def _give_mail(self) -> None:
        relay = self._line.parts.relay
        while not self._line.connection.closing:
            try:
                mail = await relay.take_messages(
                    self._room_id, self._me.agent_id, limits.AWAIT_WAIT_MS
                )
            except LineUpError as error:
                self._send_away(error)
            else:
                await self._give(mail)

    async def _give(self, mail: MailTold) -> None:
        """Write it, then confirm it; what was not written is given again by the next taking."""
        try:
            if await self._written(mail):
                await self._confirm(mail)
        except LineUpError as error:
            self._send_away(error)

    def _send_away(self, error: LineUpError) -> None:
        logger.warning("agent %s gets no mail: %s", self._me.agent_id, error)
        self._line.connection.close(TRY_AGAIN, error.code.value)

    async def _written(self, mail: MailTold) -> bool:
        """Write everything, one after the other: a full mailbox is more than a queue holds."""
        for payload in mail_payloads(mail, self._line.parts.devices.links_of(self._room_id)):
            self._line.write(payload)
            if not await self._line.connection.flushed():
                return False
        return bool(mail.outcomes or mail.texts)

    async def _confirm(self, mail: MailTold) -> None:
        relay = self._line.parts.relay
        command = AckMessages(
            command_id=relay.new_command_id(),
            agent_id=self._me.agent_id,
            request_ids=tuple(RequestId(told.request.request_id) for told in mail.outcomes),
            text_ids=tuple(told.mailed.text.text_id for told in mail.texts),
        )
        await relay.ack_messages(self._room_id, command)

    async def leave(self) -> None:
        """The lease runs out unless it comes back.

        Raises:
            LineUpError: the room is not in memory, so nobody is attached.
        """
        relay = self._line.parts.relay
        await relay.detach(self._room_id, self._me.agent_id, self._lease, self)

    @property
    def _its_calls(self) -> EnvelopeCalls:
        assert self._calls is not None  # it speaks only while it is served
        return self._calls

    @property
    def _me(self) -> AgentIdentity:
        assert self._identity is not None
        return self._identity
