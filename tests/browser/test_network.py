"""The network is cut and the relay is killed: an answer says how far it is, and arrives once."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect

from tests.browser.asking import asker
from tests.browser.devices import BROWSER
from tests.system.agents import agent
from tests.system.cable import cable
from tests.system.processes import bound, relay

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.async_api import WebSocketRoute

    from tests.browser.devices import Device, Devices
    from tests.system.agents import Agent
    from tests.system.processes import Relay

pytestmark = BROWSER

NOT_SENT = re.compile("^(Sending…|Not sent, will retry)$")
LIMIT_MS = 4_000
"""The banner waits for 2 s and the clock of the page ticks once a second."""


async def next_call(program: Agent, one: Device) -> str:
    """What the agent gets with another question; whatever else waited for it comes with it."""
    call = program.ask("Anything else?")
    await one.shows("Anything else?")
    await one.answer("Nothing else")
    text = await call.text()
    assert "Nothing else" in text
    return text


@pytest.mark.requirement("B01")
async def test_an_answer_that_was_cut_off_just_before_it_left_arrives_once_and_says_so(
    shared: Relay, token: str, tmp_path: Path, devices: Devices
) -> None:
    async with (
        cable(shared.http) as line,
        agent(shared.http, shared.grpc, token, tmp_path / "a") as program,
    ):
        one = await devices.open("phone", line.port, token)
        one.may_lose_connection = True
        call = program.ask("Shall I?")
        await one.shows("Shall I?")
        await one.has_timeline()
        line.hold_up()
        await one.answer("Yes, but\ncarefully")
        # It has left the page and not reached the relay: nothing may call that sent.
        await expect(one.state("Shall I?")).to_have_text("Sending…")
        line.unplug()
        line.release()
        await expect(one.state("Shall I?")).to_have_text("Not sent, will retry")
        await expect(one.entry("Shall I?").locator(".say")).to_have_text("Yes, but\ncarefully")
        assert call.running

        line.plug_in()
        await one.hears_of_the_network()
        text = await call.text()
        assert text.endswith("Answer:\nYes, but\ncarefully")
        await expect(one.state("Shall I?")).to_have_text("Agent has it")
        assert "carefully" not in await next_call(program, one)


@pytest.mark.requirement("B01")
async def test_an_answer_whose_ack_was_lost_is_sent_again_and_counts_once(
    shared: Relay, token: str, tmp_path: Path, devices: Devices
) -> None:
    async with (
        cable(shared.http) as line,
        agent(shared.http, shared.grpc, token, tmp_path / "a") as program,
    ):
        one = await devices.open("phone", line.port, token)
        one.may_lose_connection = True
        call = program.ask("Shall I?")
        await one.shows("Shall I?")
        await one.has_timeline()
        line.hold_down()
        await one.answer("Yes")
        # Before the page finds out by itself that nobody answers.
        await expect(one.state("Shall I?")).to_have_text("Sending…")
        assert (await call.text()).endswith("Answer:\nYes")
        await expect(one.state("Shall I?")).to_have_text(NOT_SENT)
        line.cut()
        line.release()
        await expect(one.state("Shall I?")).to_have_text("Agent has it")
        await expect(one.entry("Shall I?").locator(".say")).to_have_text("Yes")
        assert "Yes" not in await next_call(program, one)


@pytest.mark.kill
@pytest.mark.requirement("B01", "B96")
async def test_an_answer_that_is_sent_while_the_relay_is_dead_arrives_once_after_its_restart(
    token: str, tmp_path: Path, devices: Devices
) -> None:
    async with (
        relay(tmp_path / "relay", token=token) as server,
        agent(server.http, server.grpc, token, tmp_path / "a") as program,
    ):
        one = await devices.open("pc", server.http, token)
        one.may_lose_connection = True
        call = program.ask("Shall I?")
        await one.shows("Shall I?")
        await one.box.fill("Yes")
        await one.has_timeline()
        await server.kill()
        await one.send()
        await expect(one.state("Shall I?")).to_have_text("Not sent, will retry")
        await expect(one.banner).to_contain_text("1 answer queued.")
        await server.start()
        assert (await call.text()).endswith("Answer:\nYes")
        await expect(one.state("Shall I?")).to_have_text("Agent has it")
        assert "Yes" not in await next_call(program, one)


@pytest.mark.kill
@pytest.mark.requirement("B01")
async def test_an_answer_that_could_not_be_sent_survives_a_reload(
    token: str, tmp_path: Path, devices: Devices
) -> None:
    async with (
        relay(tmp_path / "relay", token=token) as server,
        asker(server.grpc, token) as program,
    ):
        one = await devices.open("phone", server.http, token)
        one.may_lose_connection = True
        asked = await program.ask("Shall I?")
        await one.shows("Shall I?")
        await one.box.fill("Yes")
        await one.has_timeline()
        await server.kill()
        await one.send()
        await expect(one.state("Shall I?")).to_have_text("Not sent, will retry")
        # A page that is opened again after the relay came back starts with what it kept.
        await one.page.goto("about:blank")
        await server.start()
        await one.page.goto(one.origin)
        assert await program.answer(asked) == "Yes"
        await expect(one.state("Shall I?")).to_have_text("Sent")


@pytest.mark.kill
async def test_what_was_not_sent_can_be_edited_and_taken_back(
    token: str, tmp_path: Path, devices: Devices
) -> None:
    async with (
        relay(tmp_path / "relay", token=token) as server,
        asker(server.grpc, token) as program,
    ):
        one = await devices.open("pc", server.http, token)
        one.may_lose_connection = True
        asked = await program.ask("Shall I?")
        await one.shows("Shall I?")
        await one.box.fill("Yes")
        await one.has_timeline()
        await server.kill()
        await one.send()
        await one.entry("Shall I?").get_by_role("button", name="Edit").click()
        await one.shows("Shall I?")
        await expect(one.box).to_have_value("Yes")
        await one.box.fill("No")
        await one.send()
        await expect(one.state("Shall I?")).to_have_text("Not sent, will retry")
        await server.start()
        assert await program.answer(asked) == "No"


@pytest.mark.kill
@pytest.mark.requirement("design:page:connection-is-told")
async def test_the_banner_comes_when_the_relay_dies_and_goes_when_it_is_back(
    token: str, tmp_path: Path, devices: Devices
) -> None:
    async with relay(tmp_path / "relay", token=token) as server:
        one = await devices.open("phone", server.http, token)
        one.may_lose_connection = True
        await expect(one.banner).to_have_count(0)
        # It is loaded after the first screen, would be missing, and said to be.
        await expect(one.page.get_by_text("Connect your first agent")).to_be_visible()
        killed = time.monotonic()
        await server.kill()
        await expect(one.banner).to_contain_text("Reconnecting", timeout=bound(LIMIT_MS))
        # A short interruption is not worth a word.
        assert time.monotonic() - killed > 1
        await expect(one.banner).to_have_role("status")
        # Before the relay is back: the page may come back by itself at any moment after.
        await one.banner.get_by_role("button", name="Retry").click()
        await server.start()
        await expect(one.banner).to_have_count(0, timeout=20_000)
        await one.online()


@pytest.mark.requirement("design:page:connection-is-told")
async def test_a_card_that_is_the_whole_page_at_200_percent_zoom_tells_of_the_connection_too(
    tmp_path: Path, token: str, devices: Devices
) -> None:
    async with relay(tmp_path / "data") as running, asker(running.grpc, token) as agent_:
        size = {"width": 640, "height": 400}
        one = await devices.open("pc", running.http, token, viewport=size)
        one.may_lose_connection = True
        await agent_.ask("Which of these? " + "It is a long story. " * 60)
        await one.shows("Which of these?")
        await expect(one.page.get_by_role("main")).to_have_id("dock")
        await running.kill()
        line = one.page.locator(".net")
        await expect(line).to_be_visible(timeout=bound(LIMIT_MS))
        await expect(line).to_be_in_viewport()
        await expect(line).to_contain_text("Reconnecting")


@pytest.mark.requirement("B01")
async def test_a_reload_without_a_connection_shows_the_answers_that_wait(
    shared: Relay, token: str, devices: Devices
) -> None:
    one = await devices.blank("phone", shared.http)
    one.may_lose_connection = True
    sockets: list[WebSocketRoute] = []
    is_cut = False

    async def pass_on(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        if is_cut:
            await socket.close()
        else:
            socket.connect_to_server()

    await one.page.route_web_socket("**/*", pass_on)
    await one.page.goto(f"{one.origin}/?token={token}")
    await one.online()
    async with asker(shared.grpc, token) as agent_:
        await agent_.ask("Which **table**?")
        await one.shows("Which table?")
        is_cut = True
        await sockets[-1].close()
        await one.answer("The small one")
        await expect(one.state("Which table?")).to_have_text("Not sent, will retry")
        await one.page.reload()
        waiting = one.page.get_by_role("list", name="Waits to be sent")
        await expect(waiting).to_contain_text("Which table?")
        await expect(waiting).to_contain_text("The small one")
        words = "No connection. Your questions come back with it."
        await expect(one.page.get_by_text(words)).to_be_visible()
