"""What keeps a relay from starting is a sentence, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lineup_srv import __version__
from lineup_srv.app import CertificateUnusable, PortTaken, run, serving
from lineup_srv.logs.errors import DirectoryTaken, LogUnusable
from lineup_srv.service.ports import LogRefused
from lineup_srv.transports.holder import describe_holder
from tests.transports.served import config, served

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


async def starts(data_dir: Path, **changes: object) -> None:
    async with served(data_dir, **changes):
        pass


@pytest.mark.requirement("B70")
async def test_a_taken_port_is_an_error_that_names_the_relay_that_has_it(tmp_path: Path) -> None:
    async with served(tmp_path / "a") as first:
        with pytest.raises(PortTaken) as http:
            await starts(tmp_path / "b", port=first.http_port)
        # Also when the other's page has the port that gRPC should get.
        with pytest.raises(PortTaken) as grpc:
            await starts(tmp_path / "b", grpc_port=first.http_port)

    holder = f"Relay {__version__} has it, process {os.getpid()}."
    assert str(first.http_port) in str(http.value)
    assert str(http.value).endswith(holder)
    assert str(grpc.value).startswith(f"gRPC port {first.http_port} on 127.0.0.1")
    assert str(grpc.value).endswith(holder)
    # What failed holds neither directory nor port.
    await starts(tmp_path / "b")


@pytest.mark.requirement("B70")
async def test_a_port_that_another_program_has_is_an_error(
    tmp_path: Path, taken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lineup_srv.transports.holder._SECONDS", 0.05)
    for changes in ({"port": taken}, {"grpc_port": taken}):
        with pytest.raises(PortTaken) as caught:
            await starts(tmp_path, **changes)
        assert str(taken) in str(caught.value)


@pytest.mark.requirement("B70")
async def test_a_taken_directory_is_an_error_that_names_its_holder(tmp_path: Path) -> None:
    async with served(tmp_path):
        with pytest.raises(DirectoryTaken) as caught:
            await starts(tmp_path)

    assert str(os.getpid()) in str(caught.value)


async def test_a_bad_certificate_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "bad.pem").write_text("no certificate")
    for name in ("bad.pem", "never.pem"):
        with pytest.raises(CertificateUnusable) as caught:
            await starts(tmp_path / "data", tls_cert=tmp_path / name)
        assert name in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            b'HTTP/1.1 200 OK\r\n\r\n{"name": "LineUp", "version": "7", "pid": 4711}',
            "Relay 7 has it, process 4711.",
        ),
        (
            b'HTTP/1.1 200 OK\r\n\r\n{"name": "LineUp", "version": "7"}',
            "Relay 7 has it, process unknown.",
        ),
        (b'HTTP/1.1 200 OK\r\n\r\n{"name": "Other"}', "Another program has it."),
        (b"HTTP/1.1 200 OK\r\n\r\n[]", ""),
        (b"HTTP/1.1 200 OK\r\n\r\nno JSON", ""),
        (b"\xff" * 10_000, ""),
        (b"", ""),
    ],
)
async def test_the_holder_of_a_port_is_described_by_what_it_says(answer: bytes, said: str) -> None:
    asked: list[bytes] = []

    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        head, separator, body = answer.partition(b"\r\n\r\n")
        writer.write(head + separator)
        await writer.drain()
        writer.write(body)
        writer.close()

    server = await asyncio.start_server(reply, "127.0.0.1", 0)
    async with server:
        assert await describe_holder("127.0.0.1", server.sockets[0].getsockname()[1]) == said

    assert asked[0].startswith(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1:")


async def test_nobody_holds_a_free_port(taken: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert await describe_holder("127.0.0.1", port) == ""


async def test_the_holder_of_a_port_of_ipv6_is_asked_by_its_name() -> None:
    asked: list[bytes] = []

    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.close()

    try:
        server = await asyncio.start_server(reply, "::1", 0)
    except OSError:
        pytest.skip("no IPv6 here")
    async with server:
        port = server.sockets[0].getsockname()[1]
        await describe_holder("::1", port)

    assert f"Host: [::1]:{port}\r\n".encode() in asked[0]


@pytest.mark.parametrize(
    "error",
    [
        DirectoryTaken,
        LogUnusable(Path("lineup.db"), "it is of a newer release"),
        LogRefused("disk full"),
        PortTaken("port 1 cannot be bound"),
        CertificateUnusable("the certificate x: no such file"),
    ],
)
def test_what_keeps_it_from_starting_is_one_line_and_status_1(
    error: Exception | type[DirectoryTaken],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    failure = DirectoryTaken(tmp_path, '{"pid": 7}') if isinstance(error, type) else error

    async def fails(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(serving, "serve", fails)
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)

    assert run(config(tmp_path)) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("lineup-srv: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_a_relay_says_in_one_line_of_json_where_it_listens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    original = serving.serve

    async def stopped_at_once(*args: object, announce: object, stop: asyncio.Event) -> None:
        stop.set()
        await original(*args, announce=announce, stop=stop)  # type: ignore[arg-type]

    monkeypatch.setattr(serving, "serve", stopped_at_once)
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)

    assert run(config(tmp_path)) == 0
    out, _ = capsys.readouterr()
    said = json.loads(out)
    assert out.count("\n") == 1
    assert said["event"] == "listening"
    assert said["version"] == __version__
    assert said["http"].startswith("127.0.0.1:")
    assert said["grpc"].startswith("127.0.0.1:")
    assert said["http"] != said["grpc"]


async def test_a_relay_on_ipv6_says_so_in_brackets(tmp_path: Path) -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("no IPv6 here")
    async with served(tmp_path, bind="::1") as relay:
        assert relay.http_port
        assert relay.grpc_port
