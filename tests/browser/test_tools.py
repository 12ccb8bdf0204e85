"""The tools of the page, called by an agent: canvas, calculator, and questions of every kind."""

from __future__ import annotations

import asyncio
import base64
import io
import json
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio
import pytest
from PIL import Image
from playwright.async_api import expect

from lineup_srv.wire._gen.lineup.v1 import error_pb2, tool_pb2
from tests.browser.devices import BROWSER, on_both

if TYPE_CHECKING:
    from tests.browser.asking import Asker
    from tests.browser.devices import Device, Devices, Kind
    from tests.system.processes import Relay

pytestmark = BROWSER

INK = (31, 42, 68)
TOMATO = (255, 99, 71)
RED = (210, 56, 44)
WHITE = (255, 255, 255)


def result_of(update: tool_pb2.ToolCallUpdate) -> dict[str, Any]:
    """The result of a call that succeeded."""
    assert update.phase == tool_pb2.CALL_PHASE_SUCCEEDED, update
    result: dict[str, Any] = json.loads(update.result_json)
    return result


async def opened(agent: Asker, width: int = 120, height: int = 80) -> str:
    """A canvas."""
    await agent.offered("canvas")
    result = result_of(await agent.call("canvas", "open", {"width": width, "height": height}))
    return str(result["instance_id"])


async def picture(agent: Asker, canvas: str) -> tuple[Image.Image, dict[str, Any]]:
    """What the agent sees of a canvas."""
    update = await agent.call("canvas", "snapshot", {"instance_id": canvas})
    (content,) = update.contents
    assert content.image.mime_type == "image/png"
    image = Image.open(io.BytesIO(base64.b64decode(content.image.data)))
    return image.convert("RGB"), result_of(update)


