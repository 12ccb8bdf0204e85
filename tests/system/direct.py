"""gRPC without a bridge: RelayService, and the frozen service as existing bridges call it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, cast

import grpc
import grpc.aio

from lineup_srv.contract import limits
from lineup_srv.wire._gen.lineup.v1 import (
    agent_assist_pb2,
    relay_pb2,
    relay_pb2_grpc,
    tool_pb2,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    Ask = grpc.aio.UnaryUnaryMultiCallable[
        agent_assist_pb2.AskQuestionRequest, agent_assist_pb2.AskQuestionResponse
    ]
    Report = grpc.aio.UnaryUnaryMultiCallable[
        agent_assist_pb2.WorkReportRequest, agent_assist_pb2.WorkReportResponse
    ]

__all__ = [
    "FROZEN_NAMES",
    "FrozenBridge",
    "RelayService",
    "bearer",
    "channel_to",
    "frozen_bridge",
    "relay_service",
    "stub_of",
]

FROZEN_NAMES = ("lineup.v1.SrvAgentAssist", "agentassistproto.SrvAgentAssist")


@asynccontextmanager
async def channel_to(port: int) -> AsyncIterator[grpc.aio.Channel]:
    """A channel to a port of this machine, for messages as large as they may be."""
    options = (
        ("grpc.enable_http_proxy", 0),
        ("grpc.max_receive_message_length", limits.MESSAGE_BYTES),
    )
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=options) as channel:
        yield channel


def stub_of(channel: grpc.aio.Channel) -> relay_pb2_grpc.RelayServiceAsyncStub:
    """The calls of RelayService."""
    # At run time there is one stub class; the async one exists for type checkers only.
    stub = relay_pb2_grpc.RelayServiceStub(channel)
    return cast("relay_pb2_grpc.RelayServiceAsyncStub", stub)


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    """The metadata that carries a token."""
    return (("authorization", f"Bearer {token}"),)


class RelayService:
    """The service of our own bridge.

    Args:
        channel: open.
        token: the room's.
    """

    def __init__(self, channel: grpc.aio.Channel, token: str) -> None:
        self._stub = stub_of(channel)
        self._metadata = bearer(token)

    async def open(
        self, request_id: str, question: str, *, timeout_seconds: int
    ) -> relay_pb2.Outcome:
        """Open a question, or look how it stands."""
        asked = agent_assist_pb2.AskQuestionRequest(
            ID=request_id,
            Request=agent_assist_pb2.McpAskQuestionRequest(
                Question=question, Timeout=timeout_seconds, agent_id="an-agent-without-a-bridge"
            ),
        )
        request = relay_pb2.OpenRequestRequest(question=asked, wait_ms=0)
        return (await self._stub.OpenRequest(request, metadata=self._metadata)).outcome

    async def call(
        self, call: tool_pb2.ToolCall, heard: Callable[[tool_pb2.ToolCallUpdate], None]
    ) -> None:
        """Call a tool, or go on waiting, to the end of the call; `heard` gets each update."""
        request = relay_pb2.CallToolRequest(call=call)
        async for told in self._stub.CallTool(request, metadata=self._metadata):
            heard(told.update)


class FrozenBridge:
    """A bridge that knows only what was frozen.

    Args:
        channel: open.
        service: the name under which it calls the service.
        token: the room's.
    """

    def __init__(self, channel: grpc.aio.Channel, service: str, token: str) -> None:
        self._token = token
        self._ask: Ask = channel.unary_unary(
            f"/{service}/AskQuestion",
            request_serializer=agent_assist_pb2.AskQuestionRequest.SerializeToString,
            response_deserializer=agent_assist_pb2.AskQuestionResponse.FromString,
        )
        self._report: Report = channel.unary_unary(
            f"/{service}/WorkReport",
            request_serializer=agent_assist_pb2.WorkReportRequest.SerializeToString,
            response_deserializer=agent_assist_pb2.WorkReportResponse.FromString,
        )

    def ask(
        self, request_id: str, question: str, *, timeout_seconds: int = 600
    ) -> grpc.aio.UnaryUnaryCall[
        agent_assist_pb2.AskQuestionRequest, agent_assist_pb2.AskQuestionResponse
    ]:
        """Begin to ask; cancelling the call is a hang-up."""
        return self._ask(
            agent_assist_pb2.AskQuestionRequest(
                ID=request_id,
                UserToken=self._token,
                Request=agent_assist_pb2.McpAskQuestionRequest(
                    ProjectDirectory="/old", Question=question, Timeout=timeout_seconds
                ),
            )
        )

    def report(
        self, request_id: str, summary: str
    ) -> grpc.aio.UnaryUnaryCall[
        agent_assist_pb2.WorkReportRequest, agent_assist_pb2.WorkReportResponse
    ]:
        """Begin to report."""
        return self._report(
            agent_assist_pb2.WorkReportRequest(
                ID=request_id,
                UserToken=self._token,
                Request=agent_assist_pb2.McpWorkReportRequest(
                    ProjectDirectory="/old", Summary=summary
                ),
            )
        )


@asynccontextmanager
async def relay_service(port: int, token: str) -> AsyncIterator[RelayService]:
    """RelayService at a port."""
    async with channel_to(port) as channel:
        yield RelayService(channel, token)


@asynccontextmanager
async def frozen_bridge(
    port: int, token: str, service: str = FROZEN_NAMES[0]
) -> AsyncIterator[FrozenBridge]:
    """The frozen service at a port."""
    async with channel_to(port) as channel:
        yield FrozenBridge(channel, service, token)
