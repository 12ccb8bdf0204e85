"""MiniApps in their frames: called by an agent, used by a human, kept away from everything else."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from playwright.async_api import expect

from lineup_srv.wire._gen.lineup.v1 import error_pb2, tool_pb2
from tests.browser.asking import asker
from tests.browser.devices import BROWSER, on_both
from tests.system.cable import cable
from tests.system.processes import relay

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from playwright.async_api import Frame, Locator, Page

    from tests.browser.asking import Asker
    from tests.browser.devices import Device, Devices, Kind
    from tests.system.processes import Relay

pytestmark = BROWSER

EXAMPLES = Path(__file__).parents[2] / "examples" / "miniapps"
HELLO = (
    "parent.postMessage(JSON.stringify({v: 1, id: '1', type: 'system.hello', payload: {}}), '*')"
)
TOOL = {
    "name": "probe",
    "type": "toolset",
    "description": "For tests.",
    "actions": [
        {"name": "run", "description": "Does it.", "inputSchema": {"type": "object"}},
    ],
}


PATIENT = """
  let sent = 0
  const say = (type, payload) =>
    parent.postMessage(JSON.stringify({v: 1, id: String(sent += 1), type, payload}), '*')
  addEventListener('message', ({data}) => {
    const {type, payload} = JSON.parse(data)
    if (type === 'system.ping') say('system.pong', {})
    if (type === 'tool.cancel') document.body.textContent = `Stopped: ${payload.code}`
    if (type !== 'tool.call') return
    const {name, action, call_id} = payload
    const done = document.createElement('button')
    done.textContent = 'Finish'
    done.onclick = () => say('tool.result', {name, action, call_id, result: {message: 'Finished'}})
    document.body.replaceChildren('Working ', done)
  })
  say('system.hello', {})
"""
"""Works until somebody presses its button, and shows how it was stopped."""
LOOPING = f"""
  addEventListener('message', ({{data}}) => {{
    if (JSON.parse(data).type === 'tool.call') for (;;);
  }})
  {HELLO}
"""
"""Never ends its turn once it is called."""
SPYING = f"""
  window.heard = []
  addEventListener('message', ({{data}}) => window.heard.push(data))
  {HELLO}
"""
"""Remembers all that it is told."""
HUMAN_TOOL = {**TOOL, "name": "human", "interactive": True}


def miniapp(folder: Path, name: str, script: str, tool: dict[str, Any] = TOOL) -> None:
    """Write a MiniApp whose page runs a script."""
    at = folder / name
    at.mkdir(parents=True)
    manifest = {
        "id": name,
        "version": "1",
        "title": name.capitalize(),
        "entry": "index.html",
        "tools": [tool],
    }
    (at / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    (at / "index.html").write_text(
        "<!doctype html><body><script src='it.js'></script>", encoding="utf-8"
    )
    (at / "it.js").write_text(script, encoding="utf-8")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def serving(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Relay]:
    """A relay with the MiniApps of the repository, and bad ones."""
    data = tmp_path_factory.mktemp("miniapps") / "data"
    shutil.copytree(EXAMPLES, data / "miniapps")
    miniapp(data / "miniapps", "spy", SPYING)
    miniapp(data / "miniapps", "silent", "")
    miniapp(data / "miniapps", "dying", f"{HELLO}; addEventListener('message', () => {{}})")
    miniapp(data / "miniapps", "looping", LOOPING)
    miniapp(data / "miniapps", "patient", PATIENT)
    miniapp(data / "miniapps", "shared", PATIENT, HUMAN_TOOL)
    (data / "miniapps" / "broken").mkdir()
    (data / "miniapps" / "broken" / "manifest.json").write_text('{"id": "broken",}')
    miniapp(data / "miniapps", "partly", HELLO, {**TOOL, "actions": [{}]})
    async with relay(data) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def caller(serving: Relay, token: str) -> AsyncIterator[Asker]:
    """An agent in the test's room."""
    async with asker(serving.grpc, token) as one:
        yield one


