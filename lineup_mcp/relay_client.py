"""The relay as the bridge calls it. Every method takes and returns the messages of `lineup.v1`.

By gRPC; a relay on another machine whose gRPC port takes no connection is asked by Connect on its
HTTP port. Importing this module costs a tenth of a second: import it when the first call is made.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
from typing import TYPE_CHECKING, Final

from lineup_mcp.grpc_client import GrpcClient
from lineup_mcp.transport import RelayUnreachable
from lineup_srv.settings.addresses import is_loopback
from lineup_srv.wire._gen.lineup.v1 import error_pb2, relay_pb2

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from lineup_mcp.config import BridgeConfig
    from lineup_mcp.transport import Transport
    from lineup_srv.wire._gen.lineup.v1 import agent_pb2

__all__ = ["RelayClient", "RelayUnreachable"]

_log = logging.getLogger(__name__)

_MILLISECONDS: Final = 1000
_CALL_SECONDS: Final = 10.0
_MARGIN_SECONDS: Final = 10.0
_GRPC_SECONDS: Final = 3.0
"""How long the gRPC port is given before the HTTP port is tried: a firewall may say nothing."""


class RelayClient:
    """A connection to one relay; it reconnects by itself.

    Args:
        config: where the relay is and the token.
        grpc_port: the port, if it was found to differ from the configured one; 0 = as configured.
    """

    def __init__(self, config: BridgeConfig, *, grpc_port: int = 0) -> None:
        self._config = config
        self._grpc = GrpcClient(config, grpc_port)
        self._connect: Transport | None = None
        self._transport: Transport = self._grpc

    @property
    def target(self) -> str:
        """The address in use, for people."""
        return self._transport.target

    async def attach(
        self, request: relay_pb2.AttachRequest
    ) -> AsyncGenerator[relay_pb2.AttachResponse]:
        """Hold the lease and yield what the agent is told, until the stream ends.

        Decides by which transport this and all other calls go.

        Raises:
            RelayUnreachable: nothing answers, or the stream broke.
            LineUpError: the relay refuses.
        """
        transport = self._transport = await self._way()
        works = False
        try:
            stream = transport.stream("Attach", request, relay_pb2.AttachResponse)
            async with contextlib.aclosing(stream) as events:
                async for event in events:
                    works = True
                    yield event
        finally:
            if not works:
                self._transport = self._grpc

    async def open_request(
        self, request: relay_pb2.OpenRequestRequest
    ) -> relay_pb2.OpenRequestResponse:
        """Open a question or report and wait `wait_ms` for its outcome."""
        seconds = request.wait_ms / _MILLISECONDS + _MARGIN_SECONDS
        return await self._transport.call(
            "OpenRequest", request, relay_pb2.OpenRequestResponse, seconds
        )

    async def await_request(
        self, request: relay_pb2.AwaitRequestRequest
    ) -> relay_pb2.AwaitRequestResponse:
        """Wait `wait_ms` for the outcome of a request that is open."""
        seconds = request.wait_ms / _MILLISECONDS + _MARGIN_SECONDS
        return await self._transport.call(
            "AwaitRequest", request, relay_pb2.AwaitRequestResponse, seconds
        )

    async def call_tool(
        self, request: relay_pb2.CallToolRequest
    ) -> AsyncGenerator[relay_pb2.CallToolResponse]:
        """Call an action and yield what becomes of it, until the stream ends.

        Raises:
            RelayUnreachable: nothing answers, or the stream broke.
            LineUpError: the relay refuses.
        """
        stream = self._transport.stream("CallTool", request, relay_pb2.CallToolResponse)
        async with contextlib.aclosing(stream) as responses:
            async for response in responses:
                yield response

    async def cancel_call(self, agent_id: str, call_id: str) -> None:
        """Withdraw a call of a tool because the host cancelled it."""
        request = relay_pb2.CancelCallRequest(agent_id=agent_id, call_id=call_id)
        await self._transport.call(
            "CancelCall", request, relay_pb2.CancelCallResponse, _CALL_SECONDS
        )

    async def ack_calls(self, agent_id: str, call_ids: Sequence[str]) -> None:
        """Confirm that the ends of calls of tools reached the agent program."""
        request = relay_pb2.AckMessagesRequest(agent_id=agent_id, call_ids=call_ids)
        await self._transport.call(
            "AckMessages", request, relay_pb2.AckMessagesResponse, _CALL_SECONDS
        )

    async def list_tools(self, revision: int) -> relay_pb2.ListToolsResponse:
        """The room's tools; empty if their revision is the one given."""
        request = relay_pb2.ListToolsRequest(revision=revision)
        return await self._transport.call(
            "ListTools", request, relay_pb2.ListToolsResponse, _CALL_SECONDS
        )

    async def set_waiting(self, agent_id: str, waiting_ids: Sequence[str]) -> None:
        """Replace the list of requests the agent waits for."""
        request = relay_pb2.SetWaitingRequest(agent_id=agent_id, waiting_ids=waiting_ids)
        await self._transport.call(
            "SetWaiting", request, relay_pb2.SetWaitingResponse, _CALL_SECONDS
        )

    async def cancel_request(self, agent_id: str, request_id: str) -> None:
        """Withdraw a request because the host cancelled the call."""
        request = relay_pb2.CancelRequestRequest(
            agent_id=agent_id, request_id=request_id, reason=error_pb2.ERROR_CODE_CANCELLED
        )
        await self._transport.call(
            "CancelRequest", request, relay_pb2.CancelRequestResponse, _CALL_SECONDS
        )

    async def send_text(self, text: agent_pb2.Text) -> None:
        """Show the human a text; it is on disk then."""
        request = relay_pb2.SendTextRequest(text=text)
        await self._transport.call("SendText", request, relay_pb2.SendTextResponse, _CALL_SECONDS)

    async def send_image(self, image: agent_pb2.Image) -> None:
        """Show the human a picture; it is on disk then."""
        request = relay_pb2.SendImageRequest(image=image)
        await self._transport.call("SendImage", request, relay_pb2.SendImageResponse, _CALL_SECONDS)

    async def take_messages(
        self, agent_id: str, *, within_seconds: float
    ) -> relay_pb2.TakeMessagesResponse:
        """Take what waits in the agent's mailbox, without waiting."""
        request = relay_pb2.TakeMessagesRequest(agent_id=agent_id, wait_ms=0)
        return await self._transport.call(
            "TakeMessages", request, relay_pb2.TakeMessagesResponse, within_seconds
        )

    async def ack_messages(
        self, agent_id: str, request_ids: Sequence[str], text_ids: Sequence[str]
    ) -> None:
        """Confirm that outcomes and texts reached the agent program."""
        request = relay_pb2.AckMessagesRequest(
            agent_id=agent_id, request_ids=request_ids, text_ids=text_ids
        )
        await self._transport.call(
            "AckMessages", request, relay_pb2.AckMessagesResponse, _CALL_SECONDS
        )

    async def goodbye(self, agent_id: str, *, within_seconds: float) -> None:
        """End the agent."""
        request = relay_pb2.GoodbyeRequest(agent_id=agent_id)
        await self._transport.call("Goodbye", request, relay_pb2.GoodbyeResponse, within_seconds)

    async def close(self) -> None:
        """Drop the connection."""
        await self._grpc.close()
        if self._connect is not None:
            await self._connect.close()

    async def _way(self) -> Transport:
        """gRPC, unless only Connect reaches the relay."""
        if is_loopback(self._config.host) or self._transport is not self._grpc:
            return self._transport
        if await self._grpc.connects(_GRPC_SECONDS):
            return self._grpc
        if self._connect is None:
            # In a thread: it takes as long as gRPC, and only few need both.
            await asyncio.to_thread(importlib.import_module, "lineup_mcp.connect_client")
            from lineup_mcp.connect_client import ConnectClient

            self._connect = ConnectClient(self._config)
        _log.info("no gRPC at %s, trying %s", self._grpc.target, self._connect.target)
        return self._connect
