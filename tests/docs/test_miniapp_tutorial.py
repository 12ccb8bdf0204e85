"""docs/miniapps.md does what it says: its files are a MiniApp that an agent can call."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from playwright.async_api import async_playwright, expect

from lineup_mcp.commands.miniapp import miniapp
from lineup_srv.contract import limits
from lineup_srv.wire._gen.lineup.v1 import tool_pb2
from tests.browser.asking import asker
from tests.browser.conftest import CHROMIUM, FLAGS
from tests.browser.devices import Devices
from tests.system.processes import own_home, relay

if TYPE_CHECKING:
    from tests.browser.asking import Asker
    from tests.system.processes import Relay

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "miniapps.md").read_text("utf-8")
EXAMPLES = ROOT / "examples" / "miniapps"
FRAME = (ROOT / "web" / "src" / "miniapps" / "frame.ts").read_text("utf-8")


def files() -> dict[str, str]:
    """The files that the tutorial has the reader write, by their names."""
    found = re.findall(r"^`(hello/[\w.]+)`:\n\n```\w+\n(.*?)^```$", PAGE, re.M | re.S)
    return dict(found)


def test_the_files_of_the_tutorial_are_those_of_the_example() -> None:
    written = files()
    folder = EXAMPLES / "hello"
    assert written == {f"hello/{path.name}": path.read_text("utf-8") for path in folder.iterdir()}


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.iterdir()))
def test_the_check_finds_nothing_wrong_with_the_examples(name: str) -> None:
    result = CliRunner().invoke(miniapp, ["check", str(EXAMPLES / name)])
    assert result.exit_code == 0, result.output


def test_the_messages_of_the_tutorial_are_those_that_the_page_knows() -> None:
    told = set(re.findall(r"^\| `([\w.]+)` \| (?:MiniApp|page) \|", PAGE, re.M))
    for name in told - {"system.pong"}:
        # What is not handled by name needs nothing but to be heard.
        assert f"'{name}'" in FRAME, name
    assert told >= {"system.hello", "lineup.v1.miniapp.state", "tool.call", "tool.result", "error"}


def test_the_limits_of_the_tutorial_are_those_of_the_page() -> None:
    constants = dict(re.findall(r"^const (\w+) = ([\d_ *]+)$", FRAME, re.M))
    value = {name: eval(term) for name, term in constants.items()}
    assert f"Within {value['START_MS'] // 1000} s" in PAGE
    silent = value["PING_MS"] * (value["MOST_UNANSWERED"] + 1) // 1000
    assert f"nothing for {silent} s of a call counts as crashed" in PAGE
    assert f"at most {value['MOST_STATE_BYTES'] // 1024} kB" in PAGE
    assert f"at most {value['MOST_CHARACTERS']:,} characters" in PAGE
    assert f"more than {value['BURST']} at once, or {value['PER_SECOND']} a second" in PAGE
    assert limits.CALL_PROGRESS_MS == 500
    assert "at most two a second" in PAGE


@pytest.mark.browser
@pytest.mark.timeout(60)
async def test_the_tutorial_works(tmp_path: Path) -> None:
    data = tmp_path / "data"
    for name, text in files().items():
        path = data / "miniapps" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    token = "a-token-for-the-tutorial"
    async with relay(data) as running, asker(running.grpc, token) as agent:
        await _greet(tmp_path, running, token, agent)


async def _greet(home: Path, running: Relay, token: str, agent: Asker) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=list(FLAGS), env={**own_home(home / "chromium")}
        )
        devices = Devices(browser)
        one = await devices.open("pc", running.http, token)
        await agent.offered("greeter", "hello")
        update = await agent.call("greeter", "greet", {"name": "Ada"}, application="hello")
        assert update.phase == tool_pb2.CALL_PHASE_SUCCEEDED
        assert json.loads(update.result_json) == {"message": "Greeted Ada", "greetings": 1}
        hello = one.page.get_by_title("Hello, a MiniApp").content_frame
        await expect(hello.get_by_text("Hello, Ada!")).to_be_visible()
        await one.page.emulate_media(color_scheme="dark")
        await expect(hello.locator("html")).to_have_css("color-scheme", "dark")
        await one.keeps("miniapp.", '"greetings":1')
        await one.page.reload()
        await expect(hello.get_by_text("Welcome back.")).to_be_visible()
        await devices.close()
        devices.check()
        await browser.close()
