"""What RelayService does, for whichever protocol it is called by (design §6).

Every call gets the room that its token opened: see `room`.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import AgentId, RequestId, TextId
from lineup_srv.domain.commands import AckMessages, Await, Cancel
from lineup_srv.domain.contents import Content, ContentKind, Picture
from lineup_srv.domain.people import AgentIdentity, unknown_agent
from lineup_srv.service.bodies import Intake
from lineup_srv.transports.mapping.asked import open_question, open_report
from lineup_srv.transports.mapping.checks import checked
from lineup_srv.transports.mapping.outcomes import event_to_wire, mail_to_wire, outcome_to_wire
from lineup_srv.transports.tokens import room_of
from lineup_srv.wire._gen.lineup.v1 import relay_pb2 as pb
from lineup_srv.wire.codes import code_from_wire

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from lineup_srv.contract.ids import CommandId, RoomId
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
        """The lease: events until either side ends the stream."""
        agent = _identity(request.agent)
        waiting = _ids(request.waiting_ids, "waiting_ids")
        stream = AgentStream()
        lease = await self._relay.attach(room_id, agent, waiting, stream)
        try:
            yield pb.AttachResponse(
                attached=pb.Attached(
                    version=self._version,
                    clock_unix_ms=self._clock.unix_ms(),
                    log_id=self._relay.log_id,
                )
            )
            while (event := await stream.next()) is not None:
                yield event_to_wire(event, self._clock.unix_ms())
        finally:
            await self._relay.detach(room_id, agent.agent_id, lease, stream)

    async def set_waiting(
        self, room_id: RoomId, request: pb.SetWaitingRequest
    ) -> pb.SetWaitingResponse:
        """Replace the waiting list."""
        await self._relay.set_waiting(
            room_id, _agent_id(request.agent_id), _ids(request.waiting_ids, "waiting_ids")
        )
        return pb.SetWaitingResponse()

    async def open_request(
        self, room_id: RoomId, request: pb.OpenRequestRequest
    ) -> pb.OpenRequestResponse:
        """Open or join, and wait a little."""
        intake = Intake()
        command = self._open(request, intake)
        await self._relay.keep(room_id, intake)
        wait_ms = _clamped(request.wait_ms, limits.OPEN_WAIT_MS)
        told = await self._relay.wait_for(room_id, command, wait_ms)
        return pb.OpenRequestResponse(outcome=outcome_to_wire(told, self._clock.unix_ms()))

    async def await_request(
        self, room_id: RoomId, request: pb.AwaitRequestRequest
    ) -> pb.AwaitRequestResponse:
        """Wait for a request by its id."""
        command_id = self._relay.new_command_id()
        command = Await(
            command_id=command_id,
            request_id=_request_id(request.request_id),
            agent=_script(request.agent_id, command_id),
        )
        wait_ms = _clamped(request.wait_ms, limits.AWAIT_WAIT_MS)
        told = await self._relay.wait_for(room_id, command, wait_ms)
        return pb.AwaitRequestResponse(outcome=outcome_to_wire(told, self._clock.unix_ms()))

    async def cancel_request(
        self, room_id: RoomId, request: pb.CancelRequestRequest
    ) -> pb.CancelRequestResponse:
        """Withdraw a request for an agent."""
        reason = code_from_wire(request.reason)
        command = Cancel(
            command_id=self._relay.new_command_id(),
            agent_id=_agent_id(request.agent_id),
            request_id=_request_id(request.request_id),
            reason=reason if reason is ErrorCode.AGENT_ENDED else ErrorCode.CANCELLED,
            message=checked(request.message, "message", limits.REASON_CHARACTERS),
        )
        told = await self._relay.cancel(room_id, command)
        return pb.CancelRequestResponse(outcome=outcome_to_wire(told, self._clock.unix_ms()))

    async def take_messages(
        self, room_id: RoomId, request: pb.TakeMessagesRequest
    ) -> pb.TakeMessagesResponse:
        """Hand over the mailbox."""
        wait_ms = _clamped(request.wait_ms, limits.AWAIT_WAIT_MS)
        mail = await self._relay.take_messages(room_id, _agent_id(request.agent_id), wait_ms)
        return mail_to_wire(mail, self._clock.unix_ms())

    async def ack_messages(
        self, room_id: RoomId, request: pb.AckMessagesRequest
    ) -> pb.AckMessagesResponse:
        """Mark as received."""
        command = AckMessages(
            command_id=self._relay.new_command_id(),
            agent_id=_agent_id(request.agent_id),
            request_ids=_ids(request.request_ids, "request_ids"),
            text_ids=_text_ids(request.text_ids),
        )
        await self._relay.ack_messages(room_id, command)
        return pb.AckMessagesResponse()

    async def send_text(self, room_id: RoomId, request: pb.SendTextRequest) -> pb.SendTextResponse:
        """Show what an agent writes."""
        text, intake = request.text, Intake()
        if not text.content.strip():
            raise LineUpError(ErrorCode.INVALID_ARGUMENT, "is empty", field="text.content")
        content = checked(text.content, "text.content", limits.QUESTION_CHARACTERS)
        words = (Content(ContentKind.TEXT, intake.text(content), ""),)
        await self._relay.keep(room_id, intake)
        seq = await self._relay.say(room_id, _agent_id(text.agent_id), words)
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
        seq = await self._relay.say(room_id, _agent_id(image.agent_id), picture)
        return pb.SendImageResponse(seq=seq)

    async def goodbye(self, room_id: RoomId, request: pb.GoodbyeRequest) -> pb.GoodbyeResponse:
        """End an agent."""
        await self._relay.goodbye(room_id, _agent_id(request.agent_id))
        return pb.GoodbyeResponse()

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


def _identity(agent: pb.AgentIdentity) -> AgentIdentity:
    return AgentIdentity(
        agent_id=_agent_id(agent.agent_id),
        client=checked(agent.client, "agent.client"),
        machine=checked(agent.machine, "agent.machine"),
        session=checked(agent.session, "agent.session"),
        directory=checked(agent.directory, "agent.directory", limits.PATH_CHARACTERS),
        machine_name=checked(agent.machine_name, "agent.machine_name"),
    )


def _script(agent_id: str, command_id: CommandId) -> AgentIdentity:
    """A script that waits without a lease is an agent of its own, for this call."""
    return unknown_agent(_agent_id(agent_id or f"call:{command_id}"))


def _agent_id(text: str) -> AgentId:
    if not text:
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, "names no agent", field="agent_id")
    return AgentId(checked(text, "agent_id", limits.ID_CHARACTERS))


def _request_id(text: str) -> RequestId:
    if not text:
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, "names no request", field="request_id")
    return RequestId(checked(text, "request_id", limits.ID_CHARACTERS))


def _ids(texts: Sequence[str], field: str) -> tuple[RequestId, ...]:
    if len(texts) > limits.WAITING_IDS_PER_AGENT:
        raise LineUpError(
            ErrorCode.TOO_LARGE, f"at most {limits.WAITING_IDS_PER_AGENT} ids", field=field
        )
    return tuple(_request_id(text) for text in texts)


def _text_ids(texts: Sequence[str]) -> tuple[TextId, ...]:
    if len(texts) > limits.UNDELIVERED_TEXTS_PER_ROOM:
        raise LineUpError(
            ErrorCode.TOO_LARGE,
            f"at most {limits.UNDELIVERED_TEXTS_PER_ROOM} ids",
            field="text_ids",
        )
    return tuple(TextId(checked(text, "text_ids", limits.ID_CHARACTERS)) for text in texts)


def _clamped(wait_ms: int, most: int) -> int:
    return max(0, min(wait_ms, most))
