"""The first answers of the bridge process: before the SDK, before the relay, in both eras."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lineup_mcp.tools.definitions import INSTRUCTIONS
from tests.mcp.fake_relay import FakeRelay, serving
from tests.mcp.test_early import ENVELOPE, hello, request
from tests.mcp.test_process import bridge, receive, send
from tests.mcp.tools import CHOICE, remembered

if TYPE_CHECKING:
    from lineup_mcp.jsonrpc import Message

pytestmark = pytest.mark.system

# Whoever imports one of these waits for ever, as on a machine that is very slow.
SLOW_IMPORTS = """
import sys, threading

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("click", "mcp", "mcp_types", "pydantic", "grpc", "google"):
            threading.Event().wait()

sys.meta_path.insert(0, Slow())
"""
CONVERSATIONS: dict[str, list[Message]] = {
    "handshake": [*hello("2025-11-25"), request(2, "tools/list")],
    "modern": [request(1, "server/discover", ENVELOPE), request(2, "tools/list", ENVELOPE)],
}


def names_in(answer: Message) -> list[str]:
    result = answer["result"]
    assert isinstance(result, dict)
    return [tool["name"] for tool in result["tools"]]


@pytest.mark.requirement("B28")
@pytest.mark.parametrize("era", CONVERSATIONS)
async def test_tools_are_listed_before_anything_heavy_is_there(tmp_path: Path, era: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(SLOW_IMPORTS)
    known = remembered(22080)
    async with bridge(1, PYTHONPATH=f"{tmp_path}{os.pathsep}{Path.cwd()}") as process:
        send(process, *CONVERSATIONS[era])
        first, listed = await receive(process), await receive(process)
    result = first["result"]
    assert isinstance(result, dict)
    assert result["instructions"] == INSTRUCTIONS
    assert result["capabilities"] == {"tools": {"listChanged": True}}
    assert names_in(listed) == [str(tool["name"]) for tool in known.definitions]
    assert {"canvas_draw", "choice", "lineup_call_tool"} <= set(names_in(listed))


@pytest.mark.parametrize("era", CONVERSATIONS)
async def test_the_sdk_lists_the_same_and_later_what_is_new(era: str) -> None:
    remembered(22080)
    relay = FakeRelay()
    relay.offer(CHOICE)
    params = ENVELOPE if era == "modern" else None
    async with serving(relay) as port, bridge(port) as process:
        send(process, *CONVERSATIONS[era])
        await receive(process)
        early = await receive(process)
        # Only the SDK answers this one.
        send(process, request(3, "resources/list", params))
        assert "error" in await receive(process)
        await relay.until(lambda: relay.named("ListTools"))
        if era == "handshake":
            # Told, though the SDK never saw the first list leave.
            assert (await receive(process))["method"] == "notifications/tools/list_changed"
        send(process, request(4, "tools/list", params))
        late = await receive(process)
        while "canvas_draw" in names_in(late):
            send(process, request(5, "tools/list", params))
            late = await receive(process)
    before, after = set(names_in(early)), set(names_in(late))
    assert before - after == {
        "calculator_add",
        "calculator_divide",
        "canvas_clear",
        "canvas_draw",
        "canvas_open",
    }
    assert after <= before
    tools = {json.dumps(tool, sort_keys=True) for tool in late["result"]["tools"]}  # type: ignore[index] # JSON
    assert tools <= {json.dumps(tool, sort_keys=True) for tool in early["result"]["tools"]}  # type: ignore[index] # JSON
