"""One more device joins by a code that is shown on the screen of another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect

from tests.browser.devices import BROWSER, on_both
from tests.system.processes import relay

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.asking import Asker
    from tests.browser.devices import Device, Devices, Kind
    from tests.system.processes import Relay

pytestmark = BROWSER

# For the page it is the address of a machine in the network; Chromium knows that it is this one.
NETWORK = "192.168.7.7"


async def link(one: Device) -> str:
    """What the code on the screen leads to, by its button."""
    await one.page.goto(f"{one.origin}/#/pair")
    await expect(one.page.get_by_role("img", name="Code to scan")).to_be_visible()
    await one.page.evaluate(
        "document.execCommand = () => (window.copied = document.activeElement.value, true)"
    )
    await one.page.get_by_role("button", name="Copy link").click()
    await one.page.wait_for_function("window.copied")
    return str(await one.page.evaluate("window.copied"))


async def scan(devices: Devices, port: int, url: str, *, host: str = NETWORK) -> Device:
    """A phone that has opened the link."""
    phone = await devices.blank("phone", port, host=host)
    await phone.page.goto(url)
    await expect(phone.page.get_by_role("heading", name="Join this LineUp")).to_be_visible()
    assert phone.page.url == f"{phone.origin}/#/"
    return phone


@on_both
@pytest.mark.requirement("B36", "B91")
async def test_a_phone_scans_a_code_is_confirmed_by_its_name_and_joins_without_the_rooms_token(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token, host=NETWORK)
    url = await link(one)
    assert url.startswith(f"http://{NETWORK}:{shared.http}/#/pair/")
    assert token not in url
    await expect(one.page.get_by_role("timer")).to_contain_text("Valid once, ")

    phone = await scan(devices, shared.http, url)
    await phone.page.get_by_label("Name of this device").fill("Ada’s phone")
    await phone.page.get_by_role("button", name="Ask to join").click()
    await expect(phone.page.get_by_role("status")).to_contain_text("Confirm “Ada’s phone” on")
    await expect(one.page.get_by_role("status").first).to_have_text("“Ada’s phone” wants to join")
    await expect(one.page.locator(".pair-g")).to_have_attribute("data-ready", "true")
    await one.page.get_by_role("button", name="Let it in").click()
    await expect(one.page.get_by_role("status").first).to_have_text("“Ada’s phone” has joined")
    await phone.online()
    assert await phone.page.evaluate("localStorage.getItem('lineup.token')") != token

    asked = await agent.ask("Who is there?")
    await phone.shows("Who is there?")
    await phone.answer("Me")
    assert await agent.answer(asked) == "Me"
    await one.page.goto(f"{one.origin}/#/")
    await expect(one.entry("Who is there?")).to_contain_text("Ada’s phone")


@pytest.mark.requirement("B36")
async def test_a_second_scan_is_refused_in_words_and_so_is_one_that_is_turned_away(
    shared: Relay, token: str, devices: Devices
) -> None:
    one = await devices.open("pc", shared.http, token, host=NETWORK)
    url = await link(one)
    phone = await scan(devices, shared.http, url)
    thief = await scan(devices, shared.http, url)
    thief.may_be_refused = phone.may_be_refused = True
    await phone.page.get_by_role("button", name="Ask to join").click()
    await expect(one.page.get_by_role("button", name="Turn away")).to_be_visible()
    await thief.page.get_by_role("button", name="Ask to join").click()
    await expect(thief.page.get_by_role("alert")).to_contain_text("has been used or has expired")
    await expect(one.page.locator(".pair-g")).to_have_attribute("data-ready", "true")
    await one.page.get_by_role("button", name="Turn away").click()
    await expect(phone.page.get_by_role("alert")).to_contain_text("did not let this one in")
    await phone.page.get_by_role("button", name="Go on without joining").click()
    await expect(phone.page.get_by_label("Token")).to_be_visible()
    await one.page.get_by_role("button", name="Show a new code").click()
    await expect(one.page.get_by_role("img", name="Code to scan")).to_be_visible()


@pytest.mark.requirement("B36")
async def test_a_code_is_void_when_nobody_looks_at_it_any_more(
    shared: Relay, token: str, devices: Devices
) -> None:
    one = await devices.open("pc", shared.http, token, host=NETWORK)
    url = await link(one)
    await one.page.get_by_role("link", name="Timeline").click()
    await expect(one.page.get_by_role("img", name="Code to scan")).to_have_count(0)
    phone = await scan(devices, shared.http, url)
    phone.may_be_refused = True
    await phone.page.get_by_role("button", name="Ask to join").click()
    await expect(phone.page.get_by_role("alert")).to_contain_text("has been used or has expired")


@pytest.mark.requirement("B91")
async def test_where_nobody_else_reaches_the_relay_there_is_no_code_but_what_to_do(
    shared: Relay, token: str, devices: Devices
) -> None:
    one = await devices.open("pc", shared.http, token)
    await one.page.goto(f"{one.origin}/#/pair")
    heading = one.page.get_by_role("heading", name="Only this machine reaches the relay")
    await expect(heading).to_be_visible()
    await expect(one.page.get_by_role("img", name="Code to scan")).to_have_count(0)
    await expect(one.page.get_by_text('bind = "0.0.0.0"')).to_be_visible()
    await expect(
        one.page.get_by_text(f'public_url = "http://192.168.1.20:{shared.http}"')
    ).to_be_visible()
    await expect(one.page.get_by_text("lineup-srv stop && lineup-srv", exact=True)).to_be_visible()


@pytest.mark.requirement("B36")
async def test_a_code_that_nobody_scanned_in_time_says_so_and_can_be_renewed(
    token: str, tmp_path: Path, devices: Devices
) -> None:
    # Long enough for a slow machine to see the second one.
    short = {"PAIRING_CODE_SECONDS": 3}
    async with relay(tmp_path / "data", limits=short) as running:
        one = await devices.open("pc", running.http, token, host=NETWORK)
        one.may_lose_connection = True  # its relay ends first
        await one.page.goto(f"{one.origin}/#/pair")
        await expect(one.page.get_by_role("status").first).to_have_text("This code has expired")
        await one.page.get_by_role("button", name="Show a new code").click()
        await expect(one.page.get_by_role("img", name="Code to scan")).to_be_visible()
