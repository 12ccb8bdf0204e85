"""A bridge at RelayService over gRPC."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from lineup_srv.transports.grpc_server import build_grpc_server
from lineup_srv.wire._gen.lineup.v1 import error_pb2, relay_pb2, relay_pb2_grpc, request_pb2
from lineup_srv.wire.codes import ERROR_METADATA_KEY
from tests.service.memory import PATIENCE
from tests.transports.house import VERSION, House

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from lineup_srv.contract.errors import ErrorCode

__all__ = [
    "CANCELLED",
    "PENDING",
    "TOKEN",
    "Bridge",
    "event",
    "noticed",
    "question",
    "refused",
    "serving",
]

TOKEN = (("authorization", "Bearer token"),)
PENDING = request_pb2.REQUEST_STATE_PENDING
CANCELLED = request_pb2.REQUEST_STATE_CANCELLED


class Bridge:
    """The bridge's side of RelayService."""

    def __init__(self, channel: grpc.aio.Channel, house: House) -> None:
        # The generated stub is untyped.
        self._stub: Any = relay_pb2_grpc.RelayServiceStub(channel)
        self.house = house

    async def call(self, name: str, request: Any, metadata: Any = TOKEN) -> Any:
        return await getattr(self._stub, name)(request, metadata=metadata, timeout=PATIENCE)

    async def open(self, request_id: str, *, wait_ms: int = 0, agent_id: str = "ada") -> Any:
        request = question(request_id, agent_id=agent_id, wait_ms=wait_ms)
        return (await self.call("OpenRequest", request)).outcome

    def attach(self, *waiting: str, metadata: Any = TOKEN) -> Any:
        request = relay_pb2.AttachRequest(
            agent=relay_pb2.AgentIdentity(
                agent_id="ada",
                client="coder",
                machine="m1",
                session="s1",
                directory="/work",
                machine_name="desk",
                client_version="1",
            ),
            waiting_ids=waiting,
        )
        return self._stub.Attach(request, metadata=metadata)

    def visit(self) -> Any:
        return self._stub.Attach(relay_pb2.AttachRequest(visit=True), metadata=TOKEN)

    @asynccontextmanager
    async def attached(self, *waiting: str) -> AsyncIterator[Any]:
        """A stream after its first messages: the lease has begun, and how many are online."""
        stream = self.attach(*waiting)
        first = await event(stream)
        assert first.attached == relay_pb2.Attached(
            version=VERSION, clock_unix_ms=self.house.clock.now, log_id="log"
        )
        assert (await event(stream)).HasField("devices_online")
        try:
            yield stream
        finally:
            stream.cancel()


async def event(stream: Any) -> Any:
    """The next event of a stream."""
    async with asyncio.timeout(PATIENCE):
        return await stream.read()


def question(
    request_id: str, *, agent_id: str = "ada", wait_ms: int = 0
) -> relay_pb2.OpenRequestRequest:
    request = relay_pb2.OpenRequestRequest(wait_ms=wait_ms)
    request.question.ID = request_id
    request.question.UserToken = "of no use here"
    asked = request.question.Request
    asked.Question, asked.agent_id = f"about {request_id}", agent_id
    asked.ProjectDirectory, asked.machine, asked.McpClientName = "/work", "m1", "coder"
    asked.session = "s1"
    return request


@asynccontextmanager
async def serving(house: House) -> AsyncIterator[Bridge]:
    """RelayService of this relay on a port, and a bridge at it."""
    server = build_grpc_server(house.relay, house.clock, house.ids, VERSION)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    options = [("grpc.enable_http_proxy", 0)]
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=options) as channel:
        yield Bridge(channel, house)
    await server.stop(0)
    await house.settled()


@asynccontextmanager
async def refused(status: str, code: ErrorCode, field: str = "") -> AsyncIterator[None]:
    """The calls inside end with this status, and a detail that says why."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        yield
    assert caught.value.code() is grpc.StatusCode[status]
    metadata = dict(caught.value.trailing_metadata() or ())
    detail = error_pb2.ErrorDetail.FromString(metadata[ERROR_METADATA_KEY])
    assert error_pb2.ErrorCode.Name(detail.code) == f"ERROR_CODE_{code.name}"
    assert caught.value.details() == f"{field}: {detail.message}".removeprefix(": ")
    assert detail.next_step
    assert detail.field == field


def noticed(
    monkeypatch: pytest.MonkeyPatch, owner: object, name: str, *, before: bool
) -> asyncio.Event:
    """Set when a method begins, or when it has ended."""
    event, original = asyncio.Event(), getattr(owner, name)

    async def method(*args: Any, **kwargs: Any) -> Any:
        if before:
            event.set()
        try:
            return await original(*args, **kwargs)
        finally:
            event.set()

    monkeypatch.setattr(owner, name, method)
    return event
