"""What an agent writes is foreign: it may neither run, nor lead astray, nor call anybody."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect

from tests.browser.asking import picture, question
from tests.browser.devices import BROWSER, on_both
from tests.system.processes import poll

if TYPE_CHECKING:
    from playwright.async_api import Dialog, Locator, Page, Request

    from tests.browser.asking import Asker
    from tests.browser.devices import Device, Devices, Kind
    from tests.system.processes import Relay

pytestmark = BROWSER

STRIKE = "window.struck=1;alert(localStorage.getItem('lineup.token'))"
HTML = f"""
Before <img src=x onerror="{STRIKE}"> <script>{STRIKE}</script>
<svg onload="{STRIKE}"><script>{STRIKE}</script></svg>
<iframe srcdoc="<script>parent.struck=1</script>" src="//evil.test/frame"></iframe>
<object data="//evil.test/o"></object><embed src="//evil.test/e"><base href="//evil.test/">
<a href="javascript:{STRIKE}" onclick="{STRIKE}">raw</a>
<form action="//evil.test/f"><button formaction="javascript:{STRIKE}">go</button></form>
<style>@import url(//evil.test/s.css); * {{ display: none }}</style>
<math><mtext></mtext><mglyph><style><!--</style><img title="--&gt;&lt;img src onerror={STRIKE}&gt;">
<div style="position:fixed;inset:0;background:url(//evil.test/b)">cover</div>
<link rel="stylesheet" href="//evil.test/l.css"><meta http-equiv="refresh" content="0;//evil.test">
After
"""
# Each is dead: no link at all, or one that leads nowhere.
DEAD = [
    f"[x](javascript:{STRIKE})",
    f"[x](JaVaScRiPt:{STRIKE})",
    f"[x](  javascript:{STRIKE})",
    f"[x](java&#10;script:{STRIKE})",
    f"[x](java&Tab;script:{STRIKE})",
    f"[x](&#106;avascript:{STRIKE})",
    f"[x](vbscript:{STRIKE})",
    f"[x](data:text/html,<script>{STRIKE}</script>)",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](data:image/svg+xml;base64,PHN2Zy8+)",
    "[x](file:///etc/passwd)",
    "[x](//evil.test/relative)",
    "[x](/files/any)",
    "[x](blob:127.0.0.1/1)",
    f"<javascript:{STRIKE}>",
    "<data:text/html,x>",
    f"[x]\n\n[x]: javascript:{STRIKE}",
    f"![x](javascript:{STRIKE})",
    "![x](data:image/svg+xml,<svg/onload=alert(1)>)",
]
NESTED = {
    "quotes": ">" * 20_000 + " deep",
    "lists": "".join(f"{' ' * (2 * n)}- {n}\n" for n in range(220)),
    "emphasis": "*a_" * 15_000,
    "brackets": "[" * 30_000,
    # More of it in one word takes HarfBuzz seconds in some fonts, on any page.
    "links": "[a](" * 1_000,
    "pictures": "![" * 20_000,
    "ticks": "".join("`" * n + " " for n in range(1, 300)),
    "tables": "|a" * 2_000 + "|\n" + "|-" * 2_000 + "|\n" + "|b" * 2_000 + "|",
    "one word": "W" * 90_000,
    "right to left": "‮" * 2_000 + "evil",
}
# The icon of the page's own button is no part of what was written.
INSIDE = """root => ({
  tags: [...root.querySelectorAll('*:not(.more-l *)')].map(e => e.localName).filter(n =>
    ['script', 'iframe', 'object', 'embed', 'base', 'form', 'style', 'link', 'meta', 'math',
     'svg', 'img', 'input'].includes(n)),
  handlers: [...root.querySelectorAll('*')].flatMap(e => [...e.attributes])
    .filter(a => /^on|^style$|^srcdoc$|^formaction$/i.test(a.name)).map(a => a.name),
  links: [...root.querySelectorAll('[href], [src]')].map(e => e.href || e.src),
})"""
HARMLESS: dict[str, list[str]] = {"tags": [], "handlers": [], "links": []}


class Watched:
    """A device on which every dialog and every call to a stranger is kept.

    Args:
        one: the device.
    """

    def __init__(self, one: Device) -> None:
        self.one = one
        self.dialogs: list[str] = []
        self.others: list[Page] = []

    async def start(self) -> None:
        """From now on."""

        async def dismiss(dialog: Dialog) -> None:
            self.dialogs.append(dialog.message)
            await dialog.dismiss()

        self.one.page.on("dialog", dismiss)
        self.one.context.on("page", lambda page: self.others.append(page))

    async def is_unharmed(self, text: Locator) -> None:
        """Nothing ran, nothing was asked for, and the text holds nothing that could."""
        for more in await text.get_by_role("button", name="Show more").all():
            await more.click()
        assert await text.evaluate(INSIDE) == HARMLESS
        assert await self.one.page.evaluate("window.struck") is None
        assert self.dialogs == []
        assert self.others == []
        assert self.one.strangers == []
        assert self.one.complaints == []


@on_both
@pytest.mark.requirement("B34")
async def test_markup_stays_text_wherever_an_agent_can_put_it(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    watched = Watched(one)
    await watched.start()
    await agent.ask(
        question(HTML, f"{HTML}|{HTML}", "plain", header="<img src=x onerror=1>"), name=HTML[:200]
    )
    await one.shows("Before <img src=x")
    await expect(one.card.locator(".q")).to_contain_text("After")
    await watched.is_unharmed(one.card.locator(".q"))
    await watched.is_unharmed(one.card.locator(".opt .lb").first)

    # The timeline, ended cards, reports and forms have templates of their own.
    await one.answer(HTML)
    await one.entry("Before <img src=x").get_by_role("button", name="Show 2 options").click()
    await watched.is_unharmed(one.entry("Before <img src=x").locator(".it-b"))
    await watched.is_unharmed(one.entry("Before <img src=x").locator(".say"))
    await watched.is_unharmed(one.entry("Before <img src=x").locator(".it-o"))
    asked = await agent.ask(HTML)
    await one.shows("Before <img src=x")
    # Without words the card goes by itself after a while.
    await one.box.fill("well")
    await agent.cancel(asked, HTML[:300])
    await expect(one.card.get_by_role("status")).to_contain_text("Withdrawn by")
    await one.is_ready()
    await watched.is_unharmed(one.card.locator("h2"))
    await one.card.get_by_role("button", name="Close").click()
    withdrawn = one.entry("Withdrawn by Claude Code")
    await expect(withdrawn).to_contain_text("<script>")
    await watched.is_unharmed(withdrawn.locator(".it-b"))
    await watched.is_unharmed(withdrawn.locator(".out span"))
    await agent.report(HTML)
    await one.shows("Before <img src=x")
    await watched.is_unharmed(one.card.locator(".q"))
    await one.card.get_by_role("button", name="Confirm", exact=True).click()
    await expect(one.card).to_have_count(0)
    await agent.ask(question(HTML, HTML[:100]), question(HTML), name=HTML[:200])
    await one.shows("Before <img src=x")
    await watched.is_unharmed(one.card.locator(".fq-q").first)
    await watched.is_unharmed(one.card.locator(".tag, .opt").first.locator("span").nth(1))


@pytest.mark.requirement("B35")
async def test_links_that_would_run_something_are_dead(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token)
    watched = Watched(one)
    await watched.start()
    await agent.ask("Dead\n\n" + "\n\n".join(DEAD))
    await one.shows("Dead")
    texts = one.card.locator(".q p")
    assert await texts.count() >= len(DEAD) - 1
    for link in await one.card.locator(".q a").all():
        await link.click()
    await watched.is_unharmed(one.card.locator(".q"))


@pytest.mark.requirement("B35")
async def test_links_show_their_host_and_tell_nobody_where_they_come_from(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token)
    await agent.ask(
        "See [the bank](https://evil.test/login), https://plain.test/x, <https://auto.test>, "
        "[https://good.test](https://evil2.test/), [mail](mailto:a@b.test) and README.md or a.rs, "
        '[odd](https://odd.test/"onmouseover="alert) '
    )
    await one.shows("See the bank")
    links = one.card.locator(".q a")
    found = await links.evaluate_all("all => all.map(a => [a.href, a.rel, a.target])")
    assert found == [
        [href, "noopener noreferrer", "_blank"]
        for href in (
            "https://evil.test/login",
            "https://plain.test/x",
            "https://auto.test/",
            "https://evil2.test/",
            "mailto:a@b.test",
            "https://odd.test/%22onmouseover=%22alert",
        )
    ]
    hosts = one.card.locator(".q .host")
    await expect(hosts).to_have_text(["evil.test", "evil2.test", "odd.test"])


@pytest.mark.requirement("B34")
async def test_a_picture_from_elsewhere_is_not_loaded(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token)
    watched = Watched(one)
    await watched.start()
    await agent.ask("Look: ![a chart](https://evil.test/pixel.png?who=me)")
    await one.shows("Look:")
    button = one.card.get_by_role("button", name="Load picture from evil.test")
    await expect(button).to_be_visible()
    await watched.is_unharmed(one.card.locator(".q"))

    # The page's own policy forbids it even then; what remains is a link.
    await button.click()
    link = one.card.get_by_role("link", name="Open picture in a new tab")
    await expect(link).to_have_attribute("rel", "noopener noreferrer")
    # Both are told beside what the page shows.
    await poll(lambda: _has(one.complaints))
    (complaint,) = one.complaints
    assert "img-src" in complaint
    one.complaints.clear()
    # Chromium announces the request that its policy then stops.
    asked = [request for request in one.requests if "evil" in request.url]
    await poll(lambda: _all_ended(asked))
    assert {request.failure for request in asked} <= {"csp"}
    one.friends.add("evil.test")


async def _has(found: list[str]) -> bool:
    return bool(found)


async def _all_ended(requests: list[Request]) -> bool:
    return all(request.failure for request in requests)


@pytest.mark.requirement("B34")
async def test_contents_that_are_no_pictures_are_not_shown_as_such(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token)
    watched = Watched(one)
    await watched.start()
    await agent.ask(
        "Pictures?",
        contents=[
            picture("PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+", "image/svg+xml"),
            picture("PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==", "text/html"),
        ],
    )
    await one.shows("Pictures?")
    await expect(one.card.locator("img")).to_have_count(0)
    await watched.is_unharmed(one.card.locator(".q"))


@pytest.mark.requirement("B34")
async def test_deep_nesting_neither_hangs_the_page_nor_hides_the_answer(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("phone", shared.http, token)
    for name, text in NESTED.items():
        asked = await agent.ask(f"{text}\n\nEnd of {name}")
        await one.shows(f"End of {name}")
        assert await one.page.evaluate("document.documentElement.scrollWidth") == 390
        await one.answer(name)
        assert await agent.answer(asked) == name
        await agent.has(asked)


@pytest.mark.requirement("B34")
async def test_what_another_device_writes_stays_text(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    writer = await devices.open("pc", shared.http, token, name="<img src=x>")
    one = await devices.open("phone", shared.http, token)
    watched = Watched(one)
    await watched.start()
    await agent.ask("Anything?")
    await writer.shows("Anything?")
    await writer.answer(HTML)
    say = one.entry("Anything?").locator(".say")
    await expect(say).to_contain_text("<script>")
    await watched.is_unharmed(say)
    await expect(one.entry("Anything?")).to_contain_text("<img src=x>")
