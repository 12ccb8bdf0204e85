"""Several devices in one room: the first answer counts, and nothing typed is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect

from tests.browser.asking import question
from tests.browser.devices import BROWSER, on_both
from tests.system.cable import cable

if TYPE_CHECKING:
    from tests.browser.asking import Asker
    from tests.browser.devices import Device, Devices, Kind
    from tests.system.processes import Relay

pytestmark = BROWSER


@pytest.mark.requirement("B11", "seed002:ask:first-reply-wins")
async def test_the_first_answer_wins_and_the_other_device_keeps_what_was_typed(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    pc = await devices.open("pc", shared.http, token, name="Desk")
    phone = await devices.open("phone", shared.http, token, name="Pocket")
    await pc.context.grant_permissions(["clipboard-read", "clipboard-write"])
    asked = await agent.ask("Who is first?")
    await pc.shows("Who is first?")
    await pc.box.fill("Let me think\nabout it")
    await phone.shows("Who is first?")
    await phone.answer("Me")

    await expect(pc.card.get_by_role("status")).to_have_text("Already answered on Pocket.")
    await expect(pc.card.get_by_role("textbox")).to_have_value("Let me think\nabout it")
    await expect(pc.card.get_by_role("button", name="Send", exact=True)).to_have_count(0)
    await expect(pc.page).to_have_title("LineUp")
    await pc.is_ready()
    await pc.card.get_by_role("button", name="Copy").click()
    await expect(pc.card.get_by_role("button", name="Copied")).to_be_visible()
    copied = await pc.page.evaluate("navigator.clipboard.readText()")
    assert copied == "Let me think\nabout it"

    await pc.card.get_by_role("button", name="Close").click()
    await expect(pc.entry("Who is first?").locator(".say")).to_have_text("Me")
    await expect(pc.entry("Who is first?")).to_contain_text("Pocket")
    await expect(pc.entry("Who is first?")).to_contain_text("Your draft, not sent: “Let me think")
    assert await agent.answer(asked) == "Me"


@on_both
@pytest.mark.requirement("B11")
async def test_words_that_lost_the_race_are_sent_as_a_note(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    slow = await devices.open(kind, shared.http, token, name="Slow")
    fast = await devices.open("phone", shared.http, token, name="Fast")
    asked = await agent.ask(question("Who is first?", "Me", "You"))
    await slow.shows("Who is first?")
    await slow.box.fill("Mind the lock file")
    await fast.shows("Who is first?")
    await fast.answer("Me")
    assert await agent.answer(asked) == "Me"
    await expect(slow.card.get_by_role("status")).to_have_text("Already answered on Fast.")
    await slow.is_ready()
    await slow.box.fill("Mind the lock file\nand the cache")
    await slow.card.get_by_role("button", name="Send as a note").click()
    await expect(slow.card).to_have_count(0)
    assert await agent.texts() == ["Mind the lock file\nand the cache"]
    await expect(slow.entry("Who is first?")).not_to_contain_text("Your draft")
    # The others see it, too; the answer stays as it was.
    await expect(fast.timeline).to_contain_text("Mind the lock file")
    await expect(fast.entry("Who is first?").locator(".say")).to_have_text("Me")


@pytest.mark.requirement("B11", "seed002:ask:first-reply-wins")
async def test_two_devices_that_send_at_the_same_time_agree_on_one_answer(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    async with cable(shared.http) as line:
        pc = await devices.open("pc", line.port, token, name="Desk")
        phone = await devices.open("phone", line.port, token, name="Pocket")
        pc.may_lose_connection = phone.may_lose_connection = True
        asked = await agent.ask("Who?")
        for one in (pc, phone):
            await one.shows("Who?")
            await one.box.fill(one.kind)
            await one.has_timeline()
        line.hold_up()
        for one in (pc, phone):
            await one.send()
            await expect(one.state("Who?")).to_have_text("Sending…")
        line.release()

        winner = await agent.answer(asked)
        await agent.has(asked)
        by_kind: dict[str, Device] = {"pc": pc, "phone": phone}
        first = by_kind.pop(winner)
        (second,) = by_kind.values()
        await expect(first.state("Who?")).to_have_text("Agent has it")
        name = "Desk" if winner == "pc" else "Pocket"
        await expect(second.entry("Who?")).to_contain_text(name)
        await expect(second.entry("Who?")).to_contain_text(f"not sent: “{second.kind}”")
        await expect(second.entry("Who?").locator(".say")).to_have_text(winner)


@pytest.mark.requirement("B11")
async def test_a_card_that_was_answered_while_this_device_was_away_is_shown_answered(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    async with cable(shared.http) as line:
        pc = await devices.open("pc", line.port, token, name="Desk")
        phone = await devices.open("phone", shared.http, token, name="Pocket")
        pc.may_lose_connection = True
        first = await agent.ask(question("With words?", "Red", "Blue"))
        second = await agent.ask("And this?")
        await pc.shows("With words?")
        await pc.box.fill("typed before the cut")
        line.unplug()

        await phone.shows("With words?")
        await phone.answer("No")
        await agent.outcome(first)
        await agent.has(first)
        await phone.shows("And this?")
        await phone.answer("Neither")
        assert await agent.answer(second) == "Neither"
        line.plug_in()
        await pc.hears_of_the_network()

        await expect(pc.card.get_by_role("status")).to_have_text("Already answered on Pocket.")
        await expect(pc.card.get_by_role("textbox")).to_have_value("typed before the cut")
        await expect(pc.entry("And this?").locator(".say")).to_have_text("Neither")
        await expect(pc.page).to_have_title("LineUp")
        await expect(pc.banner).to_have_count(0)


async def test_each_device_sees_who_else_is_there(
    shared: Relay, token: str, devices: Devices
) -> None:
    pc = await devices.open("pc", shared.http, token, name="Desk")
    phone = await devices.open("phone", shared.http, token, name="Pocket")
    await expect(pc.page.locator(".side .dchip:not(.add)")).to_have_text(["This PC", "Pocket"])
    await expect(phone.page.locator(".main .bar p")).to_have_text("Desk online")
    await pc.context.close()
    await expect(phone.page.locator(".main .bar p")).to_have_text("Only this device is online")