async def pomodoro(agent: Asker, action: str, **arguments: object) -> dict[str, Any]:
    """Call the timer."""
    update = await agent.call("pomodoro", action, arguments, application="pomodoro")
    assert update.phase == tool_pb2.CALL_PHASE_SUCCEEDED, update
    result: dict[str, Any] = json.loads(update.result_json)
    return result


def frame_of(one: Device, title: str) -> Locator:
    """The frame of a MiniApp."""
    return one.page.get_by_title(f"{title}, a MiniApp")


async def inside(one: Device, name: str) -> Frame:
    """The window in the frame of a MiniApp, once it has loaded."""
    handle = await one.page.locator(f"iframe[src='miniapps/{name}/index.html']").element_handle()
    frame = await handle.content_frame()
    assert frame is not None
    # Before its document comes the frame has an empty one.
    await frame.wait_for_url(f"**/miniapps/{name}/index.html")
    return frame


@on_both
@pytest.mark.requirement("seed004:pomodoro")
async def test_an_agent_and_a_human_share_a_timer_that_survives_a_reload(
    serving: Relay, token: str, devices: Devices, caller: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, serving.http, token)
    await caller.offered("pomodoro", "pomodoro")
    started = await pomodoro(caller, "start", label="Review the diff", focus_minutes=25)
    assert started["message"] == "25:00 of focus 1 of 4 left."
    # It came to the front by itself, for nobody was busy.
    timer = frame_of(one, "Pomodoro").content_frame
    await expect(timer.get_by_text("Focus 1 of 4")).to_be_visible()
    await expect(timer.get_by_text("“Review the diff”")).to_be_visible()

    await timer.get_by_role("button", name="Pause").click()
    paused = await pomodoro(caller, "status")
    assert paused["running"] is False
    left = paused["left_seconds"]
    await one.keeps("miniapp.", '"endsAt":0')
    await one.page.reload()
    await one.online()
    await expect(timer.get_by_role("button", name="Resume")).to_be_visible()
    again = await pomodoro(caller, "status")
    assert again["left_seconds"] == left

    resumed = await pomodoro(caller, "resume")
    assert resumed["running"] is True
    await one.keeps("miniapp.", '"leftMs":0')
    await one.page.reload()
    await one.online()
    running = await pomodoro(caller, "status")
    assert running["running"] is True
    assert 0 < running["left_seconds"] <= left
    await expect(timer.get_by_role("button", name="Pause")).to_be_visible()

    assert await pomodoro(caller, "stop") == {"message": "No timer runs.", "running": False}
    failed = await caller.call("pomodoro", "pause", {}, application="pomodoro")
    assert failed.phase == tool_pb2.CALL_PHASE_FAILED
    assert failed.code == error_pb2.ERROR_CODE_INVALID_ARGUMENT
    assert failed.message == "No timer runs: call start first."


async def test_a_miniapp_is_opened_and_closed_by_hand_and_follows_the_look(
    serving: Relay, token: str, devices: Devices
) -> None:
    one = await devices.open("pc", serving.http, token)
    await one.page.goto(f"{one.origin}/#/tools")
    await one.page.get_by_role("link", name="Open Pomodoro").click()
    timer = frame_of(one, "Pomodoro").content_frame
    await timer.get_by_role("button", name="Start").click()
    await expect(timer.get_by_text("Focus 1 of 4")).to_be_visible()
    root = timer.locator("html")
    await expect(root).to_have_attribute("data-theme", "light")
    await one.page.emulate_media(color_scheme="dark")
    await expect(root).to_have_attribute("data-theme", "dark")

    # It lives on while something else is looked at.
    await one.page.get_by_role("link", name="Timeline").click()
    await expect(frame_of(one, "Pomodoro")).to_be_hidden()
    await one.page.get_by_role("link", name="Pomodoro").click()
    await expect(timer.get_by_role("button", name="Pause")).to_be_visible()
    await one.page.get_by_role("button", name="Close").click()
    await expect(frame_of(one, "Pomodoro")).to_have_count(0)


