"""Calls that wait: answered, out of time, hung up, ended with the relay."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

import pytest

from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2, request_pb2
from tests.system.devices import device
from tests.transports.connect.relays import (
    ASSIST,
    OLD_ASSIST,
    TOKEN,
    answer_on,
    post,
    raw,
    request,
)
from tests.transports.connect.test_refusals import PROTO, failure

if TYPE_CHECKING:
    from tests.transports.connect.relays import Ports

CANCELLED: Final = request_pb2.REQUEST_STATE_CANCELLED


def question(request_id: str, text: str) -> bytes:
    asked = agent_assist_pb2.AskQuestionRequest(ID=request_id, UserToken=TOKEN)
    asked.Request.Question = text
    return asked.SerializeToString()


@pytest.mark.parametrize("service", [ASSIST, OLD_ASSIST])
async def test_a_report_is_confirmed(ports: Ports, service: str) -> None:
    report = agent_assist_pb2.WorkReportRequest(ID="done", UserToken=TOKEN)
    report.Request.Summary = "All done."

    async with device(ports.http, TOKEN) as ann, asyncio.TaskGroup() as group:
        call = group.create_task(
            post(ports.http, f"{service}/WorkReport", report.SerializeToString(), PROTO)
        )
        await ann.confirm((await ann.report("All done.")).ID, "Thanks")
        answer = await call

    response = agent_assist_pb2.WorkReportResponse.FromString(answer.body)
    assert (response.ID, response.IsError) == ("done", False)
    assert [content.text.text for content in response.contents] == ["Thanks"]


async def test_an_answer_over_connect_counts_as_received(ports: Ports) -> None:
    async with device(ports.http, TOKEN) as ann, asyncio.TaskGroup() as group:
        path = f"{ASSIST}/AskQuestion"
        call = group.create_task(post(ports.http, path, question("q", "Go on?"), PROTO))
        await ann.answer((await ann.card("Go on?")).ID, "yes")

        await ann.state("q", lambda state: state.received)
        assert (await call).status == 200


async def test_a_caller_that_hangs_up_withdraws_its_card(ports: Ports) -> None:
    path = f"{OLD_ASSIST}/AskQuestion"

    async with device(ports.http, TOKEN) as ann:
        async with raw(ports.http, request(path, question("q", "Go on?"), PROTO)):
            await ann.kept_card("Go on?")
        state = await ann.state("q", lambda state: state.state == CANCELLED)

    assert state.state == CANCELLED


async def test_a_caller_that_hangs_up_in_the_middle_of_its_body_asked_nothing(
    ports: Ports,
) -> None:
    sent = request(f"{ASSIST}/AskQuestion", question("q", "Half?"), PROTO)

    async with device(ports.http, TOKEN) as ann:
        async with raw(ports.http, sent[:-3]):
            await ann.settled()
        await ann.settled()

        assert await ann.pending() == []


async def test_a_call_out_of_time_is_told_so_and_withdraws_its_card(ports: Ports) -> None:
    headers = {**PROTO, "Connect-Timeout-Ms": "300"}

    async with device(ports.http, TOKEN) as ann:
        answer = await post(ports.http, f"{ASSIST}/AskQuestion", question("q", "Soon?"), headers)
        await ann.state("q", lambda state: state.state == CANCELLED)

    assert failure(answer) == (504, "deadline_exceeded", "")


async def test_the_cards_own_timeout_is_an_answer_in_the_frozen_form(ports: Ports) -> None:
    asked = agent_assist_pb2.AskQuestionRequest(ID="q", UserToken=TOKEN)
    asked.Request.Question = "Now?"
    asked.Request.Timeout = 1

    answer = await post(ports.http, f"{ASSIST}/AskQuestion", asked.SerializeToString(), PROTO)

    response = agent_assist_pb2.AskQuestionResponse.FromString(answer.body)
    assert (answer.status, response.IsError) == (200, True)
    assert response.Meta["error"] == "timeout"


async def test_a_refused_question_is_an_answer_in_the_frozen_form(ports: Ports) -> None:
    async with device(ports.http, TOKEN) as ann:
        path = f"{ASSIST}/AskQuestion"
        async with raw(ports.http, request(path, question("q", "One?"), PROTO)):
            await ann.kept_card("One?")
            answer = await post(ports.http, path, question("q", "Two?"), PROTO)

    response = agent_assist_pb2.AskQuestionResponse.FromString(answer.body)
    assert (answer.status, response.IsError) == (200, True)
    assert response.Meta["error"] == "invalid_request"


async def test_a_relay_that_stops_ends_what_it_holds_at_once(ports: Ports) -> None:
    sent = request(f"{ASSIST}/AskQuestion", question("q", "Go on?"), PROTO)

    async with device(ports.http, TOKEN) as ann, raw(ports.http, sent) as reader:
        await ann.kept_card("Go on?")
        ports.stop.set()
        answer = await answer_on(reader)

    assert failure(answer) == (503, "unavailable", "")


async def test_an_error_of_ours_is_logged_and_told_without_its_words(
    ports: Ports, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr("lineup_srv.transports.assist_calls.room_of", broken)

    answer = await post(ports.http, f"{ASSIST}/AskQuestion", question("q", "Go on?"), PROTO)

    assert failure(answer) == (500, "internal", "")
    assert "secret" not in answer.body.decode()
    assert [record.message for record in caplog.records] == ["a call failed"]
