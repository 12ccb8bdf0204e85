"""Clients that others wrote, against the real process: the SDK's, the inspector, mcp-conform."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from lineup_mcp.tools.definitions import TOOLS
from tests.mcp.fake_relay import TOKEN, FakeRelay, serving
from tests.mcp.harness import text_of

if TYPE_CHECKING:
    from mcp.client.client import ConnectMode

pytestmark = [pytest.mark.system, pytest.mark.timeout(90)]

INSPECTOR = Path(__file__).parents[1] / "inspector" / "node_modules" / ".bin" / "mcp-inspector"
NODE = Path(sys.executable).with_name("node")
ASK = {"question": "Which colour?", "options": [{"label": "blue"}]}
needs_inspector = pytest.mark.skipif(
    not (INSPECTOR.exists() and NODE.exists()), reason="`make test` installs the inspector"
)


def bridge(port: int) -> list[str]:
    return [sys.executable, "-P", "-m", "lineup_mcp", "--no-autostart", "--grpc-port", str(port)]


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
async def test_the_sdks_client_lists_and_asks(mode: ConnectMode) -> None:
    relay = FakeRelay()
    async with serving(relay) as port:
        command, *arguments = bridge(port)
        environ = {**os.environ, "LINEUP_TOKEN": TOKEN}
        process = StdioServerParameters(command=command, args=arguments, env=environ)
        async with Client(stdio_client(process), mode=mode) as client, asyncio.TaskGroup() as tasks:
            listed = {tool.name for tool in (await client.list_tools()).tools}
            assert listed >= {"ask_question", "work_report"}
            call = tasks.create_task(client.call_tool("ask_question", ASK))
            relay.answer(await relay.asked(), "the blue one")
            answer = await call
    assert not answer.is_error
    assert "the blue one" in text_of(answer)


async def inspect(port: int, era: str, home: Path, *words: str) -> tuple[int, Any]:
    """Run the inspector on a bridge; returns its exit status and what it prints."""
    process = await asyncio.create_subprocess_exec(
        *(str(NODE), str(INSPECTOR), "--cli", "--protocol-era", era, "--quiet", *words),
        *("--connect-timeout", "60000", "-e", f"LINEUP_TOKEN={TOKEN}", "--", *bridge(port)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "MCP_CATALOG_PATH": str(home / "catalog.json"), "HOME": str(home)},
    )
    output, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, json.loads(output)


@needs_inspector
@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_the_inspector_finds_nothing_wrong_with_the_tools(era: str, tmp_path: Path) -> None:
    status, listed = await inspect(1, era, tmp_path, "--method", "tools/list", "--strict")
    assert status == 0
    names = {tool["name"] for tool in listed["tools"]}
    assert names >= {tool["name"] for tool in TOOLS}


@needs_inspector
@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_the_inspector_asks_and_gets_the_answer(era: str, tmp_path: Path) -> None:
    relay = FakeRelay()
    call = ("--method", "tools/call", "--tool-name", "ask_question")
    async with serving(relay) as port, asyncio.TaskGroup() as tasks:
        arguments = ("--tool-args-json", json.dumps(ASK))
        asking = tasks.create_task(inspect(port, era, tmp_path, *call, *arguments))
        # It takes longer to start than anything of ours.
        await relay.until(lambda: relay.opened, within_seconds=60)
        relay.answer(await relay.asked(), "the blue one")
        status, result = await asking
    assert status == 0
    assert "the blue one" in result["content"][0]["text"]


async def test_mcp_conform_finds_nothing_wrong() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "mcp_probe", "server", "--transport", "stdio"),
        *("--command", shlex.join(bridge(1)), "--timeout", "60", "--format", "json"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "LINEUP_TOKEN": TOKEN},
    )
    output, _ = await process.communicate()
    report = json.loads(output)
    assert process.returncode == 0, report
    assert report
