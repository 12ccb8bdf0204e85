"""The bridge's Connect client against servers that are no relay, or a broken one."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import TYPE_CHECKING

import pytest

from lineup_mcp.connect_client import ConnectClient
from lineup_mcp.transport import RelayUnreachable
from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.wire._gen.lineup.v1 import relay_pb2
from lineup_srv.wire.connect import END_STREAM, ConnectFailure, end_of_stream, enveloped
from tests.mcp.harness import bridge_config

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

GOODBYE = relay_pb2.GoodbyeRequest(agent_id="an-agent")
COUNT = relay_pb2.AttachResponse(mailbox_count=relay_pb2.MailboxCount(count=3))
PROTO = "application/proto"
STREAM = "application/connect+proto"


class Server:
    """Answers the first request on every connection with fixed bytes; keeps what it read."""

    def __init__(self, answer: bytes, *, hold: bool) -> None:
        self.port = 0
        self.heads: list[str] = []
        self.bodies: list[bytes] = []
        self.over: list[asyncio.Event] = []
        self._answer = answer
        self._hold = hold

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        over = asyncio.Event()
        self.over.append(over)
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        _, _, length = head.partition("content-length: ")
        self.heads.append(head)
        self.bodies.append(await reader.readexactly(int(length.split("\r\n")[0])))
        writer.write(self._answer)
        if self._hold:
            await reader.read()  # until the client hangs up
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()
        over.set()


@contextlib.asynccontextmanager
async def serving(
    answer: bytes, tmp_path: Path, *, hold: bool = False
) -> AsyncIterator[tuple[Server, ConnectClient]]:
    """A server, and a client of it."""
    one = Server(answer, hold=hold)
    async with await asyncio.start_server(one.serve, "127.0.0.1", 0) as server:
        one.port = server.sockets[0].getsockname()[1]
        client = ConnectClient(bridge_config(1, tmp_path, port=one.port, token="a-token"))
        try:
            async with asyncio.timeout(10):
                yield one, client
        finally:
            await client.close()
            async with asyncio.timeout(10):
                await asyncio.gather(*(over.wait() for over in one.over))


def http(status: int, content_type: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {content_type}\r\nConnection: close\r\n\r\n"
    return head.encode() + body


async def say_goodbye(client: ConnectClient, seconds: float = 5) -> relay_pb2.GoodbyeResponse:
    return await client.call("Goodbye", GOODBYE, relay_pb2.GoodbyeResponse, seconds)


async def events(client: ConnectClient) -> list[relay_pb2.AttachResponse]:
    request = relay_pb2.AttachRequest()
    stream = client.stream("Attach", request, relay_pb2.AttachResponse)
    return [event async for event in stream]


async def test_a_call_is_a_request_of_the_protocol(tmp_path: Path) -> None:
    async with serving(http(200, PROTO, b""), tmp_path) as (server, client):
        assert await say_goodbye(client) == relay_pb2.GoodbyeResponse()

    [head] = server.heads
    first, *lines = head.strip().split("\r\n")
    assert first == "post /lineup.v1.relayservice/goodbye http/1.1"
    assert {
        "accept-encoding: identity",
        "authorization: bearer a-token",
        "connect-protocol-version: 1",
        "connect-timeout-ms: 5000",
        "content-type: application/proto",
    } <= set(lines)
    assert server.bodies == [GOODBYE.SerializeToString()]


async def test_a_stream_is_one_envelope_and_gives_events_without_beats(tmp_path: Path) -> None:
    body = enveloped(b"") + enveloped(COUNT.SerializeToString()) + end_of_stream(None)

    async with serving(http(200, STREAM, body), tmp_path) as (server, client):
        assert await events(client) == [COUNT]

    assert "\r\ncontent-type: application/connect+proto\r\n" in server.heads[0]
    assert "connect-timeout-ms" not in server.heads[0]
    assert server.bodies == [b"\0\0\0\0\0"]


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (502, b"<html>", "HTTP 502"),
        (404, b"", "HTTP 404"),
        (200, b"<html>", "HTTP 200"),
        (503, b'{"code": "unavailable", "message": "busy"}', "busy"),
        (504, b'{"code": "deadline_exceeded"}', "deadline_exceeded"),
    ],
)
async def test_what_is_no_relay_or_a_busy_one_is_unreachable(
    tmp_path: Path, status: int, body: bytes, message: str
) -> None:
    async with serving(http(status, "text/html", body), tmp_path) as (_, client):
        with pytest.raises(RelayUnreachable, match=message):
            await say_goodbye(client)
        with pytest.raises(RelayUnreachable, match=message):
            await events(client)


async def test_the_words_of_the_relays_border_are_passed_on(tmp_path: Path) -> None:
    words = b"unknown Host: see [srv] allowed_hosts"

    async with serving(http(421, "text/plain; charset=utf-8", words), tmp_path) as (_, client):
        with pytest.raises(RelayUnreachable, match=r"HTTP 421 unknown Host: see \[srv\]"):
            await say_goodbye(client)


@pytest.mark.parametrize(
    ("status", "code"),
    [
        ("unauthenticated", ErrorCode.UNAUTHENTICATED),
        ("unimplemented", ErrorCode.NOT_SUPPORTED),
        ("internal", ErrorCode.UNSPECIFIED),
    ],
)
async def test_a_status_without_a_detail_is_our_nearest_code(
    tmp_path: Path, status: str, code: ErrorCode
) -> None:
    failure = json.dumps(ConnectFailure(status, "no").as_json()).encode()

    async with serving(http(400, "application/json", failure), tmp_path) as (_, client):
        with pytest.raises(LineUpError) as refused:
            await say_goodbye(client)

    assert refused.value.code is code


async def test_an_error_of_a_newer_relay_counts_by_its_status(tmp_path: Path) -> None:
    # code 99, which nobody knows yet
    detail = {"type": "lineup.v1.ErrorDetail", "value": "CGM"}
    failure = json.dumps({"code": "not_found", "message": "no", "details": [detail]}).encode()

    async with serving(http(404, "application/json", failure), tmp_path) as (_, client):
        with pytest.raises(LineUpError) as refused:
            await say_goodbye(client)

    assert refused.value.code is ErrorCode.UNKNOWN_REQUEST


@pytest.mark.parametrize(
    "body",
    [
        b"",
        enveloped(b"x")[:-1],
        enveloped(b"\xff"),
        enveloped(b"", 1),
        enveloped(b"no", END_STREAM),
    ],
    ids=["nothing", "torn", "no event", "unknown flag", "no end"],
)
async def test_a_broken_stream_is_unreachable(tmp_path: Path, body: bytes) -> None:
    async with serving(http(200, STREAM, body), tmp_path) as (_, client):
        with pytest.raises(RelayUnreachable):
            await events(client)


async def test_a_refused_stream_is_our_error(tmp_path: Path) -> None:
    error = LineUpError(ErrorCode.RATE_LIMITED, "too many agents")
    body = end_of_stream(ConnectFailure.refusal(error))

    async with serving(http(200, STREAM, body), tmp_path) as (_, client):
        with pytest.raises(LineUpError, match="too many agents") as refused:
            await events(client)

    assert refused.value.code is ErrorCode.RATE_LIMITED


async def test_a_stream_that_is_silent_for_too_long_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "CONNECT_DEAD_SECONDS", 0.1)
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {STREAM}\r\nTransfer-Encoding: chunked\r\n\r\n"

    async with serving(head.encode(), tmp_path, hold=True) as (_, client):
        with pytest.raises(RelayUnreachable):
            await events(client)


async def test_a_call_without_answer_ends_in_its_time_and_hangs_up(tmp_path: Path) -> None:
    async with serving(b"", tmp_path, hold=True) as (_, client):
        with pytest.raises(RelayUnreachable, match="no answer"):
            await say_goodbye(client, 0.1)


async def test_a_message_that_is_too_large_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MESSAGE_BYTES", 100)

    async with serving(http(200, PROTO, bytes(101)), tmp_path) as (_, client):
        with pytest.raises(LineUpError) as refused:
            await say_goodbye(client)
    assert refused.value.code is ErrorCode.TOO_LARGE

    async with serving(http(200, STREAM, enveloped(bytes(101))), tmp_path) as (_, client):
        with pytest.raises(LineUpError) as refused:
            await events(client)
    assert refused.value.code is ErrorCode.TOO_LARGE


async def test_an_answer_that_is_no_message_is_unreachable(tmp_path: Path) -> None:
    async with serving(http(200, PROTO, b"\xff"), tmp_path) as (_, client):
        with pytest.raises(RelayUnreachable, match="no relay"):
            await say_goodbye(client)
