"""Code and diagrams in texts of agents: coloured, drawn on demand, copied as they are, harmless."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect

from tests.browser.devices import BROWSER, on_both

if TYPE_CHECKING:
    from tests.browser.asking import Asker
    from tests.browser.devices import Devices, Kind
    from tests.system.processes import Relay

pytestmark = BROWSER

PYTHON = "def f(x: int) -> str:\n\t# why\n    return f\"<b>{x}</b> &amp; 'ü'\"   \n"
DIAGRAMS = {
    "flowchart": "flowchart LR\n  A[Start] --> B{Ok?}\n  B -- no --> A",
    "sequence": "sequenceDiagram\n  Alice->>Bob: Hello\n  Bob-->>Alice: Hi",
    "class": "classDiagram\n  Animal <|-- Duck\n  Duck : +swim()",
    "state": "stateDiagram-v2\n  [*] --> Open\n  Open --> [*]",
    "entities": "erDiagram\n  ORDER ||--o{ LINE : has",
    "gantt": "gantt\n  dateFormat YYYY-MM-DD\n  section A\n  One :a1, 2026-01-01, 3d",
    "pie": 'pie\n  "A" : 40\n  "B" : 60',
    "mindmap": "mindmap\n  root\n    One\n    Two",
    "commits": "gitGraph\n  commit\n  branch b\n  commit",
}
STRIKE = "window.struck=1"
HOSTILE = {
    "options": f"""---
config:
  securityLevel: loose
  htmlLabels: true
  themeCSS: "@import url(//evil.test/a.css); * {{ display: none }}"
---
%%{{init: {{"securityLevel": "loose", "htmlLabels": true, "themeCSS": "* {{ display: none }}"}}}}%%
flowchart TD
  A["<img src=//evil.test/x onerror={STRIKE}>"] --> B["<script>{STRIKE}</script>"]
  B --> C["<svg onload={STRIKE}> <<img src=x onerror={STRIKE}>>"]
""",
    "clicks": f"""flowchart TD
  A --> B --> C
  click A href "javascript:{STRIKE}"
  click B call alert("{STRIKE}")
  click C "https://evil.test/" _blank
""",
    "styles": """flowchart TD
  A --> B
  classDef bad fill:#f00,stroke:url(//evil.test/bg)
  class B bad
""",
    "links": f"""sequenceDiagram
  participant A as <iframe srcdoc="{STRIKE}">
  link A: Evil @ https://evil.test/
  links A: {{"Evil": "javascript:{STRIKE}"}}
  A->>A: <a href="javascript:{STRIKE}">x</a>
""",
    "class": f"""classDiagram
  class Duck {{
    <<interface>>
    +swim(<img src=x onerror={STRIKE}>)
  }}
  link Duck "javascript:{STRIKE}" "tip"
  callback Duck "alert" "tip"
