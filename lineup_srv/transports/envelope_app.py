"""An app that speaks in JSON envelopes: a device of its room like any other (wire §5)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.errors import LineUpError
from lineup_srv.contract.ids import DeviceId, Ref, TabId
from lineup_srv.domain.call_effects import ShowRefusedTools
from lineup_srv.domain.commands import Login, Logout
from lineup_srv.domain.decision import Refused
from lineup_srv.domain.effects import (
    SendAck,
    ShowAgents,
    ShowReply,
    ShowRequest,
    ShowState,
    ShowText,
    Welcome,
)
from lineup_srv.domain.people import Author, Member
from lineup_srv.service.bodies import Intake
from lineup_srv.transports.envelope_acks import Acks
from lineup_srv.transports.mapping.envelope_commands import reply_command, text_command
from lineup_srv.transports.mapping.envelope_tools import offer_from, refused_payload, said_from
from lineup_srv.transports.mapping.envelopes import ack_payload, attached_agents
from lineup_srv.transports.mapping.incoming import Sender
from lineup_srv.wire.envelope import messages as m

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from lineup_srv.contract.ids import AgentId, RoomId
    from lineup_srv.domain.acks import RefCommand
    from lineup_srv.domain.effects import Message
    from lineup_srv.transports.envelope_line import EnvelopeLine
    from lineup_srv.wire.envelope import Envelope

__all__ = ["EnvelopeApp"]

REQUESTS = "requests"
"""The feature of apps that show questions."""
_PREFIX: Final = "app:"
"""Begins the device ids of these apps, so that none is taken for a browser."""


class EnvelopeApp:
    """One app in its room. `tell` is what `Devices` calls; the rest is for its session.

    An app that names an id of its own is the same device again when it comes back, and goes on
    with the calls it ran; an older connection of it is closed.
    """

    def __init__(self, line: EnvelopeLine, room_id: RoomId) -> None:
        """Speak on `line`; `join` comes next."""
        self._line = line
        self._room_id = room_id
        self._acks = Acks(line.write)
        self._own_refs = f"{line.client_id}:"
        self._hello_id = ""
        self._shows_requests = False
        self._greeted: set[AgentId] = set()
        self._author: Author | None = None
        self._device_id = DeviceId("")
        self._connected_unix_ms = line.parts.clock.unix_ms()

    # What it is told ---------------------------------------------------------------------------

    def new_id(self) -> str:
        """An id for an envelope that this and other apps get."""
        return self._line.parts.ids.new()

    def tell(self, message: Message, frames: Sequence[str]) -> None:
        """Tell it of an effect.

        Args:
            message: the effect.
            frames: the effect as envelopes, the same for all apps.
        """
        match message:
            case Welcome():
                hello = self._line.hello(self._line.client_id, self._hello_id)
                if message.renamed:
                    self._line.connection.write(hello)
                else:
                    # Without a list of its own it is asked what it offers (seed 000, 2.3).
                    self._line.connection.release([hello, self._line.text(m.ToolList())])
            case SendAck():
                self._acks.settle(ack_payload(message, self._id_of(message.ref)))
            case ShowRefusedTools():
                self._line.write(refused_payload(message, self._id_of(message.ref)))
            case ShowAgents():
                self._greet(message, frames)
            case ShowRequest() | ShowReply() | ShowState() if not self._shows_requests:
                pass
            case ShowText() if message.text.by.client_id == self._line.client_id:
                pass  # it knows what it said
            case _:
                for frame in frames:
                    self._line.connection.write(frame)

    def _id_of(self, ref: str) -> str:
        """The id of the envelope that has this ref."""
        return ref.removeprefix(self._own_refs)

    @property
    def _me(self) -> Author:
        assert self._author is not None
        return self._author

    def _greet(self, shown: ShowAgents, frames: Sequence[str]) -> None:
        """One hello for each agent that is attached now and was not before."""
        attached = [line.identity.agent_id for line in attached_agents(shown)]
        for agent_id, frame in zip(attached, frames, strict=True):
            if agent_id not in self._greeted:
                self._line.connection.write(frame)
        self._greeted = set(attached)

    # What it says ------------------------------------------------------------------------------

    async def join(self, envelope_id: str, hello: m.Hello) -> None:
        """Join the room as a device.

        Raises:
            LineUpError: it cannot join now.
        """
        self._line.connection.hold()
        devices, client_id = self._line.parts.devices, self._line.client_id
        devices.add_app(client_id, self._line.connection, self)
        if hello.client_id:
            self._device_id = DeviceId(f"{_PREFIX}{hello.client_id}")
            devices.take_tab(self._room_id, self._device_id, "app", client_id)
        await self.say_hello(envelope_id, hello)

    async def say_hello(self, envelope_id: str, hello: m.Hello) -> None:
        """The first hello joins, another one renames; either is answered by `Welcome`.

        Raises:
            LineUpError: refused, with the code.
        """
        self._hello_id = envelope_id
        self._shows_requests = REQUESTS in hello.features
        client_id = self._line.client_id
        self._author = Author(
            client_id=client_id,
            device_id=self._device_id,
            nickname=hello.name.strip() or f"User_{client_id[:8]}",
            platform=hello.platform,
        )
        member = Member(
            author=self._author,
            extended=True,
            visible=False,
            connected_unix_ms=self._connected_unix_ms,
            tab_id=TabId(""),
            shows_requests=self._shows_requests,
        )
        relay = self._line.parts.relay
        login = Login(relay.new_command_id(), member, Ref(""))
        result = await (await relay.submit(self._room_id, login))
        if isinstance(result, Refused):
            raise LineUpError(result.code, result.message)

    async def handle(self, envelope: Envelope) -> bool:
        """Carry out what an app may say; False if it may not say this."""
        match envelope.payload:
            case m.Text() as text:
                await self._submit(envelope.id, lambda sender, ref: text_command(text, sender, ref))
            case m.Reply() as reply:
                await self._submit(
                    envelope.id, lambda sender, ref: reply_command(reply, sender, ref)
                )
            case m.ToolList() as tool_list if tool_list != m.ToolList(ref=tool_list.ref):
                await self._acknowledged(envelope.id, partial(self._announce, tool_list))
            case m.ToolReceipt() | m.ToolProgress() | m.ToolResult() as said:
                await self._acknowledged(envelope.id, partial(self._update, said))
            case _:
                return False
        return True

    async def _submit(self, envelope_id: str, command: Callable[[Sender, Ref], RefCommand]) -> None:
        async def submit(ref: Ref) -> None:
            relay, intake = self._line.parts.relay, Intake()
            decided = command(Sender(self._me, relay.new_command_id(), intake), ref)
            await relay.keep(self._room_id, intake)
            await relay.submit_with_ref(self._room_id, decided)

        await self._acknowledged(envelope_id, submit)

    async def _announce(self, tool_list: m.ToolList, ref: Ref) -> None:
        tools = self._line.parts.relay.tools
        await tools.announce(self._room_id, self._line.client_id, offer_from(tool_list), ref)

    async def _update(self, said: m.ToolReceipt | m.ToolProgress | m.ToolResult, ref: Ref) -> None:
        intake = Intake()
        update = said_from(said, self._me, ref, intake)
        await self._line.parts.relay.tools.update(self._room_id, update, intake)

    async def _acknowledged(self, envelope_id: str, act: Callable[[Ref], Awaitable[None]]) -> None:
        """Do it under the id's ref, unless it was done; the room acknowledges it."""
        if not self._acks.begin(envelope_id):
            return
        # Short ids are remembered too, but for this connection only.
        short = len(envelope_id) < limits.REF_MIN_CHARACTERS
        try:
            await act(Ref(f"{self._own_refs}{envelope_id}" if short else envelope_id))
        except LineUpError as error:
            refusal = m.Ack(ref=envelope_id, accepted=False, code=error.code, message=error.in_full)
            self._acks.settle(refusal)

    async def serve(self, listen: Callable[[], Awaitable[None]]) -> None:
        """Listen until the connection ends."""
        await listen()

    async def leave(self) -> None:
        """Leave the room.

        Raises:
            LineUpError: the room is not in memory, so it has no members.
        """
        relay = self._line.parts.relay
        await relay.submit(self._room_id, Logout(relay.new_command_id(), self._line.client_id))
