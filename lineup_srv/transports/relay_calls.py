"""What RelayService does, for whichever protocol it is called by (design §6).

Every call gets the room that its token opened: see `room`.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import AgentId, CallId
from lineup_srv.domain.commands import AckMessages, Await, Cancel
from lineup_srv.domain.contents import Picture
from lineup_srv.service.bodies import Intake
from lineup_srv.service.ports import DevicesCounted
from lineup_srv.transports.mapping.asked import open_question, open_report
from lineup_srv.transports.mapping.asking import (
    agent_id_of,
    call_ids_of,
    identity_of,
    request_id_of,
    request_ids_of,
    script_of,
    text_ids_of,
    wait_of,
)
from lineup_srv.transports.mapping.calls import call_told, call_wanted
from lineup_srv.transports.mapping.checks import checked, named
from lineup_srv.transports.mapping.outcomes import event_to_wire, mail_to_wire, outcome_to_wire
from lineup_srv.transports.mapping.texts import text_from_wire
from lineup_srv.transports.mapping.tools import catalog_to_wire
from lineup_srv.transports.tokens import room_of
from lineup_srv.wire._gen.lineup.v1 import relay_pb2 as pb
from lineup_srv.wire.codes import code_from_wire

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.domain.commands import Open
    from lineup_srv.service.ports import AgentEvent, Clock
    from lineup_srv.service.relay import Relay

__all__ = ["RelayCalls"]


class AgentStream:
    """An attached agent's events, bounded; a stream that is full ends itself and resumes."""

    def __init__(self) -> None:
        """Start empty."""
        self._queue: asyncio.Queue[AgentEvent] = asyncio.Queue(limits.AGENT_STREAM_QUEUE_MESSAGES)
        self._full = False

    def put(self, event: AgentEvent) -> None:
        """Queue an event."""
        try:
            self._queue.put_nowait(event)
        except asyncio.QueueFull:
            self._full = True

    async def next(self) -> AgentEvent | None:
        """The next event; None when events were lost and the agent must attach again."""
        return None if self._full else await self._queue.get()


