"""Pages that open late, or again: cards and drafts are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect

from tests.browser.asking import question
from tests.browser.devices import BROWSER, on_both

if TYPE_CHECKING:
    from tests.browser.asking import Asker
    from tests.browser.devices import Devices, Kind
    from tests.system.processes import Relay

pytestmark = BROWSER


@pytest.mark.requirement("B12", "B13")
async def test_a_question_asked_while_no_device_was_connected_is_answered_later(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    asked = await agent.ask("Is anybody there?")
    one = await devices.open("phone", shared.http, token)
    await one.shows("Is anybody there?")
    await one.answer("Now I am")
    assert await agent.answer(asked) == "Now I am"


@on_both
@pytest.mark.requirement("B12")
async def test_a_card_and_its_draft_survive_a_reload(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    asked = await agent.ask(question("Which?", "Red", "Blue"))
    await one.shows("Which?")
    await one.box.fill("rather\nsomething greenish")
    await one.option("Blue").click()
    await one.page.reload()
    await one.shows("Which?")
    await expect(one.box).to_have_value("rather\nsomething greenish")
    await expect(one.card.get_by_role("radio", name="Blue")).to_be_checked()
    await one.send()
    assert await agent.answer(asked) == "Blue\nrather\nsomething greenish"


@pytest.mark.requirement("B11")
async def test_an_answered_card_stays_answered_after_a_reload(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token)
    asked = await agent.ask("Once?")
    await one.shows("Once?")
    await one.answer("Once")
    assert await agent.answer(asked) == "Once"
    await agent.has(asked)
    await one.page.reload()
    await expect(one.state("Once?")).to_have_text("Agent has it")
    await expect(one.card).to_have_count(0)
    await expect(one.page).to_have_title("LineUp")


async def test_an_answer_by_one_tap_is_sent_when_the_page_is_left_during_its_undo_time(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("phone", shared.http, token)
    asked = await agent.ask(question("Which?", "Red", "Blue"))
    await one.shows("Which?")
    await one.option("Red").click()
    await expect(one.card.get_by_role("button", name="Undo")).to_be_visible()
    await one.page.close(run_before_unload=True)
    assert await agent.answer(asked) == "Red"


async def test_a_link_to_a_card_opens_that_card(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token)
    await agent.ask("First?")
    second = await agent.ask("Second?")
    await one.shows("First?")
    await one.page.goto(f"{one.origin}/#/c/{second}")
    await one.shows("Second?")
    await expect(one.page.get_by_role("button", name="Next: Claude Code")).to_contain_text("First?")