@on_both
@pytest.mark.requirement("seed000:tools:canvas")
async def test_an_agent_draws_and_sees_what_it_drew(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    canvas = await opened(agent)
    on = {"instance_id": canvas}
    await agent.call("canvas", "draw", on | {"path": "M10 40 H110"})
    await agent.call("canvas", "draw", on | {"path": "M60 5v70", "color": "tomato", "width": 9})
    await expect(one.page.get_by_role("heading", name="Canvas")).to_be_visible()
    await expect(one.page.locator(".cv path[stroke=tomato]")).to_have_count(1)

    image, result = await picture(agent, canvas)
    assert image.size == (120, 80)
    assert [image.getpixel(at) for at in ((20, 40), (60, 10), (20, 10))] == [INK, TOMATO, WHITE]
    assert result["strokes"] == 2

    await agent.call("canvas", "undo", on)
    image, _ = await picture(agent, canvas)
    assert [image.getpixel(at) for at in ((20, 40), (60, 10))] == [INK, WHITE]
    await agent.call("canvas", "clear", on)
    image, _ = await picture(agent, canvas)
    assert image.getcolors() == [(120 * 80, WHITE)]
    result_of(await agent.call("canvas", "close", on))
    with pytest.raises(grpc.aio.AioRpcError, match="Nothing that is open has this instance_id"):
        await agent.call("canvas", "draw", on | {"path": "M0 0H9"})


@on_both
async def test_an_agent_fetches_what_the_human_drew(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    canvas = await opened(agent, 200, 200)
    paper = one.page.locator(".cv svg")
    await expect(paper).to_be_visible()
    await one.page.get_by_role("radio", name="Thick line").check(force=True)
    box = await one.at_rest(paper)
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    await one.page.mouse.move(*middle)
    await one.page.mouse.down()
    await one.page.mouse.move(middle[0] + 30, middle[1], steps=5)
    await one.page.mouse.up()
    await expect(paper).to_have_attribute("aria-label", "Drawing, 1 stroke")

    image, result = await picture(agent, canvas)
    assert image.getpixel((102, 100)) == RED
    (stroke,) = result["human_strokes"]
    assert stroke["path"].startswith("M 100 100 L")
    assert stroke["width"] == 10

    # The agent's undo takes back its own.
    await agent.call("canvas", "undo", {"instance_id": canvas})
    await paper.focus()
    for key in ("Space", "ArrowDown", "ArrowDown", "Space"):
        await paper.press(key)
    image, result = await picture(agent, canvas)
    assert len(result["human_strokes"]) == 2
    await one.page.get_by_role("button", name="Undo your last stroke").click()
    await expect(paper).to_have_attribute("aria-label", "Drawing, 1 stroke")

    dialog = one.page.get_by_role("dialog")
    clear = one.page.locator(".bar").get_by_role("button", name="Clear")
    await clear.click()
    await dialog.get_by_role("button", name="Cancel").click()
    await expect(dialog).to_have_count(0)
    await expect(paper).to_have_attribute("aria-label", "Drawing, 1 stroke")
    await clear.click()
    await dialog.get_by_role("button", name="Clear").click()
    await expect(paper).to_have_attribute("aria-label", "Drawing, 0 strokes")


@on_both
async def test_the_agent_is_told_of_a_drawing_and_the_page_says_how_far_that_is(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    await agent.attach()
    one = await devices.open(kind, shared.http, token)
    canvas = await opened(agent, 200, 200)
    paper = one.page.locator(".cv svg")
    tell = one.page.get_by_role("button", name="Tell Claude Code")
    state = one.page.locator(".cvbar").get_by_role("status")
    await expect(tell).to_be_disabled()
    for key in ("Space", "ArrowDown", "Space"):
        await paper.press(key)
    await tell.click()
    await expect(state).to_have_text("Sent, waits for Claude Code")
    await expect(tell).to_have_count(0)
    await expect(paper).to_be_focused()
    (text,) = await agent.messages()
    assert canvas in text.content
    await agent.has_text(text.message_id)
    await expect(state).to_have_text("Claude Code has it")
    # What is drawn after that is news again.
    for key in ("Space", "ArrowDown", "Space"):
        await paper.press(key)
    await expect(tell).to_be_enabled()
    await expect(state).to_have_count(0)


@on_both
async def test_a_second_canvas_takes_nobody_off_the_first(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    await opened(agent, 200, 200)
    paper = one.page.locator(".cv svg")
    first = one.page.get_by_role("heading", name="Canvas", exact=True)
    await expect(first).to_be_visible()
    for key in ("Space", "ArrowDown", "Space"):
        await paper.press(key)
    await agent.call("canvas", "open", {"width": 90, "height": 40})
    other = one.page.get_by_role("link", name="Canvas 2")
    await expect(other).to_be_visible()
    await expect(one.page.get_by_role("status").filter(has_text="Canvas 2")).to_have_count(1)
    await expect(first).to_be_visible()
    await other.click()
    await expect(one.page.get_by_role("heading", name="Canvas 2")).to_be_visible()
    await one.page.get_by_role("link", name="Canvas", exact=True).click()
    await expect(paper).to_have_attribute("aria-label", "Drawing, 1 stroke")


async def test_a_canvas_survives_a_reload_of_its_tab(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token)
    canvas = await opened(agent)
    await agent.call("canvas", "draw", {"instance_id": canvas, "path": "M10 40H110"})
    # Shown, or the reload would be one of the page where the tab was before.
    await expect(one.page.locator(".cv path")).to_have_count(1)
    await one.keeps("canvas.", '"by":"agent"')
    await one.page.reload()
    await one.online()
    await expect(one.page.locator(".cv path")).to_have_count(1)
    image, _ = await picture(agent, canvas)
    assert image.getpixel((20, 40)) == INK


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({"path": 'M0 0 L1 1"/><script>alert(1)</script>'}, "path has a character"),
        ({"path": "M0 0 L1e9 1"}, "path has a number that is too large"),
        ({"path": "M0 0H9", "color": "url(http://evil.test/x)"}, "color is no colour"),
        ({"path": "M0 0H9", "color": "red;background:url(x)"}, "color is no colour"),
    ],
)
async def test_hostile_paths_and_colours_are_refused(
    shared: Relay,
    token: str,
    devices: Devices,
    agent: Asker,
    part: dict[str, object],
    words: str,
) -> None:
    one = await devices.open("pc", shared.http, token)
    canvas = await opened(agent)
    update = await agent.call("canvas", "draw", {"instance_id": canvas} | part)
    assert update.code == error_pb2.ERROR_CODE_INVALID_ARGUMENT
    assert update.message.startswith(words)
    await expect(one.page.locator(".cv path")).to_have_count(0)


@pytest.mark.requirement("seed000:tools:calculator")
async def test_the_calculator_is_exact_and_divides_by_zero_with_an_error(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token)
    await agent.offered("calculator")
    added = await agent.call("calculator", "add", {"a": 0.1, "b": 0.2})
    assert result_of(added) == {"message": "0.3", "value": "0.3", "exact": True}
    large = await agent.call("calculator", "multiply", {"a": 12345678901234567891, "b": 3})
    assert result_of(large)["value"] == "37037036703703703673"
    failed = await agent.call("calculator", "divide", {"a": 1, "b": 0})
    assert failed.phase == tool_pb2.CALL_PHASE_FAILED
    assert failed.code == error_pb2.ERROR_CODE_INVALID_ARGUMENT
    assert failed.message == "cannot divide by zero"
    await one.page.goto(f"{one.origin}/#/tools")
    await expect(one.page.get_by_text("Failed: cannot divide by zero")).to_be_visible()
    await expect(one.page.get_by_text("0.1 + 0.2 = 0.3")).to_be_visible()


@pytest.mark.requirement("design:calls:ends-shown-to-all")
async def test_what_one_device_runs_is_seen_on_the_other_without_a_reload(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    await agent.attach()
    await agent.say("I am counting")
    pc = await devices.open("pc", shared.http, token, name="Desk")
    await agent.offered("calculator")
    phone = await devices.open("phone", shared.http, token, name="Pocket")
    for one in (pc, phone):
        await expect(one.entry("I am counting")).to_be_visible()
    await pc.page.keyboard.press("Shift")
    ran = await agent.call("calculator", "add", {"a": 2, "b": 3})
    assert result_of(ran)["value"] == "5"
    failed = await agent.call("calculator", "divide", {"a": 1, "b": 0})
    assert failed.phase == tool_pb2.CALL_PHASE_FAILED
    for one in (pc, phone):
        calls = one.timeline.locator(".call")
        await expect(calls).to_have_count(2)
        await expect(calls.first).to_contain_text("Calculator · addDone")
        await expect(calls.last).to_contain_text("Calculator · divideFailed")
    await expect(phone.timeline.get_by_text("Done on Desk")).to_be_visible()
    seen = await phone.timeline.locator(".calls").all_inner_texts()
    await phone.page.reload()
    await phone.online()
    await expect(phone.timeline.locator(".call")).to_have_count(2)
    assert await phone.timeline.locator(".calls").all_inner_texts() == seen


@pytest.mark.requirement("seed000:tools:choice")
async def test_a_choice_is_answered_on_the_phone_and_the_pc_sees_by_whom(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    pc = await devices.open("pc", shared.http, token, name="Desk")
    phone = await devices.open("phone", shared.http, token, name="Pocket")
    await agent.offered("choice")
    asked = {"question": "Which **chart**?", "options": ["Bars", "Lines"]}
    called = asyncio.create_task(agent.call("choice", "choice", asked))
    for one in (pc, phone):
        await one.shows("Which chart?")
        await expect(one.page).to_have_title("(1) LineUp")
    await pc.box.fill("Let me think")
    await phone.option("Lines").tap()
    assert result_of(await called) == {"message": "Lines", "choice": "Lines", "index": 1}
    await expect(pc.card.get_by_role("status")).to_have_text("Already answered on Pocket.")
    await expect(pc.card.get_by_role("textbox")).to_have_value("Let me think")
    await expect(pc.page).to_have_title("LineUp")
    await expect(phone.entry("Which chart?").locator(".pick")).to_have_text("Lines")
    await expect(phone.state("Which chart?")).to_have_text("Sent")


async def test_a_choice_is_answered_in_words_and_a_confirmation_by_yes_alone(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token)
    await agent.offered("choice")
    asked = {"question": "Which?", "options": ["Red", "Blue"]}
    called = asyncio.create_task(agent.call("choice", "choice", asked))
    await one.shows("Which?")
    await one.answer("Green")
    assert result_of(await called) == {"message": "Green", "other": "Green"}

    called = asyncio.create_task(agent.call("confirm", "confirm", {"question": "Delete?"}))
    await one.shows("Delete?")
    await one.page.keyboard.press("1")
    assert result_of(await called) == {"message": "Yes", "confirmed": True}

    called = asyncio.create_task(agent.call("multi_choice", "multi_choice", asked))
    await one.shows("Which?")
    for label in ("Blue", "Red"):
        await one.option(label).click()
    await one.box.press("Control+Enter")
    assert result_of(await called) == {"message": "Red\nBlue", "choices": ["Red", "Blue"]}

    called = asyncio.create_task(agent.call("confirm", "confirm", {"question": "And this?"}))
    await one.shows("And this?")
    await one.choose_in_menu("Dismiss")
    update = await called
    assert update.phase == tool_pb2.CALL_PHASE_FAILED
    assert update.code == error_pb2.ERROR_CODE_DECLINED


async def test_a_call_that_is_open_is_shown_after_a_reload_and_on_a_new_device(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("pc", shared.http, token)
    await agent.offered("input")
    called = asyncio.create_task(agent.call("input", "input", {"question": "Which branch?"}))
    await one.shows("Which branch?")
    await one.box.fill("mai")
    await one.page.reload()
    await one.shows("Which branch?")
    await expect(one.box).to_have_value("mai")
    phone = await devices.open("phone", shared.http, token)
    await phone.shows("Which branch?")
    await one.box.fill("main")
    await one.box.press("Enter")
    assert result_of(await called) == {"message": "main"}
    await expect(phone.page).to_have_title("LineUp")


SECRET = " hunter2-never-kept "
KEPT = """async () => {
  const stores = [localStorage, sessionStorage]
  const texts = stores.map((one) => JSON.stringify(Object.entries(one)))
  const database = await new Promise((resolve, reject) => {
    const opening = indexedDB.open('lineup')
    opening.onsuccess = () => resolve(opening.result)
    opening.onerror = reject
  })
  for (const name of database.objectStoreNames) {
    const all = await new Promise((resolve, reject) => {
      const asked = database.transaction(name).objectStore(name).getAll()
      asked.onsuccess = () => resolve(asked.result)
      asked.onerror = reject
    })
    texts.push(JSON.stringify(all))
  }
  database.close()
  texts.push(document.documentElement.innerHTML)
  for (const field of document.querySelectorAll('input, textarea')) texts.push(field.value)
  return texts.join('\\n')
}"""


@on_both
@pytest.mark.requirement("design:tools:secrets-leave-no-trace")
async def test_a_secret_reaches_the_agent_and_leaves_no_trace(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    other = await devices.open("pc", shared.http, token)
    await agent.offered("input")
    asked = {"question": "The password?", "secret": True}
    called = asyncio.create_task(agent.call("input", "input", asked))
    await one.shows("The password?")
    field = one.card.locator("input[type=password]")
    await field.fill(SECRET)
    await no_trace(other)
    assert SECRET not in await kept(one, without_fields=True)
    await field.press("Enter")
    assert result_of(await called) == {"message": SECRET}
    await expect(one.entry("The password?").get_by_role("img", name="A secret")).to_be_visible()
    for device in (one, other):
        await no_trace(device)
        await device.page.reload()
        await device.online()
        await expect(device.entry("The password?")).to_be_visible()
        await no_trace(device)
    assert SECRET.encode() not in shared.log.read_bytes()


async def no_trace(one: Device) -> None:
    """The secret is nowhere: not in what the browser keeps, and not on the page."""
    assert SECRET.strip() not in await kept(one)


async def kept(one: Device, *, without_fields: bool = False) -> str:
    """All texts that the browser has of the page; without what is in its fields, if wished."""
    texts = str(await one.page.evaluate(KEPT))
    return texts.replace(SECRET, "") if without_fields else texts
