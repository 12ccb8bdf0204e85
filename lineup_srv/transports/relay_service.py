"""RelayService for our bridge; the token travels in the metadata (design §6)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import AgentId, RequestId, TextId
from lineup_srv.domain.commands import AckMessages, Await, Cancel
from lineup_srv.domain.people import AgentIdentity
from lineup_srv.service.bodies import Intake
from lineup_srv.transports.grpc_errors import abort
from lineup_srv.transports.mapping.asked import checked, open_question, open_report
from lineup_srv.transports.mapping.outcomes import event_to_wire, mail_to_wire, outcome_to_wire
from lineup_srv.transports.unserved import UnservedCalls
from lineup_srv.wire._gen.lineup.v1 import relay_pb2 as pb
from lineup_srv.wire.codes import code_from_wire

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    import grpc
    from google.protobuf.message import Message

    from lineup_srv.contract.ids import CommandId, RoomId
    from lineup_srv.domain.commands import Open
    from lineup_srv.service.ports import AgentEvent, Clock
    from lineup_srv.service.relay import Relay

    Context = grpc.aio.ServicerContext[Message, Message]

__all__ = ["RelayServicer"]


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


class RelayServicer(UnservedCalls):
    """RelayService; tools, texts and pictures from agents are refused as NOT_SUPPORTED."""

    def __init__(self, relay: Relay, clock: Clock, version: str) -> None:
        """Serve `relay`."""
        self._relay = relay
        self._clock = clock
        self._version = version

    async def Attach(
        self, request: pb.AttachRequest, context: Context
    ) -> AsyncIterator[pb.AttachResponse]:
        """The lease: events until either side ends the stream."""
        room_id = await self._room(context)
        try:
            agent = _identity(request.agent)
            waiting = _ids(request.waiting_ids)
            stream = AgentStream()
            lease = await self._relay.attach(room_id, agent, waiting, stream)
        except LineUpError as error:
            await abort(context, error)
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

    async def SetWaiting(
        self, request: pb.SetWaitingRequest, context: Context
    ) -> pb.SetWaitingResponse:
        """Replace the waiting list."""
        room_id = await self._room(context)
        try:
            await self._relay.set_waiting(
                room_id, _agent_id(request.agent_id), _ids(request.waiting_ids)
            )
        except LineUpError as error:
            await abort(context, error)
        return pb.SetWaitingResponse()

    async def OpenRequest(
        self, request: pb.OpenRequestRequest, context: Context
    ) -> pb.OpenRequestResponse:
        """Open or join, and wait a little."""
        room_id = await self._room(context)
        intake = Intake()
        try:
            command = self._open(request, intake)
            await self._relay.keep(room_id, intake)
            wait_ms = _clamped(request.wait_ms, limits.OPEN_WAIT_MS)
            told = await self._relay.wait_for(room_id, command, wait_ms)
        except LineUpError as error:
            await abort(context, error)
        return pb.OpenRequestResponse(outcome=outcome_to_wire(told, self._clock.unix_ms()))

    async def AwaitRequest(
        self, request: pb.AwaitRequestRequest, context: Context
    ) -> pb.AwaitRequestResponse:
        """Wait for a request by its id."""
        room_id = await self._room(context)
        command_id = self._relay.new_command_id()
        try:
            command = Await(
                command_id=command_id,
                request_id=_request_id(request.request_id),
                agent=_script(request.agent_id, command_id),
            )
            wait_ms = _clamped(request.wait_ms, limits.AWAIT_WAIT_MS)
            told = await self._relay.wait_for(room_id, command, wait_ms)
        except LineUpError as error:
            await abort(context, error)
        return pb.AwaitRequestResponse(outcome=outcome_to_wire(told, self._clock.unix_ms()))

    async def CancelRequest(
        self, request: pb.CancelRequestRequest, context: Context
    ) -> pb.CancelRequestResponse:
        """Withdraw a request for an agent."""
        room_id = await self._room(context)
        try:
            reason = code_from_wire(request.reason)
            command = Cancel(
                command_id=self._relay.new_command_id(),
                agent_id=_agent_id(request.agent_id),
                request_id=_request_id(request.request_id),
                reason=reason if reason is ErrorCode.AGENT_ENDED else ErrorCode.CANCELLED,
                message=checked(request.message, "message", limits.REASON_CHARACTERS),
            )
            told = await self._relay.cancel(room_id, command)
        except LineUpError as error:
            await abort(context, error)
        return pb.CancelRequestResponse(outcome=outcome_to_wire(told, self._clock.unix_ms()))

    async def TakeMessages(
        self, request: pb.TakeMessagesRequest, context: Context
    ) -> pb.TakeMessagesResponse:
        """Hand over the mailbox."""
        room_id = await self._room(context)
        try:
            wait_ms = _clamped(request.wait_ms, limits.AWAIT_WAIT_MS)
            mail = await self._relay.take_messages(room_id, _agent_id(request.agent_id), wait_ms)
        except LineUpError as error:
            await abort(context, error)
        return mail_to_wire(mail, self._clock.unix_ms())

    async def AckMessages(
        self, request: pb.AckMessagesRequest, context: Context
    ) -> pb.AckMessagesResponse:
        """Mark as received."""
        room_id = await self._room(context)
        try:
            command = AckMessages(
                command_id=self._relay.new_command_id(),
                agent_id=_agent_id(request.agent_id),
                request_ids=_ids(request.request_ids),
                text_ids=tuple(TextId(text_id) for text_id in request.text_ids),
            )
            await self._relay.ack_messages(room_id, command)
        except LineUpError as error:
            await abort(context, error)
        return pb.AckMessagesResponse()

    async def Goodbye(self, request: pb.GoodbyeRequest, context: Context) -> pb.GoodbyeResponse:
        """End an agent."""
        room_id = await self._room(context)
        try:
            await self._relay.goodbye(room_id, _agent_id(request.agent_id))
        except LineUpError as error:
            await abort(context, error)
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

    async def _room(self, context: Context) -> RoomId:
        """The room of the call's token."""
        metadata = context.invocation_metadata() or ()
        values = [value for key, value in metadata if key == "authorization"]
        header = values[0] if values and isinstance(values[0], str) else ""
        scheme, _, token = header.partition(" ")
        room_id = None
        if scheme.lower() == "bearer" and token:
            room_id = await self._relay.authenticate(token)
        if room_id is None:
            await abort(context, LineUpError(ErrorCode.UNAUTHENTICATED, "unknown token"))
        return room_id


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
    return AgentIdentity(
        agent_id=AgentId(agent_id or f"call:{command_id}"),
        client="",
        machine="",
        session="",
        directory="",
        machine_name="",
    )


def _agent_id(text: str) -> AgentId:
    if not text:
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, "names no agent", field="agent_id")
    return AgentId(checked(text, "agent_id", limits.ID_CHARACTERS))


def _request_id(text: str) -> RequestId:
    if not text:
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, "names no request", field="request_id")
    return RequestId(checked(text, "request_id", limits.ID_CHARACTERS))


def _ids(texts: Sequence[str]) -> tuple[RequestId, ...]:
    if len(texts) > limits.WAITING_IDS_PER_AGENT:
        raise LineUpError(
            ErrorCode.TOO_LARGE, f"at most {limits.WAITING_IDS_PER_AGENT} ids", field="waiting_ids"
        )
    return tuple(_request_id(text) for text in texts)


def _clamped(wait_ms: int, most: int) -> int:
    return max(0, min(wait_ms, most))
