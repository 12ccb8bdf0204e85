"""The page as an installed app: kept in the browser, below a path, renewed on demand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect

from tests.browser.devices import BROWSER, on_both
from tests.browser.doorway import doorway
from tests.system.processes import relay

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.asking import Asker
    from tests.browser.devices import Device, Devices, Kind
    from tests.system.processes import Relay

pytestmark = BROWSER

KEPT = """async () => {
  const urls = []
  for (const name of await caches.keys())
    for (const { url } of await (await caches.open(name)).keys()) urls.push(url)
  return urls
}"""
INSTALLED = "() => navigator.serviceWorker.ready.then(({ active }) => active.state === 'activated')"


async def open_installed(
    devices: Devices, kind: Kind, port: int, token: str, path: str = "/"
) -> Device:
    """A device whose browser has kept the page."""
    one = await devices.blank(kind, port, service_workers="allow")
    # What is in front of the relay ends before the browser does.
    one.may_lose_connection = True
    await one.page.goto(f"{one.origin}{path}?token={token}")
    await one.online()
    await is_installed(one)
    return one


async def is_installed(one: Device) -> None:
    """Wait for the service worker: then everything is kept."""
    await one.becomes(INSTALLED)


@on_both
@pytest.mark.requirement("design:page:opens-without-the-relay")
async def test_the_page_opens_without_the_relay_and_keeps_nothing_but_itself(
    token: str, tmp_path: Path, devices: Devices, kind: Kind
) -> None:
    async with relay(tmp_path / "data") as running:
        one = await open_installed(devices, kind, running.http, token)
    await one.page.reload()
    await expect(one.page).to_have_title("LineUp")
    await expect(one.banner).to_contain_text("onnecting")
    # What is loaded when it is asked for is there, too.
    await one.page.goto(f"{one.origin}/#/settings")
    await expect(one.page.get_by_role("heading", name="Settings")).to_be_visible()
    urls = await one.page.evaluate(KEPT)
    assert f"{one.origin}/index.html" in urls
    page = {"index.html", "icon.svg", "licences.json", "manifest.webmanifest"}
    names = {url.removeprefix(f"{one.origin}/") for url in urls}
    assert all(name in page or name.startswith("assets/") for name in names)
    assert token not in json.dumps(urls)


@pytest.mark.requirement("design:page:below-a-path")
async def test_the_page_is_installed_and_answered_from_below_a_path(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    async with doorway(shared.http) as door:
        one = await open_installed(devices, "phone", door.port, token, door.path)
        asked = await agent.ask("Below a path?")
        await one.shows("Below a path?")
        await one.answer("Below a path")
        assert await agent.answer(asked) == "Below a path"
        scope = await one.page.evaluate("navigator.serviceWorker.ready.then(r => r.scope)")
        assert scope == f"{one.origin}{door.path}"
        manifest = await one.page.evaluate(
            "fetch(document.querySelector('link[rel=manifest]').href).then(r => r.json())"
        )
        assert manifest["start_url"] == manifest["scope"] == "./"
        assert "maskable" in {icon.get("purpose") for icon in manifest["icons"]}
        icons = [icon["src"] for icon in manifest["icons"]]
        found = "name => fetch(name).then(r => r.ok && r.headers.get('content-type'))"
        assert all([str(await one.page.evaluate(found, i)).startswith("image/") for i in icons])


@on_both
@pytest.mark.requirement("design:page:renewed-on-demand")
async def test_a_new_version_is_offered_and_drafts_and_queued_answers_survive_it(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    async with doorway(shared.http) as door:
        one = await open_installed(devices, kind, door.port, token, door.path)
        await one.page.reload()
        await one.online()
        asked = await agent.ask("Half written?")
        await one.shows("Half written?")
        await one.box.fill("half a sen")
        await one.page.evaluate("window.sameLoad = true")
        door.release_a_new_page()
        await one.page.evaluate("navigator.serviceWorker.ready.then(r => r.update())")
        offer = one.page.locator(".ban").filter(has_text="A new version is ready")
        await expect(offer).to_be_attached()
        assert await one.page.evaluate("window.sameLoad") is True
        await expect(one.box).to_have_value("half a sen")
        await offer.get_by_role("button", name="Reload").dispatch_event("click")
        await one.page.wait_for_function("() => window.sameLoad === undefined")
        await one.shows("Half written?")
        await expect(one.box).to_have_value("half a sen")
        await expect(offer).to_have_count(0)
        shell = "lineup-shell-" + "f" * 16
        await one.becomes(f"async () => (await caches.keys()).at(-1) === '{shell}'")
        await one.send()
        assert await agent.answer(asked) == "half a sen"


@pytest.mark.requirement("B62")
async def test_over_plain_http_there_is_no_worker_and_settings_say_why(
    shared: Relay, token: str, devices: Devices
) -> None:
    one = await devices.open(
        "phone", shared.http, token, host="192.168.7.7", service_workers="allow"
    )
    assert await one.page.evaluate("'serviceWorker' in navigator") is False
    await one.page.goto(f"{one.origin}/#/settings")
    reasons = one.page.get_by_text("Needs HTTPS. This page was opened over plain http.")
    await expect(reasons).to_have_count(2)
