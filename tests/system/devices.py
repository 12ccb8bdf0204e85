"""A device on the relay's WebSocket. It keeps everything it ever received."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import secrets
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from lineup_srv.wire._gen.lineup.v1 import (
    agent_assist_pb2,
    agent_pb2,
    client_pb2,
    content_pb2,
    request_pb2,
    websocket_pb2,
)
from tests.system.processes import PATIENCE_SECONDS, bound

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from websockets.asyncio.client import ClientConnection

    Message = websocket_pb2.WebsocketMessage

__all__ = ["Device", "device", "text_of"]

PENDING = request_pb2.REQUEST_STATE_PENDING


class Device:
    """A device that is logged in.

    Args:
        connection: its WebSocket.
        name: its nickname.
        extended: it sends client_info and refs; else it speaks only the frozen messages.
        tab_id: its tab; empty: one of its own.
    """

    def __init__(
        self, connection: ClientConnection, name: str, *, extended: bool, tab_id: str
    ) -> None:
        self.name = name
        self.tab_id = tab_id or secrets.token_hex(8)
        self.device_id = f"device-of-{name}"
        self.received: list[Message] = []
        self.frames: list[bytes] = []
        self.closed = asyncio.Event()
        self._connection = connection
        self._extended = extended
        self._news = asyncio.Event()

    @property
    def close_code(self) -> int | None:
        """How the connection ended."""
        return self._connection.close_code

    async def read(self) -> None:
        """Collect until the connection ends."""
        with contextlib.suppress(ConnectionClosed):
            async for frame in self._connection:
                assert isinstance(frame, bytes)
                self.frames.append(frame)
                self.received.append(websocket_pb2.WebsocketMessage.FromString(frame))
                self._ring()
        self.closed.set()
        self._ring()

    async def sees(
        self, what: str, wanted: Callable[[Message], bool], *, after: int = 0
    ) -> Message:
        """The first message with a Cmd that is wanted, come or still to come.

        Args:
            what: the Cmd.
            wanted: what else it must be.
            after: how many of the messages received so far do not count.
        """
        seen = after
        async with asyncio.timeout(bound(PATIENCE_SECONDS)):
            while True:
                for message in self.received[seen:]:
                    if what == message.Cmd and wanted(message):
                        return message
                seen = max(seen, len(self.received))
                assert not self.closed.is_set(), f"closed with {self.close_code}, no {what}"
                await self._news.wait()

    async def login(self, token: str) -> bool:
        """Log in; whether it was let in."""
        login = websocket_pb2.WebsocketMessage(Cmd="UserLogin", StrParam=token, Nickname=self.name)
        if self._extended:
            login.client_info.CopyFrom(
                client_pb2.ClientInfo(device_id=self.device_id, platform="web", tab_id=self.tab_id)
            )
        await self.send(login)
        answer = await self.sees("UserLogin", lambda m: True)
        return answer.UserLoginResponse.success

    async def send(self, message: Message) -> None:
        """Send a message as it is."""
        await self._connection.send(message.SerializeToString())

    def abort(self) -> None:
        """Lose the connection without a word, as when a phone leaves the network."""
        self._connection.transport.abort()

    # What agents show --------------------------------------------------------------------------

    async def card(self, question: str) -> agent_assist_pb2.AskQuestionRequest:
        """The question, shown by itself."""
        shown = await self.sees(
            "AskQuestion", lambda m: m.AskQuestionRequest.Request.Question == question
        )
        return shown.AskQuestionRequest

    async def kept_card(self, question: str) -> agent_assist_pb2.AskQuestionRequest:
        """The question, shown and on the relay's disk."""
        asked = await self.card(question)
        await self.state(asked.ID, lambda s: s.state == PENDING)
        return asked

    async def report(self, summary: str) -> agent_assist_pb2.WorkReportRequest:
        """The report, shown by itself."""
        shown = await self.sees(
            "WorkReport", lambda m: m.WorkReportRequest.Request.Summary == summary
        )
        return shown.WorkReportRequest

    async def state(
        self,
        request_id: str,
        wanted: Callable[[request_pb2.RequestStateUpdate], bool],
        *,
        after: int = 0,
    ) -> request_pb2.RequestStateUpdate:
        """A state that the request is said to be in; extended devices only."""
        told = await self.sees(
            "RequestState",
            lambda m: m.request_state.request_id == request_id and wanted(m.request_state),
            after=after,
        )
        return told.request_state

    async def reply_of_other(self, request_id: str) -> Message:
        """The notification that another device answered the question."""
        return await self.sees(
            "AskQuestionReplyNotification", lambda m: request_id == m.AskQuestionRequest.ID
        )

    async def pending(self) -> list[str]:
        """Ids of all open requests, by the frozen command."""
        after = len(self.received)
        await self.send(websocket_pb2.WebsocketMessage(Cmd="GetPendingMessages"))
        answer = await self.sees("GetPendingMessages", lambda m: True, after=after)
        told = answer.GetPendingMessagesResponse
        assert told.total_count == len(told.pending_messages)
        return [
            one.work_report_request.ID or one.ask_question_request.ID
            for one in told.pending_messages
        ]

    async def history(self) -> list[Message]:
        """The whole log, as far as one page holds it."""
        after = len(self.received)
        ask = websocket_pb2.WebsocketMessage(Cmd="GetHistory")
        ask.get_history.limit = 200
        await self.send(ask)
        answer = await self.sees("GetHistory", lambda m: True, after=after)
        assert not answer.history_page.more
        return list(answer.history_page.messages)

    async def no_agent_left(self) -> None:
        """The relay knows no agent that is attached or waits; extended devices only."""
        async with asyncio.timeout(bound(PATIENCE_SECONDS)):
            while any(one.attached or one.waiting for one in self._agents()):
                await self._news.wait()

    def _agents(self) -> list[agent_pb2.Agent]:
        """The agents as they were told last."""
        told = [message for message in self.received if message.Cmd == "Agents"]
        return list(told[-1].agents) if told else []

    async def settled(self) -> None:
        """Everything that was on its way to this device has come."""
        ref = secrets.token_hex(16)
        await self.send(websocket_pb2.WebsocketMessage(Cmd="Ping", ref=ref))
        await self.ack(ref)

    # What the human does -----------------------------------------------------------------------

    async def answer(self, request_id: str, text: str, *, action: str = "", ref: str = "") -> str:
        """Send an answer to a question; an extended device sends a ref, which is returned."""
        reply = websocket_pb2.WebsocketMessage(Cmd="AskQuestionReply")
        reply.AskQuestionRequest.ID = request_id
        reply.AskQuestionResponse.ID = request_id
        reply.AskQuestionResponse.contents.append(_text(text))
        if action:
            reply.AskQuestionResponse.Meta["action"] = action
        return await self._reply(reply, ref)

    async def decide(
        self, request_id: str, label: str, note: str = "", *, input_json: str = ""
    ) -> str:
        """Allow or deny a step."""
        reply = websocket_pb2.WebsocketMessage(Cmd="AskQuestionReply")
        reply.AskQuestionRequest.ID = request_id
        reply.AskQuestionResponse.ID = request_id
        reply.AskQuestionResponse.answers.append(
            request_pb2.Answer(index=0, labels=[label], text=note)
        )
        reply.AskQuestionResponse.contents.append(_text("\n".join(filter(None, [label, note]))))
        if input_json:
            reply.AskQuestionResponse.Meta["input_json"] = input_json
        return await self._reply(reply, "")

    async def send_picture(self, request_id: str, data: bytes, mime_type: str) -> str:
        """Answer a question with a picture and no word."""
        image = content_pb2.ImageContent(
            type="image", data=base64.b64encode(data).decode(), mime_type=mime_type
        )
        reply = websocket_pb2.WebsocketMessage(Cmd="AskQuestionReply")
        reply.AskQuestionRequest.ID = request_id
        reply.AskQuestionResponse.ID = request_id
        reply.AskQuestionResponse.contents.append(content_pb2.McpResultContent(type=2, image=image))
        return await self._reply(reply, "")

    async def write(self, text: str, agent_id: str = "") -> client_pb2.Ack:
        """Write to an agent, or to all; returns when it is on disk."""
        message = websocket_pb2.WebsocketMessage(Cmd="Text", ref=secrets.token_hex(16))
        message.text.content = text
        message.text.agent_id = agent_id
        await self.send(message)
        return await self.ack(message.ref)

    async def confirm(self, request_id: str, text: str = "") -> str:
        """Confirm a report, with words or without."""
        reply = websocket_pb2.WebsocketMessage(Cmd="WorkReportReply")
        reply.WorkReportRequest.ID = request_id
        reply.WorkReportResponse.ID = request_id
        if text:
            reply.WorkReportResponse.contents.append(_text(text))
        return await self._reply(reply, "")

    async def ack(self, ref: str) -> client_pb2.Ack:
        """What became of a message with this ref."""
        return (await self.sees("Ack", lambda m: m.ack.ref == ref)).ack

    async def answer_and_ack(
        self, request_id: str, text: str, *, action: str = "", ref: str = ""
    ) -> client_pb2.Ack:
        """Answer; returns what became of it."""
        return await self.ack(await self.answer(request_id, text, action=action, ref=ref))

    async def _reply(self, reply: Message, ref: str) -> str:
        if self._extended:
            reply.ref = ref or secrets.token_hex(16)
        await self.send(reply)
        return reply.ref

    def _ring(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


@asynccontextmanager
async def device(
    port: int, token: str, name: str = "Ann", *, extended: bool = True, tab_id: str = ""
) -> AsyncIterator[Device]:
    """A device that is logged in. At the end nothing it ever received may hold the token."""
    async with (
        connect(
            f"ws://127.0.0.1:{port}/ws",
            max_size=None,
            proxy=None,
            open_timeout=bound(PATIENCE_SECONDS),
            close_timeout=1,
        ) as connection,
        asyncio.TaskGroup() as tasks,
    ):
        one = Device(connection, name, extended=extended, tab_id=tab_id)
        reading = tasks.create_task(one.read())
        try:
            assert await one.login(token)
            yield one
        finally:
            await connection.close()
            await reading
    assert not [frame for frame in one.frames if token.encode() in frame]
    assert not [message for message in one.received if _user_tokens(message)]


def _user_tokens(message: Message) -> str:
    pending = message.GetPendingMessagesResponse.pending_messages
    paged = (_user_tokens(one) for one in message.history_page.messages)
    return "".join(
        [
            message.AskQuestionRequest.UserToken,
            message.WorkReportRequest.UserToken,
            *(one.ask_question_request.UserToken for one in pending),
            *(one.work_report_request.UserToken for one in pending),
            *paged,
        ]
    )


def text_of(
    response: agent_assist_pb2.AskQuestionResponse | agent_assist_pb2.WorkReportResponse,
) -> str:
    """The words of an answer."""
    return "\n".join(content.text.text for content in response.contents if content.type == 1)


def _text(text: str) -> content_pb2.McpResultContent:
    return content_pb2.McpResultContent(
        type=1, text=content_pb2.TextContent(type="text", text=text)
    )
