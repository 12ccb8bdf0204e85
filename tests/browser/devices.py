"""Devices: browser contexts in which the page is open, and what a human does there."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

import pytest
from playwright.async_api import expect

if TYPE_CHECKING:
    from playwright.async_api import (
        Browser,
        BrowserContext,
        ConsoleMessage,
        Error,
        FloatRect,
        Locator,
        Page,
        Request,
    )

__all__ = ["BROWSER", "Device", "Devices", "Kind", "on_both"]

Kind = Literal["phone", "pc"]

BROWSER = [
    pytest.mark.browser,
    pytest.mark.timeout(60),
    # Chromium lives in one loop for all tests.
    pytest.mark.asyncio(loop_scope="session"),
]
on_both = pytest.mark.parametrize("kind", ["phone", "pc"])

PATIENCE_MS = 15_000
expect.set_options(timeout=PATIENCE_MS)
LOOKS: dict[Kind, dict[str, Any]] = {
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "device_scale_factor": 2,
        "has_touch": True,
        "is_mobile": True,
        "user_agent": "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 "
        "(KHTML, like Gecko) Chrome/146.0.0.0 Mobile Safari/537.36",
    },
    "pc": {"viewport": {"width": 1280, "height": 800}},
}
# Chromium itself writes these when a connection fails, and nothing can keep it from doing so; and
# parts of the page that are loaded ahead may be on their way when the connection goes.
NETWORK = re.compile(
    r"WebSocket connection to 'ws://[^']+' failed|net::ERR_"
    r"|Unable to preload CSS|Failed to fetch dynamically imported module"
)

# The same for an answer that the page asked for and puts into words.
REFUSED = re.compile(r"the server responded with a status of 4\d\d ")

# A view is loaded before the router goes there, and drawn at once then.
SHOWN_PATH = """path => document.querySelector('#app').__vue_app__
  ?.config.globalProperties.$router.currentRoute.value.path === path"""
HAS_PART = """part => performance.getEntriesByType('resource')
  .some(({ name, responseEnd }) => name.includes(part) && responseEnd > 0)"""
IS_KEPT = """async ([start, words]) => {
  const result = asked => new Promise(resolve => (asked.onsuccess = () => resolve(asked.result)))
  const database = await result(indexedDB.open('lineup'))
  const range = IDBKeyRange.bound(start, `${start}\\uffff`)
  const all = await result(database.transaction('blobs').objectStore('blobs').getAll(range))
  database.close()
  return all.some(one => (typeof one === 'string' ? one : JSON.stringify(one)).includes(words))
}"""
# Several pictures in a row in which it stood still.
AT_REST = """async part => {
  const place = () => JSON.stringify(part.getBoundingClientRect())
  for (let [before, same] = [place(), 0]; same < 5; before = place()) {
    await new Promise(requestAnimationFrame)
    same = place() === before ? same + 1 : 0
  }
}"""


@dataclass
class Device:
    """A browser that has the page open.

    Args:
        kind: phone or PC.
        page: the tab.
        origin: where the page comes from; nothing else may be asked for anything.
    """

    kind: Kind
    page: Page
    origin: str
    complaints: list[str] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    may_lose_connection: bool = False
    may_be_refused: bool = False
    friends: set[str] = field(default_factory=set)

    @property
    def context(self) -> BrowserContext:
        """Its cookies, storage and network."""
        return self.page.context

    def watch(self) -> None:
        """Collect what the page complains about and what it asks for."""

        def on_console(message: ConsoleMessage) -> None:
            # Playwright's own words: a worker would answer what tests want to see asked for.
            is_blocked = message.text == "Service Worker registration blocked by Playwright"
            if message.type in ("error", "warning") and not is_blocked:
                self.complaints.append(message.text)

        def on_error(error: Error) -> None:
            self.complaints.append(str(error))

        def on_request(request: Request) -> None:
            self.requests.append(request)

        self.page.on("console", on_console)
        self.page.on("pageerror", on_error)
        self.context.on("request", on_request)

    def check(self) -> None:
        """Nothing was wrong."""
        left = [
            text
            for text in self.complaints
            if not (self.may_lose_connection and NETWORK.search(text))
            and not (self.may_be_refused and REFUSED.search(text))
        ]
        assert not left, left
        assert not self.strangers, self.strangers

    @property
    def strangers(self) -> list[str]:
        """What was asked for elsewhere."""
        known = {urlsplit(self.origin).netloc, *self.friends}
        urls = [urlsplit(request.url) for request in self.requests]
        return [
            url.geturl()
            for url in urls
            if url.scheme not in ("data", "blob") and url.netloc not in known
        ]

    # What it shows -----------------------------------------------------------------------------

    @property
    def card(self) -> Locator:
        """The open card."""
        return self.page.locator(".pend")

    @property
    def box(self) -> Locator:
        """The text box of the open card."""
        return self.card.locator("textarea")

    @property
    def dock(self) -> Locator:
        """Where cards wait."""
        return self.page.locator("#dock")

    @property
    def timeline(self) -> Locator:
        """What was asked and answered."""
        return self.page.get_by_role("log", name="Messages")

    @property
    def banner(self) -> Locator:
        """Says that there is no connection."""
        return self.page.locator(".ban")

    def entry(self, words: str) -> Locator:
        """The entry of the timeline with these words."""
        return self.timeline.get_by_role("article").filter(has_text=words)

    def state(self, words: str) -> Locator:
        """How far the answer in that entry has come."""
        return self.entry(words).locator(".st").last

    def option(self, label: str) -> Locator:
        """What a finger would tap to choose an option of the open card."""
        name = re.compile(f"^{re.escape(label)}$")
        either = self.card.get_by_role("radio", name=name).or_(
            self.card.get_by_role("checkbox", name=name)
        )
        return either.locator("xpath=..")

    async def shows(self, words: str) -> None:
        """Wait until the card with these words is open and takes taps."""
        await expect(self.card.locator(".q, .fq").filter(has_text=words).first).to_be_visible()
        await self.is_ready()

    async def online(self) -> None:
        """Wait until it is logged in; the dot is only seen on the PC."""
        await self.page.locator(".side .wm .dot:not(.warn)").wait_for(state="attached")

    async def has_timeline(self) -> None:
        """Wait for the timeline: it is loaded after the card, and only while there is a relay."""
        await self.page.locator(".tl").wait_for(state="attached")

    async def has_part(self, name: str) -> None:
        """Wait until a part that is loaded ahead has come, where a test looks at the clock."""
        await self.page.wait_for_function(HAS_PART, arg=f"/{name}-")

    async def is_ready(self) -> None:
        """Wait until the open card takes taps."""
        await expect(self.card).to_have_attribute("data-ready", "true")

    async def becomes(self, condition: str, arg: object = None) -> None:
        """Wait until what the browser answers later is true.

        Playwright's own `wait_for_function` looks once at a promise, and lets everything pass.

        Args:
            condition: source of a function that returns a promise.
            arg: what it is given.
        """
        async with asyncio.timeout(PATIENCE_MS / 1000):
            await self.page.evaluate(
                f"""async (arg) => {{
                  while (!(await ({condition})(arg))) await new Promise(requestAnimationFrame)
                }}""",
                arg,
            )

    async def keeps(self, start: str, words: str) -> None:
        """Wait until the browser has written something down; a reload may be quicker than that.

        Args:
            start: of its key.
            words: what must be in it.
        """
        await self.becomes(IS_KEPT, [start, words])

    async def stop_time(self) -> None:
        """From now on nothing on the page runs out, until `page.clock.resume`."""
        await self.page.clock.install()
        now_ms = await self.page.evaluate("Date.now()")
        # The clock goes on until it is told to stop, which must not be in its past.
        await self.page.clock.pause_at(now_ms / 1000 + 60)

    async def at_rest(self, part: Locator) -> FloatRect:
        """Where a part stands, once neither it nor what is around it moves any more."""
        async with asyncio.timeout(PATIENCE_MS / 1000):
            await part.evaluate(AT_REST)
        box = await part.bounding_box()
        assert box is not None
        return box

    async def hears_of_the_network(self) -> None:
        """Let the browser say that there is a network again; by itself the page tries less often.

        Tests unplug a cable. With Playwright's `set_offline` Chromium holds back what still came on
        a WebSocket, and behind it that it has ended.
        """
        await self.page.evaluate("dispatchEvent(new Event('online'))")

    # What the human does -----------------------------------------------------------------------

    async def send(self) -> None:
        """Send what is written: by its button on the phone, by its keys on the PC."""
        if self.kind == "phone":
            await self.card.get_by_role("button", name="Send", exact=True).tap()
        else:
            await self.box.press("Control+Enter")

    async def answer(self, words: str) -> None:
        """Write an answer and send it."""
        await self.box.fill(words)
        await self.send()

    async def visit(self, path: str) -> None:
        """Go to another view by its address; returns when that one is shown, not the one before."""
        await self.page.goto(f"{self.origin}/#/{path}")
        await self.page.wait_for_function(SHOWN_PATH, arg=f"/{path}")

    async def choose_in_menu(self, name: str) -> None:
        """Open the card's menu and choose."""
        await self.card.get_by_role("button", name="Dismiss, done and other actions").click()
        await self.page.locator(".sheet .mi").filter(has_text=re.compile(f"^{name}")).click()


