"""Requests over RelayService: opened, awaited, withdrawn, refused."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.service.ports import LogRefused
from lineup_srv.wire._gen.lineup.v1 import error_pb2, relay_pb2, request_pb2
from tests.domain.playbook import NOW, PHONE, TIMEOUT, replies
from tests.service.memory import PATIENCE
from tests.transports.bridges import CANCELLED, PENDING, Bridge, noticed, question, refused


async def test_a_request_that_nobody_answers_yet_comes_back_pending(bridge: Bridge) -> None:
    await bridge.house.log_in("Ann")

    outcome = await bridge.open("q", wait_ms=1)

    assert outcome == relay_pb2.Outcome(
        request_id="q",
        state=PENDING,
        deadline_unix_ms=NOW + TIMEOUT * 1000,
        devices_online=1,
        question="about q",
        opened_unix_ms=NOW,
        clock_unix_ms=NOW,
        project_directory="/work",
    )


async def test_an_answer_within_the_wait_is_returned(bridge: Bridge) -> None:
    house = bridge.house
    phone = await house.log_in("Ann")
    call = await house.begin(bridge.open("q", wait_ms=5_000))
    await phone.hear_all("AskQuestion")

    await house.do(replies("q", "yes", by=PHONE))
    outcome = await asyncio.wait_for(call, PATIENCE)

    assert outcome.state == request_pb2.REQUEST_STATE_ANSWERED
    assert outcome.contents[0].text.text == "yes"
    assert (outcome.nickname, outcome.device, outcome.platform) == ("Phone", "phone", "test")
    assert (outcome.action, outcome.replied_unix_ms) == ("answer", NOW)
    assert not outcome.redelivered


async def test_a_report_is_opened_too(bridge: Bridge) -> None:
    request = relay_pb2.OpenRequestRequest()
    request.report.ID, request.report.Request.Summary = "r", "done"

    outcome = (await bridge.call("OpenRequest", request)).outcome

    assert outcome.report
    assert outcome.question == "done"


async def test_neither_question_nor_report_is_refused(bridge: Bridge) -> None:
    async with refused("INVALID_ARGUMENT", ErrorCode.INVALID_ARGUMENT, "request"):
        await bridge.call("OpenRequest", relay_pb2.OpenRequestRequest())


async def test_the_same_id_for_something_else_is_refused(bridge: Bridge) -> None:
    await bridge.open("q")
    other = question("q")
    other.question.Request.Question = "something else"

    async with refused("ALREADY_EXISTS", ErrorCode.ID_CONFLICT):
        await bridge.call("OpenRequest", other)


async def test_too_many_open_requests_are_refused(
    bridge: Bridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "OPEN_REQUESTS_PER_AGENT", 1)
    await bridge.open("q1")

    async with refused("RESOURCE_EXHAUSTED", ErrorCode.RATE_LIMITED):
        await bridge.open("q2")


async def test_a_log_that_cannot_be_read_is_unavailable(bridge: Bridge) -> None:
    bridge.house.log.unreadable = True

    async with refused("UNAVAILABLE", ErrorCode.LOG_UNAVAILABLE):
        await bridge.open("q")
    bridge.house.log.unreadable = False


async def test_a_picture_that_cannot_be_written_is_unavailable(bridge: Bridge) -> None:
    bridge.house.blobs.fault = LogRefused("disk full")
    request = question("q")
    request.question.Request.contents.add(type=2).image.data = "QUJD"

    async with refused("UNAVAILABLE", ErrorCode.LOG_UNAVAILABLE):
        await bridge.call("OpenRequest", request)


async def test_a_script_waits_by_id_alone(bridge: Bridge, monkeypatch: pytest.MonkeyPatch) -> None:
    house = bridge.house
    await bridge.open("q")
    held = noticed(monkeypatch, house.relay, "_hold", before=True)
    request = relay_pb2.AwaitRequestRequest(request_id="q", wait_ms=60_000)
    call = await house.begin(bridge.call("AwaitRequest", request))
    await asyncio.wait_for(held.wait(), PATIENCE)
    await house.do(replies("q", "yes"))

    outcome = (await asyncio.wait_for(call, PATIENCE)).outcome

    assert outcome.contents[0].text.text == "yes"


@pytest.mark.parametrize(
    ("name", "request_", "code", "field"),
    [
        ("AwaitRequest", relay_pb2.AwaitRequestRequest(), "INVALID_ARGUMENT", "request_id"),
        (
            "AwaitRequest",
            relay_pb2.AwaitRequestRequest(request_id="x" * 129),
            "TOO_LARGE",
            "request_id",
        ),
        (
            "AwaitRequest",
            relay_pb2.AwaitRequestRequest(request_id="x", agent_id="a" * 129),
            "TOO_LARGE",
            "agent_id",
        ),
        ("CancelRequest", relay_pb2.CancelRequestRequest(), "INVALID_ARGUMENT", "agent_id"),
        (
            "CancelRequest",
            relay_pb2.CancelRequestRequest(agent_id="ada"),
            "INVALID_ARGUMENT",
            "request_id",
        ),
        (
            "CancelRequest",
            relay_pb2.CancelRequestRequest(agent_id="ada", request_id="q", message="x" * 2_001),
            "TOO_LARGE",
            "message",
        ),
        ("SetWaiting", relay_pb2.SetWaitingRequest(), "INVALID_ARGUMENT", "agent_id"),
        (
            "SetWaiting",
            relay_pb2.SetWaitingRequest(agent_id="ada", waiting_ids=["x"] * 513),
            "TOO_LARGE",
            "waiting_ids",
        ),
        (
            "SetWaiting",
            relay_pb2.SetWaitingRequest(agent_id="ada", waiting_ids=["x", ""]),
            "INVALID_ARGUMENT",
            "waiting_ids[1]",
        ),
        (
            "AckMessages",
            relay_pb2.AckMessagesRequest(agent_id="ada", request_ids=["x"] * 513),
            "TOO_LARGE",
            "request_ids",
        ),
        (
            "AckMessages",
            relay_pb2.AckMessagesRequest(agent_id="ada", text_ids=["x"] * 1_001),
            "TOO_LARGE",
            "text_ids",
        ),
        (
            "AckMessages",
            relay_pb2.AckMessagesRequest(agent_id="ada", text_ids=["x" * 129]),
            "TOO_LARGE",
            "text_ids[0]",
        ),
        (
            "AckMessages",
            relay_pb2.AckMessagesRequest(agent_id="ada", call_ids=[""]),
            "INVALID_ARGUMENT",
            "call_ids[0]",
        ),
        ("CancelCall", relay_pb2.CancelCallRequest(), "INVALID_ARGUMENT", "call_id"),
        ("CancelCall", relay_pb2.CancelCallRequest(call_id="c"), "INVALID_ARGUMENT", "agent_id"),
        ("TakeMessages", relay_pb2.TakeMessagesRequest(), "INVALID_ARGUMENT", "agent_id"),
        ("Goodbye", relay_pb2.GoodbyeRequest(), "INVALID_ARGUMENT", "agent_id"),
        ("Goodbye", relay_pb2.GoodbyeRequest(agent_id="a" * 129), "TOO_LARGE", "agent_id"),
    ],
)
async def test_a_field_that_is_missing_or_too_large_is_named(
    bridge: Bridge, name: str, request_: Any, code: str, field: str
) -> None:
    async with refused("INVALID_ARGUMENT", ErrorCode[code], field):
        await bridge.call(name, request_)


async def test_a_request_is_withdrawn_with_its_reason(bridge: Bridge) -> None:
    await bridge.open("q")
    phone = await bridge.house.log_in("Ann")
    await bridge.house.news(phone)

    outcome = (
        await bridge.call(
            "CancelRequest",
            relay_pb2.CancelRequestRequest(
                agent_id="ada",
                request_id="q",
                reason=error_pb2.ERROR_CODE_AGENT_ENDED,
                message="enough",
            ),
        )
    ).outcome

    assert (outcome.state, outcome.reason) == (CANCELLED, error_pb2.ERROR_CODE_AGENT_ENDED)
    assert outcome.message == "enough"
    [told] = [m.request_state for m in await bridge.house.news(phone)]
    assert (told.state, told.message) == (CANCELLED, "enough")


async def test_any_other_reason_is_that_it_was_cancelled(bridge: Bridge) -> None:
    await bridge.open("q")

    request = relay_pb2.CancelRequestRequest(
        agent_id="ada", request_id="q", reason=error_pb2.ERROR_CODE_DECLINED
    )
    outcome = (await bridge.call("CancelRequest", request)).outcome

    assert outcome.reason == error_pb2.ERROR_CODE_CANCELLED


async def test_what_nobody_knows_cannot_be_withdrawn(bridge: Bridge) -> None:
    async with refused("NOT_FOUND", ErrorCode.UNKNOWN_REQUEST):
        await bridge.call(
            "CancelRequest", relay_pb2.CancelRequestRequest(agent_id="ada", request_id="never")
        )