async def test_the_page_says_which_miniapps_the_relay_leaves_out(
    serving: Relay, token: str, devices: Devices
) -> None:
    one = await devices.open("phone", serving.http, token)
    await one.page.goto(f"{one.origin}/#/tools")
    rows = one.page.locator(".li")
    broken = rows.filter(has_text="broken")
    await expect(broken).to_contain_text("The relay leaves this folder out")
    await expect(broken).to_contain_text(
        "manifest.json:1:17: is not JSON: take away the comma before this bracket"
    )
    await expect(rows.filter(has_text="Partly")).to_contain_text(
        "Agents do not get all of its tools: manifest.json:1:164: tools[0].actions[0].name: "
        "is missing. And 2 more: lineup-mcp miniapp check tells them."
    )


PROBE = """() => {
  const reach = {}
  const attempt = (name, act) => {
    try { reach[name] = String(act()) } catch (error) { reach[name] = error.name }
  }
  attempt('parent', () => parent === window ? 'none' : parent.document.title)
  attempt('top', () => top === window ? 'none' : top.location.href)
  attempt('storage', () => localStorage.length)
  attempt('tab', () => sessionStorage.length)
  attempt('cookie', () => document.cookie)
  attempt('database', () => indexedDB.open('lineup').readyState)
  attempt('origin', () => origin)
  attempt('opener', () => opener)
  return reach
}"""
NOTHING = {
    "storage": "SecurityError",
    "tab": "SecurityError",
    "cookie": "SecurityError",
    "database": "SecurityError",
    "origin": "null",
}


async def reach_of(window: Frame | Page, token: str) -> dict[str, str]:
    """What a script in it can read; the token is never in it."""
    reach: dict[str, str] = await window.evaluate(PROBE)
    assert token not in json.dumps(reach)
    assert {name: reach[name] for name in NOTHING} == NOTHING
    return reach


@pytest.mark.requirement("design:security:miniapps-are-sandboxed")
async def test_a_miniapp_reaches_neither_the_token_nor_the_page(
    serving: Relay, token: str, devices: Devices
) -> None:
    one = await devices.open("pc", serving.http, token)
    await one.page.goto(f"{one.origin}/#/tools")
    await one.page.get_by_role("link", name="Open Spy").click()
    spy = await inside(one, "spy")
    reach = await reach_of(spy, token)
    assert (reach["parent"], reach["top"]) == ("SecurityError", "SecurityError")
    # What the page tells it: its look and its own state.
    await spy.wait_for_function("window.heard.length >= 2")
    told = await spy.evaluate("window.heard")
    assert token not in json.dumps(told)
    assert [json.loads(text)["type"] for text in told[:2]] == [
        "system.hello",
        "lineup.v1.miniapp.state",
    ]
    # It cannot take the page away, open another, or speak to the relay as the page does.
    await spy.evaluate("try { top.location = 'about:blank' } catch {}")
    assert await spy.evaluate("open('about:blank')") is None
    socket = """() => new Promise((resolve) => {
      const socket = new WebSocket(document.URL.replace('http', 'ws').replace(/miniapps.*/, 'ws'))
      socket.onopen = () => resolve('open')
      socket.onerror = () => resolve('refused')
    })"""
    assert await spy.evaluate(socket) == "refused"
    assert one.page.url.startswith(one.origin)
    one.complaints.clear()  # the browser complains about each of these attempts

    tab = await one.context.new_page()
    await tab.goto(f"{one.origin}/miniapps/spy/index.html")
    reach = await reach_of(tab, token)
    assert (reach["parent"], reach["top"]) == ("none", "none")