""",
}

# What of a drawing could run, lead somewhere or load something.
ALIVE = r"""image => {
  const text = decodeURIComponent(image.src.slice(image.src.indexOf(',') + 1))
  const drawing = new DOMParser().parseFromString(text, 'image/svg+xml')
  const bad = [...drawing.querySelectorAll('a, script, image, foreignObject, iframe')]
  const attributes = [...drawing.querySelectorAll('*')].flatMap(e => [...e.attributes])
  return [
    ...bad.map(e => e.localName),
    ...attributes.filter(({ name }) => /^on/i.test(name)).map(({ name }) => name),
    ...attributes.filter(({ name, value }) => /href$/.test(name) && !value.startsWith('#')),
    ...[...drawing.querySelectorAll('style')].flatMap(e => e.textContent.match(/@import/g) ?? []),
  ]
}"""


def fenced(language: str, code: str) -> str:
    return f"Look:\n\n```{language}\n{code}\n```"


@on_both
async def test_code_has_colours_and_is_copied_byte_for_byte(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    await one.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await agent.say(fenced("python", PYTHON))
    code = one.entry("Look:").locator("figure")
    await expect(code.locator(".hljs-keyword").first).to_have_text("def")
    keyword = code.locator(".hljs-keyword").first
    light = await keyword.evaluate("e => getComputedStyle(e).color")
    await code.get_by_role("button", name="Copy").click()
    await expect(code.get_by_role("button", name="Copied")).to_be_visible()
    assert await one.page.evaluate("navigator.clipboard.readText()") == PYTHON + "\n"
    await one.page.emulate_media(color_scheme="dark")
    await expect(keyword).not_to_have_css("color", light)


async def test_code_of_an_unknown_language_and_a_difference_are_as_they_were(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token)
    diff = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-old\n+new\n"
    await agent.say(fenced("no-such", "x = 1"), fenced("diff", diff))
    await expect(one.page.locator("figure code").first).to_have_text("x = 1\n")
    await expect(one.page.locator("figure.diff .a")).to_have_text("+new\n")
    await expect(one.page.locator("figure.diff .d")).to_have_text("-old\n")
    await expect(one.page.locator("[class^=hljs]")).to_have_count(0)


@pytest.mark.timeout(120)
async def test_diagrams_are_drawn_when_somebody_wants_to_see_them(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token)
    for name, source in DIAGRAMS.items():
        await agent.say(f"This is {name}\n\n```mermaid\n{source}\n```")
        entry = one.entry(f"This is {name}")
        await expect(entry.locator("pre")).to_be_visible()
        await expect(entry.locator("img")).to_have_count(0)
        await entry.get_by_role("button", name="Show diagram").click()
        picture = entry.locator("img")
        await expect(picture).to_be_visible()
        assert await picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 20
        await expect(entry.locator("pre")).to_be_hidden()
    # Large, and back to the source.
    entry = one.entry("This is commits")
    await entry.get_by_role("button", name="Diagram: show large").click()
    await expect(one.page.get_by_role("dialog").locator("img")).to_be_visible()
    await one.page.keyboard.press("Escape")
    await expect(one.page.get_by_role("dialog")).to_have_count(0)
    await entry.get_by_role("button", name="Show source").click()
    await expect(entry.locator("pre")).to_contain_text("gitGraph")


@pytest.mark.requirement("B35")
async def test_a_hostile_diagram_runs_nothing_and_asks_nobody(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token)
    for name, source in HOSTILE.items():
        await agent.say(f"This is {name}\n\n```mermaid\n{source}```")
        entry = one.entry(f"This is {name}")
        await entry.get_by_role("button", name="Show diagram").click()
        picture = entry.locator("img")
        await expect(picture.or_(entry.get_by_role("status"))).to_be_visible()
        if await picture.count():
            assert await picture.evaluate("i => i.decode().then(() => i.naturalWidth)") > 20
            assert await picture.evaluate(ALIVE) == []
    await expect(one.page.locator("img")).not_to_have_count(0)
    assert await one.page.evaluate("window.struck") is None
    assert one.strangers == []
    await expect(one.page.locator(".dia-w, body > svg, body > style")).to_have_count(0)


async def test_what_is_no_diagram_says_so_and_keeps_its_source(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("phone", shared.http, token)
    await agent.say(fenced("mermaid", "flowchart TD\n  A -->"), fenced("mermaid", "vennDiagram"))
    entries = one.entry("Look:")
    for index in (0, 1):
        await entries.nth(index).get_by_role("button", name="Show diagram").click()
        await expect(entries.nth(index).get_by_role("status")).to_contain_text("no diagram")
        await expect(entries.nth(index).locator("pre")).to_be_visible()


async def test_without_a_connection_a_diagram_waits_and_says_why(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token, service_workers="block")
    one.may_lose_connection = True
    await agent.say(fenced("mermaid", DIAGRAMS["pie"]))
    entry = one.entry("Look:")
    await expect(entry).to_be_visible()
    await one.page.route("**/mermaid-*", lambda route: route.abort())
    await entry.get_by_role("button", name="Show diagram").click()
    await expect(entry.get_by_role("status")).to_contain_text("could not be loaded")
    await one.page.unroute("**/mermaid-*")
    await entry.get_by_role("button", name="Show diagram").click()
    await expect(entry.locator("img")).to_be_visible()
