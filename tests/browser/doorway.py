"""A reverse proxy in front of a relay, as people put one there: the page lies below a path."""

from __future__ import annotations

import asyncio
import contextlib
import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from tests.system.processes import PATIENCE_SECONDS

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections.abc import AsyncIterator

__all__ = ["Doorway", "doorway"]

_VERSION = re.compile(rb'"version":"[0-9a-f]{16}"')


class Doorway:
    """Passes requests below `/lineup/` on to a port of this machine.

    Args:
        target: the port.
    """

    path = "/lineup/"

    def __init__(self, target: int) -> None:
        self.port = 0
        self._target = target
        self._release = b""
        self._writers: set[StreamWriter] = set()
        self._carrying: set[asyncio.Task[None] | None] = set()

    def release_a_new_page(self) -> None:
        """From now on the service worker is that of another build of the page."""
        self._release = b'"version":"' + b"f" * 16 + b'"'

    async def serve(self, browser: StreamReader, to_browser: StreamWriter) -> None:
        """Carry one request, or one WebSocket."""
        self._carrying.add(asyncio.current_task())
        self._writers.add(to_browser)
        to_relay: StreamWriter | None = None
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            head = await browser.readuntil(b"\r\n\r\n")
            relay, to_relay = await asyncio.open_connection("127.0.0.1", self._target)
            self._writers.add(to_relay)
            to_relay.write(_rewritten(head))
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(_pump(browser, to_relay))
                tasks.create_task(self._back(head, relay, to_browser))
        for writer in (to_browser, to_relay):
            if writer is not None:
                self._writers.discard(writer)
                writer.transport.abort()
        self._carrying.discard(asyncio.current_task())

    async def close(self) -> None:
        """End every connection, and wait for what carried it."""
        for writer in tuple(self._writers):
            writer.transport.abort()
        if carrying := [task for task in self._carrying if task is not None]:
            await asyncio.wait(carrying, timeout=PATIENCE_SECONDS)

    async def _back(self, head: bytes, relay: StreamReader, to_browser: StreamWriter) -> None:
        if not (self._release and b"/sw.js " in head):
            await _pump(relay, to_browser)
            return
        answer, found = _VERSION.subn(self._release, await relay.read(-1))
        assert found == 1
        to_browser.write(answer)
        await to_browser.drain()
        to_browser.close()


async def _pump(source: StreamReader, sink: StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await source.read(65_536):
            sink.write(data)
            await sink.drain()
        if sink.can_write_eof():
            sink.write_eof()


def _rewritten(head: bytes) -> bytes:
    """The request as the relay gets it: without the path, one for each connection, uncompressed."""
    first, *rest = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    method, path, version = first.split(b" ")
    first = b" ".join((method, b"/" + path.removeprefix(Doorway.path.encode()), version))
    if b"upgrade: websocket" not in head.lower():
        dropped = (b"connection:", b"accept-encoding:")
        rest = [line for line in rest if not line.lower().startswith(dropped)]
        rest.append(b"Connection: close")
    return b"\r\n".join((first, *rest, b"", b""))


@asynccontextmanager
async def doorway(target: int) -> AsyncIterator[Doorway]:
    """A proxy in front of that port until the end."""
    one = Doorway(target)
    server = await asyncio.start_server(one.serve, "127.0.0.1", 0)
    try:
        one.port = server.sockets[0].getsockname()[1]
        yield one
    finally:
        server.close()
        await one.close()
        await server.wait_closed()
