"""Ask → shown → replied → returned: a gRPC OpenRequest client and one WebSocket device."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import secrets
import time
from typing import TYPE_CHECKING

import grpc
from websockets.asyncio.client import connect

from lineup_srv.wire._gen.lineup.v1 import (
    agent_assist_pb2,
    client_pb2,
    content_pb2,
    relay_pb2,
    relay_pb2_grpc,
    request_pb2,
    websocket_pb2,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.bench.processes import Address

TOKEN = "bench-token-0123456789"
METADATA = (("authorization", f"Bearer {TOKEN}"),)
QUESTION = "Adding the `status` index locks `orders` for about 40 s. How should I run it?"
ANSWER = content_pb2.McpResultContent(
    type=1, text=content_pb2.TextContent(type="text", text="Build it concurrently")
)
_numbers = itertools.count()


@contextlib.asynccontextmanager
async def answering_device(address: Address) -> AsyncIterator[None]:
    """A device that answers every question at once."""
    async with connect(f"ws://{address.http}/ws", compression=None, max_size=None) as socket:
        login = websocket_pb2.WebsocketMessage(
            Cmd="UserLogin",
            StrParam=TOKEN,
            Nickname="bench",
            client_info=client_pb2.ClientInfo(device_id="bench-device", platform="bench"),
        )
        await socket.send(login.SerializeToString())
        await socket.recv()

        async def answer() -> None:
            async for data in socket:
                assert isinstance(data, bytes)
                message = websocket_pb2.WebsocketMessage.FromString(data)
                if message.Cmd == "AskQuestion":
                    await socket.send(_reply(message.AskQuestionRequest.ID))

        async with asyncio.TaskGroup() as group:
            answering = group.create_task(answer())
            yield
            answering.cancel()


def _reply(request_id: str) -> bytes:
    return websocket_pb2.WebsocketMessage(
        Cmd="AskQuestionReply",
        ref=secrets.token_hex(16),
        AskQuestionRequest=agent_assist_pb2.AskQuestionRequest(ID=request_id),
        AskQuestionResponse=agent_assist_pb2.AskQuestionResponse(ID=request_id, contents=[ANSWER]),
    ).SerializeToString()


@contextlib.asynccontextmanager
async def asking(address: Address) -> AsyncIterator[relay_pb2_grpc.RelayServiceAsyncStub]:
    """A channel to the relay."""
    async with grpc.aio.insecure_channel(address.grpc) as channel:
        yield relay_pb2_grpc.RelayServiceStub(channel)  # type: ignore[misc]


async def ask(stub: relay_pb2_grpc.RelayServiceAsyncStub, agent: str, *, confirm: bool) -> float:
    """One question from asking to its answer, in seconds; `confirm` tells the relay of it after."""
    number = next(_numbers)
    question = agent_assist_pb2.AskQuestionRequest(
        ID=f"bench-{number:012d}",
        Request=agent_assist_pb2.McpAskQuestionRequest(
            ProjectDirectory="/srv/shop-api",
            Question=f"{QUESTION} {number}",
            AgentName="bench",
            McpClientName="bench",
            agent_id=agent,
            machine="bench-machine",
        ),
    )
    started = time.perf_counter()
    response = await stub.OpenRequest(
        relay_pb2.OpenRequestRequest(question=question, wait_ms=5_000), metadata=METADATA
    )
    took = time.perf_counter() - started
    if confirm:
        # As the bridge does when the answer has left; an agent that never confirms collects mail.
        received = relay_pb2.AckMessagesRequest(agent_id=agent, request_ids=[question.ID])
        await stub.AckMessages(received, metadata=METADATA)
    if response.outcome.state != request_pb2.REQUEST_STATE_ANSWERED:
        raise RuntimeError("a question was lost")
    return took


async def one_by_one(address: Address, count: int, *, confirm: bool) -> list[float]:
    """One agent asks `count` questions, each after the last was answered."""
    async with answering_device(address), asking(address) as stub:
        for _ in range(count // 10):
            await ask(stub, "agent-0", confirm=confirm)
        return [await ask(stub, "agent-0", confirm=confirm) for _ in range(count)]


async def all_at_once(address: Address, agents: int, each: int, *, confirm: bool) -> float:
    """Answered questions per second of `agents` agents that each ask `each` in a row."""

    async def agent(name: str) -> None:
        for _ in range(each):
            await ask(stub, name, confirm=confirm)

    async with answering_device(address), asking(address) as stub:
        await ask(stub, "agent-0", confirm=confirm)
        started = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for number in range(agents):
                group.create_task(agent(f"agent-{number}"))
        return agents * each / (time.perf_counter() - started)
