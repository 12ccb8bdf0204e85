"""A cable between a bridge and its relay that can hold back either direction, and be cut.

What is held back and then cut has never arrived, which no signal to a process can promise: the
kernel would deliver what was sent before.
"""

from __future__ import annotations

import asyncio
import contextlib
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections.abc import AsyncIterator

__all__ = ["Cable", "cable"]


class Cable:
    """Passes bytes on to a port of this machine.

    Args:
        target: the port.
    """

    def __init__(self, target: int) -> None:
        self.port = 0
        self._target = target
        self._down = asyncio.Event()
        self._up = asyncio.Event()
        self._writers: set[StreamWriter] = set()
        self._is_plugged_in = True
        self.release()

    def hold_down(self) -> None:
        """From now on nothing of the relay reaches the bridge."""
        self._down.clear()

    def hold_up(self) -> None:
        """From now on nothing of the bridge reaches the relay."""
        self._up.clear()

    def release(self) -> None:
        """Let everything through, also what was held back."""
        self._down.set()
        self._up.set()

    def cut(self) -> None:
        """End every connection; what is held back is lost. New connections are made again."""
        for writer in self._writers:
            writer.transport.abort()

    def unplug(self) -> None:
        """End every connection, and every one that is tried from now on."""
        self._is_plugged_in = False
        self.cut()

    def plug_in(self) -> None:
        """Let new connections be made again."""
        self._is_plugged_in = True

    async def serve(self, bridge: StreamReader, to_bridge: StreamWriter) -> None:
        """Carry one connection."""
        to_relay: StreamWriter | None = None
        try:
            relay, to_relay = await asyncio.open_connection("127.0.0.1", self._target)
            if not self._is_plugged_in:
                return
            self._writers |= {to_bridge, to_relay}
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._pump(bridge, to_relay, self._up))
                tasks.create_task(self._pump(relay, to_bridge, self._down))
        except OSError:
            pass
        finally:
            for writer in (to_bridge, to_relay):
                if writer is not None:
                    self._writers.discard(writer)
                    writer.transport.abort()

    async def _pump(self, source: StreamReader, sink: StreamWriter, gate: asyncio.Event) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(65_536):
                await gate.wait()
                if sink.transport.is_closing():
                    break
                sink.write(data)
                await sink.drain()
        # One side has ended, so has the other: HTTP/2 knows no half-closed connection.
        sink.transport.abort()


@asynccontextmanager
async def cable(target: int) -> AsyncIterator[Cable]:
    """A cable that is plugged in."""
    one = Cable(target)
    server = await asyncio.start_server(one.serve, "127.0.0.1", 0)
    one.port = server.sockets[0].getsockname()[1]
    try:
        yield one
    finally:
        server.close()
        one.release()
        one.cut()
        await server.wait_closed()
