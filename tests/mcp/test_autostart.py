"""Starting a relay: one for ten bridges, only on this machine, only when none answers."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lineup_mcp.autostart import Starter, listens
from lineup_mcp.whereabouts import running_relay
from tests.mcp.harness import bridge_config
from tests.mcp.listeners import answering, relay

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.system

# A program of that name that does what the relay does as far as a starter can see.
RELAY = """
import json, os, pathlib, signal, socket, sys, threading
data = pathlib.Path(os.environ["LINEUP_DATA_DIR"])
with (data / "starts").open("a") as file:
    file.write(json.dumps({"pid": os.getpid(), "cwd": os.getcwd(), **os.environ}) + "\\n")
if (data / "fail").exists():
    sys.exit("cannot start")
server = socket.create_server(("127.0.0.1", int(os.environ["LINEUP_GRPC_PORT"])))
while True:
    server.accept()[0].close()
"""


@pytest.fixture
def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert isinstance(port, int)
        return port


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data directory; what was started in it is ended."""
    package = tmp_path / "path" / "lineup_srv"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(RELAY)
    directory = tmp_path / "data"
    directory.mkdir()
    yield directory
    for start in starts(directory):
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(int(str(start["pid"])), signal.SIGKILL)
            os.waitpid(int(str(start["pid"])), 0)


def starts(data: Path) -> list[dict[str, object]]:
    path = data / "starts"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def starter(data: Path, grpc_port: int, **changes: object) -> Starter:
    config = bridge_config(grpc_port, data, autostart=True, **changes)
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ["HOME"],
        "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"],
        "PYTHONPATH": str(data.parent / "path"),
        "LINEUP_TOKEN": "secret",
        "LINEUP_LOG_LEVEL": "debug",
    }
    return Starter(config, environ=environ)


async def test_ten_bridges_start_one_relay(data: Path, free_port: int) -> None:
    starters = [starter(data, free_port) for _ in range(10)]
    async with asyncio.timeout(15), asyncio.TaskGroup() as tasks:
        for one in starters:
            tasks.create_task(one.start())
    (started,) = starts(data)
    assert listens("127.0.0.1", free_port)
    assert started["cwd"] == str(data)
    assert started["LINEUP_HOST"] == "127.0.0.1"
    assert started["LINEUP_GRPC_PORT"] == str(free_port)
    assert started["LINEUP_IDLE_EXIT"] == "43200"
    assert "LINEUP_TOKEN" not in started
    assert "LINEUP_LOG_LEVEL" not in started
    assert os.getsid(int(str(started["pid"]))) != os.getsid(0)


def test_a_relay_that_answers_is_left_alone(data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert starter(data, server.getsockname()[1]).start_now() == 0
    assert not starts(data)


@pytest.mark.parametrize("changes", [{"autostart": False}, {"host": "192.0.2.1"}])
def test_it_is_not_always_ours_to_start(
    data: Path, free_port: int, changes: dict[str, object]
) -> None:
    config = bridge_config(free_port, data, **{"autostart": True, **changes})
    assert Starter(config, environ={}).start_now() == 0
    assert not starts(data)


def test_a_relay_that_fails_at_once_is_not_waited_for(data: Path, free_port: int) -> None:
    (data / "fail").touch()
    assert starter(data, free_port).start_now() == 0
    assert len(starts(data)) == 1
    log = Path(os.environ["XDG_STATE_HOME"]) / "lineup" / "lineup-srv.log"
    assert "cannot start" in log.read_text()


def test_a_relay_that_fails_again_and_again_is_said_once(
    data: Path, free_port: int, caplog: pytest.LogCaptureFixture
) -> None:
    (data / "fail").touch()
    one = starter(data, free_port)
    assert [one.start_now() for _ in range(3)] == [0, 0, 0]
    assert [message.partition(";")[0] for message in caplog.messages] == ["the relay did not start"]


@pytest.mark.parametrize("spelling", ["{}", "127.0.0.1:{}"])
def test_a_relay_of_this_data_directory_is_found_elsewhere(
    data: Path, free_port: int, spelling: str
) -> None:
    with relay() as port:
        told = {
            "pid": 1,
            "version": "0",
            "http": spelling.format(port),
            "grpc": spelling.format(80),
        }
        (data / "lock").write_text(json.dumps(told))
        assert starter(data, free_port, port_is_default=True).start_now() == 80
        assert running_relay(data) == {"http": ("127.0.0.1", port), "grpc": ("127.0.0.1", 80)}
    assert not starts(data)


def test_a_relay_elsewhere_is_no_answer_for_a_port_that_was_set_and_is_said_once(
    data: Path, free_port: int, caplog: pytest.LogCaptureFixture
) -> None:
    with relay() as port:
        (data / "lock").write_text(json.dumps({"http": port, "grpc": 80}))
        one = starter(data, free_port)
        assert [one.start_now() for _ in range(3)] == [0, 0, 0]
    assert not starts(data)
    said = f"a relay of yours already runs on 127.0.0.1:{port} (process {os.getpid()})"
    assert caplog.messages == [said]


def test_nothing_is_started_on_a_port_that_another_program_has_and_it_is_said_once(
    data: Path, free_port: int, caplog: pytest.LogCaptureFixture
) -> None:
    with answering({"name": "Other"}) as port:
        one = starter(data, free_port, port=port)
        assert [one.start_now() for _ in range(3)] == [0, 0, 0]
    assert not starts(data)
    assert caplog.messages == [f"port {port} is used by another program"]


def test_nothing_is_started_on_a_port_whose_program_says_nothing(
    data: Path, free_port: int, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert starter(data, free_port, port=port).start_now() == 0
    assert not starts(data)
    assert caplog.messages == [f"port {port} is used by a program that does not answer"]


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"http": "x", "grpc": "y"}', "null"])
def test_a_lock_that_says_nothing_is_no_relay(data: Path, content: str) -> None:
    (data / "lock").write_text(content)
    assert running_relay(data) is None
    assert running_relay(data / "none") is None


def test_a_lock_held_elsewhere_starts_nothing(data: Path, free_port: int) -> None:
    if sys.platform == "win32":
        pytest.skip("the lock is taken by fcntl here")
    import fcntl

    with (data / "autostart.lock").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        # Another open file, as in another process: flock locks are of the open file.
        thread = threading.Thread(target=starter(data, free_port).start_now)
        thread.start()
        thread.join(5)
        assert not thread.is_alive()
    assert not starts(data)
