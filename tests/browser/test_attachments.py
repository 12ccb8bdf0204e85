"""Pictures and files beside an answer: seen before they go, and never lost on the way."""

from __future__ import annotations

import base64
import secrets
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect

from tests.browser.asking import asker
from tests.browser.devices import BROWSER, on_both
from tests.browser.test_files import png
from tests.system.cable import cable
from tests.system.processes import relay

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.async_api import FilePayload, Locator

    from tests.browser.asking import Asker
    from tests.browser.devices import Device, Devices, Kind
    from tests.system.processes import Relay

pytestmark = BROWSER

PASTE = """async (box, [base64, type]) => {
  const bytes = Uint8Array.from(atob(base64), c => c.charCodeAt(0))
  const data = new DataTransfer()
  data.items.add(new File([bytes], '', { type }))
  const init = { clipboardData: data, bubbles: true, cancelable: true }
  const event = new ClipboardEvent('paste', init)
  box.dispatchEvent(event)
}"""

# How many attachments outlive a reload.
KEPT = """async count => {
  const result = asked => new Promise(resolve => (asked.onsuccess = () => resolve(asked.result)))
  const database = await result(indexedDB.open('lineup'))
  const keys = await result(database.transaction('blobs').objectStore('blobs').getAllKeys())
  database.close()
  return keys.length === count
}"""


def log(size: int = 4_000) -> FilePayload:
    """A text that no compression makes smaller."""
    return {"name": "build.log", "mimeType": "text/plain", "buffer": secrets.token_bytes(size)}


async def pick(
    one: Device, source: str, files: Path | list[FilePayload], *, place: Locator | None = None
) -> dict[str, str | None]:
    """Choose files as a human does; gives how the browser was asked for them.

    Args:
        one: the device.
        source: what to choose in the menu.
        files: what to choose then.
        place: where the button is; the open card if it is left out.
    """
    await (place or one.card).get_by_role("button", name="Attach", exact=True).click()
    item = one.page.locator(".sheet .mi").filter(has_text=source)
    async with one.page.expect_file_chooser() as choosing:
        await item.click()
    chooser = await choosing.value
    asked = {name: await chooser.element.get_attribute(name) for name in ("accept", "capture")}
    await chooser.set_files(files)
    return asked


@on_both
@pytest.mark.requirement("B90")
async def test_what_was_picked_and_pasted_is_listed_before_it_goes_and_one_can_be_cancelled(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    asked = await agent.ask("What does it say?")
    await one.shows("What does it say?")
    picture: FilePayload = {"name": "screen.png", "mimeType": "image/png", "buffer": png()}
    assert await pick(one, "Photos", [picture]) == {"accept": "image/*", "capture": None}
    kept = log()
    assert await pick(one, "File", [kept, {**log(), "name": "wrong.log"}]) == {
        "accept": "",
        "capture": None,
    }
    listed = one.card.get_by_role("list", name="Attached").get_by_role("listitem")
    await expect(listed).to_have_count(3)
    await expect(listed.filter(has_text="build.log")).to_contain_text("4 kB")
    await one.card.get_by_role("button", name="Remove wrong.log").click()
    await expect(listed).to_have_count(2)
    # It outlives a reload, as words do, once the browser has written it down.
    await one.becomes(KEPT, 2)
    await one.page.reload()
    await one.shows("What does it say?")
    await expect(listed).to_have_count(2)
    await one.answer("See for yourself")
    outcome = await agent.outcome(asked)
    words, image, file = outcome.contents
    assert words.text.text == "See for yourself"
    assert image.image.mime_type == "image/png"
    assert file.embedded_resource.data == kept["buffer"]


@pytest.mark.requirement("B90")
async def test_a_phone_offers_its_camera_and_takes_a_pasted_picture(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("phone", shared.http, token)
    asked = await agent.ask("Show me")
    await one.shows("Show me")
    photo: FilePayload = {"name": "photo.png", "mimeType": "image/png", "buffer": png()}
    assert await pick(one, "Take photo", [photo]) == {"accept": "image/*", "capture": "environment"}
    await one.box.evaluate(PASTE, [base64.b64encode(png()).decode(), "image/png"])
    await expect(
        one.card.get_by_role("listitem").filter(has=one.page.get_by_role("img"))
    ).to_have_count(2)
    await one.send()
    assert [c.image.mime_type for c in (await agent.outcome(asked)).contents] == ["image/png"] * 2


@pytest.mark.requirement("B90")
async def test_what_is_too_large_is_refused_before_it_is_sent(
    token: str, tmp_path: Path, devices: Devices
) -> None:
    small = {"FRAME_BYTES": 1024 * 1024}
    async with (
        relay(tmp_path / "data", token=token, limits=small) as running,
        asker(running.grpc, token) as agent,
    ):
        one = await devices.open("pc", running.http, token)
        one.may_lose_connection = True  # its relay ends first
        asked = await agent.ask("How large?")
        await one.shows("How large?")
        await pick(one, "File", [{**log(800_000), "name": "core.dump"}])
        alert = one.card.get_by_role("alert")
        await expect(alert).to_contain_text("core.dump is 800 kB; the limit is 524 kB.")
        await expect(one.card.get_by_role("list", name="Attached")).to_have_count(0)
        await one.answer("Too large")
        assert await agent.answer(asked) == "Too large"


@pytest.mark.requirement("B90", "B01")
async def test_an_upload_says_how_far_it_is_and_starts_again_after_a_break(
    shared: Relay, token: str, tmp_path: Path, devices: Devices, agent: Asker
) -> None:
    large = secrets.token_bytes(16 * 1024 * 1024)
    (tmp_path / "build.log").write_bytes(large)
    async with cable(shared.http) as line:
        one = await devices.open("phone", line.port, token)
        one.may_lose_connection = True
        asked = await agent.ask("The log?")
        await one.shows("The log?")
        await pick(one, "File", tmp_path / "build.log")
        await expect(one.card.get_by_role("listitem")).to_have_count(1)
        await one.has_timeline()
        line.hold_up()
        await one.answer("Here it is")
        await expect(one.state("The log?")).to_contain_text("%")
        line.cut()
        line.release()
        await expect(one.state("The log?")).to_have_text("Sent")
        outcome = await agent.outcome(asked)
        assert outcome.contents[1].embedded_resource.data == large


@pytest.mark.requirement("B62")
async def test_over_plain_http_voice_is_hidden_and_the_menu_says_why(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("phone", shared.http, token, host="192.168.7.7")
    await agent.ask("Say it?")
    await one.shows("Say it?")
    await expect(one.card.get_by_role("button", name="Record a voice note")).to_have_count(0)
    await one.card.get_by_role("button", name="Attach", exact=True).click()
    await expect(one.page.get_by_role("dialog")).to_contain_text("Voice needs HTTPS.")
