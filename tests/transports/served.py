"""The whole relay in this process, on real sockets and a real log."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import grpc
from websockets.asyncio.client import connect

from lineup_srv.app import serve
from lineup_srv.config import SrvConfig
from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2_grpc, relay_pb2, relay_pb2_grpc
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from lineup_srv.wire.codec import encode_frame
from tests.transports.sockets import login

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from websockets.asyncio.client import ClientConnection

    from lineup_srv.app import Listening

TOKEN: Final = "a-token-for-the-served-relay"
PATIENCE: Final = 10
"""Seconds until a wait that should have ended fails the test."""
MESSAGE_OPTIONS: Final = [
    ("grpc.max_receive_message_length", 40 * 1024 * 1024),
    ("grpc.max_send_message_length", 40 * 1024 * 1024),
    ("grpc.enable_http_proxy", 0),
]


def config(data_dir: Path, **changes: Any) -> SrvConfig:
    """Any free ports, loopback, open mode, a token list of one."""
    base = SrvConfig(
        bind="127.0.0.1",
        port=0,
        grpc_port=0,
        tokens=(TOKEN,),
        open_mode=False,
        data_dir=data_dir,
        log_level="info",
        allowed_hosts=(),
        allowed_origins=(),
        trusted_proxies=(),
        public_url="",
        tls_cert=None,
        tls_key=None,
        keep_days=0,
        keep_bytes=0,
        miniapps=None,
        idle_exit_seconds=0,
    )
    return replace(base, **changes)


@dataclass(slots=True)
class Served:
    """A running relay."""

    http_port: int
    grpc_port: int
    stop: asyncio.Event
    task: asyncio.Task[None]

    async def ended(self) -> None:
        """Stop it and wait; raises what it raised."""
        self.stop.set()
        async with asyncio.timeout(PATIENCE):
            await asyncio.shield(self.task)

    @asynccontextmanager
    async def device(
        self, nickname: str = "Ann", *, extended: bool = True, device: str = "", tab: str = ""
    ) -> AsyncIterator[Device]:
        """A device that is logged in."""
        async with self.socket() as device_:
            await device_.say(
                login(nickname, token=TOKEN, extended=extended, device=device, tab=tab)
            )
            await device_.hear("UserLogin")
            if extended:
                await device_.hear("ServerInfo")
            yield device_

    @asynccontextmanager
    async def socket(self) -> AsyncIterator[Device]:
        """A device that has said nothing yet."""
        url = f"ws://127.0.0.1:{self.http_port}/ws"
        async with connect(url, max_size=None, proxy=None, close_timeout=1) as socket:
            yield Device(socket)

    @asynccontextmanager
    async def channel(self) -> AsyncIterator[grpc.aio.Channel]:
        address = f"127.0.0.1:{self.grpc_port}"
        async with grpc.aio.insecure_channel(address, options=MESSAGE_OPTIONS) as channel:
            yield channel

    async def ask(
        self, request_id: str, question: str = "Go on?", *, agent_id: str = "ada"
    ) -> relay_pb2.Outcome:
        """Open a question that waits for nobody."""
        async with self.channel() as channel:
            request = relay_pb2.OpenRequestRequest(wait_ms=0)
            request.question.ID = request_id
            request.question.Request.Question = question
            request.question.Request.agent_id = agent_id
            answer = await relay_stub(channel).OpenRequest(request, metadata=AUTHORIZED)
            outcome: relay_pb2.Outcome = answer.outcome
            return outcome


AUTHORIZED: Final = (("authorization", f"Bearer {TOKEN}"),)


def relay_stub(channel: grpc.aio.Channel) -> Any:
    # The generated stub is untyped.
    return relay_pb2_grpc.RelayServiceStub(channel)


def assist_stub(channel: grpc.aio.Channel) -> Any:
    return agent_assist_pb2_grpc.SrvAgentAssistStub(channel)


class Device:
    """A WebSocket that speaks and hears messages."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def say(self, message: WebsocketMessage) -> None:
        await self.socket.send(encode_frame(message))

    async def hear(self, command: str) -> WebsocketMessage:
        """The next message with this command."""
        async with asyncio.timeout(PATIENCE):
            while True:
                frame = await self.socket.recv(decode=False)
                message = WebsocketMessage.FromString(frame)
                if command == message.Cmd:
                    return message

    async def tell(self, message: WebsocketMessage, command: str) -> WebsocketMessage:
        await self.say(message)
        return await self.hear(command)

    async def online(self) -> list[str]:
        """The nicknames of the others."""
        answer = await self.tell(WebsocketMessage(Cmd="GetOnlineUsers"), "GetOnlineUsers")
        return [user.nickname for user in answer.GetOnlineUsersResponse.online_users]

    async def closed(self) -> int | None:
        """The close code that the relay gave."""
        async with asyncio.timeout(PATIENCE):
            await self.socket.wait_closed()
        return self.socket.close_code


@asynccontextmanager
async def served(data_dir: Path, **changes: Any) -> AsyncIterator[Served]:
    """A relay that runs until the end of the block."""
    stop = asyncio.Event()
    listening: asyncio.Future[Listening] = asyncio.get_running_loop().create_future()
    task = asyncio.get_running_loop().create_task(
        serve(config(data_dir, **changes), announce=listening.set_result, stop=stop)
    )
    either: list[asyncio.Future[Any]] = [task, listening]
    async with asyncio.timeout(PATIENCE):
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        task.result()
    told = listening.result()
    relay = Served(_port(told.http), _port(told.grpc), stop, task)
    try:
        yield relay
    finally:
        await relay.ended()


def _port(address: str) -> int:
    return int(address.rpartition(":")[2])
