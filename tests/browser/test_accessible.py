"""axe-core finds nothing to complain about, on any page, in any state, light or dark."""

from __future__ import annotations

from pathlib import Path
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

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
RUN = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ['violations'] })
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target}`))
}"""
# What is still fading in has colours that nobody will see.
SETTLED = """async () => {
  await new Promise(requestAnimationFrame)
  const ending = ({ effect }) => effect.getComputedTiming().endTime !== Infinity
  await Promise.allSettled(document.getAnimations().filter(ending).map(({ finished }) => finished))
}"""
RICH = (
    "Choose **one** of `these`:\n\n> quoted [link](https://example.test/)\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n```diff\n--- a/x\n+++ b/x\n-old\n+new\n```\n\n"
    "- [x] done\n- [ ] open\n\n![a chart](https://example.test/x.png)"
)


async def is_accessible(one: Device) -> None:
    """Under both colour schemes."""
    if not await one.page.evaluate("'axe' in window"):
        await one.page.evaluate(AXE.read_text())
    for scheme in ("light", "dark"):
        await one.page.emulate_media(color_scheme=scheme)
        await one.page.evaluate(SETTLED)
        assert await one.page.evaluate(RUN) == [], scheme


@on_both
@pytest.mark.requirement("design:page:accessible")
async def test_every_page_and_every_state_of_a_card_is_accessible(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token, reduced_motion="reduce")
    await expect(one.page.get_by_text("Connect your first agent")).to_be_visible()
    await is_accessible(one)

    await agent.ask(question(RICH, "First|with a description", "Second"))
    await one.shows("Choose one of these")
    await is_accessible(one)
    await one.box.fill("Neither")
    await one.send()
    await expect(one.state("Choose one")).to_have_text("Sent")
    await one.entry("Choose one").get_by_role("button", name="Show 2 options").click()
    await is_accessible(one)

    late = await agent.ask("Withdrawn soon?")
    await one.shows("Withdrawn soon?")
    await one.box.fill("typed")
    await agent.cancel(late, "no need")
    await expect(one.card.get_by_role("status")).to_contain_text("Withdrawn")
    await is_accessible(one)
    await one.is_ready()
    await one.card.get_by_role("button", name="Close").click()

    await agent.report(RICH)
    await one.shows("Choose one of these")
    await is_accessible(one)
    await one.card.get_by_role("button", name="Confirm", exact=True).click()

    await agent.ask(
        question("Format?", "CSV", "JSON", header="Format"),
        question("Days?", "Monday", "Tuesday", multiple=True),
        question("More?"),
    )
    await one.shows("Format?")
    await one.option("JSON").click()
    await one.card.get_by_role("button", name="Send answers").click()
    await expect(one.card.get_by_text("This one is still open").first).to_be_visible()
    await is_accessible(one)
    await one.card.get_by_role("button", name="Dismiss, done and other actions").click()
    await expect(one.page.locator(".sheet")).to_be_visible()
    await is_accessible(one)
    await one.page.keyboard.press("Escape")

    for path, words in (("people", "Claude Code"), ("settings", "Undo time")):
        await one.visit(path)
        await expect(one.page.locator(".page").get_by_text(words).first).to_be_visible()
        await is_accessible(one)
    await one.page.get_by_role("button", name="Forget", exact=True).click()
    await expect(one.page.get_by_role("dialog")).to_be_visible()
    await is_accessible(one)
    await one.page.get_by_role("button", name="Forget this browser").click()
    await expect(one.page.get_by_label("Token")).to_be_visible()
    await is_accessible(one)


VIEWS = (
    *("people", "history", "tools", "pair"),
    *("settings", "settings/quick", "settings/keys", "settings/licences"),
)


@on_both
@pytest.mark.parametrize("locale", ["en-GB", "zh-CN"])
@pytest.mark.requirement("design:page:accessible")
async def test_every_view_is_accessible_in_both_languages(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind, locale: str
) -> None:
    look = {"locale": locale, "reduced_motion": "reduce"}
    one = await devices.open(kind, shared.http, token, **look)
    other = await devices.open("phone", shared.http, token, name="Pocket")
    await agent.ask(question("甲 or B?", "甲|one", "B"))
    await one.shows("甲 or B?")
    await is_accessible(one)
    for button in one.card.locator(".comp [aria-haspopup=dialog]"), one.card.locator(".band .ib"):
        await button.last.click()
        await expect(one.page.locator(".sheet")).to_be_visible()
        await is_accessible(one)
        await one.page.keyboard.press("Escape")
        await expect(one.page.locator(".sheet")).to_have_count(0)
    for path in VIEWS:
        await one.visit(path)
        await expect(one.page.locator(".page")).to_be_visible()
        await is_accessible(one)
    await one.page.goto(f"{one.origin}/#/people")
    await one.page.get_by_role("link", name="Pocket").first.click()
    await expect(one.page.get_by_role("heading", name="Pocket")).to_be_visible()
    await is_accessible(one)
    await other.page.close()


@on_both
@pytest.mark.requirement("design:page:accessible")
async def test_a_code_to_scan_and_who_scans_it_are_accessible(
    shared: Relay, token: str, devices: Devices, kind: Kind
) -> None:
    host = "192.168.7.7"
    one = await devices.open(kind, shared.http, token, host=host, reduced_motion="reduce")
    await one.page.evaluate(
        "document.execCommand = () => (window.copied = document.activeElement.value, true)"
    )
    await one.page.goto(f"{one.origin}/#/pair")
    await expect(one.page.get_by_role("img", name="Code to scan")).to_be_visible()
    await is_accessible(one)
    await one.page.get_by_role("button", name="Copy link").click()
    await one.page.wait_for_function("window.copied")
    phone = await devices.blank("phone", shared.http, host=host)
    phone.may_be_refused = True
    await phone.page.goto(await one.page.evaluate("window.copied"))
    await expect(phone.page.get_by_role("heading", name="Join this LineUp")).to_be_visible()
    await is_accessible(phone)
    await phone.page.get_by_role("button", name="Ask to join").click()
    await expect(phone.page.get_by_role("status")).to_be_visible()
    await expect(one.page.get_by_role("button", name="Let it in")).to_be_visible()
    await is_accessible(one)
    await is_accessible(phone)
