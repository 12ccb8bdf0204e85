"""An app that speaks JSON envelopes and shows questions."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from tests.system.processes import PATIENCE_SECONDS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from websockets.asyncio.client import ClientConnection

__all__ = ["App", "app"]

Payload = dict[str, Any]


class App:
    """A logged-in app. It keeps everything it ever received, as (type, payload)."""

    def __init__(self, connection: ClientConnection) -> None:
        self.received: list[tuple[str, Payload]] = []
        self._connection = connection
        self._news = asyncio.Event()

    async def read(self) -> None:
        """Collect until the connection ends."""
        with contextlib.suppress(ConnectionClosed):
            async for frame in self._connection:
                envelope = json.loads(frame)
                self.received.append((envelope["type"], envelope["payload"]))
                self._news.set()
                self._news = asyncio.Event()

    async def say(self, kind: str, payload: Payload) -> str:
        """Send an envelope; returns its id."""
        envelope_id = secrets.token_hex(16)
        envelope = {"v": 1, "id": envelope_id, "type": kind, "payload": payload}
        await self._connection.send(json.dumps(envelope))
        return envelope_id

    async def hears(self, kind: str, wanted: Callable[[Payload], bool]) -> Payload:
        """The first payload of a type that is wanted, come or still to come."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                for name, payload in self.received:
                    if name == kind and wanted(payload):
                        return payload
                await self._news.wait()

    async def answer(self, request_id: str, text: str) -> Payload:
        """Answer a question; returns what became of it."""
        ref = await self.say("lineup.v1.reply", {"request_id": request_id, "message": text})
        return await self.hears("system.ack", lambda p: p["ref"] == ref)

    async def settled(self) -> None:
        """Everything that was on its way to this app has come."""
        ref = await self.say("system.ping", {})
        await self.hears("system.pong", lambda p: p["ref"] == ref)


@asynccontextmanager
async def app(port: int, token: str, name: str) -> AsyncIterator[App]:
    """An app that has said hello."""
    url = f"ws://127.0.0.1:{port}/ws"
    async with (
        connect(url, max_size=None, proxy=None, close_timeout=1) as connection,
        asyncio.TaskGroup() as tasks,
    ):
        one = App(connection)
        reading = tasks.create_task(one.read())
        try:
            hello = {"name": name, "token": token, "platform": "web", "features": ["requests"]}
            ref = await one.say("system.hello", hello)
            await one.hears("system.hello", lambda p: p.get("ref") == ref)
            yield one
        finally:
            await connection.close()
            await reading
