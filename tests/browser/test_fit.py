"""The page in a hand: under a keyboard, beside a notch, magnified, for large fingers, at rest."""

from __future__ import annotations

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

KEYBOARD_FREE = 420
# A browser in which the keyboard lies over the page, as in Safari: only visualViewport tells.
OVERLAY = """(() => {
  const real = window.visualViewport
  let height = null
  Object.defineProperty(real, 'height', { get: () => height ?? window.innerHeight })
  window.keyboard = free => {
    height = free
    real.dispatchEvent(new Event('resize'))
  }
})()"""
PLACES = """() => {
  const parts = { box: 'textarea', send: '.send', composer: '.comp', question: '.pend-b' }
  return Object.fromEntries(Object.entries(parts).map(([name, selector]) => {
    const { top, bottom } = document.querySelector(`.pend ${selector}`).getBoundingClientRect()
    return [name, [Math.round(top), Math.round(bottom)]]
  }))
}"""
SMALL = """() => {
  const isSeen = e => e.checkVisibility({ opacityProperty: false, visibilityProperty: true })
  const size = e => {
    const { width, height } = e.getBoundingClientRect()
    const after = getComputedStyle(e, '::after')
    const grows = after.content !== 'none' && after.position === 'absolute'
    const inset = grows ? -Math.min(0, parseFloat(after.top) || 0) : 0
    return [width, height].map(n => n + 2 * inset)
  }
  // What is inside of a label or a row is tapped by way of it; words in a text are read, too.
  const targets = [...document.querySelectorAll('button, a[href], select, textarea, label, input')]
  return targets
    .filter(e => isSeen(e) && !e.closest('.vh, .skip, .md, .side') && !e.matches('.skip'))
    .filter(e => !(e.matches('input') && e.closest('label, .opt, .tag')))
    .filter(e => !e.matches('label[for]') && e.getBoundingClientRect().width > 1)
    .filter(e => size(e).some(n => n < 43.5))
    .map(e => `${e.className} ${e.ariaLabel ?? e.textContent.trim().slice(0, 30)} ${size(e)}`)
}"""
MOVING = """() => document.getAnimations()
  .filter(a => a.playState === 'running' && a.effect.getComputedTiming().duration > 1)
  .map(a => a.animationName ?? a.transitionProperty)"""
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
PAGES = ("", "people", "history", "tools", "settings", "settings/quick", "settings/keys", "pair")


async def places_of(one: Device) -> dict[str, list[int]]:
    """Where the parts of the card begin and end, once they stand still."""
    for part in one.box, one.card.locator(".comp"):
        await one.at_rest(part)
    places: dict[str, list[int]] = await one.page.evaluate(PLACES)
    return places


@pytest.mark.requirement("B59", "B60")
async def test_text_box_and_send_stand_on_the_keyboard_without_a_gap(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.blank("phone", shared.http)
    await one.context.add_init_script(OVERLAY)
    await one.page.goto(f"{one.origin}/?token={token}")
    await one.online()
    asked = await agent.ask(question("Which?\n\n" + "A long story.\n\n" * 40, "Red", "Blue"))
    await one.shows("Which?")
    await one.box.tap()
    await one.page.evaluate(f"window.keyboard({KEYBOARD_FREE})")
    await expect(one.page.locator("html")).to_have_class("kb")
    places = await places_of(one)
    for name in ("box", "send"):
        top, bottom = places[name]
        assert 0 <= top < bottom <= KEYBOARD_FREE, places
    # No gap, and no safe area counted twice, between the composer and the keyboard.
    assert KEYBOARD_FREE - 2 <= places["composer"][1] <= KEYBOARD_FREE, places
    assert KEYBOARD_FREE - places["send"][1] <= 10, places
    # The question scrolls in what is left above.
    body = one.card.locator(".pend-b")
    assert await body.evaluate("e => e.scrollHeight > e.clientHeight")
    await one.box.fill("\n".join("line" for _ in range(30)))
    places = await places_of(one)
    assert places["send"][1] <= KEYBOARD_FREE, places
    await one.box.press("Escape")
    await one.page.evaluate("window.keyboard(null)")
    await expect(one.page.locator("html")).not_to_have_class("kb")
    await one.box.fill("Red")
    await one.send()
    assert await agent.answer(asked) == "Red"


async def _card_of_everything(one: Device, agent: Asker) -> None:
    await agent.ask(question("Which?", "Red|the colour of fire", "Blue"))
    await one.shows("Which?")
    await one.box.fill("two\nlines")


async def test_everything_that_is_tapped_is_large_enough_for_a_finger(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("phone", shared.http, token)
    await _card_of_everything(one, agent)
    assert await one.page.evaluate(SMALL) == []
    await one.card.get_by_role("button", name="Attach", exact=True).click()
    await one.at_rest(one.page.locator(".sheet"))
    assert await one.page.evaluate(SMALL) == []
    await one.page.keyboard.press("Escape")
    await one.send()
    await expect(one.state("Which?")).to_have_text("Sent")
    for path in PAGES:
        await one.visit(path)
        assert await one.page.evaluate(SMALL) == [], path


@on_both
async def test_at_double_size_everything_is_there_and_nothing_scrolls_sideways(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    # What a browser does at 200 %: half the room, and everything twice as large.
    half = {"width": 195, "height": 422} if kind == "phone" else {"width": 640, "height": 400}
    one = await devices.open(kind, shared.http, token, viewport=half)
    asked = await agent.ask(question("Which of these?", "Red", "Blue"))
    await one.shows("Which of these?")
    assert await one.page.evaluate(SIDEWAYS) == 0
    await one.box.fill("Green")
    await one.send()
    assert await agent.answer(asked) == "Green"
    for path in PAGES:
        await one.visit(path)
        assert await one.page.evaluate(SIDEWAYS) == 0, path


@on_both
async def test_nothing_moves_for_who_wants_it_still(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token, reduced_motion="reduce")
    await one.page.evaluate(
        f"""() => {{
          window.moved = []
          const look = () => {{
            window.moved.push(...({MOVING})())
            requestAnimationFrame(look)
          }}
          look()
        }}"""
    )
    await _card_of_everything(one, agent)
    await one.card.get_by_role("button", name="Dismiss, done and other actions").click()
    await expect(one.page.locator(".sheet")).to_be_visible()
    await one.page.keyboard.press("Escape")
    await one.send()
    await expect(one.state("Which?")).to_have_text("Sent")
    assert await one.page.evaluate("[...new Set(window.moved)]") == []
