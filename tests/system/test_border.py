"""Foreign pages and rebound names are refused by the real server, before the upgrade."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from tests.system.processes import PATIENCE_SECONDS

if TYPE_CHECKING:
    from tests.system.conftest import Shared

pytestmark = [pytest.mark.system, pytest.mark.timeout(60)]


async def upgrade(port: int, path: str = "/ws", **headers: str) -> int:
    """The status of an answer to an attempt to open a WebSocket."""
    sent = {
        "Host": f"127.0.0.1:{port}",
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        **headers,
    }
    lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items()), "", ""]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write("\r\n".join(lines).encode())
        async with asyncio.timeout(PATIENCE_SECONDS):
            status = await reader.readline()
        return int(status.split()[1])
    finally:
        writer.transport.abort()


@pytest.mark.requirement("B31", "B33")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 101),
        ({"Host": "localhost:{port}", "Origin": "http://localhost:{port}"}, 101),
        ({"Origin": "http://127.0.0.1:{port}"}, 101),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://evil.test"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "http://localhost:{port}"}, 403),
        ({"Origin": "file://"}, 403),
        ({"Host": "evil.test"}, 421),
        ({"Host": "evil.test:{port}", "Origin": "http://evil.test:{port}"}, 421),
        ({"Host": "127.0.0.1.evil.test"}, 421),
    ],
)
async def test_only_pages_of_this_relay_may_connect(
    shared: Shared, headers: dict[str, str], status: int
) -> None:
    filled = {name: value.format(port=shared.http) for name, value in headers.items()}
    assert await upgrade(shared.http, **filled) == status


@pytest.mark.requirement("B33")
async def test_the_grpc_port_speaks_no_http_1(shared: Shared) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", shared.grpc)
    try:
        writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        async with asyncio.timeout(PATIENCE_SECONDS):
            assert not (await reader.read(100)).startswith(b"HTTP/1")
    finally:
        writer.transport.abort()
