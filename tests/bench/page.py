"""The page in Chromium: until the first card can be read, and how its timeline scrolls."""

from __future__ import annotations

import secrets
import statistics
from typing import TYPE_CHECKING

from playwright.async_api import async_playwright

from tests.bench.lines import Section
from tests.bench.processes import relay
from tests.browser.asking import asker
from tests.browser.conftest import CHROMIUM, FLAGS
from tests.browser.devices import LOOKS

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

    from tests.bench.lines import Options
    from tests.browser.asking import Asker

__all__ = ["measure"]

ENTRIES = 10_000
AT_ONCE = 500
SLOW_DOWN = 4
"""How much slower than this machine a phone is taken to be."""
QUESTION = "Shall I build the index now?"
# Since the navigation began, when the question is on the screen for the first time.
WATCH = """
const look = () => {
  const card = document.querySelector('.pend .q')
  if (card?.getClientRects().length) window.readableMs = performance.now()
  else requestAnimationFrame(look)
}
requestAnimationFrame(look)
"""
READABLE = """async () => {
  while (!window.readableMs) await new Promise(requestAnimationFrame)
  return window.readableMs
}"""
BEGINS = "The history begins here"
LOAD_ALL = f"""async () => {{
  const list = document.querySelector('.tl')
  while (!list.textContent.includes('{BEGINS}')) {{
    list.scrollTop = 0
    await new Promise(requestAnimationFrame)
  }}
  list.scrollTop = list.scrollHeight / 2
}}"""
FRAMES = """async count => {
  const list = document.querySelector('.tl')
  const frames = []
  let last = await new Promise(requestAnimationFrame)
  for (let n = 0; n < count; n += 1) {
    list.scrollTop -= 120
    const now = await new Promise(requestAnimationFrame)
    frames.push(now - last)
    last = now
  }
  return frames
}"""
FRAME_COUNT = 600


async def measure(options: Options) -> list[Section]:
    """A room with 10,000 entries and one question, on a slow phone and on a PC."""
    token = secrets.token_hex(16)
    async with relay(options.folder / "data") as process, async_playwright() as playwright:
        address = f"http://{process.address.http}/?token={token}"
        port = int(process.address.grpc.rpartition(":")[2])
        async with asker(port, token) as agent:
            await _fill(agent)
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
            readable = [await _readable_ms(browser, address) for _ in range(options.rounds)]
            frames = await _frames_ms(browser, address)
            await browser.close()
    section = Section(f"the page in a room of {ENTRIES:,} entries")
    what = f"first card readable, CPU {SLOW_DOWN}x slower"
    section.add(what, statistics.median(readable) / 1000, "s", "2")
    section.add("frame while scrolling, p50", statistics.median(frames), "ms")
    section.add("frame while scrolling, p95", statistics.quantiles(frames, n=20)[-1], "ms", "33")
    return [section]


async def _fill(agent: Asker) -> None:
    for start in range(0, ENTRIES, AT_ONCE):
        await agent.say(
            *(f"Step **{n}** of many, `{n * 37}` rows." for n in range(start, start + AT_ONCE))
        )
    await agent.ask(QUESTION)


async def _opened(browser: Browser, address: str, kind: str, slow_down: int) -> Page:
    look = LOOKS["phone" if kind == "phone" else "pc"]
    context = await browser.new_context(locale="en-GB", **look)
    page = await context.new_page()
    await page.add_init_script(WATCH)
    session = await context.new_cdp_session(page)
    await session.send("Emulation.setCPUThrottlingRate", {"rate": slow_down})
    await page.goto(address)
    await page.locator(".pend .q").wait_for()
    return page


async def _readable_ms(browser: Browser, address: str) -> float:
    page = await _opened(browser, address, "phone", SLOW_DOWN)
    readable: float = await page.evaluate(READABLE)
    await page.context.close()
    return readable


async def _frames_ms(browser: Browser, address: str) -> list[float]:
    """The frames of a scroll through the middle, when all entries are in the page."""
    page = await _opened(browser, address, "pc", 1)
    await page.evaluate(LOAD_ALL)
    frames: list[float] = await page.evaluate(FRAMES, FRAME_COUNT)
    await page.context.close()
    return frames
