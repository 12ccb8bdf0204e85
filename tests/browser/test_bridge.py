"""The whole way: an agent program, the bridge, the relay, the page, and back."""

from __future__ import annotations

import base64
import io
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image
from playwright.async_api import expect

from tests.browser.devices import BROWSER
from tests.system.hosts import host

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.asking import Asker
    from tests.browser.devices import Devices
    from tests.system.hosts import Host
    from tests.system.processes import Relay

pytestmark = BROWSER


class Program:
    """An agent program that calls tools by the two that every list has.

    Args:
        bridge: greeted.
    """

    def __init__(self, bridge: Host) -> None:
        self._bridge = bridge
        self._number = 0

    def start(self, tool: str, arguments: dict[str, object]) -> int:
        """Call; the result has this number."""
        self._number += 1
        call = {"name": "lineup_call_tool", "arguments": {"name": tool, "arguments": arguments}}
        self._bridge.send("tools/call", call, number=self._number)
        return self._number

    async def result(self, number: int) -> dict[str, Any]:
        """The result of a call; notifications before it are passed over."""
        while True:
            message = await self._bridge.receive()
            if message.get("id") == number:
                result: dict[str, Any] = message["result"]
                return result

    async def call(self, tool: str, **arguments: object) -> tuple[str, dict[str, Any]]:
        """Call and wait; the texts as one, and the result as it is."""
        result = await self.result(self.start(tool, arguments))
        texts = [block["text"] for block in result["content"] if block["type"] == "text"]
        return "\n".join(texts), result


@pytest.mark.requirement("B30")
async def test_a_program_that_never_lists_again_uses_the_tools_of_the_page(
    shared: Relay, token: str, devices: Devices, agent: Asker, tmp_path: Path
) -> None:
    async with host(shared.http, shared.grpc, token, tmp_path) as bridge:
        await bridge.greet()
        program = Program(bridge)
        one = await devices.open("pc", shared.http, token)
        await agent.offered("canvas")

        text, result = await program.call("calculator_divide", a=8112.40, b=214)
        assert "37.90841121495327102803" in text
        assert not result.get("isError")
        text, result = await program.call("calculator_divide", a=1, b=0)
        assert "cannot divide by zero" in text
        assert result["isError"]

        text, _ = await program.call("canvas_open", width=60, height=40)
        found = re.search(r"[a-z0-9]{32}", text)
        assert found is not None
        canvas = found[0]
        await program.call("canvas_draw", instance_id=canvas, path="M0 20H60", color="tomato")
        text, result = await program.call("canvas_snapshot", instance_id=canvas)
        (picture,) = [block for block in result["content"] if block["type"] == "image"]
        image = Image.open(io.BytesIO(base64.b64decode(picture["data"]))).convert("RGB")
        assert image.getpixel((30, 20)) == (255, 99, 71)

        await one.page.goto(f"{one.origin}/#/")
        number = program.start("choice", {"question": "Which?", "options": ["Red", "Blue"]})
        await one.shows("Which?")
        await one.option("Blue").click()
        answer = json.dumps(await program.result(number))
        assert "Blue" in answer
        await expect(one.entry("Which?").locator(".pick")).to_have_text("Blue")

        bridge.close()
        await bridge.ends()
