"""A device that answers every card it sees, through any number of relays, as the page does."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

from lineup_srv.wire._gen.lineup.v1 import client_pb2, content_pb2, error_pb2, websocket_pb2
from tests.system.processes import PATIENCE_SECONDS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from websockets.asyncio.client import ClientConnection

    from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2

__all__ = ["Answerer", "Reply", "answerer"]

_PAUSE_SECONDS = 0.02
_SEND_ANOTHER = (error_pb2.ERROR_CODE_KEPT_UNKNOWN, error_pb2.ERROR_CODE_UNKNOWN_REQUEST)


@dataclass(slots=True)
class Reply:
    """An answer: what was sent, and every Ack that ever came for it."""

    request_id: str
    text: str
    message: websocket_pb2.WebsocketMessage
    acks: list[client_pb2.Ack] = field(default_factory=list)

    @property
    def accepted(self) -> bool:
        """It won."""
        return any(a.accepted and a.code == error_pb2.ERROR_CODE_UNSPECIFIED for a in self.acks)

    @property
    def kept_as_text(self) -> bool:
        """The relay did not know the card yet and kept the words."""
        return any(ack.code == error_pb2.ERROR_CODE_KEPT_UNKNOWN for ack in self.acks)


class Answerer:
    """A device that sends each answer again, with the same ref, until it is acknowledged.

    Args:
        port: the relay's.
        token: the room's.
        name: its nickname.
        happened: called for everything it hears.
    """

    def __init__(self, port: int, token: str, name: str, happened: Callable[[], None]) -> None:
        self.name = name
        self.replies: dict[str, Reply] = {}
        self.connections = 0
        self.refusals = 0
        self._port = port
        self._token = token
        self._happened = happened
        self._last: dict[str, Reply] = {}
        self._shown_again: dict[str, agent_assist_pb2.AskQuestionRequest] = {}
        self._connection: ClientConnection | None = None

    async def run(self) -> None:
        """Stay connected until cancelled."""
        while True:
            try:
                async with connect(
                    f"ws://127.0.0.1:{self._port}/ws",
                    max_size=None,
                    proxy=None,
                    close_timeout=0.1,
                    ping_interval=None,
                ) as connection:
                    self._connection = connection
                    await self._serve(connection)
            except (OSError, ConnectionClosed, InvalidHandshake, InvalidMessage, EOFError):
                await asyncio.sleep(_PAUSE_SECONDS)

    async def _serve(self, connection: ClientConnection) -> None:
        login = websocket_pb2.WebsocketMessage(
            Cmd="UserLogin",
            StrParam=self._token,
            Nickname=self.name,
            client_info=client_pb2.ClientInfo(device_id=f"device-of-{self.name}", platform="web"),
        )
        await connection.send(login.SerializeToString())
        async for frame in connection:
            assert isinstance(frame, bytes)
            message = websocket_pb2.WebsocketMessage.FromString(frame)
            self._happened()
            match message.Cmd:
                case "UserLogin":
                    self.connections += 1
                    for reply in [one for one in self.replies.values() if not one.acks]:
                        await connection.send(reply.message.SerializeToString())
                case "AskQuestion":
                    await self._answer(connection, message.AskQuestionRequest)
                case "Ack":
                    await self._acknowledged(connection, message.ack)

    async def _acknowledged(self, connection: ClientConnection, ack: client_pb2.Ack) -> None:
        reply = self.replies[ack.ref]
        if ack.code == error_pb2.ERROR_CODE_LOG_UNAVAILABLE:
            # Not kept: it is sent until it is, at the pace of somebody who presses a button.
            self.refusals += 1
            await asyncio.sleep(_PAUSE_SECONDS)
            await connection.send(reply.message.SerializeToString())
            return
        reply.acks.append(ack)
        asked = self._shown_again.get(reply.request_id)
        if asked is not None and ack.code in _SEND_ANOTHER:
            await self._answer(connection, asked)

    async def _answer(
        self, connection: ClientConnection, asked: agent_assist_pb2.AskQuestionRequest
    ) -> None:
        """Answer a card, unless an answer is on its way that may still count."""
        last = self._last.get(asked.ID)
        if last is not None and not (last.acks and last.acks[-1].code in _SEND_ANOTHER):
            self._shown_again[asked.ID] = asked
            return
        self._shown_again.pop(asked.ID, None)
        reply = self._make(asked)
        self.replies[reply.message.ref] = self._last[asked.ID] = reply
        await connection.send(reply.message.SerializeToString())

    def _make(self, asked: agent_assist_pb2.AskQuestionRequest) -> Reply:
        ref = secrets.token_hex(16)
        text = f"{self.name} to {asked.Request.Question}: {ref[:8]}"
        message = websocket_pb2.WebsocketMessage(Cmd="AskQuestionReply", ref=ref)
        message.AskQuestionRequest.ID = asked.ID
        message.AskQuestionRequest.Request.agent_id = asked.Request.agent_id
        message.AskQuestionResponse.ID = asked.ID
        message.AskQuestionResponse.contents.append(
            content_pb2.McpResultContent(
                type=1, text=content_pb2.TextContent(type="text", text=text)
            )
        )
        return Reply(asked.ID, text, message)

    async def acknowledged(self) -> None:
        """Wait until every answer has an Ack."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not all(one.acks for one in self.replies.values()):  # noqa: ASYNC110
                await asyncio.sleep(_PAUSE_SECONDS)

    async def send_all_again(self) -> None:
        """As if no Ack of an accepted answer had ever come; waits for the new ones."""
        assert self._connection is not None
        again = [one for one in self.replies.values() if one.acks[-1].accepted]
        before = {one.message.ref: len(one.acks) for one in again}
        for reply in again:
            await self._connection.send(reply.message.SerializeToString())
        async with asyncio.timeout(PATIENCE_SECONDS):
            while any(  # noqa: ASYNC110
                len(self.replies[ref].acks) == count for ref, count in before.items()
            ):
                await asyncio.sleep(_PAUSE_SECONDS)


@asynccontextmanager
async def answerer(
    port: int, token: str, name: str, happened: Callable[[], None] = lambda: None
) -> AsyncIterator[Answerer]:
    """A device that stays connected for as long as the context."""
    async with asyncio.TaskGroup() as tasks:
        one = Answerer(port, token, name, happened)
        running = tasks.create_task(one.run())
        try:
            yield one
        finally:
            running.cancel()
