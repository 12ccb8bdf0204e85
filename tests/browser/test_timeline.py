"""A timeline of any length: quick, nothing jumps, and what is long or old is there on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect

from tests.browser.asking import question
from tests.browser.devices import BROWSER, on_both
from tests.system.cable import cable
from tests.system.processes import bound

if TYPE_CHECKING:
    from tests.browser.asking import Asker
    from tests.browser.devices import Device, Devices, Kind
    from tests.system.processes import Relay

pytestmark = BROWSER

MANY = 10_000
AT_ONCE = 500
FIRST_PAINT_SECONDS = 1.5
"""Case B82; from the start of the navigation."""
STILL_PX = 2
# Goes up by what a hand turns at once, and gives how far each entry that stays in sight has moved
# beyond that, and how many entries are in the document at most.
SCROLL_UP = """async ([steps, by]) => {
  const list = document.querySelector('.tl')
  const frame = () => new Promise(requestAnimationFrame)
  const tops = () => new Map([...list.querySelectorAll('[data-key]')]
    .map(e => [e.dataset.key, e.getBoundingClientRect()])
    .filter(([, box]) => box.bottom > 100 && box.top < innerHeight / 2))
  let [jumps, most] = [[], 0]
  for (let step = 0; step < steps; step += 1) {
    // Quicker than the log: its next page is still on the way.
    for (let n = 0; n < 600 && list.scrollTop <= by; n += 1) await frame()
    if (list.scrollTop <= by) break
    list.scrollTop -= by
    list.dispatchEvent(new Event('scroll'))
    const before = tops()
    for (let n = 0; n < 3; n += 1) {
      await frame()
      for (const [key, box] of tops()) {
        const moved = before.has(key) ? box.top - before.get(key).top : 0
        if (Math.abs(moved) > 2) jumps.push([step, Math.round(moved)])
      }
    }
    most = Math.max(most, list.querySelectorAll('[data-key]').length)
  }
  return { jumps, most }
}"""

# Where the entries end that are in sight: the first one of all has a day and a name above it that
# go further up.
ENDS = """list => Object.fromEntries([...list.querySelectorAll('[data-key]')]
  .map(e => [e.dataset.key, e.getBoundingClientRect()])
  .filter(([, box]) => box.bottom > 100 && box.top < 400)
  .map(([key, box]) => [key, box.bottom]))"""
COPIED_ANSWER = """async () => {
  while (!(await navigator.clipboard.readText()).includes('> Neither')) {
    await new Promise(requestAnimationFrame)
  }
}"""
# Until the page of the log has come on top.
GROWN = """async list => {
  while (list.scrollTop < 2000) await new Promise(requestAnimationFrame)
}"""
TO_TOP = f"""async list => {{
  list.scrollTop = 0
  for (let frame = 0; frame < 5; frame += 1) await new Promise(requestAnimationFrame)
  return ({ENDS})(list)
}}"""


def step(number: int) -> str:
    """Texts of different heights."""
    more = "And more words to read here. " * (number % 7)
    points = "\n\n- one\n- two\n- three" if number % 5 == 0 else ""
    return f"Step {number} of many. {more}{points}"


async def lengthen(agent: Asker, count: int, *, first: int = 0) -> None:
    """So many entries."""
    end = first + count
    if count < AT_ONCE // 5:
        # One by one: their order is that of their numbers.
        for number in range(first, end):
            await agent.say(step(number))
        return
    for start in range(first, end, AT_ONCE):
        await agent.say(*(step(number) for number in range(start, min(end, start + AT_ONCE))))


async def top_of(one: Device, words: str) -> float:
    """Where an entry stands, once it stands still."""
    return (await one.at_rest(one.entry(words).first))["y"]


@pytest.mark.timeout(180)
@pytest.mark.requirement("B82")
async def test_ten_thousand_messages_are_painted_at_once_and_scroll_without_a_jump(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    await lengthen(agent, MANY)
    one = await devices.blank("phone", shared.http)
    await one.page.goto(f"{one.origin}/?token={token}")
    await expect(one.entry(f"Step {MANY - 1} of many").first).to_be_visible()
    painted = await one.page.evaluate(
        "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"
    )
    assert painted / 1000 < bound(FIRST_PAINT_SECONDS)

    # Through several pages of the log.
    measured = await one.page.evaluate(SCROLL_UP, [260, 400])
    assert measured["jumps"] == []
    assert measured["most"] < 60
    first = await one.timeline.get_by_role("article").first.inner_text()
    assert int(first.split("Step ")[1].split()[0]) < MANY - 400


@on_both
@pytest.mark.requirement("B82")
async def test_what_is_read_stays_while_older_messages_come_on_top(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    await lengthen(agent, 220)
    # Where one page of the log ends nothing of the other comes in between.
    await lengthen(agent, 60, first=220)
    await lengthen(agent, 170, first=280)
    async with cable(shared.http) as line:
        one = await devices.open(kind, line.port, token)
        one.may_lose_connection = True
        await expect(one.entry("Step 449 of many").first).to_be_visible()
        # Up to the oldest entry that is known; the page of the log before it comes later.
        line.hold_down()
        before = await one.timeline.evaluate(TO_TOP)
        # What has just come into sight is measured, and then stands still.
        while before != (now := await one.timeline.evaluate(TO_TOP)):
            before = now
        line.release()
        await one.timeline.evaluate(GROWN)
        await expect(one.page.get_by_text("Loading earlier messages…")).to_have_count(0)
        after = await one.timeline.evaluate(ENDS)
        assert before
        for key, end in before.items():
            assert abs(after[key] - end) <= STILL_PX
        # To its very beginning: nothing older than that is left.
        begin = one.page.get_by_text("The history begins here")
        while not await begin.count():
            await one.timeline.evaluate(TO_TOP)
        await one.timeline.evaluate(TO_TOP)
        await expect(begin).to_be_in_viewport()
        await expect(one.entry("Step 0 of many")).to_be_visible()
        await expect(one.timeline.locator(".day")).to_have_count(1)


@on_both
async def test_arrivals_below_only_show_a_pill(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    await lengthen(agent, 60)
    one = await devices.open(kind, shared.http, token)
    await expect(one.entry("Step 59 of many")).to_be_visible()
    await one.timeline.evaluate("list => { list.scrollTop -= 1200 }")
    seen = one.timeline.get_by_role("article").filter(has_text="Step 4")
    await expect(seen.first).to_be_visible()
    words = f"Step {(await seen.first.inner_text()).split('Step ')[1].split()[0]} of many"
    before = await top_of(one, words)

    await agent.say("News 1", "News 2")
    pill = one.page.get_by_role("button", name="2 new")
    await expect(pill).to_be_visible()
    await agent.ask("A question too?")
    await one.shows("A question too?")
    await one.answer("Yes")
    if kind == "pc":
        # On the phone the card takes a part of the page, and gives it back.
        assert abs(await top_of(one, words) - before) <= STILL_PX

    await one.page.locator(".pill").click()
    await expect(one.entry("A question too?")).to_be_visible()
    await expect(one.page.locator(".pill")).to_have_count(0)
    # At the end, the end is followed.
    await agent.say("News 3")
    await expect(one.entry("News 3")).to_be_in_viewport()


async def test_entries_are_reached_by_keys_and_the_focus_survives_scrolling(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    await lengthen(agent, 80)
    one = await devices.open("pc", shared.http, token)
    await expect(one.entry("Step 79 of many")).to_be_visible()
    focused = one.page.locator("article:focus")
    for number in (79, 78, 77):
        await one.page.keyboard.press("k")
        await expect(focused).to_contain_text(f"Step {number} of many")
    await one.page.keyboard.press("j")
    await expect(focused).to_contain_text("Step 78 of many")
    await one.timeline.evaluate("list => { list.scrollTop = 0 }")
    await expect(one.entry("Step 0 of many")).to_be_visible()
    await expect(focused).to_contain_text("Step 78 of many")
    await one.page.keyboard.press("End")
    await expect(one.entry("Step 79 of many")).to_be_in_viewport()


@on_both
@pytest.mark.requirement("B61")
async def test_an_entry_says_who_wrote_it_and_is_copied_as_it_was_written(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    await one.context.grant_permissions(["clipboard-read", "clipboard-write"])
    asked = await agent.ask(question("Which *one*?\n\n```\n\ta  \n```", "A", "B"))
    await one.shows("Which one?")
    await one.answer("Neither")
    await agent.outcome(asked)
    await one.entry("Which one?").get_by_role("button", name="Copy and details").click()
    sheet = one.page.get_by_role("dialog", name="Details")
    await expect(sheet).to_contain_text("claude-code")
    await expect(sheet).to_contain_text("/home/me/shop-api")
    await sheet.get_by_role("button", name="Copy as Markdown").click()
    await expect(sheet.get_by_role("status")).to_have_text("Copied")
    copied = "navigator.clipboard.readText()"
    assert await one.page.evaluate(copied) == "Which *one*?\n\n```\n\ta  \n```"
    await sheet.get_by_role("button", name="Copy with the answer").click()
    await one.page.evaluate(COPIED_ANSWER)
    await one.page.keyboard.press("Escape")
    await expect(sheet).to_have_count(0)


@on_both
async def test_a_long_text_shows_its_beginning_and_stays_open_once_it_was_opened(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    await agent.say("\n".join(f"Line {number} of a long text" for number in range(40)))
    entry = one.entry("Line 0 of a long text")
    await expect(entry).to_be_visible()
    await expect(entry).not_to_contain_text("Line 39 of")
    more = entry.get_by_role("button", name="Show more")
    await expect(more).to_have_attribute("aria-expanded", "false")
    await more.click()
    await expect(entry).to_contain_text("Line 39 of")

    # Away from it and back: without the focus its row was taken out of the document meanwhile.
    await one.page.evaluate("document.activeElement.blur()")
    await lengthen(agent, 60)
    await one.page.keyboard.press("End")
    await one.timeline.evaluate("list => { list.scrollTop = list.scrollHeight }")
    await expect(entry).to_have_count(0)
    await one.timeline.evaluate("list => { list.scrollTop = 0 }")
    await expect(entry).to_contain_text("Line 39 of")
    await entry.get_by_role("button", name="Show less").click()
    await expect(entry).not_to_contain_text("Line 39 of")


async def test_what_was_said_is_there_after_a_reload_and_a_link_leads_to_it(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    asked = await agent.ask("Long ago?")
    one = await devices.open("pc", shared.http, token)
    await one.shows("Long ago?")
    await one.answer("Yes")
    await agent.outcome(asked)
    await agent.has(asked)
    await lengthen(agent, 420)
    await one.page.goto("about:blank")
    await one.page.goto(f"{one.origin}/#/at/{asked}")
    await expect(one.entry("Long ago?")).to_be_in_viewport()
    # Its receipt was read before the question itself.
    await expect(one.state("Long ago?")).to_have_text("Agent has it")
    await expect(one.page.locator("article:focus")).to_contain_text("Long ago?")
    await expect(one.page).to_have_url(f"{one.origin}/#/")
