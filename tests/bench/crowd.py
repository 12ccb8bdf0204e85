"""Many devices in one process that do nothing with what they get but count it.

They read less than a real client would: what is measured is the relay.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING

from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.uri import parse_uri

from lineup_srv.wire._gen.lineup.v1 import client_pb2, websocket_pb2

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from tests.bench.processes import Address

__all__ = ["Crowd", "crowd"]

TOKEN = "bench-token-0123456789"
JOIN_SECONDS = 120
# Devices that have not logged in yet: fewer than an address may have.
AT_A_TIME = 200


class Silent(asyncio.Protocol):
    """A WebSocket that counts frames; `heard` is called with each data frame's payload."""

    def __init__(self, address: Address, heard: Callable[[bytes], None]) -> None:
        self._websocket = ClientProtocol(parse_uri(f"ws://{address.http}/ws"), max_size=None)
        self.heard = heard
        self._transport: asyncio.Transport
        self.open: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._websocket.send_request(self._websocket.connect())
        self._flush()

    def data_received(self, data: bytes) -> None:
        self._websocket.receive_data(data)
        for event in self._websocket.events_received():
            if not isinstance(event, Frame):
                self.open.set_result(None)
            elif event.opcode in (Opcode.BINARY, Opcode.TEXT):
                self.heard(bytes(event.data))
        self._flush()

    def send(self, data: bytes) -> None:
        self._websocket.send_binary(data)
        self._flush()

    def close(self) -> None:
        self._transport.abort()

    def _flush(self) -> None:
        for data in self._websocket.data_to_send():
            self._transport.write(data)


class Crowd:
    """Devices that are connected; `time_to_all` waits until each has had one more message."""

    def __init__(self) -> None:
        self.devices: list[Silent] = []
        self._wanted: bytes | None = None
        self._left = 0
        self._all: asyncio.Future[float]

    def heard(self, data: bytes) -> None:
        if self._wanted is not None and self._wanted in data:
            self._left -= 1
            if not self._left:
                self._all.set_result(time.perf_counter())

    async def time_to_all(self, message: bytes, marked: bytes, receivers: int) -> float:
        """Seconds from sending `message` by the first device until all had what has `marked`."""
        self._all = asyncio.get_running_loop().create_future()
        self._wanted, self._left = marked, receivers
        started = time.perf_counter()
        self.devices[0].send(message)
        async with asyncio.timeout(JOIN_SECONDS):
            return await self._all - started


@contextlib.asynccontextmanager
async def crowd(
    address: Address, size: int, *, login: bool, per_room: int = 10_000
) -> AsyncIterator[Crowd]:
    """`size` connected devices, logged in if `login`, `per_room` in each room."""
    people = Crowd()
    loop = asyncio.get_running_loop()
    host, port = address.http.split(":")
    try:
        async with asyncio.timeout(JOIN_SECONDS):
            for first in range(0, size, AT_A_TIME):
                some = []
                for number in range(first, min(size, first + AT_A_TIME)):
                    _, device = await loop.create_connection(
                        lambda: Silent(address, people.heard), host, int(port)
                    )
                    await device.open
                    people.devices.append(device)
                    token = f"{TOKEN}-{number // per_room}" if number >= per_room else TOKEN
                    some.append(_login(device, number, token) if login else asyncio.sleep(0))
                await asyncio.gather(*some)
        yield people
    finally:
        for device in people.devices:
            device.close()


async def _login(device: Silent, number: int, token: str) -> None:
    welcomed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    heard = device.heard

    def wait(data: bytes) -> None:
        if websocket_pb2.WebsocketMessage.FromString(data).Cmd == "UserLogin":
            device.heard = heard
            welcomed.set_result(None)

    device.heard = wait
    device.send(
        websocket_pb2.WebsocketMessage(
            Cmd="UserLogin",
            StrParam=token,
            Nickname=f"device {number}",
            client_info=client_pb2.ClientInfo(device_id=f"device-{number}", platform="bench"),
        ).SerializeToString()
    )
    await welcomed
