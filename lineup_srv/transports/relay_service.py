"""RelayService over gRPC; the token travels in the metadata (design §6)."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, TypeVar

from lineup_srv.contract.errors import LineUpError
from lineup_srv.transports.grpc_errors import abort, answered
from lineup_srv.transports.tokens import bearer_token, revocable
from lineup_srv.wire._gen.lineup.v1 import relay_pb2_grpc

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable

    import grpc
    from google.protobuf.message import Message

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.transports.relay_calls import RelayCalls
    from lineup_srv.wire._gen.lineup.v1 import relay_pb2 as pb

    Context = grpc.aio.ServicerContext[Message, Message]

__all__ = ["RelayServicer"]

Q = TypeVar("Q")
A = TypeVar("A")


class RelayServicer(relay_pb2_grpc.RelayServiceServicer):
    """Finds the room and turns refusals into statuses; the rest stands in RelayCalls."""

    def __init__(self, calls: RelayCalls) -> None:
        """Serve `calls`."""
        self._calls = calls

    async def Attach(
        self, request: pb.AttachRequest, context: Context
    ) -> AsyncIterator[pb.AttachResponse]:
        """The lease: events until either side ends the stream."""
        async with contextlib.aclosing(
            self._streamed(self._calls.attach, request, context)
        ) as events:
            async for event in events:
                yield event

    async def SetWaiting(
        self, request: pb.SetWaitingRequest, context: Context
    ) -> pb.SetWaitingResponse:
        """Replace the waiting list."""
        return await self._answered(self._calls.set_waiting, request, context)

    async def OpenRequest(
        self, request: pb.OpenRequestRequest, context: Context
    ) -> pb.OpenRequestResponse:
        """Open or join, and wait a little."""
        return await self._answered(self._calls.open_request, request, context)

    async def AwaitRequest(
        self, request: pb.AwaitRequestRequest, context: Context
    ) -> pb.AwaitRequestResponse:
        """Wait for a request by its id."""
        return await self._answered(self._calls.await_request, request, context)

    async def CancelRequest(
        self, request: pb.CancelRequestRequest, context: Context
    ) -> pb.CancelRequestResponse:
        """Withdraw a request for an agent."""
        return await self._answered(self._calls.cancel_request, request, context)

    async def TakeMessages(
        self, request: pb.TakeMessagesRequest, context: Context
    ) -> pb.TakeMessagesResponse:
        """Hand over the mailbox."""
        return await self._answered(self._calls.take_messages, request, context)

    async def AckMessages(
        self, request: pb.AckMessagesRequest, context: Context
    ) -> pb.AckMessagesResponse:
        """Mark as received."""
        return await self._answered(self._calls.ack_messages, request, context)

    async def SendText(self, request: pb.SendTextRequest, context: Context) -> pb.SendTextResponse:
        """Show what an agent writes."""
        return await self._answered(self._calls.send_text, request, context)

    async def SendImage(
        self, request: pb.SendImageRequest, context: Context
    ) -> pb.SendImageResponse:
        """Show a picture of an agent."""
        return await self._answered(self._calls.send_image, request, context)

    async def Goodbye(self, request: pb.GoodbyeRequest, context: Context) -> pb.GoodbyeResponse:
        """End an agent."""
        return await self._answered(self._calls.goodbye, request, context)

    async def ListTools(
        self, request: pb.ListToolsRequest, context: Context
    ) -> pb.ListToolsResponse:
        """The catalog."""
        return await self._answered(self._calls.list_tools, request, context)

    async def CallTool(
        self, request: pb.CallToolRequest, context: Context
    ) -> AsyncIterator[pb.CallToolResponse]:
        """Receipts, progress and the end of a call."""
        async with contextlib.aclosing(
            self._streamed(self._calls.call_tool, request, context)
        ) as updates:
            async for update in updates:
                yield update

    async def CancelCall(
        self, request: pb.CancelCallRequest, context: Context
    ) -> pb.CancelCallResponse:
        """Withdraw a call."""
        return await self._answered(self._calls.cancel_call, request, context)

    async def _streamed(
        self, call: Callable[[RoomId, Q], AsyncGenerator[A]], request: Q, context: Context
    ) -> AsyncGenerator[A]:
        try:
            with revocable():
                room_id = await self._calls.room(_token(context))
                async with contextlib.aclosing(call(room_id, request)) as answers:
                    async for answer in answers:
                        yield answer
        except LineUpError as error:
            await abort(context, error)

    async def _answered(
        self, call: Callable[[RoomId, Q], Awaitable[A]], request: Q, context: Context
    ) -> A:
        async def within() -> A:
            return await call(await self._calls.room(_token(context)), request)

        return await answered(within(), context)


def _token(context: Context) -> str:
    metadata = context.invocation_metadata() or ()
    values = [value for key, value in metadata if key == "authorization"]
    return bearer_token(values[0]) if values and isinstance(values[0], str) else ""
