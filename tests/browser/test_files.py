"""Files of a message that somebody opens in a tab of their own."""

from __future__ import annotations

import base64
import secrets
import struct
import zlib
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import Error, expect

from tests.browser.asking import file, picture
from tests.browser.devices import BROWSER
from tests.system.devices import device

if TYPE_CHECKING:
    from tests.browser.asking import Asker
    from tests.browser.devices import Devices
    from tests.system.processes import Relay

pytestmark = BROWSER

LARGE = 80_000
SCRIPT = b"<script>document.title = 'ran ' + localStorage.getItem('lineup.token')</script>"
PAGE = b"<!doctype html><title>still</title>" + SCRIPT + b" " * LARGE
DRAWING = b"<svg xmlns='http://www.w3.org/2000/svg'>" + SCRIPT + b" " * LARGE + b"</svg>"


def png() -> bytes:
    """A picture that does not shrink: 200 x 200 random points."""
    rows = b"".join(b"\0" + secrets.token_bytes(600) for _ in range(200))
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", 200, 200, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    ]
    packed = (
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


@pytest.mark.requirement("design:security:files-are-sandboxed")
async def test_a_large_picture_is_shown_and_opened_without_access_to_the_page(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("phone", shared.http, token)
    await agent.ask("Is this it?", contents=[picture(base64.b64encode(png()).decode())])
    await one.shows("Is this it?")
    shown = one.card.get_by_role("img")
    await expect(shown).to_have_js_property("naturalWidth", 200)
    source = await shown.evaluate("image => image.src")
    assert source.startswith(f"{one.origin}/files/")
    assert token not in source

    tab = await one.context.new_page()
    await tab.goto(source)
    assert await tab.evaluate("document.contentType") == "image/png"
    assert await tab.evaluate("self.origin") == "null"
    with pytest.raises(Error, match="SecurityError"):
        await tab.evaluate("localStorage.getItem('lineup.token')")
    await tab.close()


@pytest.mark.requirement("design:security:files-are-sandboxed")
@pytest.mark.parametrize(
    ("data", "mime"),
    [(PAGE, "text/html"), (DRAWING, "image/svg+xml"), (PAGE, "application/xhtml+xml")],
)
async def test_a_large_file_that_could_run_is_saved_instead_of_opened(
    shared: Relay, token: str, devices: Devices, agent: Asker, data: bytes, mime: str
) -> None:
    one = await devices.open("pc", shared.http, token)
    async with device(shared.http, token) as reader:
        asked = await agent.ask("A file", contents=[file(data, mime)])
        card = await reader.sees("AskQuestion", lambda m: asked == m.AskQuestionRequest.ID)
    (content,) = card.AskQuestionRequest.Request.contents
    assert content.embedded_resource.data == b""
    await one.shows("A file")

    tab = await one.context.new_page()
    async with tab.expect_download() as starting:
        with pytest.raises(Error, match="Download is starting"):
            await tab.goto(f"{one.origin}/{content.embedded_resource.uri}")
    download = await starting.value
    saved = await download.path()
    assert saved.read_bytes() == data
    assert "." not in download.suggested_filename
    assert tab.url == "about:blank"
    await tab.close()


@pytest.mark.requirement("design:security:files-are-sandboxed")
async def test_a_page_that_calls_itself_a_picture_does_not_run(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token)
    async with device(shared.http, token) as reader:
        asked = await agent.ask("A picture", contents=[file(PAGE, "image/png")])
        card = await reader.sees("AskQuestion", lambda m: asked == m.AskQuestionRequest.ID)
    (content,) = card.AskQuestionRequest.Request.contents
    await one.shows("A picture")

    tab = await one.context.new_page()
    await tab.goto(f"{one.origin}/{content.embedded_resource.uri}")
    assert await tab.evaluate("document.contentType") == "image/png"
    assert not (await tab.title()).startswith("ran")
    assert await tab.evaluate("self.origin") == "null"
    await tab.close()
