"""Cards whose time is over, or whose agent went another way."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect

from tests.browser.asking import asker, question
from tests.browser.devices import BROWSER
from tests.system.agents import agent as mcp_agent
from tests.system.cable import cable
from tests.system.processes import PATIENCE_SECONDS, bound, relay

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.asking import Asker
    from tests.browser.devices import Devices
    from tests.system.processes import Relay

pytestmark = BROWSER

LONG = "I would rather keep it.\n" * 84


@pytest.mark.requirement("B15")
async def test_what_was_typed_when_time_ran_out_is_kept_and_reaches_the_agents_next_call(
    shared: Relay, token: str, tmp_path: Path, devices: Devices
) -> None:
    one = await devices.open("phone", shared.http, token)
    short = {"TOOL_MIN_TIMEOUT_SECONDS": 1}
    async with mcp_agent(shared.http, shared.grpc, token, tmp_path / "a", limits=short) as program:
        # Long enough for a busy machine to show the card and to type.
        call = program.ask("Drop the table?", timeout=round(min(bound(5), PATIENCE_SECONDS / 2)))
        await one.shows("Drop the table?")
        await one.box.fill(LONG)
        assert len(LONG) > 2_000
        assert (await call.text()).startswith("No answer: the question was not answered")

        await expect(one.card.get_by_role("status")).to_contain_text("Time ran out at")
        await expect(one.card).to_contain_text("was told not to take silence as a yes")
        await expect(one.box).to_have_value(LONG)
        await expect(one.page).to_have_title("LineUp")
        await expect(one.card.get_by_role("button", name="Copy")).to_be_enabled()
        await one.is_ready()
        await one.card.get_by_role("button", name="Send as late answer").click()
        await expect(one.state("Drop the table?")).to_contain_text("Late, waits for")

        call = program.ask("What next?", timeout=60)
        await one.shows("What next?")
        await one.answer("Go on")
        text = await call.text()
        assert "Answer:\nGo on" in text
        assert LONG.strip() in text
        assert "(late, after the call had ended)" in text
        await expect(one.state("Drop the table?")).to_have_text("Agent has it")


@pytest.mark.requirement("B15")
async def test_an_expired_card_can_still_be_answered_from_the_timeline(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("phone", shared.http, token)
    asked = await agent.ask("Too late?", timeout_seconds=1)
    entry = one.entry("Too late?")
    await entry.get_by_role("button", name="Answer late").click()
    await one.is_ready()
    await one.box.fill("Not too late")
    await one.card.get_by_role("button", name="Send as late answer").click()
    await expect(one.state("Too late?")).to_have_text("Late, waits for Claude Code")
    outcome = await agent.outcome(asked)
    assert outcome.late
    assert outcome.contents[0].text.text == "Not too late"


@pytest.mark.requirement("B72")
async def test_a_withdrawn_card_says_so_at_once_on_all_devices(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    pc = await devices.open("pc", shared.http, token)
    phone = await devices.open("phone", shared.http, token)
    asked = await agent.ask(question("Still needed?", "Yes", "No"))
    for one in (pc, phone):
        await one.shows("Still needed?")
        await expect(one.page).to_have_title("(1) LineUp")
        # Without words the card goes by itself after a while.
        await one.box.fill("well")
        await one.has_part("RequestEnded")
        await one.page.evaluate(
            """() => {
              const seen = () => document.querySelector('.pend.rest') && document.title === 'LineUp'
              new MutationObserver(() => { if (seen()) window.seenAt ??= Date.now() })
                .observe(document, { subtree: true, childList: true, characterData: true })
            }"""
        )
    cancelled = time.time_ns() // 1_000_000
    await agent.cancel(asked, "I found it myself")
    for one in (pc, phone):
        await expect(one.card.get_by_role("status")).to_have_text(
            "Withdrawn by Claude Code: “I found it myself”"
        )
        await expect(one.page).to_have_title("LineUp")
        await expect(one.card.get_by_role("radio")).to_have_count(0)
        icon = one.page.locator("link[rel=icon]")
        await expect(icon).not_to_have_attribute("href", re.compile("circle"))
        assert await one.page.evaluate("window.seenAt") - cancelled < bound(1_000)
    await pc.is_ready()
    await pc.card.get_by_role("button", name="Close").click()
    await expect(pc.entry("Still needed?")).to_contain_text("“I found it myself”")


@pytest.mark.requirement("B72")
async def test_what_was_typed_on_a_withdrawn_card_stays(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("phone", shared.http, token)
    asked = await agent.ask("Still needed?")
    await one.shows("Still needed?")
    await one.box.fill("well")
    await agent.cancel(asked)
    await expect(one.card.get_by_role("status")).to_have_text("Withdrawn by Claude Code")
    await expect(one.box).to_have_value("well")
    await one.page.reload()
    await expect(one.entry("Still needed?")).to_contain_text("Your draft, not sent: “well”")


@pytest.mark.requirement("B75")
async def test_a_card_is_answered_on_another_connection_than_it_came_on(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    async with cable(shared.http) as line:
        one = await devices.open("phone", line.port, token)
        one.may_lose_connection = True
        asked = await agent.ask(question("Which?", "Red", "Blue"))
        await one.shows("Which?")
        await one.box.fill("or green")
        async with one.page.expect_websocket():
            line.cut()
        await one.online()
        await one.option("Red").click()
        await one.send()
        assert await agent.answer(asked) == "Red\nor green"


@pytest.mark.kill
@pytest.mark.requirement("B75")
async def test_a_card_is_answered_at_a_relay_that_was_restarted_since(
    token: str, tmp_path: Path, devices: Devices
) -> None:
    async with (
        relay(tmp_path / "relay", token=token) as server,
        asker(server.grpc, token) as program,
    ):
        one = await devices.open("pc", server.http, token)
        one.may_lose_connection = True
        asked = await program.ask("Which?")
        await one.shows("Which?")
        await one.box.fill("This")
        async with one.page.expect_websocket():
            await server.restart()
        await one.online()
        await expect(one.box).to_have_value("This")
        await one.send()
        assert await program.answer(asked) == "This"


async def test_a_card_whose_agent_is_gone_says_so_and_can_be_answered(
    token: str, tmp_path: Path, devices: Devices
) -> None:
    lease = {"AGENT_LEASE_SECONDS": 1}
    async with relay(tmp_path / "relay", token=token, limits=lease) as server:
        one = await devices.open("phone", server.http, token)
        one.may_lose_connection = True  # its relay ends first
        async with asker(server.grpc, token) as program:
            asked = await program.ask("Are you there?")
            await one.shows("Are you there?")
        await expect(one.card).to_contain_text("Claude Code is gone. You can still answer")
        await one.answer("I am")
        await expect(one.state("Are you there?")).to_have_text("Sent")
        async with asker(server.grpc, token) as program:
            assert await program.answer(asked) == "I am"
