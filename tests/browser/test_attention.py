"""A new question calls: in the title, by a sound and by a notification, once, and not when seen."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.async_api import expect

from tests.browser.asking import question
from tests.browser.devices import BROWSER, on_both

if TYPE_CHECKING:
    from tests.browser.asking import Asker
    from tests.browser.devices import Device, Devices, Kind
    from tests.system.processes import Relay

pytestmark = BROWSER

# What a tab behind others sees of itself; Chromium has no window here that could be covered.
BEHIND = """(() => {
  let isBehind = true
  const get = () => (isBehind ? 'hidden' : 'visible')
  Object.defineProperty(document, 'visibilityState', { get })
  window.comeBack = () => {
    isBehind = false
    document.dispatchEvent(new Event('visibilitychange'))
  }
})()"""
# A system that shows notifications, and a loudspeaker, that can be asked.
SYSTEM = """(() => {
  window.shown = []
  window.played = []
  window.Notification = class {
    static permission = 'granted'
    constructor(title, options) {
      Object.assign(this, { title, ...options, isOpen: true })
      window.shown.push(this)
    }
    close() { this.isOpen = false }
  }
  const Loudspeaker = window.AudioContext
  window.AudioContext = class extends Loudspeaker {
    constructor() {
      super()
      window.loudspeaker = this
    }
  }
  const start = OscillatorNode.prototype.start
  OscillatorNode.prototype.start = function (...when) {
    window.played.push(this.frequency.value)
    return start.apply(this, when)
  }
})()"""

# How many notifications the browser has put on the screen.
APPEARED = """(() => {
  window.appeared = 0
  const show = ServiceWorkerRegistration.prototype.showNotification
  ServiceWorkerRegistration.prototype.showNotification = async function (...what) {
    await show.apply(this, what)
    window.appeared += 1
  }
})()"""

WITH_A_DOT = re.compile("circle")

# An installed page has an icon, and the system shows a number on it.
ICON = """(() => {
  window.badge = null
  navigator.setAppBadge = (count) => {
    window.badge = count
    return Promise.resolve()
  }
})()"""


async def has_read_the_log(one: Device) -> None:
    """What is open by then waited before the page came, and calls for nobody."""
    await expect(one.page.get_by_text("Connect your first agent")).to_be_visible()


async def behind(devices: Devices, kind: Kind, port: int, token: str, **attention: Any) -> Device:
    """A device whose page nobody sees."""
    one = await devices.blank(kind, port)
    await one.context.add_init_script(SYSTEM)
    await one.context.add_init_script(BEHIND)
    kept = json.dumps(json.dumps({"attention": attention}))
    await one.context.add_init_script(f"localStorage.setItem('lineup.settings', {kept})")
    await one.page.goto(f"{one.origin}/?token={token}")
    await one.online()
    await has_read_the_log(one)
    # Browsers let a page sound only after somebody touched it, and need a moment to begin.
    await one.page.mouse.click(5, 5)
    await one.page.wait_for_function("() => window.loudspeaker?.state === 'running'")
    return one


async def shown(one: Device, count: int) -> list[dict[str, Any]]:
    """The notifications, once there are so many."""
    await one.page.wait_for_function("count => window.shown.length >= count", arg=count)
    words = (
        "() => window.shown.map(({ title, body, tag, isOpen }) => ({ title, body, tag, isOpen }))"
    )
    found: list[dict[str, Any]] = await one.page.evaluate(words)
    assert len(found) == count
    return found


@on_both
@pytest.mark.requirement("B77", "B80")
async def test_a_question_behind_another_window_calls_once_and_is_taken_back_when_it_is_answered(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await behind(devices, kind, shared.http, token)
    other = await devices.open("phone", shared.http, token, name="Pocket")
    text = "**Drop** the table `orders`? " + "It is large. " * 20
    asked = await agent.ask(question(text, "Yes", "No"))
    (notice,) = await shown(one, 1)
    assert notice["title"] == "Claude Code · shop-api"
    assert notice["body"].startswith("Drop the table orders? It is large.")
    assert len(notice["body"]) == 120
    await expect(one.page).to_have_title("(1) LineUp")
    await expect(one.page.locator("link[rel=icon]")).to_have_attribute("href", WITH_A_DOT)
    await one.page.wait_for_function("() => window.played.length === 2")
    # Another tab of the same browser, and the same page again, stay quiet.
    await one.page.reload()
    await one.online()
    await expect(one.page).to_have_title("(1) LineUp")
    second = await agent.ask("And this one?")
    assert [n["tag"] for n in await shown(one, 1)] == [second]

    await other.shows("Drop the table")
    await other.answer("No")
    assert await agent.answer(asked) == "No"
    await other.shows("And this one?")
    await other.answer("Yes")
    await one.page.wait_for_function("() => window.shown.every(({ isOpen }) => !isOpen)")
    await expect(one.page).to_have_title("LineUp")


@pytest.mark.requirement("B77")
async def test_a_device_in_front_shows_no_notification_and_one_on_the_card_makes_no_sound(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await behind(devices, "pc", shared.http, token)
    await one.page.evaluate("window.comeBack()")
    await agent.ask("First?")
    await one.shows("First?")
    # It does not replace the open card, so it cannot be seen, only heard.
    await agent.ask("Second?")
    await one.page.wait_for_function("() => window.played.length === 2")
    await expect(one.page).to_have_title("(2) LineUp")
    assert await one.page.evaluate("window.shown.length") == 0


@pytest.mark.requirement("B80")
async def test_content_can_be_hidden_and_do_not_disturb_leaves_only_the_count(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    discreet = await behind(devices, "pc", shared.http, token, hidesContent=True)
    quiet = await behind(devices, "pc", shared.http, token, isQuiet=True)
    await agent.ask("The password is hunter2, right?")
    (notice,) = await shown(discreet, 1)
    assert notice["title"] == "LineUp"
    assert notice["body"] == "A question waits for you"
    await expect(quiet.page).to_have_title("(1) LineUp")
    await discreet.page.wait_for_function("() => window.played.length === 2")
    assert await quiet.page.evaluate("[window.shown.length, window.played.length]") == [0, 0]


@pytest.mark.requirement("B89")
async def test_a_click_on_a_notification_opens_its_card_in_the_tab_that_is_open(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.blank("pc", shared.http, service_workers="allow")
    await one.context.grant_permissions(["notifications"], origin=one.origin)
    await one.context.add_init_script(BEHIND)
    await one.context.add_init_script(APPEARED)
    await one.page.goto(f"{one.origin}/?token={token}")
    await one.online()
    await has_read_the_log(one)
    await one.becomes(
        "() => navigator.serviceWorker.ready.then(({ active }) => active.state === 'activated')"
    )
    await agent.ask("First?")
    second = await agent.ask("Second?")
    await one.shows("First?")
    # Nobody asks Chromium for them before: it forgets those that are not on the screen yet.
    await one.page.wait_for_function("() => window.appeared === 2")
    await one.page.goto(f"{one.origin}/#/settings")
    await expect(one.page.get_by_role("heading", name="Settings")).to_be_visible()
    workers = one.context.service_workers
    worker = workers[0] if workers else await one.context.wait_for_event("serviceworker")
    # The click itself is the system's; from there on everything is ours.
    await worker.evaluate(
        """async tag => {
          const [notification] = await self.registration.getNotifications({ tag })
          self.addEventListener('unhandledrejection', event => event.preventDefault())
          try {
            self.dispatchEvent(new NotificationEvent('notificationclick', { notification }))
          } catch {}
        }""",
        second,
    )
    await one.shows("Second?")
    assert one.context.pages == [one.page]
    await one.becomes(
        "async () => (await (await navigator.serviceWorker.ready).getNotifications()).length === 1"
    )


@on_both
@pytest.mark.requirement("B77")
async def test_the_icon_of_the_installed_page_counts_what_waits_for_you(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.blank(kind, shared.http)
    await one.context.add_init_script(ICON)
    await one.page.goto(f"{one.origin}/?token={token}")
    await one.online()
    await one.page.wait_for_function("() => window.badge === 0")
    await agent.ask("First?")
    await one.page.wait_for_function("() => window.badge === 1")
    second = await agent.ask("Second?")
    await one.page.wait_for_function("() => window.badge === 2")
    await agent.cancel(second)
    await one.page.wait_for_function("() => window.badge === 1")


@on_both
@pytest.mark.requirement("B92")
async def test_who_waits_for_you_and_since_when_stands_first_among_the_agents(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    await agent.ask("Blocked?")
    await one.shows("Blocked?")
    await expect(one.page).to_have_title("(1) LineUp")
    await one.page.goto(f"{one.origin}/#/people")
    section = one.page.locator(".page section").first
    await expect(section.get_by_role("heading")).to_have_text("Waiting for you")
    row = section.get_by_role("button").first
    await expect(row).to_contain_text("Claude Code")
    await expect(row).to_contain_text("since ")
    await expect(row).to_contain_text("/home/me/shop-api")
    await row.click()
    await one.shows("Blocked?")
