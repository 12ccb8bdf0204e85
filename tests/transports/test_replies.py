"""Answers of devices, and ends without one (wire §3 and §4)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract.errors import ERRORS, ErrorCode
from lineup_srv.service.ports import LogRefused
from lineup_srv.wire._gen.lineup.v1 import error_pb2, request_pb2
from lineup_srv.wire._gen.lineup.v1 import websocket_pb2 as ws
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from tests.domain.playbook import NOW, TIMEOUT, cancels, opens, report
from tests.service.memory import PATIENCE
from tests.transports.saying import REF, asked, commands, online
from tests.transports.sockets import reply, report_reply

if TYPE_CHECKING:
    from tests.transports.house import House
from tests.transports.sockets import Wire


@pytest.mark.requirement("seed002:reply:notification")
async def test_the_others_get_the_stored_request_and_the_answer_the_replier_its_ack(
    house: House,
) -> None:
    ann, bob = await house.room("Ann", "Bob")
    frozen = await house.log_in("Old", extended=False)
    [user] = [user for user in await online(house, frozen) if user.nickname == "Ann"]
    waiting = await asked(house, ann, bob, frozen)
    said = reply("q", "yes", ref=REF)
    said.AskQuestionRequest.UserToken = "token"
    said.AskQuestionRequest.Request.Question = "another question"

    ann.say(said)
    told = await asyncio.wait_for(waiting, PATIENCE)

    assert told.request.reply is not None
    assert told.request.reply.by.nickname == "Ann"
    for other in (bob, frozen):
        note = (await house.news(other))[0]
        assert note.Cmd == "AskQuestionReplyNotification"
        assert note.Nickname == "Ann"
        assert note.StrParam == f"Response received from client {user.client_id}"
        assert note.AskQuestionRequest.Request.Question == "about q"
        assert note.AskQuestionRequest.UserToken == ""
        assert note.AskQuestionResponse.ID == "q"
        assert note.AskQuestionResponse.contents[0].text.text == "yes"
        assert note.seq == 2
    [ack] = [message for message in await house.news(ann) if message.Cmd == "Ack"]
    assert (ack.ack.ref, ack.ack.accepted, ack.ack.code, ack.seq) == (REF, True, 0, 2)


@pytest.mark.requirement("seed002:reply:notification")
async def test_a_confirmed_report_is_told_as_one(house: House) -> None:
    ann, bob = await house.room("Ann", "Bob")
    await house.call(opens("r", asked=report("done")), wait_ms=0)
    await house.news(bob)

    ann.say(report_reply("r"))
    [note] = [m for m in await house.news(bob) if m.Cmd == "WorkReportReplyNotification"]

    assert note.StrParam.startswith("Work report confirmed by client ")
    assert note.WorkReportRequest.Request.Summary == "done"
    assert note.WorkReportRequest.UserToken == ""
    assert note.WorkReportResponse.ID == "r"
    assert not note.HasField("AskQuestionResponse")


@pytest.mark.requirement("B11", "seed002:ask:first-reply-wins")
async def test_the_first_answer_wins_and_the_second_replier_is_told_who_was_first(
    house: House,
) -> None:
    ann, bob = await house.room("Ann", "Bob")
    frozen = await house.log_in("Old", extended=False)
    waiting = await asked(house, ann, bob, frozen)
    ann.say(reply("q", "first", ref=REF))
    told = await asyncio.wait_for(waiting, PATIENCE)
    await house.news(bob)
    await house.news(frozen)

    bob.say(reply("q", "second", ref="ref-of-the-second"))
    frozen.say(reply("q", "third"))

    [ack] = await house.news(bob)
    assert (ack.ack.accepted, ack.ack.code) == (False, error_pb2.ERROR_CODE_ALREADY_ANSWERED)
    assert "Ann" in ack.ack.message
    [note] = await house.news(frozen)
    assert note.Cmd == "AskQuestionReplyNotification"
    assert note.AskQuestionResponse.contents[0].text.text == "first"
    assert told.request.reply is not None
    assert told.request.reply.contents[0].ref.inline == "first"


async def test_an_answer_that_is_sent_again_gets_its_first_ack_again(house: House) -> None:
    ann, bob = await house.room("Ann", "Bob")
    await asyncio.wait([await asked(house, ann, bob), await _say(ann, reply("q", ref=REF))])
    first = [m for m in await house.news(ann) if m.Cmd == "Ack"]
    await house.news(bob)

    ann.say(reply("q", ref=REF))
    again = [m for m in await house.news(ann) if m.Cmd == "Ack"]

    assert [(m.ack.accepted, m.ack.code, m.seq) for m in again] == [
        (m.ack.accepted, m.ack.code, m.seq) for m in first
    ]
    assert await house.commands(bob) == []


async def _say(wire: Wire, message: WebsocketMessage) -> asyncio.Task[None]:
    async def say() -> None:
        wire.say(message)

    return asyncio.get_running_loop().create_task(say())


@pytest.mark.requirement("seed002:reply:without-response-is-refused")
@pytest.mark.parametrize(
    ("command", "field"),
    [
        ("AskQuestionReply", "AskQuestionResponse"),
        ("WorkReportReply", "WorkReportResponse"),
    ],
)
async def test_a_reply_without_its_response_is_refused(
    house: House, command: str, field: str
) -> None:
    ann, bob = await house.room("Ann", "Bob")
    message = WebsocketMessage(Cmd=command, ref=REF)
    message.AskQuestionRequest.ID = message.WorkReportRequest.ID = "q"

    ack = await house.tell(ann, message)
    message.ref = ""
    ann.say(message)

    assert (ack.ack.accepted, ack.ack.code) == (False, error_pb2.ERROR_CODE_INVALID_ARGUMENT)
    assert ack.ack.message == f"{field}: a reply carries its response"
    assert await house.commands(ann) == await house.commands(bob) == []


async def test_a_dismissal_ends_the_question_for_all(house: House) -> None:
    ann, bob = await house.room("Ann", "Bob")
    waiting = await asked(house, ann, bob)

    ann.say(reply("q", "", action="decline"))
    told = await asyncio.wait_for(waiting, PATIENCE)

    assert told.request.state.value == "declined"
    [note] = [m for m in await house.news(bob) if m.Cmd == "AskQuestionReplyNotification"]
    assert note.AskQuestionResponse.Meta["action"] == "decline"


@pytest.mark.requirement("B15")
async def test_an_answer_after_the_end_is_kept_and_acknowledged_as_late(house: House) -> None:
    ann, bob = await house.room("Ann", "Bob")
    waiting = await asked(house, ann)
    house.clock.advance(TIMEOUT)
    await asyncio.wait_for(waiting, PATIENCE)
    await house.news(ann)
    await house.news(bob)

    ann.say(reply("q", "late", ref=REF))

    [ack] = await house.news(ann)
    assert (ack.ack.accepted, ack.ack.code) == (True, error_pb2.ERROR_CODE_KEPT_LATE)
    [note] = await house.news(bob)
    assert note.AskQuestionResponse.contents[0].text.text == "late"


async def test_an_answer_to_an_unknown_question_is_kept_for_the_agent_it_names(
    house: House,
) -> None:
    [ann] = await house.room("Ann")
    named = reply("gone", "my answer", ref=REF)
    named.AskQuestionRequest.Request.agent_id = "ada"

    ann.say(named)
    ann.say(reply("gone", ref="ref-without-an-agent"))
    acks = {m.ack.ref: m.ack for m in await house.news(ann) if m.Cmd == "Ack"}

    assert acks[REF].accepted
    assert acks[REF].code == error_pb2.ERROR_CODE_KEPT_UNKNOWN
    assert not acks["ref-without-an-agent"].accepted
    assert acks["ref-without-an-agent"].code == error_pb2.ERROR_CODE_UNKNOWN_REQUEST


async def test_an_answer_that_cannot_be_written_is_not_accepted(house: House) -> None:
    [ann] = await house.room("Ann")
    waiting = await asked(house, ann)
    picture = reply("q", "", ref=REF)
    picture.AskQuestionResponse.contents.add(type=2).image.data = "QUJD"
    house.blobs.fault = LogRefused("disk full")
    ack = await house.tell(ann, picture)

    assert (ack.ack.accepted, ack.ack.code) == (False, error_pb2.ERROR_CODE_LOG_UNAVAILABLE)
    house.blobs.fault = None
    ann.say(picture)
    await asyncio.wait_for(waiting, PATIENCE)


# Ends --------------------------------------------------------------------------------------------


@pytest.mark.requirement("seed002:ask:timeout")
async def test_a_timeout_is_told_to_each_in_its_own_words(house: House) -> None:
    [ann] = await house.room("Ann")
    frozen = await house.log_in("Old", extended=False)
    waiting = await asked(house, ann, frozen)

    house.clock.advance(TIMEOUT)
    await asyncio.wait_for(waiting, PATIENCE)

    [note] = await house.news(frozen)
    assert note.Cmd == "RequestCancelled"
    assert note.RequestCancelledNotification == ws.RequestCancelledNotification(
        request_id="q", reason=ERRORS[ErrorCode.EXPIRED].meaning, message_type="AskQuestion"
    )
    heard = await house.news(ann)
    assert "RequestCancelled" not in commands(heard)
    [state] = [
        m.request_state for m in heard if m.request_state.state == request_pb2.REQUEST_STATE_EXPIRED
    ][:1]
    assert (state.request_id, state.changed_unix_ms) == ("q", NOW + TIMEOUT * 1000)


async def test_a_withdrawn_report_is_told_to_each_in_its_own_words(house: House) -> None:
    [ann] = await house.room("Ann")
    frozen = await house.log_in("Old", extended=False)
    await house.call(opens("r", asked=report("done")), wait_ms=0)
    await house.news(ann)
    await house.news(frozen)

    await house.do(cancels("r"))

    [note] = await house.news(frozen)
    assert note.RequestCancelledNotification.message_type == "WorkReport"
    [state] = [m for m in await house.news(ann) if m.Cmd == "RequestState"]
    assert state.request_state.state == request_pb2.REQUEST_STATE_CANCELLED
    assert state.request_state.reason == error_pb2.ERROR_CODE_CANCELLED