class RelayCalls:
    """The calls of RelayService. Each raises LineUpError when it is refused."""

    def __init__(self, relay: Relay, clock: Clock, version: str) -> None:
        """Serve `relay`."""
        self._relay = relay
        self._clock = clock
        self._version = version

    async def room(self, token: str) -> RoomId:
        """The room that a token opens; to be asked first."""
        return await room_of(self._relay, token)

    async def attach(
        self, room_id: RoomId, request: pb.AttachRequest
    ) -> AsyncGenerator[pb.AttachResponse]:
        """The lease: events until either side ends the stream. A visit has none."""
        if request.visit:
            yield self._attached()
            count = await self._relay.devices_online(room_id)
            yield event_to_wire(DevicesCounted(count), self._clock.unix_ms())
            return
        agent = identity_of(request.agent)
        waiting = request_ids_of(request.waiting_ids, "waiting_ids")
        stream = AgentStream()
        lease = await self._relay.attach(room_id, agent, waiting, stream)
        try:
            yield self._attached()
            while (event := await stream.next()) is not None:
                yield event_to_wire(event, self._clock.unix_ms())
        finally:
            await self._relay.detach(room_id, agent.agent_id, lease, stream)

    def _attached(self) -> pb.AttachResponse:
        return pb.AttachResponse(
            attached=pb.Attached(
                version=self._version,
                clock_unix_ms=self._clock.unix_ms(),
                log_id=self._relay.log_id,
            )
        )

    async def set_waiting(
        self, room_id: RoomId, request: pb.SetWaitingRequest
    ) -> pb.SetWaitingResponse:
        """Replace the waiting list."""
        await self._relay.set_waiting(
            room_id,
            agent_id_of(request.agent_id),
            request_ids_of(request.waiting_ids, "waiting_ids"),
        )
        return pb.SetWaitingResponse()

    async def open_request(
        self, room_id: RoomId, request: pb.OpenRequestRequest
    ) -> pb.OpenRequestResponse:
        """Open or join, and wait a little."""
        intake = Intake()
        command = self._open(request, intake)
        await self._relay.keep(room_id, intake)
        wait_ms = wait_of(request.wait_ms, limits.OPEN_WAIT_MS)
        told = await self._relay.wait_for(room_id, command, wait_ms)
        return pb.OpenRequestResponse(outcome=outcome_to_wire(told, self._clock.unix_ms()))

    async def await_request(
        self, room_id: RoomId, request: pb.AwaitRequestRequest
    ) -> pb.AwaitRequestResponse:
        """Wait for a request by its id."""
        command_id = self._relay.new_command_id()
        command = Await(
            command_id=command_id,
            request_id=request_id_of(request.request_id),
            agent=script_of(request.agent_id, command_id),
        )
        wait_ms = wait_of(request.wait_ms, limits.AWAIT_WAIT_MS)
        told = await self._relay.wait_for(room_id, command, wait_ms)
        return pb.AwaitRequestResponse(outcome=outcome_to_wire(told, self._clock.unix_ms()))

    async def cancel_request(
        self, room_id: RoomId, request: pb.CancelRequestRequest
    ) -> pb.CancelRequestResponse:
        """Withdraw a request for an agent."""
        reason = code_from_wire(request.reason)
        command = Cancel(
            command_id=self._relay.new_command_id(),
            agent_id=agent_id_of(request.agent_id),
            request_id=request_id_of(request.request_id),
            reason=reason if reason is ErrorCode.AGENT_ENDED else ErrorCode.CANCELLED,
            message=checked(request.message, "message", limits.REASON_CHARACTERS),
        )
        told = await self._relay.cancel(room_id, command)
        return pb.CancelRequestResponse(outcome=outcome_to_wire(told, self._clock.unix_ms()))

    async def take_messages(
        self, room_id: RoomId, request: pb.TakeMessagesRequest
    ) -> pb.TakeMessagesResponse:
        """Hand over the mailbox."""
        wait_ms = wait_of(request.wait_ms, limits.AWAIT_WAIT_MS)
        mail = await self._relay.take_messages(room_id, agent_id_of(request.agent_id), wait_ms)
        return mail_to_wire(mail, self._clock.unix_ms())

    async def ack_messages(
        self, room_id: RoomId, request: pb.AckMessagesRequest
    ) -> pb.AckMessagesResponse:
        """Mark as received."""
        command = AckMessages(
            command_id=self._relay.new_command_id(),
            agent_id=agent_id_of(request.agent_id),
            request_ids=request_ids_of(request.request_ids, "request_ids"),
            text_ids=text_ids_of(request.text_ids, "text_ids"),
        )
        await self._relay.ack_messages(room_id, command)
        if request.call_ids:
            call_ids = call_ids_of(request.call_ids, "call_ids")
            await self._relay.tools.received(room_id, command.agent_id, call_ids)
        return pb.AckMessagesResponse()

    async def send_text(self, room_id: RoomId, request: pb.SendTextRequest) -> pb.SendTextResponse:
        """Show what an agent writes."""
        text, intake = request.text, Intake()
        contents = text_from_wire(text, intake)
        await self._relay.keep(room_id, intake)
        seq = await self._relay.say(room_id, agent_id_of(text.agent_id, "text.agent_id"), contents)
        return pb.SendTextResponse(seq=seq)

    async def send_image(
        self, room_id: RoomId, request: pb.SendImageRequest
    ) -> pb.SendImageResponse:
        """Show a picture of an agent."""
        image, intake = request.image, Intake()
        if bool(image.data) == bool(image.url):
            raise LineUpError(
                ErrorCode.INVALID_ARGUMENT, "has either data or url", field="image.data"
            )
        mime = checked(image.mime_type, "image.mime_type") or "application/octet-stream"
        picture = Picture(
            ref=intake.data(image.data, mime=mime) if image.data else None,
            url=checked(image.url, "image.url", limits.PATH_CHARACTERS),
            alt=checked(image.alt, "image.alt", limits.REASON_CHARACTERS),
            caption=checked(image.caption, "image.caption", limits.REASON_CHARACTERS),
        )
        await self._relay.keep(room_id, intake)
        seq = await self._relay.say(room_id, agent_id_of(image.agent_id, "image.agent_id"), picture)
        return pb.SendImageResponse(seq=seq)

    async def goodbye(self, room_id: RoomId, request: pb.GoodbyeRequest) -> pb.GoodbyeResponse:
        """End an agent."""
        await self._relay.goodbye(room_id, agent_id_of(request.agent_id))
        return pb.GoodbyeResponse()

    # Tools -------------------------------------------------------------------------------------

    async def list_tools(
        self, room_id: RoomId, request: pb.ListToolsRequest
    ) -> pb.ListToolsResponse:
        """The catalog; its revision alone if the caller knows that."""
        return catalog_to_wire(await self._relay.tools.catalog(room_id), request.revision)

    async def call_tool(
        self, room_id: RoomId, request: pb.CallToolRequest
    ) -> AsyncGenerator[pb.CallToolResponse]:
        """How a call stands, then all that happens up to its end; with its id alone: go on."""
        call, tools = request.call, self._relay.tools
        agent, name = await self._relay.agent(room_id, agent_id_of(call.agent_id, "call.agent_id"))
        if call.name:
            stream = tools.call(room_id, call_wanted(call, agent, name))
        else:
            call_id = CallId(named(call.call_id, "call.call_id"))
            stream = tools.await_call(room_id, call_id, agent)
        async with stream as updates:
            async for told in updates:
                yield call_told(told)

    async def cancel_call(
        self, room_id: RoomId, request: pb.CancelCallRequest
    ) -> pb.CancelCallResponse:
        """Withdraw a call."""
        call_id = CallId(named(request.call_id, "call_id"))
        agent_id = agent_id_of(request.agent_id)
        await self._relay.tools.cancel(room_id, agent_id, call_id, ErrorCode.CANCELLED)
        return pb.CancelCallResponse()

    def _open(self, request: pb.OpenRequestRequest, intake: Intake) -> Open:
        command_id = self._relay.new_command_id()
        nobody = AgentId(f"call:{command_id}")
        match request.WhichOneof("request"):
            case "question":
                return open_question(request.question, intake, command_id, nobody)
            case "report":
                return open_report(request.report, intake, command_id, nobody)
            case _:
                raise LineUpError(
                    ErrorCode.INVALID_ARGUMENT, "neither question nor report", field="request"
                )
