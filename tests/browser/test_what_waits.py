"""What waits comes first, wherever the page is; and answers to tools are seen by all."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect

from tests.browser.asking import question
from tests.browser.devices import BROWSER, on_both

if TYPE_CHECKING:
    from tests.browser.asking import Asker
    from tests.browser.devices import Device, Devices, Kind
    from tests.system.processes import Relay

pytestmark = BROWSER


async def pass_time(one: Device, seconds: int) -> None:
    """Time goes by on the device, in steps that let its second hand move."""
    for _ in range(seconds):
        await one.page.clock.run_for(1_000)


@on_both
@pytest.mark.requirement("design:page:waiting-first")
async def test_a_card_that_is_over_hides_nothing_that_waits(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    await one.page.clock.install()
    over = await agent.ask(question("Which ones?", "Red", "Blue", multiple=True))
    await one.shows("Which ones?")
    await one.option("Red").click()
    await one.box.fill("half a thought")
    await agent.cancel(over)
    await expect(one.card.get_by_role("status")).to_have_text("Withdrawn by Claude Code")
    await expect(one.card.locator(".kept")).to_have_text("Red")

    await agent.ask("And now?")
    # Under the hands of whoever writes it stays, and says that another waits.
    await expect(one.page).to_have_title("(1) LineUp")
    await expect(one.box).to_have_value("half a thought")
    if kind == "phone":
        await expect(one.card.get_by_role("button", name="1 waits for you")).to_be_visible()
    else:
        await expect(one.page.get_by_role("button", name="Next: Claude Code")).to_be_visible()

    await pass_time(one, 22)
    await one.shows("And now?")
    kept = one.card.get_by_role("button", name="Kept for you")
    await kept.click()
    await expect(one.box).to_have_value("half a thought")


@pytest.mark.requirement("design:page:waiting-first")
async def test_a_question_is_seen_and_opened_from_every_page_of_the_phone(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("phone", shared.http, token)
    await agent.ask("Go on?")
    await one.shows("Go on?")
    bar = one.page.get_by_role("button", name="1 waits for you")
    for path in ("settings", "tools", "history", "people"):
        await one.page.evaluate(f"location.hash = '#/{path}'")
        await bar.click()
        await one.shows("Go on?")


@pytest.mark.requirement("design:calls:answers-shown")
async def test_the_answer_to_a_tool_is_seen_on_all_devices_and_after_a_reload(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    pc = await devices.open("pc", shared.http, token, name="Desk")
    phone = await devices.open("phone", shared.http, token, name="Pocket")
    await agent.offered("choice")
    asked = {"question": "Which chart?", "options": ["Bars", "Lines"]}
    called = asyncio.create_task(agent.call("choice", "choice", asked, call_id="call-0001"))
    for one in (pc, phone):
        await one.shows("Which chart?")
    await phone.option("Lines").tap()
    await called
    await expect(pc.entry("Which chart?").locator(".pick")).to_have_text("Lines")
    await expect(pc.entry("Which chart?").locator(".re-m")).to_contain_text("Pocket")
    await agent.has_call("call-0001")
    for one in (pc, phone):
        await expect(one.state("Which chart?")).to_have_text("Agent has it")
    time = await phone.entry("Which chart?").locator("time").get_attribute("datetime")
    await phone.page.reload()
    await expect(phone.entry("Which chart?").locator(".pick")).to_have_text("Lines")
    await expect(phone.state("Which chart?")).to_have_text("Agent has it")
    shown = phone.entry("Which chart?").locator("time")
    await expect(shown).to_have_attribute("datetime", str(time))
    await phone.page.evaluate("location.hash = '#/history'")
    await expect(phone.page.locator(".hit")).to_contain_text("Lines")


@pytest.mark.requirement("design:page:waiting-first")
async def test_a_second_canvas_comes_to_the_front_and_a_closed_one_leads_to_the_next(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("phone", shared.http, token)
    await agent.offered("canvas")
    for name in ("Canvas", "Canvas 2"):
        await agent.call("canvas", "open", {"width": 200, "height": 100})
        await expect(one.page.get_by_role("heading", name=name, exact=True)).to_be_visible()
    front = one.page.url.rpartition("/")[2]
    await agent.call("canvas", "close", {"instance_id": front})
    await expect(one.page.get_by_role("heading", name="Canvas", exact=True)).to_be_visible()
    front = one.page.url.rpartition("/")[2]
    await agent.call("canvas", "close", {"instance_id": front})
    await expect(one.page.get_by_role("heading", name="Tools", exact=True)).to_be_visible()
