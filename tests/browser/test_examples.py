"""The example agent and the page: it writes, shows a picture, asks by `choice`, and is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect

from tests.browser.devices import BROWSER
from tests.system.examples import example

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.asking import Asker
    from tests.browser.devices import Devices
    from tests.system.processes import Relay

pytestmark = BROWSER


@pytest.mark.requirement("seed000:tools:calls")
async def test_the_example_agent_works_with_a_human_at_the_page(
    shared: Relay, token: str, devices: Devices, agent: Asker, tmp_path: Path
) -> None:
    phone = await devices.open("phone", shared.http, token)
    await agent.offered("choice")

    async with example("asking_agent.py", tmp_path / "agent", shared.http, token) as program:
        assert "choice" in await program.line()
        await expect(phone.timeline).to_contain_text("I am about to paint the shed.")
        await expect(phone.page.get_by_role("img", name="A blue square")).to_be_visible()
        await phone.shows("Which colour?")
        await phone.option("green").tap()
        assert await program.line() == "chosen: green"
        assert await program.line() == "write me something …"
