"""Who answers where the relay should be."""

from __future__ import annotations

import json
import os
import socket
import threading
from typing import TYPE_CHECKING

import pytest

from lineup_mcp import whereabouts
from lineup_mcp.whereabouts import Holder, Who, holder_of, look, who_answers
from tests.mcp.harness import bridge_config
from tests.mcp.listeners import RELAY, answering, relay

if TYPE_CHECKING:
    from pathlib import Path

OK = b"HTTP/1.1 200 OK\r\n\r\n"


@pytest.fixture
def silent_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert isinstance(port, int)
        return port


def lock(directory: Path, http: int, grpc: int) -> None:
    """As a relay writes it."""
    told = {"pid": 1, "version": "0", "http": http, "grpc": grpc}
    (directory / "lock").write_text(json.dumps(told))


@pytest.mark.parametrize(
    ("told", "status", "who"),
    [
        (RELAY, 200, Who.RELAY),
        ({**RELAY, "pid": 7, "more": []}, 200, Who.RELAY),
        ({**RELAY, "name": "Other"}, 200, Who.OTHER),
        ("LineUp", 200, Who.OTHER),
        (RELAY, 404, Who.OTHER),
    ],
)
def test_a_relay_is_known_by_what_it_says_of_itself(
    tmp_path: Path, told: object, status: int, who: Who
) -> None:
    with answering(told, status=status) as port:
        assert who_answers(bridge_config(1, tmp_path, port=port)) is who


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"SSH-2.0-x\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n<html>",
        b"HTTP/1.1 200 OK\r\n\r\n" + b"[" * 9999,
    ],
)
def test_a_program_that_speaks_something_else_is_no_relay(tmp_path: Path, said: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def speak() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(said)

        thread = threading.Thread(target=speak)
        thread.start()
        port = server.getsockname()[1]
        assert who_answers(bridge_config(1, tmp_path, port=port)) is Who.OTHER
        thread.join()


def test_a_program_that_says_nothing_is_not_waited_for_long(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        config = bridge_config(1, tmp_path, port=server.getsockname()[1])
        assert who_answers(config, within_seconds=0.1) is Who.SILENT


@pytest.mark.parametrize("host", ["127.0.0.1", "a" * 300, "no such host"])
def test_where_nothing_listens_is_nobody(tmp_path: Path, silent_port: int, host: str) -> None:
    assert who_answers(bridge_config(1, tmp_path, port=silent_port, host=host)) is Who.NOBODY


def test_who_speaks_no_tls_is_no_relay_that_does(tmp_path: Path) -> None:
    with relay() as port:
        assert who_answers(bridge_config(1, tmp_path, port=port, tls=True)) is Who.OTHER


def test_the_relay_of_the_data_directory_is_found_on_other_ports(
    tmp_path: Path, silent_port: int
) -> None:
    config = bridge_config(silent_port, tmp_path, port=silent_port)
    with relay() as port:
        lock(tmp_path, port, 80)
        holder = Holder(os.getpid(), "127.0.0.1", port, "127.0.0.1", 80)
        assert holder_of(config) == holder
        sight = look(config)
    assert sight.who is Who.NOBODY
    assert sight.holder == holder
    assert sight.target == f"127.0.0.1:{silent_port}"


def test_a_program_with_the_port_of_a_killed_relay_is_not_taken_for_it(tmp_path: Path) -> None:
    with answering({"name": "Other"}) as port:
        lock(tmp_path, port, 80)
        assert holder_of(bridge_config(1, tmp_path)) is None


def test_a_relay_on_the_configured_ports_is_not_elsewhere(tmp_path: Path) -> None:
    with relay() as port:
        lock(tmp_path, port, 80)
        assert holder_of(bridge_config(80, tmp_path, port=port)) is None


def test_a_relay_of_another_machine_is_not_looked_for_here(tmp_path: Path) -> None:
    with relay() as port:
        lock(tmp_path, port, 80)
        sight = look(bridge_config(1, tmp_path, host="relay.invalid"))
    assert sight.holder is None


def test_addresses_of_both_families_are_written_for_people() -> None:
    assert whereabouts.address("::1", 5) == "[::1]:5"
    assert whereabouts.address("localhost", 5) == "localhost:5"
