"""Texts to an agent that did not ask, with pictures and files beside the words."""

from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect

from tests.browser.asking import picture, question
from tests.browser.devices import BROWSER, on_both
from tests.browser.test_attachments import PASTE, log, pick
from tests.browser.test_files import png
from tests.system.cable import cable
from tests.system.processes import PATIENCE_SECONDS, bound

if TYPE_CHECKING:
    from playwright.async_api import FilePayload, Locator

    from tests.browser.asking import Asker
    from tests.browser.devices import Device, Devices, Kind
    from tests.system.processes import Relay

pytestmark = BROWSER


KEPT = """async ([name, count]) => {
  const keys = () => new Promise((done) => {
    indexedDB.open('lineup').onsuccess = ({ target: { result } }) => {
      result.transaction('blobs').objectStore('blobs').getAllKeys().onsuccess = ({ target }) => {
        result.close()
        done(target.result)
      }
    }
  })
  for (;;) {
    const found = await keys()
    if (found.length === count && found.every((key) => key.includes(`.${name}`))) return
    await new Promise(requestAnimationFrame)
  }
}"""
CLEAR = """() => new Promise((done) => {
  indexedDB.open('lineup').onsuccess = ({ target: { result } }) => {
    result.transaction('blobs', 'readwrite').objectStore('blobs').clear().onsuccess = () => {
      result.close()
      done()
    }
  }
})"""


async def kept_as(one: Device, name: str, count: int) -> None:
    """Wait until the browser keeps so many attachments of this name, and no others."""
    async with asyncio.timeout(bound(PATIENCE_SECONDS)):
        await one.page.evaluate(KEPT, [name, count])


def composer(one: Device) -> Locator:
    """Where texts to agents are written."""
    return one.page.get_by_role("region", name="Write to an agent")


async def send(one: Device, words: str = "") -> None:
    """Send what is attached, with these words."""
    box = composer(one).get_by_role("textbox")
    await box.fill(words)
    if one.kind == "phone":
        await composer(one).get_by_role("button", name="Send", exact=True).tap()
    else:
        await box.press("Control+Enter")