class Devices:
    """Opens devices and closes them.

    Args:
        browser: running.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._opened: list[Device] = []

    async def blank(self, kind: Kind, port: int, *, host: str = "127.0.0.1", **look: Any) -> Device:
        """A device that has not opened the page yet."""
        context = await self._browser.new_context(
            **({"locale": "en-GB", "service_workers": "block"} | LOOKS[kind] | look)
        )
        context.set_default_timeout(PATIENCE_MS)
        one = Device(kind, await context.new_page(), f"http://{host}:{port}")
        one.watch()
        self._opened.append(one)
        return one

    async def open(
        self,
        kind: Kind,
        port: int,
        token: str,
        *,
        name: str = "",
        host: str = "127.0.0.1",
        **look: Any,
    ) -> Device:
        """A device that is logged in.

        Args:
            kind: phone or PC.
            port: the relay's HTTP port, or that of a cable to it.
            token: the room's.
            name: its nickname; empty for the browser's own.
            host: under which name or address it knows this machine.
            look: further options of the browser context.
        """
        one = await self.blank(kind, port, host=host, **look)
        if name:
            await one.context.add_init_script(
                "localStorage.getItem('lineup.settings') ?? localStorage.setItem("
                f"'lineup.settings', JSON.stringify({{nickname: '{name}'}}))"
            )
        await one.page.goto(f"{one.origin}/?token={token}")
        await one.online()
        return one

    async def close(self) -> None:
        """Close all of them."""
        for one in self._opened:
            await one.context.close()

    def check(self) -> None:
        """Nothing was wrong on any of them."""
        for one in self._opened:
            one.check()