async def test_a_message_of_another_window_is_not_the_frame_s(
    serving: Relay, token: str, devices: Devices, caller: Asker
) -> None:
    one = await devices.open("pc", serving.http, token)
    await caller.offered("pomodoro", "pomodoro")
    await pomodoro(caller, "start", focus_minutes=25)
    await one.keeps("miniapp.", '"phase":"focus"')
    await one.page.goto(f"{one.origin}/#/tools")
    await one.page.get_by_role("link", name="Open Spy").click()
    spy = await inside(one, "spy")
    forged = {"v": 1, "id": "2", "type": "lineup.v1.miniapp.state", "payload": {"value": {"x": 1}}}
    await spy.evaluate("text => parent.postMessage(text, '*')", json.dumps(forged))
    await one.keeps("miniapp.", '"x":1')
    # The page takes it for the spy's own; the timer's state is untouched.
    await one.page.reload()
    await one.online()
    assert (await pomodoro(caller, "status"))["running"] is True


async def test_a_miniapp_that_says_nothing_fails_to_start(
    serving: Relay, token: str, devices: Devices, caller: Asker
) -> None:
    one = await devices.open("pc", serving.http, token)
    await caller.offered("probe", "silent")
    failed = await caller.call("probe", "run", {}, application="silent")
    assert failed.code == error_pb2.ERROR_CODE_START_FAILED
    alert = one.page.get_by_role("alert")
    await expect(alert).to_contain_text("The MiniApp stopped.")
    await alert.get_by_role("button", name="Restart").click()
    await expect(one.page.get_by_text("Starting…")).to_be_visible()


async def test_a_miniapp_that_reloads_itself_loses_its_call(
    serving: Relay, token: str, devices: Devices, caller: Asker
) -> None:
    one = await devices.open("pc", serving.http, token)
    await one.page.goto(f"{one.origin}/#/tool/dying")
    dying = await inside(one, "dying")
    await dying.evaluate(
        "addEventListener('message', ({data}) => data.includes('tool.call') && location.reload())"
    )
    await caller.offered("probe", "dying")
    failed = await caller.call("probe", "run", {}, application="dying")
    assert failed.code == error_pb2.ERROR_CODE_APP_GONE
    await expect(frame_of(one, "Dying")).to_be_visible()


@pytest.mark.timeout(120)
@pytest.mark.requirement("design:tools:miniapps-survive-a-hung-one")
async def test_a_miniapp_that_hangs_is_ended_and_the_others_work_on(
    serving: Relay, token: str, devices: Devices, caller: Asker
) -> None:
    one = await devices.open("pc", serving.http, token)
    await caller.offered("pomodoro", "pomodoro")
    await pomodoro(caller, "start", focus_minutes=25)
    timer = frame_of(one, "Pomodoro").content_frame
    await timer.get_by_role("button", name="Pause").click()
    await expect(timer.get_by_role("button", name="Resume")).to_be_visible()

    # A device gives a MiniApp 15 s to show signs of life.
    failed = await caller.call("probe", "run", {}, application="looping", patience_seconds=40)
    assert failed.code == error_pb2.ERROR_CODE_APP_GONE
    assert failed.message == "the MiniApp stopped answering"
    await expect(frame_of(one, "Looping")).to_have_count(0)
    # This one hangs too; it is told so, or comes back in time to answer.
    meanwhile = await caller.call("pomodoro", "status", {}, application="pomodoro")
    if meanwhile.phase != tool_pb2.CALL_PHASE_SUCCEEDED:
        assert meanwhile.message == "another MiniApp stopped answering, and this one with it"
    assert (await pomodoro(caller, "status"))["running"] is False

    await one.page.goto(f"{one.origin}/#/tools")
    stopped = one.page.locator(".li").filter(has_text="stopped · opened by")
    await expect(stopped).to_contain_text("Looping")
    await one.page.get_by_role("link", name="Open Looping").click()
    await one.page.get_by_role("alert").get_by_role("button", name="Restart").click()
    await expect(frame_of(one, "Looping")).to_be_visible()
    await expect(one.page.get_by_text("Starting…")).to_be_hidden()
    await expect(one.page.get_by_role("alert")).to_be_hidden()


