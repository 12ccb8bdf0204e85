"""The token: it opens the room and is seen nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect

from tests.browser.devices import BROWSER, on_both
from tests.system.processes import relay

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.asking import Asker
    from tests.browser.devices import Devices, Kind
    from tests.system.processes import Relay

pytestmark = BROWSER

STORED = "() => Object.entries(localStorage)"


@on_both
@pytest.mark.requirement("design:security:token-is-not-shown")
async def test_the_token_leaves_the_address_at_once_and_is_seen_nowhere(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.blank(kind, shared.http)
    sockets: list[str] = []
    one.page.on("websocket", lambda socket: sockets.append(socket.url))
    # At every script that runs later than the very first line, the address is already clean.
    await one.page.goto(f"{one.origin}/?token={token}", wait_until="commit")
    await one.online()
    assert token not in one.page.url
    await agent.ask("Anything?")
    await one.shows("Anything?")
    await one.page.goto(f"{one.origin}/#/people")
    await one.page.goto(f"{one.origin}/#/settings")
    await one.page.reload()
    await one.online()
    assert token not in one.page.url
    assert token not in await one.page.content()
    keys = [key for key, value in await one.page.evaluate(STORED) if value != token]
    assert not [key for key in keys if token in key]
    assert len(sockets) == 2
    assert not [url for url in sockets if token in url]

    first, *later = one.requests
    assert first.url.endswith(f"?token={token}")
    assert len(later) > 3
    for request in later:
        assert token not in request.url
        assert token not in str(await request.all_headers())
        assert not (await request.all_headers()).get("referer")


async def test_a_page_that_a_link_leads_to_learns_nothing(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token)
    one.friends.add("elsewhere.test")
    await one.context.route(
        "http://elsewhere.test/**",
        lambda route: route.fulfill(content_type="text/html", body="<title>Elsewhere</title>"),
    )
    await agent.ask("See http://elsewhere.test/doc")
    await one.shows("See")
    async with one.context.expect_page() as opening:
        await one.card.get_by_role("link").click()
    other = await opening.value
    await expect(other).to_have_title("Elsewhere")
    # The page meanwhile loads more of itself.
    [request] = [sent for sent in one.requests if sent.url == "http://elsewhere.test/doc"]
    headers = await request.all_headers()
    assert not headers.get("referer")
    assert token not in str(headers)
    assert await other.evaluate("[window.opener, document.referrer]") == [None, ""]


@on_both
@pytest.mark.requirement("seed002:login:wrong-token-is-refused")
async def test_a_wrong_token_is_told_so_and_the_right_one_signs_in(
    token: str, tmp_path: Path, devices: Devices, kind: Kind
) -> None:
    async with relay(tmp_path / "relay", token=token) as server:
        one = await devices.blank(kind, server.http)
        await one.page.goto(f"{one.origin}/?token={token[::-1]}")
        await expect(one.page.get_by_role("alert")).to_have_text(
            "The relay did not accept this token."
        )
        await expect(one.page.get_by_role("heading")).to_have_text("This device is signed out")
        # The reload below may cut off what is loaded ahead.
        one.may_lose_connection = True
        await one.page.get_by_label("Token").fill(f" {token}\n")
        await one.page.get_by_role("button", name="Sign in").click()
        await one.online()
        await one.page.reload()
        await one.online()


async def test_forgetting_leaves_nothing_in_the_browser(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token)
    await agent.ask("Anything?")
    await one.shows("Anything?")
    await one.box.fill("a draft")
    await one.page.get_by_role("link", name="Settings").click()
    await one.page.get_by_role("button", name="Forget", exact=True).click()
    await one.page.get_by_role("button", name="Forget this browser").click()
    await expect(one.page.get_by_label("Token")).to_be_visible()
    stored = await one.page.evaluate(STORED)
    assert token not in str(stored)
    assert "draft" not in str(stored)
