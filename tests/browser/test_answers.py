"""What becomes of an answer: taken back, corrected, sent again, written by a ready reply."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect

from lineup_srv.wire._gen.lineup.v1 import request_pb2
from tests.browser.asking import asker, question
from tests.browser.devices import BROWSER, on_both
from tests.system.cable import cable
from tests.system.processes import bound, poll

if TYPE_CHECKING:
    from tests.browser.asking import Asker
    from tests.browser.devices import Devices, Kind
    from tests.system.processes import Relay

pytestmark = BROWSER


@on_both
@pytest.mark.requirement("B01", "B11")
async def test_a_reload_during_the_undo_time_sends_the_answer_exactly_once(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    other = await devices.open("phone", shared.http, token)
    asked = await agent.ask(question("Which?", "Red", "Blue"))
    await other.shows("Which?")
    await one.shows("Which?")
    await one.option("Red").click()
    await expect(one.card.get_by_role("button", name="Undo")).to_be_visible()
    await one.page.reload()
    assert await agent.answer(asked) == "Red"
    await agent.has(asked)
    await expect(one.state("Which?")).to_have_text("Agent has it")
    await expect(one.card).to_have_count(0)
    # Nothing of it is left that could be sent again.
    await one.page.wait_for_function(
        "() => !Object.keys(localStorage).some(key => /outbox|draft/.test(key))"
    )
    await expect(other.entry("Which?").locator(".bub")).to_have_count(1)


@on_both
async def test_an_answer_is_changed_until_the_agent_has_it(
    shared: Relay, token: str, devices: Devices, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    other = await devices.open("phone", shared.http, token)
    async with asker(shared.grpc, token) as agent:
        asked = await agent.ask(question("Which?", "Red", "Blue"))
        await one.shows("Which?")
    # Its bridge is away, so nothing can be handed over.
    await one.answer("Green")
    await expect(one.state("Which?")).to_have_text("Sent")
    await one.entry("Which?").get_by_role("button", name="Edit").click()
    await expect(one.card.get_by_role("heading", name="Change your answer")).to_be_visible()
    await one.is_ready()
    await expect(one.box).to_have_value("Green")
    await one.answer("Greenish")
    for device in (one, other):
        await expect(device.entry("Which?").locator(".say")).to_have_text("Greenish")
    async with asker(shared.grpc, token) as agent:
        assert await agent.answer(asked) == "Greenish"
        await agent.has(asked)
    await expect(one.state("Which?")).to_have_text("Agent has it")
    await expect(one.entry("Which?").get_by_role("button", name="Edit")).to_have_count(0)


async def test_a_change_that_comes_too_late_says_so_and_keeps_the_words(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token)
    asked = await agent.ask("Which?")
    await one.shows("Which?")
    await one.answer("Green")
    assert await agent.answer(asked) == "Green"
    await one.entry("Which?").get_by_role("button", name="Edit").click()
    await expect(one.card.get_by_role("heading", name="Change your answer")).to_be_visible()
    await one.is_ready()
    await one.answer("Greenish")
    reason = one.page.get_by_role("alert").or_(one.page.locator("[aria-live=assertive]"))
    await expect(reason).to_have_text("Not sent: the agent has the first answer already")
    await expect(one.entry("Which?")).to_contain_text("Your draft, not sent: “Greenish”")
    await expect(one.entry("Which?").locator(".say")).to_have_text("Green")


@on_both
@pytest.mark.requirement("B06")
async def test_nothing_is_chosen_by_waiting(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.blank(kind, shared.http)
    await one.page.clock.install()
    await one.page.goto(f"{one.origin}/?token={token}")
    await one.online()
    asked = await agent.ask(question("Delete it?", "Yes", "No"), timeout_seconds=7200)
    await one.page.clock.run_for(1_000)
    await one.shows("Delete it?")
    # Ten minutes in which every timer of the page goes off, also those of the connection.
    one.may_lose_connection = True
    for _ in range(10):
        await one.page.clock.fast_forward(60_000)
    await one.online()
    await expect(one.card.locator("input:checked")).to_have_count(0)
    await expect(one.page).to_have_title("(1) LineUp")
    assert await agent.state(asked) == request_pb2.REQUEST_STATE_PENDING


@on_both
@pytest.mark.requirement("B87")
async def test_ready_replies_are_made_ordered_and_used_on_another_device(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    pc = await devices.open("pc", shared.http, token)
    await pc.page.goto(f"{pc.origin}/#/settings/quick")
    for words in ("Ship it 🚀", "Later"):
        await pc.page.get_by_label("Add a quick reply…").fill(words)
        await pc.page.get_by_label("Add a quick reply…").press("Enter")
        await expect(pc.page.get_by_role("button", name=f"Remove {words}")).to_be_visible()
    await pc.page.get_by_role("button", name="Remove Yes").click()
    ship = pc.page.get_by_role("listitem").filter(
        has=pc.page.get_by_role("button", name="Remove Ship it 🚀")
    )
    await ship.get_by_label("send at once").check()
    for _ in range(4):
        await ship.get_by_role("button", name="Move Ship it 🚀 up").click()
    first = pc.page.get_by_role("textbox", name="Quick reply 1")
    await expect(first).to_have_value("Ship it 🚀")

    one = await devices.open(kind, shared.http, token)
    asked = await agent.ask("Ready?")
    await one.shows("Ready?")
    await one.card.get_by_role("button", name="Quick replies").click()
    tray = one.page.locator(".qr")
    await expect(tray.get_by_role("button").first).to_have_text("Ship it 🚀")
    await expect(tray.get_by_role("button", name="Yes", exact=True)).to_have_count(0)
    # One is put into the box, the other goes out at once, after the time to take it back.
    await tray.get_by_role("button", name="Later").click()
    await expect(one.box).to_have_value("Later")
    await one.box.fill("")
    await one.card.get_by_role("button", name="Quick replies").click()
    await tray.get_by_role("button", name="Ship it 🚀").click()
    await expect(one.card.get_by_role("button", name="Undo")).to_be_visible()
    assert await agent.answer(asked) == "Ship it 🚀"


@pytest.mark.requirement("B87")
async def test_two_hundred_ready_replies_are_no_burden(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("phone", shared.http, token)
    await one.page.goto(f"{one.origin}/#/settings/quick")
    add = one.page.get_by_label("Add a quick reply…")
    await expect(add).to_be_visible()
    await one.page.evaluate(
        """async () => {
          const field = () => document.querySelector('.page .inp[placeholder]')
          const rows = () => document.querySelectorAll('.qr-l > li').length
          while (rows() < 200) {
            const before = rows()
            field().value = `Reply ${before}`
            field().dispatchEvent(new Event('change'))
            while (rows() === before) await new Promise(requestAnimationFrame)
          }
        }"""
    )
    await expect(one.page.get_by_role("listitem")).to_have_count(200)
    await expect(add).to_have_count(0)
    asked = await agent.ask("Which?")
    await one.page.goto(f"{one.origin}/#/")
    await one.shows("Which?")
    await one.card.get_by_role("button", name="Quick replies").click()
    await one.page.locator(".qr").get_by_role("button", name="Reply 199").click()
    await one.send()
    assert await agent.answer(asked) == "Reply 199"


async def test_devices_with_the_same_browser_are_told_apart(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    pair = [await devices.open("pc", shared.http, token) for _ in range(2)]
    asked = await agent.ask("Who?")
    for one in pair:
        await one.visit("settings")

    async def told_apart() -> list[str]:
        # They learn of each other one after the other, and then one takes another name.
        fields = [one.page.get_by_label("Name", exact=True) for one in pair]
        names = [str(await field.get_attribute("placeholder")) for field in fields]
        return names if sorted(names) == ["Chrome on Linux", "Chrome on Linux 2"] else []

    names = await poll(told_apart)
    first, second = pair
    for one, name in ((second, names[0]), (first, names[1])):
        chip = one.page.locator(".devs a[href*=chat]")
        await expect(chip).to_have_text(re.compile(rf"^\s*{name}\s*$"))
        await one.visit("")
    await first.shows("Who?")
    await second.shows("Who?")
    await first.answer("Me")
    await agent.outcome(asked)
    await expect(second.card.get_by_role("status")).to_have_text(f"Already answered on {names[0]}.")


@on_both
@pytest.mark.requirement("B46")
async def test_a_device_that_wakes_up_shows_what_it_missed_within_three_seconds(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    async with cable(shared.http) as line:
        one = await devices.open(kind, line.port, token)
        one.may_lose_connection = True
        first = await agent.ask("Before?")
        await one.shows("Before?")
        await one.answer("Yes")
        await agent.outcome(first)
        # Asleep: the connection dies without a word, and the next attempt is far away.
        line.hold_up()
        line.hold_down()
        await agent.ask("While it slept?")
        await one.page.evaluate(
            """() => {
              const now = Date.now
              Date.now = () => now() + 600_000
              const look = () => {
                const words = document.querySelector('.pend .q')?.textContent ?? ''
                if (words.includes('slept')) window.seen = now()
                else requestAnimationFrame(look)
              }
              look()
            }"""
        )
        line.release()
        woken = await one.page.evaluate("(dispatchEvent(new Event('focus')), performance.now())")
        await one.page.wait_for_function("() => window.seen")
        seen = await one.page.evaluate("performance.now()")
        assert seen - woken < bound(3_000)
