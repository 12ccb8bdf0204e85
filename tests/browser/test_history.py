"""Looking for something that was said, also in what is only in the relay's log, and keeping it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from playwright.async_api import expect

from tests.browser.asking import asker, question
from tests.browser.devices import BROWSER, on_both
from tests.browser.test_accessible import is_accessible
from tests.browser.test_look import fits
from tests.system.cable import cable

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.async_api import Locator

    from tests.browser.asking import Asker
    from tests.browser.devices import Device, Devices, Kind
    from tests.system.cable import Cable
    from tests.system.processes import Relay

pytestmark = BROWSER


def hits(one: Device) -> Locator:
    """What was found."""
    return one.page.locator(".hit")


async def open_history(one: Device) -> Locator:
    """By a tap on the phone, by its keys on the PC; gives the field."""
    if one.kind == "phone":
        await one.page.get_by_role("link", name="Search the history").tap()
    else:
        await one.page.keyboard.press("Control+k")
    field = one.page.get_by_role("searchbox", name="Search the history")
    await expect(field).to_be_visible()
    return field


@on_both
async def test_an_entry_is_found_by_words_and_filters_and_opened_where_it_stands(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    async with asker(shared.grpc, token) as other:
        asked = await agent.ask(question("Which index for `orders`?", "Now", "Tonight at 03:00"))
        await one.shows("Which index")
        await one.answer("GRÜNDLICH please")
        await agent.outcome(asked)
        await agent.cancel(await agent.ask("Withdrawn index?"), "no need")
        await other.ask("Backup of 11 GB?", name="opencode")
    await agent.say("The index is there")
    if kind == "phone":
        await expect(one.page.get_by_role("button", name="Fold")).to_be_visible()
        await one.page.goto(f"{one.origin}/#/people")
        await one.page.get_by_role("link", name="History").tap()
        field = one.page.get_by_role("searchbox")
    else:
        field = await open_history(one)
        await expect(field).to_be_focused()
    await expect(hits(one)).to_have_count(4)
    await is_accessible(one)
    await fits(one)

    await field.fill("INDEX")
    await expect(hits(one)).to_have_count(3)
    await expect(one.page.get_by_text("3 entries", exact=True)).to_be_visible()
    await expect(one.page.get_by_text("All that the relay keeps was searched.")).to_be_visible()
    await expect(hits(one).filter(has_text="orders").locator("mark")).to_have_text("index")
    await field.fill("gründlich tonight")
    await expect(hits(one)).to_have_count(1)
    await expect(hits(one)).to_contain_text("Answered")

    # The words are in the address: a reload asks the same.
    await one.page.reload()
    await expect(hits(one)).to_have_count(1)
    await one.page.get_by_role("button", name="Clear").click()
    await expect(hits(one)).to_have_count(4)
    await one.page.get_by_label("Agent", exact=True).select_option("opencode")
    await expect(hits(one)).to_have_count(1)
    await one.page.get_by_label("Agent", exact=True).select_option("All agents")
    await one.page.get_by_label("State or kind").select_option("Withdrawn")
    await expect(hits(one)).to_contain_text(["Withdrawn index?"])
    await one.page.get_by_label("Project").select_option("shop-api")
    await expect(hits(one)).to_have_count(1)
    await one.page.get_by_label("State or kind").select_option("Message")
    await expect(hits(one)).to_contain_text(["The index is there"])
    await one.page.get_by_role("searchbox").fill("nowhere")
    await expect(one.page.get_by_text("Nothing found for “nowhere”")).to_be_visible()
    await is_accessible(one)

    await one.page.get_by_role("button", name="Clear").click()
    await one.page.get_by_role("searchbox").fill("orders")
    await expect(hits(one)).to_have_count(1)
    await one.page.keyboard.press("ArrowDown")
    await expect(hits(one).first).to_be_focused()
    await one.page.keyboard.press("Enter")
    await expect(one.page.locator("article:focus")).to_contain_text("Which index for")


@on_both
async def test_a_search_goes_on_in_the_log_and_says_how_far_it_got(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    await agent.say("The needle")
    await agent.say(*(f"Straw {number}" for number in range(700)))
    await agent.say("The last")
    one = await devices.open(kind, shared.http, token)
    await expect(one.entry("The last")).to_be_visible()
    field = await open_history(one)
    await expect(one.page.get_by_text("entries so far")).to_be_visible()
    await field.fill("needle")
    await expect(hits(one)).to_have_count(1)
    await expect(one.page.get_by_text("All that the relay keeps was searched.")).to_be_visible()
    await hits(one).click()
    await expect(one.entry("The needle")).to_be_in_viewport()


async def test_without_a_connection_the_search_says_that_it_is_not_all(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    await agent.say(*(f"Straw {number}" for number in range(500)))
    await agent.say("The last")
    async with cable(shared.http) as line:
        await _search_without_connection(line, token, devices)


async def _search_without_connection(line: Cable, token: str, devices: Devices) -> None:
    one = await devices.open("pc", line.port, token)
    one.may_lose_connection = True
    await expect(one.entry("The last")).to_be_visible()
    # What a click may ask for is loaded ahead.
    await open_history(one)
    await one.page.get_by_role("link", name="Timeline").click()
    line.hold_up()
    line.cut()
    await expect(one.banner).to_be_visible()
    field = await open_history(one)
    await field.fill("nothing like that")
    await expect(one.page.get_by_text("Nothing found for")).to_be_visible()
    await expect(one.page.get_by_text("Older entries need the connection.")).to_be_visible()
    await is_accessible(one)
    line.cut()
    line.release()
    await one.hears_of_the_network()
    await expect(one.page.get_by_text("All that the relay keeps was searched.")).to_be_visible()


@on_both
async def test_the_history_is_kept_as_a_file_without_anything_that_opens_something(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind, tmp_path: Path
) -> None:
    await agent.say("The first")
    await agent.say(*(f"Straw {number}" for number in range(450)))
    one = await devices.open(kind, shared.http, token)
    asked = await agent.ask(question("Ship **it**?", "Yes", "No"))
    await one.shows("Ship it?")
    await one.answer("Yes, but\nlater")
    await agent.outcome(asked)
    await expect(one.entry("Ship it?").locator(".say")).to_be_visible()
    await open_history(one)
    for name, form in (("Markdown", "md"), ("JSON", "json")):
        await one.page.get_by_role("button", name="Export").click()
        await expect(one.page.get_by_role("dialog", name="Export")).to_be_visible()
        await is_accessible(one)
        async with one.page.expect_download() as started:
            await one.page.locator(".mi").filter(has_text=name).click()
        download = await started.value
        assert download.suggested_filename.startswith("lineup-history-")
        assert download.suggested_filename.endswith(f".{form}")
        await download.save_as(tmp_path / form)
        await expect(one.page.get_by_text("452 entries exported")).to_be_visible()
    markdown = (tmp_path / "md").read_text()
    assert markdown.startswith("# LineUp history\n\n452 entries")
    assert "Ship **it**?\n\n- Yes\n- No\n" in markdown
    assert "> Yes, but\n> later" in markdown
    assert markdown.index("The first") < markdown.index("Straw 44") < markdown.index("Ship")
    kept = json.loads((tmp_path / "json").read_text())
    assert (kept["format"], kept["complete"], len(kept["entries"])) == ("lineup-history", True, 452)
    assert kept["entries"][-1]["answer"]["text"] == "Yes, but\nlater"
    for text in (markdown, json.dumps(kept)):
        assert token not in text
        assert "files/" not in text


@on_both
async def test_a_part_that_cannot_be_loaded_says_so_and_can_be_tried_again(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    await agent.say("The last")
    one = await devices.blank(kind, shared.http, service_workers="block")
    one.may_lose_connection = True
    await one.page.route("**/HistoryPage-*", lambda route: route.abort())
    await one.page.goto(f"{one.origin}/?token={token}")
    await expect(one.entry("The last")).to_be_visible()
    await one.page.get_by_role("link", name="Search the history").click()
    notice = one.page.get_by_role("status").filter(has_text="could not be loaded")
    await expect(notice).to_be_visible()
    await one.page.unroute("**/HistoryPage-*")
    await notice.get_by_role("button", name="Try again").click()
    await expect(one.page.get_by_role("searchbox")).to_be_visible()
    await expect(notice).to_have_count(0)
    # The browser says that a file did not come; the page itself complains of nothing.
    assert all("net::ERR" in text for text in one.complaints), one.complaints
