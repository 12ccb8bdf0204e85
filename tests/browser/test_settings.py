"""What this browser's user chooses, what is kept in the browser, and whose work is in the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.async_api import expect

from lineup_srv import __version__
from lineup_srv.wire._gen.lineup.v1 import websocket_pb2
from tests.browser.asking import question
from tests.browser.devices import BROWSER, on_both
from tests.system.cable import cable

if TYPE_CHECKING:
    from playwright.async_api import WebSocketRoute

    from tests.browser.asking import Asker
    from tests.browser.devices import Devices, Kind
    from tests.system.processes import Relay

pytestmark = BROWSER

PACKAGE = Path(__file__).parents[2] / "web" / "package.json"


async def test_a_draft_is_counted_and_cleared_and_a_queued_answer_is_not(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    async with cable(shared.http) as line:
        one = await devices.open("pc", line.port, token)
        one.may_lose_connection = True
        first, second = await agent.ask("First?"), await agent.ask("Second?")
        await one.shows("First?")
        # What a click may ask for is loaded ahead.
        await one.page.get_by_role("link", name="Settings").click()
        drafts = one.page.locator(".li").filter(has=one.page.get_by_text("Drafts", exact=True))
        await expect(drafts).to_contain_text("none")
        await one.page.get_by_role("link", name="Timeline").click()
        await one.shows("First?")
        line.unplug()
        await expect(one.banner).to_be_visible()
        await one.answer("On its way")
        await expect(one.state("First?")).to_have_text("Not sent, will retry")
        await one.shows("Second?")
        await one.box.fill("half a sentence")
        await one.page.get_by_role("link", name="Settings").click()
        await expect(drafts).to_contain_text("1 draft")
        await drafts.get_by_role("button", name="Clear drafts").click()
        dialog = one.page.get_by_role("dialog")
        await expect(dialog).to_contain_text("on 1 card.")
        await dialog.get_by_role("button", name="Cancel").click()
        await expect(dialog).to_have_count(0)
        await expect(drafts).to_contain_text("1 draft")
        await drafts.get_by_role("button", name="Clear drafts").click()
        await dialog.get_by_role("button", name="Clear drafts").click()
        await expect(drafts).to_contain_text("none")
        await one.page.get_by_role("link", name="Timeline").click()
        await one.shows("Second?")
        await expect(one.box).to_have_value("")
        line.plug_in()
        await one.hears_of_the_network()
        assert await agent.answer(first) == "On its way"
        await one.answer("Whole")
        assert await agent.answer(second) == "Whole"


async def test_single_keys_can_be_switched_off_and_are_listed(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token)
    await agent.ask(question("Which?", "Red", "Blue"))
    await one.shows("Which?")
    await one.page.keyboard.press("?")
    await expect(one.page.get_by_role("heading", name="Keyboard")).to_be_visible()
    await expect(one.page.get_by_text("Choose an option of the open card")).to_be_visible()
    await one.page.get_by_role("switch", name="Single keys").uncheck()
    await expect(one.page.get_by_text("Choose an option of the open card")).to_have_count(0)
    await one.page.get_by_role("link", name="Timeline").click()
    await one.shows("Which?")
    await one.page.keyboard.press("1")
    await one.page.keyboard.press("?")
    await expect(one.card.locator("input:checked")).to_have_count(0)
    await expect(one.card.locator(".kbd")).to_have_count(0)
    # Ctrl+Enter is no single key.
    await one.box.fill("Green")
    await one.box.press("Control+Enter")
    await expect(one.state("Which?")).to_have_text("Sent")


@on_both
async def test_the_page_names_its_licence_and_those_of_its_parts(
    shared: Relay, token: str, devices: Devices, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    await one.page.goto(f"{one.origin}/#/settings")
    await one.page.get_by_role("link", name="Licences").click()
    entries = one.page.locator("details")
    await expect(entries.first).to_contain_text("LineUp")
    names = await entries.locator("summary > .grow").all_inner_texts()
    named = {name.split(" ")[0] for name in names}
    wanted = set(json.loads(PACKAGE.read_text(encoding="utf-8"))["dependencies"])
    # `vue` only passes on what is in @vue/runtime-dom; the build knows the icons' names alone.
    assert wanted - named <= {"@quasar/extras", "vue"}
    vue = entries.filter(has_text="vue-router")
    await vue.locator("summary").click()
    await expect(vue.locator("pre")).to_contain_text("MIT")


@on_both
async def test_another_release_of_the_relay_is_told(
    shared: Relay, token: str, devices: Devices, kind: Kind
) -> None:
    one = await devices.blank(kind, shared.http)
    await one.page.route_web_socket("**/ws", _says_another_version)
    await one.page.goto(f"{one.origin}/?token={token}")
    await one.online()
    told = one.page.get_by_role("status").filter(has_text=f"older than the relay ({__version__}")
    await expect(told).to_contain_text("/ 99.0.0)")
    await one.page.evaluate("window.sameLoad = true")
    await told.get_by_role("button", name="Reload").click()
    await one.page.wait_for_function("() => window.sameLoad === undefined")


def _says_another_version(socket: WebSocketRoute) -> None:
    server = socket.connect_to_server()

    def pass_on(frame: str | bytes) -> None:
        assert isinstance(frame, bytes)
        message = websocket_pb2.WebsocketMessage.FromString(frame)
        if message.HasField("server_info"):
            message.server_info.version = "99.0.0"
        socket.send(message.SerializeToString())

    server.on_message(pass_on)
