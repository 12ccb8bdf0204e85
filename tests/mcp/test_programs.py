"""`lineup-mcp --web` and the demo agent as a person starts them."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.mcp.fake_relay import TOKEN, FakeRelay, serving
from tests.mcp.listeners import relay
from tests.mcp.test_process import HELLO, bridge, receive, send

if TYPE_CHECKING:
    from collections.abc import Mapping

pytestmark = [pytest.mark.system, pytest.mark.timeout(60)]

DEMO = Path(__file__).parents[2] / "examples" / "demo_agent.py"


def without_display(**more: str) -> Mapping[str, str]:
    kept = {n: v for n, v in os.environ.items() if n not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return {**kept, "LINEUP_TOKEN": TOKEN, **more}


async def test_web_prints_the_address_and_ends() -> None:
    """B71."""
    with relay() as port:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "lineup_mcp", "--web", "--no-autostart"),
            *("--port", str(port), "--grpc-port", str(port)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=without_display(),
        )
        output, errors = await process.communicate()
    assert process.returncode == 0
    assert output == b""
    assert f"http://127.0.0.1:{port}?token={TOKEN}" in errors.decode()


async def test_web_serves_mcp_when_stdin_is_a_pipe() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        async with bridge(port, "--web", "--port", str(port), DISPLAY="") as process:
            send(process, *HELLO)
            answer = await receive(process)
    assert answer["id"] == "hello"


async def test_the_demo_asks_and_reports() -> None:
    relay = FakeRelay()
    async with serving(relay) as port:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, str(DEMO)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            env=without_display(LINEUP_GRPC_PORT=str(port)),
        )
        relay.answer(await relay.asked(), "The tidy one")
        relay.answer(await relay.asked(2), "Thank you")
        output, _ = await process.communicate()
    assert process.returncode == 0
    assert "Answer:\nThe tidy one" in output.decode()
    assert "Reply:\nThank you" in output.decode()


async def test_the_demo_ends_cleanly_when_it_is_interrupted() -> None:
    relay = FakeRelay()
    async with serving(relay) as port:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, str(DEMO)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=without_display(LINEUP_GRPC_PORT=str(port)),
        )
        await relay.asked()
        process.send_signal(signal.SIGINT)
        output, errors = await process.communicate()
        await relay.until(lambda: relay.named("Goodbye"))
    assert process.returncode == 0
    assert b"Stopped." in output
    assert b"Traceback" not in errors
