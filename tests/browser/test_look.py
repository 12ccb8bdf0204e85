"""How the page fits, in which language and light, and where from."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import TimeoutError, expect

from lineup_srv import __version__
from tests.browser.asking import question
from tests.browser.devices import BROWSER, on_both

if TYPE_CHECKING:
    from tests.browser.asking import Asker
    from tests.browser.devices import Device, Devices, Kind
    from tests.system.processes import Relay

pytestmark = BROWSER

WIDE = (
    "Which of these?\n\n```sh\n" + "very-long-command --with " * 20 + "\n```\n\n"
    "|" + " a wide column |" * 12 + "\n|" + "---|" * 12 + "\n|" + " a wide cell |" * 12 + "\n\n"
    "https://example.test/" + "a-long-path/" * 30 + "\n\n" + "unbroken" * 60
)
OUTSIDE = """() => {
  const page = document.documentElement
  const wide = [...document.querySelectorAll('body *')].filter(e => {
    if (e.closest('.scroll-x, pre, .vh, .skip, [aria-hidden=true]')) return false
    const { left, right, width } = e.getBoundingClientRect()
    return width > 0 && (right > innerWidth + 1 || left < -1)
  })
  return [page.scrollWidth - page.clientWidth, wide.map(e => e.className)]
}"""


async def fits(one: Device) -> None:
    """Nothing hangs over the edges."""
    # What slides in stands outside at first.
    with contextlib.suppress(TimeoutError):
        await one.page.wait_for_function(f"() => ({OUTSIDE})().flat().every(n => n === 0)")
    assert await one.page.evaluate(OUTSIDE) == [0, []]


@on_both
async def test_nothing_scrolls_sideways_but_code_and_tables(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    await fits(one)
    asked = await agent.ask(question(WIDE, "Short", "unbroken" * 40 + "|" + "described" * 60))
    await one.shows("Which of these?")
    await fits(one)
    await one.answer("unbroken" * 60)
    await agent.outcome(asked)
    await expect(one.entry("Which of these?").locator(".say")).to_be_visible()
    await fits(one)
    await agent.ask(question("Which?", *(f"Option {n}" for n in range(12))), question(WIDE))
    await one.shows("Which?")
    await fits(one)
    if kind == "phone":
        await one.card.get_by_role("button", name="Fold").click()
        await expect(one.page.get_by_text("1 waits for you")).to_be_visible()
        await fits(one)
    for path in ("people", "settings"):
        await one.visit(path)
        await fits(one)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_the_page_works_under_both_names_of_this_machine(
    shared: Relay, token: str, devices: Devices, agent: Asker, host: str
) -> None:
    one = await devices.open("pc", shared.http, token, host=host)
    asked = await agent.ask("Here?")
    await one.shows("Here?")
    await one.answer("Here")
    assert await agent.answer(asked) == "Here"


@on_both
@pytest.mark.requirement("B62")
async def test_the_page_works_over_plain_http_in_a_local_network(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    # Chromium is told that this address is the loopback; for the page it is somebody else's.
    one = await devices.open(kind, shared.http, token, host="192.168.7.7")
    assert await one.page.evaluate("isSecureContext") is False
    assert await one.page.evaluate("typeof navigator.clipboard") == "undefined"
    asked = await agent.ask("Copy **me**")
    await one.shows("Copy me")
    await one.choose_in_menu("Copy question")
    await expect(one.page.get_by_role("dialog")).to_have_count(0)
    await one.box.press("Control+V")
    await expect(one.box).to_have_value("Copy **me**")
    await one.send()
    assert await agent.answer(asked) == "Copy **me**"


async def test_a_chinese_browser_gets_chinese(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("phone", shared.http, token, locale="zh-CN")
    await expect(one.page.locator("html")).to_have_attribute("lang", "zh-CN")
    await expect(one.page.get_by_role("heading", name="连接第一个智能体")).to_be_visible()
    asked = await agent.ask(question("哪个？", "甲", "乙"))
    await expect(one.card.get_by_role("heading", name="等你答复")).to_be_visible()
    await one.is_ready()
    await one.card.get_by_placeholder("或者直接写答复…").fill("都要")
    await one.card.get_by_role("button", name="发送", exact=True).click()
    assert await agent.answer(asked) == "都要"
    await agent.has(asked)
    await expect(one.page.locator(".st")).to_have_text("智能体已收到")
    await one.page.goto(f"{one.origin}/#/settings")
    await one.page.get_by_text("English").click()
    await expect(one.page.locator("html")).to_have_attribute("lang", "en")
    await expect(one.page.get_by_role("heading", name="Settings")).to_be_visible()


async def test_light_and_dark_follow_the_system_until_somebody_chooses(
    shared: Relay, token: str, devices: Devices
) -> None:
    one = await devices.open("pc", shared.http, token)
    body = one.page.locator("body")
    light, dark = "rgb(255, 255, 255)", "rgb(17, 19, 23)"
    await expect(body).to_have_css("background-color", light)
    await one.page.emulate_media(color_scheme="dark")
    await expect(body).to_have_css("background-color", dark)
    await one.page.goto(f"{one.origin}/#/settings")
    await one.page.get_by_text("Light", exact=True).click()
    await expect(body).to_have_css("background-color", light)
    await one.page.reload()
    await expect(body).to_have_css("background-color", light)


async def test_page_and_relay_say_their_version(
    shared: Relay, token: str, devices: Devices
) -> None:
    one = await devices.open("phone", shared.http, token)
    await one.page.goto(f"{one.origin}/#/settings")
    about = one.page.locator(".li").filter(has_text=f"Page {__version__}")
    await expect(about).to_contain_text(f"Page {__version__}")
    await expect(about).to_contain_text(f"Relay {__version__}")
