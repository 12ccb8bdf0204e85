"""Questions and answers between agents and devices, while everything runs."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import pytest

from lineup_srv.wire._gen.lineup.v1 import error_pb2, request_pb2
from tests.system.agents import agent
from tests.system.devices import device, text_of
from tests.system.processes import PATIENCE_SECONDS, bound

if TYPE_CHECKING:
    from pathlib import Path

    from tests.system.conftest import Shared

pytestmark = [pytest.mark.system, pytest.mark.timeout(60)]


@pytest.mark.requirement("seed002:ask:answer-returns", "seed002:ask:shown-to-all")
async def test_one_of_two_devices_answers_and_nobody_else_hears_of_it(
    shared: Shared, token: str, tmp_path: Path
) -> None:
    async with (
        device(shared.http, token, "Ann") as ann,
        device(shared.http, token, "Bob") as bob,
        device(shared.http, token[::-1], "Eve") as eve,
        agent(shared.http, shared.grpc, token, tmp_path / "a") as one,
    ):
        call = one.ask("Which way?", options=[{"label": "left"}, {"label": "right"}])
        shown = "Which way?\n- left\n- right"
        asked = await ann.card(shown)
        assert (await bob.card(shown)).ID == asked.ID
        (question,) = asked.Request.Questions
        # The generated stub takes the frozen field `Question` for the type of this one.
        labels = [option.label for option in question.options]  # type: ignore[attr-defined]
        assert labels == ["left", "right"]
        assert asked.Request.ProjectDirectory == str(tmp_path / "a" / "project")

        ack = await ann.answer_and_ack(asked.ID, "left, please")
        assert ack.accepted
        text = await call.text()
        assert text.startswith("Answered by Ann on web at ")
        assert text.endswith("Answer:\nleft, please")
        told = await bob.reply_of_other(asked.ID)
        assert told.Nickname == "Ann"
        assert text_of(told.AskQuestionResponse) == "left, please"
        await ann.settled()
        assert "AskQuestionReplyNotification" not in {m.Cmd for m in ann.received}
        # What the room was told has long been written; this comes after it on the same connection.
        await eve.settled()
        assert {m.Cmd for m in eve.received} <= {
            *("UserLogin", "ServerInfo", "Agents", "Devices", "Settings", "Ack")
        }
        assert not [m for m in eve.received if m.agents]
        assert {d.nickname for m in eve.received for d in m.devices} <= {"Eve"}


async def test_a_report_is_confirmed_with_and_without_words(
    shared: Shared, token: str, tmp_path: Path
) -> None:
    async with (
        device(shared.http, token, "Ann") as ann,
        agent(shared.http, shared.grpc, token, tmp_path / "a", mode="auto") as one,
    ):
        call = one.report("All done.")
        await ann.confirm((await ann.report("All done.")).ID)
        assert (await call.text()).startswith("Confirmed by Ann on web at ")
        call = one.report("Also done.")
        await ann.confirm((await ann.report("Also done.")).ID, "Now the tests")
        assert (await call.text()).endswith("Reply:\nNow the tests")


@pytest.mark.requirement("B11", "seed002:ask:first-reply-wins")
async def test_a_second_answer_is_refused_and_told_who_was_first(
    shared: Shared, token: str, tmp_path: Path
) -> None:
    async with (
        device(shared.http, token, "Ann") as ann,
        device(shared.http, token, "Bob") as bob,
        agent(shared.http, shared.grpc, token, tmp_path / "a") as one,
    ):
        call = one.ask("Who?")
        asked = await bob.card("Who?")
        await ann.answer_and_ack(asked.ID, "me")
        refusal = await bob.answer_and_ack(asked.ID, "no, me")
        assert not refusal.accepted
        assert refusal.code == error_pb2.ERROR_CODE_ALREADY_ANSWERED
        assert "Ann" in refusal.message
        assert (await call.text()).endswith("me")
        assert "no, me" not in await call.text()


async def test_simultaneous_answers_have_one_winner_and_all_agree_on_it(
    shared: Shared, token: str, tmp_path: Path
) -> None:
    async with AsyncExitStack() as stack:
        devices = [
            await stack.enter_async_context(device(shared.http, token, name)) for name in "ABCDEF"
        ]
        one = await stack.enter_async_context(
            agent(shared.http, shared.grpc, token, tmp_path / "a")
        )
        call = one.ask("First?")
        asked = (await asyncio.gather(*(d.card("First?") for d in devices)))[0]
        acks = await asyncio.gather(*(d.answer_and_ack(asked.ID, d.name) for d in devices))
        (winner,) = [d for d, ack in zip(devices, acks, strict=True) if ack.accepted]
        assert (await call.text()).endswith(f"Answer:\n{winner.name}")
        for other in devices:
            if other is not winner:
                told = await other.reply_of_other(asked.ID)
                assert text_of(told.AskQuestionResponse) == winner.name


@pytest.mark.requirement("B75")
async def test_an_answer_is_valid_by_its_request_not_by_the_connection(
    shared: Shared, token: str, tmp_path: Path
) -> None:
    async with agent(shared.http, shared.grpc, token, tmp_path / "a") as one:
        async with device(shared.http, token) as before:
            call = one.ask("Still valid?")
            asked = await before.card("Still valid?")
        async with device(shared.http, token) as after:
            # The new connection answers what only the old one was shown by itself.
            assert (await after.answer_and_ack(asked.ID, "of course")).accepted
            assert (await call.text()).endswith("of course")


@pytest.mark.requirement("B07", "B10")
async def test_answers_follow_the_call_though_token_and_project_are_the_same(
    shared: Shared, token: str, tmp_path: Path
) -> None:
    async with (
        device(shared.http, token) as ann,
        agent(shared.http, shared.grpc, token, tmp_path / "a") as first,
        agent(shared.http, shared.grpc, token, tmp_path / "b") as second,
    ):
        same = {"project_directory": "/the/same/project"}
        # Even the same words: the first one is waited for, so the second is no repetition of it.
        calls = [first.ask("Continue?", **same), second.ask("Continue?", **same)]
        asked: dict[str, str] = {}
        while len(asked) < 2:
            shown = await ann.sees(
                "AskQuestion", lambda m: m.AskQuestionRequest.Request.agent_id not in asked
            )
            request = shown.AskQuestionRequest
            asked[request.Request.agent_id] = request.ID
        for agent_id, request_id in reversed(asked.items()):
            await ann.answer_and_ack(request_id, f"for {agent_id}")
        texts = [await call.text() for call in calls]
        answered = [text.rpartition("for ")[2] for text in texts]
        assert sorted(answered) == sorted(asked)
        # And each agent only ever asked by its own bridge.
        again = [first.ask("And now?", **same), second.ask("What else?", **same)]
        for question, agent_id in zip(("And now?", "What else?"), answered, strict=True):
            request = await ann.card(question)
            assert request.Request.agent_id == agent_id
            await ann.answer(request.ID, question)
        for call, question in zip(again, ("And now?", "What else?"), strict=True):
            assert (await call.text()).endswith(f"Answer:\n{question}")


async def test_two_hundred_questions_at_once_get_each_their_own_answer(
    shared: Shared, token: str, tmp_path: Path
) -> None:
    questions = [f"Question {number}?" for number in range(200)]
    async with (
        device(shared.http, token, "Ann") as ann,
        device(shared.http, token, "Bob") as bob,
        agent(shared.http, shared.grpc, token, tmp_path / "a") as one,
    ):
        calls = [one.ask(question) for question in questions]
        for number, question in enumerate(questions):
            by = (ann, bob)[number % 2]
            await by.answer((await by.card(question)).ID, f"Echo of {question}")
        for call, question in zip(calls, questions, strict=True):
            text = await call.text()
            assert f"Question: {question}\n" in text
            assert text.endswith(f"Answer:\nEcho of {question}")


@pytest.mark.requirement("B12", "B13")
async def test_a_question_asked_before_any_device_came_is_there_within_a_second(
    shared: Shared, token: str, tmp_path: Path
) -> None:
    async with agent(
        shared.http, shared.grpc, token, tmp_path / "a", name="cline", mode="legacy"
    ) as one:
        report = one.report("Nobody here?", wait=False)
        assert "no device yet" in await report.text()
        call = one.ask("Anybody?")
        async with (
            asyncio.timeout(PATIENCE_SECONDS),
            device(shared.http, token, "Old", extended=False) as old,
        ):
            while len(pending := await old.pending()) < 2:
                continue
        async with asyncio.timeout(bound(1)), device(shared.http, token) as ann:
            asked = await ann.card("Anybody?")
            assert pending[1:] == [asked.ID]
            state = await ann.state(asked.ID, lambda s: True)
            assert state.state == request_pb2.REQUEST_STATE_PENDING
            assert not state.agent_gone
            await ann.answer(asked.ID, "me, later")
            assert (await call.text()).endswith("me, later")


@pytest.mark.requirement("B05", "seed002:ask:timeout")
async def test_a_question_that_expires_is_told_as_no_answer_and_no_consent(
    shared: Shared, token: str, tmp_path: Path
) -> None:
    async with (
        device(shared.http, token) as ann,
        agent(
            shared.http,
            shared.grpc,
            token,
            tmp_path / "a",
            limits={"TOOL_MIN_TIMEOUT_SECONDS": 1},
        ) as one,
    ):
        call = one.ask("Delete it all?", timeout=1)
        asked = await ann.card("Delete it all?")
        text = await call.text()
        assert text.startswith("No answer: the question was not answered within 1 s (timed out).")
        assert "Question: Delete it all?" in text
        assert "Do not assume consent" in text
        assert "Next step:" in text
        state = await ann.state(asked.ID, lambda s: s.state == request_pb2.REQUEST_STATE_EXPIRED)
        assert not state.late