@on_both
@pytest.mark.requirement("B90", "seed000:text:both-ways")
async def test_a_screenshot_and_a_file_go_to_a_working_agent_and_are_seen_on_every_device(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    await agent.attach()
    await agent.say("The build is running")
    one = await devices.open(kind, shared.http, token)
    other = await devices.open("pc", shared.http, token)
    listed = composer(one).get_by_role("list", name="Attached").get_by_role("listitem")

    screenshot, text_file = png(), log()
    await (
        composer(one)
        .get_by_role("textbox")
        .evaluate(PASTE, [base64.b64encode(screenshot).decode(), "image/png"])
    )
    await expect(listed).to_have_count(1)
    await pick(one, "File", [text_file, {**log(), "name": "wrong.log"}], place=composer(one))
    await expect(listed).to_have_count(3)
    await composer(one).get_by_role("button", name="Remove wrong.log").click()
    await expect(listed).to_have_count(2)
    # They outlive a reload, as words do.
    await kept_as(one, "message", 2)
    await one.page.reload()
    await expect(listed).to_have_count(2)
    await send(one, "The login page is broken")

    for device in (one, other):
        entry = device.entry("The login page is broken")
        await expect(entry.locator(".pics img")).to_have_js_property("naturalWidth", 200)
        await expect(entry).to_contain_text("build.log")
    await expect(one.state("The login page is broken")).to_have_text("Sent, waits for Claude Code")
    await expect(listed).to_have_count(0)

    [text] = await agent.messages()
    image, file = text.contents
    assert text.content == "The login page is broken"
    assert (image.image.data, image.image.mime_type) == (
        base64.b64encode(screenshot).decode(),
        "image/png",
    )
    assert file.embedded_resource.data == text_file["buffer"]
    await agent.has_text(text.message_id)
    await expect(one.state("The login page is broken")).to_contain_text("Claude Code took it at")


@on_both
@pytest.mark.requirement("B90", "B01")
async def test_a_screenshot_that_is_sent_without_a_network_waits_in_sight_and_goes_once(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    async with cable(shared.http) as line:
        await agent.attach()
        await agent.say("The build is running")
        one = await devices.open(kind, line.port, token)
        one.may_lose_connection = True
        screenshot: FilePayload = {"name": "screen.png", "mimeType": "image/png", "buffer": png()}
        await pick(one, "Photos", [screenshot], place=composer(one))
        unsent = one.timeline.get_by_role("list", name="Attached").get_by_role("img")
        await expect(composer(one).get_by_role("listitem")).to_have_count(1)
        await one.has_timeline()
        line.unplug()
        await expect(one.banner.first).to_be_visible()

        await send(one)
        await expect(unsent).to_have_js_property("naturalWidth", 200)
        await expect(one.timeline.locator(".st").last).to_have_text("Not sent, will retry")
        # It can be had back, with what is attached to it.
        await one.timeline.get_by_role("button", name="Take back").click()
        await expect(unsent).to_have_count(0)
        await expect(composer(one).get_by_role("listitem")).to_have_count(1)
        await send(one, "See this")
        await expect(unsent).to_have_count(1)

        line.plug_in()
        await one.hears_of_the_network()
        await expect(one.state("See this")).to_have_text("Sent, waits for Claude Code")
        await expect(one.entry("See this").locator(".pics img")).to_be_visible()
        await expect(unsent).to_have_count(0)
    [text] = await agent.messages()
    assert (text.content, len(text.contents)) == ("See this", 1)


async def test_a_text_whose_files_the_browser_lost_keeps_its_words_and_says_so(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    async with cable(shared.http) as line:
        await agent.attach()
        await agent.say("The build is running")
        one = await devices.open("phone", line.port, token)
        one.may_lose_connection = True
        await pick(one, "File", [log()], place=composer(one))
        await expect(composer(one).get_by_role("listitem")).to_have_count(1)
        await one.has_timeline()
        line.hold_up()
        await send(one, "See this")
        await expect(one.state("See this")).to_contain_text("Sending")
        await kept_as(one, "text:", 1)
        await one.page.evaluate(CLEAR)
        await one.page.goto("about:blank")
        line.cut()
        line.release()

        await one.page.goto(f"{one.origin}/")
        await expect(one.state("See this")).to_have_text(
            "Not sent: this browser no longer has the attached files"
        )
        await one.entry("See this").get_by_role("button", name="Take back").click()
        await expect(composer(one).get_by_role("textbox")).to_have_value("See this")


async def test_a_picture_beside_an_agents_words_is_shown(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("phone", shared.http, token)
    await agent.say("So it looks now", contents=[picture(base64.b64encode(png()).decode())])
    shown = one.entry("So it looks now").locator(".pics img")
    await expect(shown).to_have_js_property("naturalWidth", 200)


async def test_what_was_just_written_stays_in_sight_when_cards_come_and_go(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    await agent.attach()
    await agent.say(*(f"Step {number} of many" for number in range(30)))
    one = await devices.open("phone", shared.http, token)
    await expect(one.entry("Step 29 of many")).to_be_in_viewport()
    for number in range(3):
        words = f"My words {number}"
        await send(one, words)
        await expect(one.state(words)).to_have_text("Sent, waits for Claude Code")
        await expect(one.state(words)).to_be_in_viewport()
        # The card takes more than half of the page.
        await agent.ask(question(f"Question {number}?", "Yes", "No"))
        await one.shows(f"Question {number}?")
        await expect(one.state(words)).to_be_in_viewport(ratio=1)
        await expect(one.page.locator(".pill")).to_have_count(0)
        await one.answer("Fine")
        await expect(composer(one)).to_be_visible()
        screenshot: FilePayload = {"name": "s.png", "mimeType": "image/png", "buffer": png()}
        await pick(one, "Photos", [screenshot], place=composer(one))
        await send(one, f"Look {number}")
        await expect(one.entry(f"Look {number}").locator(".pics img")).to_be_in_viewport(ratio=1)
        await expect(one.page.locator(".pill")).to_have_count(0)