@pytest.mark.requirement("design:tools:miniapps-hear-the-end")
async def test_a_miniapp_is_told_that_the_agent_withdrew_its_call(
    serving: Relay, token: str, devices: Devices, caller: Asker
) -> None:
    one = await devices.open("pc", serving.http, token)
    await caller.offered("probe", "patient")
    call = caller.call("probe", "run", {}, application="patient", call_id="withdrawn-call-1")
    async with asyncio.TaskGroup() as group:
        calling = group.create_task(call)
        inner = frame_of(one, "Patient").content_frame
        await expect(inner.get_by_text("Working")).to_be_visible()
        await caller.cancel_call("withdrawn-call-1")
        await expect(inner.get_by_text("Stopped: cancelled")).to_be_visible()
    assert calling.result().phase == tool_pb2.CALL_PHASE_CANCELLED


@pytest.mark.requirement("design:tools:miniapps-hear-the-end")
async def test_a_miniapp_is_told_that_another_device_answered(
    serving: Relay, token: str, devices: Devices, caller: Asker
) -> None:
    pc = await devices.open("pc", serving.http, token)
    phone = await devices.open("phone", serving.http, token)
    await caller.offered("human", "shared")
    async with asyncio.TaskGroup() as group:
        calling = group.create_task(caller.call("human", "run", {}, application="shared"))
        on_pc, on_phone = (frame_of(one, "Shared").content_frame for one in (pc, phone))
        await expect(on_phone.get_by_text("Working")).to_be_visible()
        await on_pc.get_by_role("button", name="Finish").click()
        await expect(on_phone.get_by_text("Stopped: taken")).to_be_visible()
    assert calling.result().phase == tool_pb2.CALL_PHASE_SUCCEEDED
    await expect(on_pc.get_by_text("Working")).to_be_visible()


@pytest.mark.requirement("design:tools:miniapps-hear-the-end")
async def test_a_miniapp_is_told_after_a_break_what_happened_in_it(
    serving: Relay, token: str, devices: Devices, caller: Asker
) -> None:
    async with cable(serving.http) as line:
        one = await devices.open("pc", line.port, token)
        one.may_lose_connection = True
        await caller.offered("probe", "patient")
        call = caller.call("probe", "run", {}, application="patient", call_id="withdrawn-call-2")
        async with asyncio.TaskGroup() as group:
            calling = group.create_task(call)
            inner = frame_of(one, "Patient").content_frame
            await expect(inner.get_by_text("Working")).to_be_visible()
            line.unplug()
            await expect(one.banner).to_be_visible()
            await caller.cancel_call("withdrawn-call-2")
        assert calling.result().phase == tool_pb2.CALL_PHASE_CANCELLED
        line.plug_in()
        await one.hears_of_the_network()
        await expect(inner.get_by_text("Stopped: cancelled")).to_be_visible()


async def test_an_agent_waits_for_the_end_of_a_phase_and_may_stop_waiting(
    serving: Relay, token: str, devices: Devices, caller: Asker
) -> None:
    one = await devices.open("pc", serving.http, token)
    await caller.offered("pomodoro", "pomodoro")
    await pomodoro(caller, "start", focus_minutes=25)
    timer = frame_of(one, "Pomodoro").content_frame
    waits = timer.get_by_text("An agent waits for the end")
    call = caller.call("pomodoro", "wait", {}, application="pomodoro", call_id="waiting-call-1")
    async with asyncio.TaskGroup() as group:
        group.create_task(call)
        await expect(waits).to_be_visible()
        await caller.cancel_call("waiting-call-1")
        await expect(waits).to_be_hidden()
    async with asyncio.TaskGroup() as group:
        second = group.create_task(caller.call("pomodoro", "wait", {}, application="pomodoro"))
        await expect(waits).to_be_visible()
        await timer.get_by_role("button", name="Stop").click()
    assert json.loads(second.result().result_json)["message"] == "No timer runs."
    await expect(waits).to_be_hidden()
