"""A WebSocket without a network: the server's side of ASGI, as uvicorn plays it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from lineup_srv.wire._gen.lineup.v1 import client_pb2
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from lineup_srv.wire.codec import encode_frame
from tests.service.memory import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Message, Scope

HOST: Final = "127.0.0.1:22080"


class PeerGone(OSError):
    """What the server's send raises once the peer is gone."""


class Wire:
    """One connection. `send` and `receive` are for the application, the rest is for the test."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.sent: list[Message] = []
        self.writable = asyncio.Event()
        self.writable.set()
        self._gone = False
        self._arrival = asyncio.Event()
        self._read = 0
        self._incoming: asyncio.Queue[Message] = asyncio.Queue()
        self._incoming.put_nowait({"type": "websocket.connect"})
        self.task: asyncio.Task[None] | None = None

    # For the application -----------------------------------------------------------------------

    async def send(self, message: Message) -> None:
        await self.writable.wait()
        if self._gone:
            raise PeerGone
        self.sent.append(message)
        self._arrival.set()
        if message["type"] == "websocket.close":
            self._incoming.put_nowait({"type": "websocket.disconnect", "code": message["code"]})

    async def receive(self) -> Message:
        return await self._incoming.get()

    # For the test ------------------------------------------------------------------------------

    def open(self, app: ASGIApp) -> None:
        self.task = asyncio.get_running_loop().create_task(
            self._run(app), name=f"wire of {self.scope['client'][0]}"
        )

    async def _run(self, app: ASGIApp) -> None:
        await app(self.scope, self.receive, self.send)
        # The server cuts a socket whose application returned.
        self._gone = True

    def say(self, message: WebsocketMessage) -> None:
        self.say_bytes(encode_frame(message))

    def say_bytes(self, data: bytes) -> None:
        self._incoming.put_nowait({"type": "websocket.receive", "bytes": data})

    def say_text(self, text: str) -> None:
        self._incoming.put_nowait({"type": "websocket.receive", "text": text})

    async def hear(self) -> WebsocketMessage:
        """The next message of the relay."""
        event = await self.event()
        assert event["type"] == "websocket.send", event
        return WebsocketMessage.FromString(event["bytes"])

    async def hear_all(self, *commands: str) -> list[WebsocketMessage]:
        """The next messages, which are of these commands."""
        heard = [await self.hear() for _ in commands]
        assert [message.Cmd for message in heard] == list(commands)
        return heard

    async def event(self) -> Message:
        """The next thing that the application sent."""
        async with asyncio.timeout(PATIENCE):
            while self._read == len(self.sent):
                self._arrival.clear()
                await self._arrival.wait()
        self._read += 1
        return self.sent[self._read - 1]

    async def closed(self) -> int:
        """The close code, after what was still to be heard."""
        while (event := await self.event())["type"] != "websocket.close":
            pass
        await self.over()
        return int(event["code"])

    def left(self) -> list[str]:
        """Commands that were sent and not heard yet."""
        events, self._read = self.sent[self._read :], len(self.sent)
        return [
            WebsocketMessage.FromString(event["bytes"]).Cmd if "bytes" in event else event["type"]
            for event in events
        ]

    def pause(self) -> None:
        """The peer reads nothing any more."""
        self.writable.clear()

    def resume(self) -> None:
        self.writable.set()

    def vanish(self) -> None:
        """The peer is gone, and the server knows."""
        if not self._gone:
            self._gone = True
            self.writable.set()
            self._incoming.put_nowait({"type": "websocket.disconnect", "code": 1006})

    async def over(self) -> None:
        """Wait until the application has returned; raises what it raised."""
        assert self.task is not None
        async with asyncio.timeout(PATIENCE):
            await asyncio.shield(self.task)


def scope_of(
    *,
    kind: str = "websocket",
    path: str = "/ws",
    address: str = "127.0.0.1",
    headers: Iterable[tuple[str, str]] = (("host", HOST),),
    scheme: str = "ws",
) -> Scope:
    """An ASGI scope."""
    return {
        "type": kind,
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": scheme,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers],
        "client": (address, 50_000),
        "server": ("127.0.0.1", 22_080),
        "subprotocols": [],
        "extensions": {"websocket.http.response": {}},
    }


def login(
    nickname: str = "",
    *,
    token: str = "token",
    device: str = "",
    tab: str = "",
    ref: str = "",
    extended: bool = True,
) -> WebsocketMessage:
    """A UserLogin; with client_info unless told."""
    message = WebsocketMessage(Cmd="UserLogin", StrParam=token, Nickname=nickname, ref=ref)
    if extended:
        info = client_pb2.ClientInfo(device_id=device, tab_id=tab, platform="test")
        message.client_info.CopyFrom(info)
    return message


def reply(request_id: str, text: str = "yes", *, ref: str = "", **fields: Any) -> WebsocketMessage:
    """An AskQuestionReply with one text."""
    message = WebsocketMessage(Cmd="AskQuestionReply", ref=ref)
    message.AskQuestionRequest.ID = request_id
    message.AskQuestionResponse.ID = request_id
    if text:
        content = message.AskQuestionResponse.contents.add(type=1)
        content.text.type, content.text.text = "text", text
    for name, value in fields.items():
        message.AskQuestionResponse.Meta[name] = value
    return message


def report_reply(request_id: str, text: str = "", *, ref: str = "") -> WebsocketMessage:
    """A WorkReportReply."""
    message = WebsocketMessage(Cmd="WorkReportReply", ref=ref)
    message.WorkReportRequest.ID = request_id
    message.WorkReportResponse.ID = request_id
    if text:
        content = message.WorkReportResponse.contents.add(type=1)
        content.text.type, content.text.text = "text", text
    return message
