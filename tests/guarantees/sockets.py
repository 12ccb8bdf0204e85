"""Devices without a library: what they do not do, they really do not do."""

from __future__ import annotations

import asyncio
import os
import socket
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from lineup_srv.wire._gen.lineup.v1 import client_pb2, websocket_pb2
from tests.system.processes import PATIENCE_SECONDS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

__all__ = ["BINARY", "CLOSE", "PING", "BareDevice", "bare_device"]

BINARY = 2
CLOSE = 8
PING = 9


class BareDevice:
    """A logged-in WebSocket that reads only when it is told to, and answers no ping.

    Args:
        reader: of its connection.
        writer: of its connection.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def frame(self) -> tuple[int, bytes] | None:
        """The next frame, its opcode and its data; None at the end of the connection."""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await self._read_frame()
        except (asyncio.IncompleteReadError, ConnectionError):
            return None

    async def _read_frame(self) -> tuple[int, bytes]:
        first, length = await self._reader.readexactly(2)
        if length == 126:
            length = int.from_bytes(await self._reader.readexactly(2))
        elif length == 127:
            length = int.from_bytes(await self._reader.readexactly(8))
        return first & 15, await self._reader.readexactly(length)

    def send(self, message: websocket_pb2.WebsocketMessage) -> None:
        """Write a message."""
        data = message.SerializeToString()
        assert len(data) < 65_536
        mask = os.urandom(4)
        head = bytes([128 | BINARY, 128 | 126]) + len(data).to_bytes(2) + mask
        self._writer.write(head + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    async def closed_with(self) -> int:
        """Read on to the relay's close frame, and its code; 1006 if the end comes without one."""
        while (frame := await self.frame()) is not None:
            opcode, data = frame
            if opcode == CLOSE:
                return int.from_bytes(data[:2])
        return 1006


@asynccontextmanager
async def bare_device(
    port: int, token: str, name: str, *, buffer_bytes: int = 0
) -> AsyncIterator[BareDevice]:
    """A device that has logged in; `buffer_bytes` is what its kernel takes unread."""
    plain = socket.socket()
    plain.setblocking(False)
    if buffer_bytes:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
    await asyncio.get_running_loop().sock_connect(plain, ("127.0.0.1", port))
    # The stream's own buffer: it stops reading from the socket at twice this.
    reader, writer = await asyncio.open_connection(sock=plain, limit=buffer_bytes or 65_536)
    try:
        writer.write(
            b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\n"
            b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        async with asyncio.timeout(PATIENCE_SECONDS):
            answer = await reader.readuntil(b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 101 ")
        one = BareDevice(reader, writer)
        one.send(
            websocket_pb2.WebsocketMessage(
                Cmd="UserLogin",
                StrParam=token,
                Nickname=name,
                client_info=client_pb2.ClientInfo(device_id=f"device-of-{name}"),
            )
        )
        login = await one.frame()
        assert login is not None
        assert websocket_pb2.WebsocketMessage.FromString(login[1]).UserLoginResponse.success
        yield one
    finally:
        writer.transport.abort()
