"""The whole loop: an agent asks through MCP, a human answers on the page, the agent goes on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect

from lineup_srv.wire._gen.lineup.v1 import request_pb2
from tests.browser.asking import question
from tests.browser.devices import BROWSER, on_both
from tests.system.agents import agent

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.asking import Asker
    from tests.browser.devices import Devices, Kind
    from tests.system.processes import Relay

pytestmark = BROWSER

OPTIONS = [
    {"label": "Concurrently", "description": "No lock, 6 minutes"},
    {"label": "Tonight", "description": "One lock of 40 s"},
]
NAMES = {"phone": "Phone", "pc": "Chrome on Linux"}


@on_both
@pytest.mark.requirement("seed002:ask:answer-returns", "seed002:ask:shown-to-all")
async def test_a_question_is_answered_with_one_tap_then_in_words_and_a_report_is_confirmed(
    shared: Relay, token: str, tmp_path: Path, devices: Devices, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    await expect(one.page.get_by_text("Connect your first agent")).to_be_visible()
    async with agent(shared.http, shared.grpc, token, tmp_path / "a") as program:
        call = program.ask("How shall I build the `status` index?", options=OPTIONS)
        await one.shows("How shall I build the status index?")
        await expect(one.page).to_have_title("(1) LineUp")
        await one.stop_time()
        await one.option("Tonight").click()
        await expect(one.card.get_by_role("status")).to_have_text("Sending in 3 s")
        await expect(one.card.get_by_role("button", name="Undo")).to_be_visible()
        assert call.running
        await one.page.clock.resume()

        text = await call.text()
        assert text.startswith(f"Answered by {NAMES[kind]} on ")
        assert text.endswith("Answer:\nTonight")
        await expect(one.state("status index")).to_have_text("Agent has it")
        await expect(one.entry("status index").locator(".pick")).to_have_text("Tonight")
        await expect(one.card).to_have_count(0)
        await expect(one.page).to_have_title("LineUp")

        call = program.ask("What shall I call it?")
        await one.shows("What shall I call it?")
        await one.answer("orders_status_idx\nor shorter")
        assert (await call.text()).endswith("Answer:\norders_status_idx\nor shorter")
        await expect(one.state("What shall I call it?")).to_have_text("Agent has it")

        call = program.report("The index is **built**.")
        await one.shows("The index is built.")
        await one.card.get_by_role("button", name="Confirm", exact=True).click()
        assert (await call.text()).startswith(f"Confirmed by {NAMES[kind]} on ")
        # Once the agent has it, the tick that said "Sent" is gone.
        states = one.entry("The index is built.").locator(".st")
        await expect(states).to_have_text([re.compile("^Confirmed")])


@on_both
async def test_several_questions_are_answered_together(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    asked = await agent.ask(
        question("Which format?", "CSV", "JSON", header="Format"),
        question("Which days?", "Mon", "Tue", "Wed", header="Days", multiple=True),
        question("Anything else?", header="More"),
    )
    await one.shows("Which format?")
    await one.option("JSON").click()
    await one.option("Mon").click()
    await one.option("Wed").click()
    send = one.card.get_by_role("button", name="Send answers")
    await send.click()
    # The first press shows the gap, it does not send.
    await expect(one.card.get_by_text("This one is still open")).to_be_visible()
    await one.card.get_by_role("textbox", name="Write an answer…").fill("No, thanks")
    await send.click()

    answers = (await agent.outcome(asked)).answers
    assert [(list(a.labels), a.text) for a in answers] == [
        (["JSON"], ""),
        (["Mon", "Wed"], ""),
        ([], "No, thanks"),
    ]
    await agent.has(asked)
    await expect(one.state("Which format?")).to_have_text("Agent has it")


@on_both
@pytest.mark.requirement("B55")
async def test_an_answer_by_one_tap_can_be_taken_back(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    asked = await agent.ask(question("Sure?", "Yes", "No"))
    await one.shows("Sure?")
    await one.stop_time()
    await one.option("Yes").click()
    # A press in the very instant in which the button came is not for it.
    await one.page.clock.run_for(100)
    await one.card.get_by_role("button", name="Undo").click()
    await expect(one.card.get_by_role("radio", name="Yes")).not_to_be_checked()
    await one.page.clock.resume()
    await one.option("No").click()
    assert await agent.answer(asked) == "No"


async def test_a_tap_beside_written_words_only_chooses(
    shared: Relay, token: str, devices: Devices, agent: Asker
) -> None:
    one = await devices.open("phone", shared.http, token)
    asked = await agent.ask(question("Which?", "Red", "Blue"))
    await one.shows("Which?")
    await one.box.fill("but darker")
    await one.option("Blue").click()
    await expect(one.card.get_by_role("radio", name="Blue")).to_be_checked()
    await expect(one.card.get_by_role("button", name="Undo")).to_have_count(0)
    await one.send()
    assert await agent.answer(asked) == "Blue\nbut darker"


@on_both
async def test_a_dismissal_and_the_end_of_the_conversation_reach_the_agent(
    shared: Relay, token: str, devices: Devices, agent: Asker, kind: Kind
) -> None:
    one = await devices.open(kind, shared.http, token)
    asked = await agent.ask("Do you like it?")
    await one.shows("Do you like it?")
    await one.choose_in_menu("Dismiss")
    assert (await agent.outcome(asked)).state == request_pb2.REQUEST_STATE_DECLINED
    await expect(one.entry("Do you like it?")).to_contain_text("You dismissed it")

    asked = await agent.ask("And this?")
    await one.shows("And this?")
    await one.box.fill("Yes")
    await one.choose_in_menu("Done, stop asking")
    outcome = await agent.outcome(asked)
    assert (outcome.action, outcome.answers[0].text) == ("done", "Yes")
