"""The calls of RelayService that this relay refuses as NOT_SUPPORTED, honestly and by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.transports.grpc_errors import abort
from lineup_srv.wire._gen.lineup.v1 import relay_pb2_grpc

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import grpc
    from google.protobuf.message import Message

    from lineup_srv.wire._gen.lineup.v1 import relay_pb2 as pb

    Context = grpc.aio.ServicerContext[Message, Message]

__all__ = ["UnservedCalls"]


class UnservedCalls(relay_pb2_grpc.RelayServiceServicer):
    """Tools."""

    async def CallTool(
        self, _request: pb.CallToolRequest, context: Context
    ) -> AsyncIterator[pb.CallToolResponse]:
        """Refused."""
        await _refuse(context, "tools")
        # gRPC tells a stream from a single answer by the function being a generator.
        yield  # type: ignore[unreachable]

    async def CancelCall(
        self, _request: pb.CancelCallRequest, context: Context
    ) -> pb.CancelCallResponse:
        """Refused."""
        await _refuse(context, "tools")

    async def ListTools(
        self, _request: pb.ListToolsRequest, context: Context
    ) -> pb.ListToolsResponse:
        """Refused."""
        await _refuse(context, "tools")


async def _refuse(context: Context, what: str) -> NoReturn:
    error = LineUpError(ErrorCode.NOT_SUPPORTED, f"this relay does not serve {what}")
    await abort(context, error)
