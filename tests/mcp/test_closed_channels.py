"""gRPC cancels the calls of a channel that is closed; that is no cancel of whoever made them."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

import pytest

from lineup_mcp.grpc_client import GrpcClient
from lineup_mcp.transport import RelayUnreachable
from lineup_srv.wire._gen.lineup.v1 import relay_pb2, tool_pb2
from tests.mcp.fake_relay import FakeRelay, serving
from tests.mcp.harness import bridge_config

if TYPE_CHECKING:
    from pathlib import Path

CALL = relay_pb2.CallToolRequest(call=tool_pb2.ToolCall(call_id="c", name="t", action="a"))


async def streamed(client: GrpcClient) -> None:
    stream = client.stream("CallTool", CALL, relay_pb2.CallToolResponse)
    async with contextlib.aclosing(stream) as responses:
        async for _ in responses:
            pass


async def test_a_closed_channel_is_a_relay_that_is_away(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with serving(relay) as port:
        client = GrpcClient(bridge_config(port, tmp_path), 0)
        async with asyncio.TaskGroup() as tasks:
            caught = tasks.create_task(_caught(client))
            await relay.call()
            await client.close()
        assert isinstance(caught.result(), RelayUnreachable)


async def _caught(client: GrpcClient) -> BaseException:
    with pytest.raises(RelayUnreachable) as error:
        await streamed(client)
    return error.value


async def test_a_cancelled_task_is_cancelled(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with serving(relay) as port:
        client = GrpcClient(bridge_config(port, tmp_path), 0)
        async with asyncio.TaskGroup() as tasks:
            task = tasks.create_task(streamed(client))
            await relay.call()
            task.cancel()
        assert task.cancelled()
        await client.close()
