"""Keys, clicks and input methods: nobody answers by accident, and nobody loses what they typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect

from lineup_srv.wire._gen.lineup.v1 import request_pb2
from tests.browser.asking import question
from tests.browser.devices import BROWSER, on_both

if TYPE_CHECKING:
    from tests.browser.asking import Asker
    from tests.browser.devices import Device, Devices, Kind
    from tests.system.processes import Relay

pytestmark = BROWSER

EAGER = """() => {
  window.tries = 0
  new MutationObserver(() => {
    const card = document.querySelector('.pend[data-ready=false]')
    if (!card) return
    window.tries += 1
    card.querySelector('.opt input, .tag input')?.click()
    card.querySelector('.opt, .tag')?.click()
    for (const target of [document.body, card.querySelector('input')])
      for (const key of ['1', 'Enter', ' '])
        target?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
  }).observe(document, { subtree: true, childList: true, attributes: true })
}"""
STRAY_KEYS = """box => {
  for (const how of [{ isComposing: true }, { keyCode: 229 }])
    for (const [key, ctrlKey = false] of [['Enter', true], ['Enter'], ['Escape'], ['1']])
      for (const target of [box, document.body]) {
        const event = new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, ...how })
        target.dispatchEvent(event)
      }
}"""


async def nothing_is_chosen(one: Device) -> None:
    """The card waits as if nobody had touched it."""
    await expect(one.card.locator("input:checked")).to_have_count(0)
    await expect(one.card.get_by_role("button", name="Undo")).to_have_count(0)
    await expect(one.page).to_have_title("(1) LineUp")


@pytest.mark.requirement("B54")
async def test_digits_choose_only_while_nobody_types(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token)
    asked = await agent.ask(question("When?", "At 1", "At 2", "At 3"))
    await one.shows("When?")
    await one.box.press_sequentially("12:30")
    await expect(one.box).to_have_value("12:30")
    await nothing_is_chosen(one)
    await one.box.fill("")
    await one.box.press("Escape")
    await one.stop_time()
    await one.page.keyboard.press("2")
    await expect(one.card.get_by_role("radio", name="At 2")).to_be_checked()
    await one.page.keyboard.press("u")
    await nothing_is_chosen(one)
    await one.page.clock.resume()
    await one.page.keyboard.press("r")
    await one.page.keyboard.type("3 at best")
    await one.send()
    assert await agent.answer(asked) == "3 at best"


@on_both
@pytest.mark.requirement("B54")
async def test_digits_in_a_forms_own_answer_are_text(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    asked = await agent.ask(question("When?", "Now", "Later"), question("Where?", "Here"))
    await one.shows("When?")
    await one.option("Other").first.click()
    field = one.card.get_by_role("textbox", name="Your own answer…")
    await field.press_sequentially("15:00 or 12")
    await expect(field).to_have_value("15:00 or 12")
    await expect(one.card.get_by_role("radio", name="Now")).not_to_be_checked()
    await one.option("Here").click()
    await one.card.get_by_role("button", name="Send answers").click()
    answers = (await agent.outcome(asked)).answers
    assert [(list(a.labels), a.text) for a in answers] == [([], "15:00 or 12"), (["Here"], "")]


@pytest.mark.requirement("B53")
async def test_escape_closes_menus_and_leaves_the_box_and_nothing_else(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token)
    asked = await agent.ask(question("Which?", "Red", "Blue"))
    await one.shows("Which?")
    await one.box.fill("a word")
    await one.box.press("Escape")
    await expect(one.box).not_to_be_focused()
    await expect(one.box).to_have_value("a word")
    await one.card.get_by_role("radio", name="Red").focus()
    await one.page.keyboard.press("Escape")
    await one.card.get_by_role("button", name="Dismiss, done and other actions").click()
    await expect(one.page.get_by_role("dialog")).to_be_visible()
    await one.page.keyboard.press("Escape")
    await expect(one.page.get_by_role("dialog")).to_have_count(0)
    for _ in range(3):
        await one.page.keyboard.press("Escape")
    await nothing_is_chosen(one)
    await expect(one.box).to_have_value("a word")
    await one.send()
    outcome = await agent.outcome(asked)
    assert outcome.state == request_pb2.REQUEST_STATE_ANSWERED
    assert outcome.contents[0].text.text == "a word"


async def test_enter_is_a_new_line(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token)
    asked = await agent.ask("A poem?")
    await one.shows("A poem?")
    await one.box.press_sequentially("one\ntwo")
    await one.box.press("Enter")
    await one.box.press("Shift+Enter")
    await one.box.press_sequentially("three")
    await expect(one.box).to_have_value("one\ntwo\n\nthree")
    await nothing_is_chosen(one)
    await one.send()
    assert await agent.answer(asked) == "one\ntwo\n\nthree"


@on_both
@pytest.mark.requirement("B58")
async def test_keys_of_an_input_method_neither_send_nor_choose(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    asked = await agent.ask(question("哪个？", "甲", "乙"))
    await one.shows("哪个？")
    await one.box.focus()
    # A composition as the browser really makes it …
    session = await one.context.new_cdp_session(one.page)
    composing = {"text": "ni hao", "selectionStart": 6, "selectionEnd": 6}
    await session.send("Input.imeSetComposition", composing)
    control = 2
    for key, code, modifiers in (("Enter", 13, 0), ("Enter", 13, control), ("1", 49, 0)):
        down = {"type": "rawKeyDown", "key": key, "windowsVirtualKeyCode": code}
        await session.send("Input.dispatchKeyEvent", down | {"modifiers": modifiers})
    await expect(one.box).to_have_value("ni hao")
    await session.send("Input.insertText", {"text": "你好"})
    # … and as browsers that end it first report its last key.
    await one.box.evaluate(STRAY_KEYS)
    await nothing_is_chosen(one)
    await expect(one.box).to_have_value("你好")
    await one.send()
    assert await agent.answer(asked) == "你好"


@on_both
@pytest.mark.requirement("B55")
async def test_taps_and_keys_that_meet_a_card_as_it_appears_are_swallowed(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    await one.page.evaluate(EAGER)
    asked = await agent.ask(question("Delete everything?", "Yes", "No"))
    await one.shows("Delete everything?")
    assert await one.page.evaluate("window.tries") > 0
    await nothing_is_chosen(one)
    await one.option("No").click()
    assert await agent.answer(asked) == "No"


@on_both
@pytest.mark.requirement("B55")
async def test_a_new_card_takes_neither_focus_nor_the_place_of_the_open_one(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    first = await agent.ask("First?")
    await one.shows("First?")
    await one.box.press_sequentially("half a sen")
    # Older deadlines come first, but never into an open card.
    second = await agent.ask(question("Second?", "Yes"), timeout_seconds=60)
    await expect(one.page).to_have_title("(2) LineUp")
    await one.box.press_sequentially("tence")
    await expect(one.box).to_be_focused()
    await expect(one.box).to_have_value("half a sentence")
    await one.send()
    assert await agent.answer(first) == "half a sentence"
    await one.shows("Second?")
    assert await agent.state(second) == request_pb2.REQUEST_STATE_PENDING


async def test_a_new_card_leaves_the_focus_where_it_is_outside_of_the_dock(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token)
    await one.page.get_by_role("link", name="Settings").click()
    name = one.page.get_by_role("textbox", name="Name")
    await name.fill("Desk")
    await agent.ask("Here?")
    await expect(one.page).to_have_title("(1) LineUp")
    await expect(name).to_be_focused()
    await one.page.get_by_role("link", name="Timeline").focus()
    await agent.ask("And here?")
    await expect(one.page).to_have_title("(2) LineUp")
    await expect(one.page.get_by_role("link", name="Timeline")).to_be_focused()


@pytest.mark.requirement("B56")
async def test_question_and_options_stay_readable_after_an_answer_in_words(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("phone", shared.http, token)
    await agent.ask(question("How?", "Quickly|needs no lock", "Slowly|locks for 40 s"))
    await one.shows("How?")
    await one.answer("Let us talk first")
    await one.page.reload()
    entry = one.entry("How?")
    await expect(entry.locator(".say")).to_have_text("Let us talk first")
    await entry.get_by_role("button", name="Show 2 options").click()
    await expect(entry.get_by_role("listitem")).to_have_text(
        ["Quickly · needs no lock", "Slowly · locks for 40 s"]
    )


@on_both
@pytest.mark.requirement("B61")
async def test_a_question_is_copied_as_it_was_written_and_its_text_can_be_selected(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    await one.context.grant_permissions(["clipboard-read", "clipboard-write"])
    text = "Use **this**?\n\n```sh\nrm -rf  ./build\n```"
    await agent.ask(text)
    await one.shows("Use this?")
    await one.choose_in_menu("Copy question")
    await expect(one.page.get_by_role("dialog")).to_have_count(0)
    await one.becomes("async words => (await navigator.clipboard.readText()) === words", text)
    await one.card.locator("figure").get_by_role("button", name="Copy").click()
    await expect(one.card.get_by_role("button", name="Copied")).to_be_visible()
    assert await one.page.evaluate("navigator.clipboard.readText()") == "rm -rf  ./build\n"
    selectable = "element => getComputedStyle(element).userSelect"
    assert await one.card.locator(".q p").first.evaluate(selectable) in ("auto", "text")


async def test_the_whole_card_is_reached_and_answered_by_keyboard(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token)
    asked = await agent.ask(question("Which?", "Red", "Blue"))
    await one.shows("Which?")
    await one.page.keyboard.press("Tab")
    assert await one.page.evaluate("document.activeElement.textContent") == "To the question"
    await one.page.keyboard.press("Enter")
    for _ in range(10):
        await one.page.keyboard.press("Tab")
        if await one.page.evaluate("document.activeElement.type") == "radio":
            break
    # Arrows only look; Enter answers.
    await one.page.keyboard.press("ArrowDown")
    await expect(one.card.get_by_role("radio", name="Blue")).to_be_checked()
    await expect(one.card.get_by_role("button", name="Undo")).to_have_count(0)
    await one.page.keyboard.press("Enter")
    assert await agent.answer(asked) == "Blue"
