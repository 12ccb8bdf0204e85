"""A relay in this process with its real ports, and callers that write HTTP by hand."""

from __future__ import annotations

import asyncio
import contextlib
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lineup_srv.app import serve
from lineup_srv.config import SrvConfig

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path
    from ssl import SSLContext

    from lineup_srv.app import Listening

__all__ = [
    "ASSIST",
    "OLD_ASSIST",
    "PATIENCE_SECONDS",
    "RELAY",
    "TOKEN",
    "Answer",
    "Ports",
    "post",
    "raw",
    "running",
]

PATIENCE_SECONDS: Final = 10
TOKEN: Final = "the-room-of-the-connect-tests"
ASSIST: Final = "/lineup.v1.SrvAgentAssist"
OLD_ASSIST: Final = "/agentassistproto.SrvAgentAssist"
RELAY: Final = "/lineup.v1.RelayService"


@dataclass(frozen=True, slots=True)
class Ports:
    """Where a relay listens; `stop` ends it."""

    http: int
    grpc: int
    stop: asyncio.Event


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@asynccontextmanager
async def running(
    directory: Path, *, port: int = 0, cert: Path | None = None, key: Path | None = None
) -> AsyncIterator[Ports]:
    """A relay in open mode, for as long as the context."""
    listening: asyncio.Future[Listening] = asyncio.get_running_loop().create_future()
    stop = asyncio.Event()
    config = SrvConfig(
        bind="127.0.0.1",
        port=port,
        grpc_port=0,
        tokens=(),
        open_mode=True,
        data_dir=directory,
        log_level="warning",
        allowed_hosts=(),
        allowed_origins=(),
        trusted_proxies=(),
        public_url="",
        tls_cert=cert,
        tls_key=key,
        keep_days=0,
        keep_bytes=0,
        miniapps=None,
        idle_exit_seconds=0,
    )
    async with asyncio.TaskGroup() as group:
        serving = group.create_task(serve(config, announce=listening.set_result, stop=stop))
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                told = await listening
            http, grpc = (int(told.http.rpartition(":")[2]), int(told.grpc.rpartition(":")[2]))
            yield Ports(http, grpc, stop)
        finally:
            stop.set()
            async with asyncio.timeout(PATIENCE_SECONDS):
                await serving


@asynccontextmanager
async def raw(
    port: int, data: bytes, *, ssl: SSLContext | None = None
) -> AsyncIterator[asyncio.StreamReader]:
    """A connection on which these bytes were written; leaving the context hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=ssl, limit=1 << 26)
    try:
        writer.write(data)
        async with asyncio.timeout(PATIENCE_SECONDS):
            await writer.drain()
            yield reader
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def answer_on(reader: asyncio.StreamReader) -> Answer:
    """Read one answer, whole."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    headers = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
    }
    if headers.get("transfer-encoding") == "chunked":
        body = b"".join([chunk async for chunk in chunks_on(reader)])
    else:
        body = await reader.readexactly(int(headers["content-length"]))
    return Answer(int(first.split()[1]), headers, body)


async def chunks_on(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """The chunks of a body, as they come."""
    while size := int(await reader.readline(), 16):
        yield await reader.readexactly(size)
        assert await reader.readline() == b"\r\n"
    assert await reader.readline() == b"\r\n"


def request(
    path: str, body: bytes, headers: Mapping[str, str] | None = None, *, method: str = "POST"
) -> bytes:
    """The bytes of a request, with what every caller sends."""
    told = {"Host": "127.0.0.1", "Content-Length": str(len(body)), **(headers or {})}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in told.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


async def post(
    port: int,
    path: str,
    body: bytes,
    headers: Mapping[str, str] | None = None,
    *,
    method: str = "POST",
) -> Answer:
    """Ask and read the answer."""
    async with raw(port, request(path, body, headers, method=method)) as reader:
        return await answer_on(reader)
