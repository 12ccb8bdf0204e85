"""One relay per port and per data directory, however many want to start one."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import socket
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import psutil
import pytest

from lineup_srv import __version__
from tests.system.devices import device
from tests.system.hosts import host
from tests.system.processes import PATIENCE_SECONDS, Pid, bound, own_home, poll, program, relay

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.system, pytest.mark.timeout(60)]


async def second(home: Path, *arguments: str) -> tuple[int | None, str]:
    """A relay that should not start: its exit status and what it says."""
    process = await asyncio.create_subprocess_exec(
        *program("lineup_srv", {}),
        *arguments,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=own_home(home),
    )
    try:
        async with asyncio.timeout(bound(PATIENCE_SECONDS)):
            output, errors = await process.communicate()
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    assert output == b""
    return process.returncode, errors.decode()


def free_ports() -> tuple[int, int]:
    """Two ports that were free a moment ago."""
    with (
        socket.create_server(("127.0.0.1", 0)) as one,
        socket.create_server(("127.0.0.1", 0)) as two,
    ):
        return one.getsockname()[1], two.getsockname()[1]


def relays_of(data_dir: Path) -> list[int]:
    """Processes that serve a data directory."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if (
                "lineup_srv" in process.cmdline()
                and process.environ().get("LINEUP_DATA_DIR") == str(data_dir)
                and process.status() != psutil.STATUS_ZOMBIE
            ):
                found.append(process.pid)
    return found


@pytest.mark.requirement("B70")
async def test_a_taken_port_or_directory_ends_the_second_relay_which_says_who_has_it(
    token: str, tmp_path: Path
) -> None:
    async with relay(tmp_path / "relay", token=token) as first:
        holder = str(json.loads((first.data_dir / "lock").read_text())["pid"])
        other = str(tmp_path / "other")

        code, said = await second(tmp_path, "--port", "0", "--data-dir", str(first.data_dir))
        assert code == 1
        assert holder in said
        assert __version__ in said

        code, said = await second(tmp_path, "--port", str(first.http), "--data-dir", other)
        assert code == 1
        assert f"port {first.http}" in said
        assert holder in said
        assert __version__ in said

        code, said = await second(
            tmp_path, "--port", "0", "--grpc-port", str(first.grpc), "--data-dir", other
        )
        assert code == 1
        assert f"port {first.grpc}" in said
        assert "Traceback" not in said

        async with device(first.http, token) as ann:
            await ann.settled()


async def test_a_killed_relay_leaves_its_directory_and_ports_to_the_next(
    token: str, tmp_path: Path
) -> None:
    async with relay(tmp_path / "relay", token=token) as first:
        ports = (first.http, first.grpc)
        await first.restart()
        assert (first.http, first.grpc) == ports


async def test_ten_bridges_that_find_no_relay_start_exactly_one(token: str, tmp_path: Path) -> None:
    http, grpc = free_ports()
    data_dir = tmp_path / "data"
    async with AsyncExitStack() as stack:
        try:
            hosts = [
                await stack.enter_async_context(
                    host(http, grpc, token, tmp_path / str(number), data_dir=data_dir)
                )
                for number in range(10)
            ]
            for number, one in enumerate(hosts):
                one.initialize()
                one.send("notifications/initialized")
                one.ask(1, f"Number {number}?")
            await asyncio.gather(*(one.receive() for one in hosts))
            await _listening(http)
            ann = await stack.enter_async_context(device(http, token))
            for number, one in enumerate(hosts):
                card = await ann.kept_card(f"Number {number}?")
                await ann.answer(card.ID, f"Echo {number}")
                assert (await one.text(1)).endswith(f"Echo {number}")
            holder = json.loads((data_dir / "lock").read_text())["pid"]
            assert relays_of(data_dir) == [holder]
        finally:
            for number in relays_of(data_dir):
                started = Pid(number)
                started.send(signal.SIGTERM)
                await started.gone()
                started.close()


async def _listening(port: int) -> None:
    """Wait until somebody listens; nothing tells a stranger when that is."""

    async def listens() -> bool:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            return False
        writer.transport.abort()
        return True

    await poll(listens)


async def test_a_bridge_that_may_not_start_a_relay_says_that_there_is_none(
    token: str, tmp_path: Path
) -> None:
    http, grpc = free_ports()
    data_dir = tmp_path / "data"
    soon = {"UNREACHABLE_SECONDS": 1}
    async with host(
        http, grpc, token, tmp_path / "a", "--no-autostart", limits=soon, data_dir=data_dir
    ) as one:
        await one.greet()
        one.ask(1, "Anybody?")
        text = await one.text(1)
        assert text.startswith("relay_unreachable: ")
        assert "Do not assume consent" in text
        assert "lineup-srv" in text
        assert relays_of(data_dir) == []
        assert not data_dir.exists()
