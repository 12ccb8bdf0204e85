"""What a logged-in device says and hears (wire §3 and §4)."""

from __future__ import annotations

import asyncio
import base64
import logging
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ERRORS, ErrorCode
from lineup_srv.service.ports import LogRefused
from lineup_srv.wire._gen.lineup.v1 import (
    agent_pb2,
    client_pb2,
    content_pb2,
    error_pb2,
    request_pb2,
)
from lineup_srv.wire._gen.lineup.v1 import websocket_pb2 as ws
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from tests.domain.playbook import NOW, TIMEOUT, cancels, opens, report
from tests.service.memory import PATIENCE
from tests.transports.sockets import reply, report_reply

if TYPE_CHECKING:
    from lineup_srv.service.ports import OutcomeTold
    from tests.transports.house import House
    from tests.transports.sockets import Wire

REF = "ref-of-this-message"


def commands(messages: list[WebsocketMessage]) -> list[str]:
    return [message.Cmd for message in messages]


async def online(house: House, wire: Wire) -> list[ws.OnlineUser]:
    answer = await house.tell(wire, WebsocketMessage(Cmd="GetOnlineUsers"))
    assert answer.GetOnlineUsersResponse.total_count == len(
        answer.GetOnlineUsersResponse.online_users
    )
    return list(answer.GetOnlineUsersResponse.online_users)


async def asked(house: House, *wires: Wire, request_id: str = "q") -> asyncio.Task[OutcomeTold]:
    """A question that an agent waits for, and that these devices have heard of."""
    waiting = await house.begin(house.ask(request_id))
    for wire in wires:
        assert "AskQuestion" in await house.commands(wire)
    return waiting


# Answers -----------------------------------------------------------------------------------------


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


# Lists -------------------------------------------------------------------------------------------


@pytest.mark.requirement("seed002:pending:list")
async def test_pending_requests_are_listed_oldest_first_without_a_token(house: House) -> None:
    frozen = await house.log_in("Old", extended=False)
    await house.ask("q", wait_ms=0)
    await house.call(opens("r", asked=report("done")), wait_ms=0)
    await house.news(frozen)
    message = WebsocketMessage(Cmd="GetPendingMessages")
    message.GetPendingMessagesRequest.user_token = "token-of-another"

    answer = await house.tell(frozen, message)

    first, second = answer.GetPendingMessagesResponse.pending_messages
    assert answer.GetPendingMessagesResponse.total_count == 2
    assert (first.message_type, second.message_type) == ("AskQuestion", "WorkReport")
    # Milliseconds here, seconds of the timeout.
    assert (first.created_at, first.timeout) == (NOW, TIMEOUT)
    assert first.ask_question_request.ID == "q"
    assert second.work_report_request.ID == "r"
    assert not first.HasField("work_report_request")
    assert not second.HasField("ask_question_request")
    assert first.ask_question_request.UserToken == second.work_report_request.UserToken == ""


@pytest.mark.requirement("seed002:online:without-the-asker")
async def test_online_users_leave_out_the_asker(house: House) -> None:
    ann, _ = await house.room("Ann", "Bob")
    await house.log_in("Eve", token="token-of-another")

    users = await online(house, ann)

    assert [(user.nickname, user.connected_at) for user in users] == [("Bob", NOW // 1000)]


@pytest.mark.requirement("seed002:validity:only-pending")
async def test_only_what_is_pending_is_valid(house: House) -> None:
    frozen = await house.log_in("Old", extended=False)
    await house.ask("q", wait_ms=0)
    await house.ask("gone", wait_ms=0)
    await house.do(cancels("gone"))
    await house.news(frozen)
    message = WebsocketMessage(Cmd="CheckMessageValidity")
    message.CheckMessageValidityRequest.request_ids.extend(["q", "gone", "never"])

    answer = await house.tell(frozen, message)

    assert answer.Cmd == "CheckMessageValidity"
    assert answer.CheckMessageValidityResponse.validity == {
        "q": True,
        "gone": False,
        "never": False,
    }


# Small ones --------------------------------------------------------------------------------------


async def test_a_ping_with_a_ref_is_acknowledged(house: House) -> None:
    [ann] = await house.room("Ann")
    ann.say(WebsocketMessage(Cmd="Ping"))

    ack = await house.tell(ann, WebsocketMessage(Cmd="Ping", ref=REF))

    assert (ack.Cmd, ack.ack.ref, ack.ack.accepted) == ("Ack", REF, True)


async def test_client_info_is_taken(house: House) -> None:
    [ann] = await house.room("Ann")
    message = WebsocketMessage(Cmd="ClientInfo", ref=REF)
    message.client_info.visible = True

    ack = await house.tell(ann, message)

    assert ack.ack.accepted
    [member] = (await house.runner()).room.live.members.values()
    assert member.visible
    assert member.author.nickname == "Ann"


@pytest.mark.requirement("B84")
async def test_an_unknown_command_is_acknowledged_as_such(house: House) -> None:
    [ann] = await house.room("Ann")
    ann.say(WebsocketMessage(Cmd="Juggle"))

    ack = await house.tell(ann, WebsocketMessage(Cmd="Juggle", ref=REF))

    assert (ack.ack.accepted, ack.ack.code) == (False, error_pb2.ERROR_CODE_UNKNOWN_COMMAND)
    assert ack.ack.message
    assert await house.commands(ann) == []


@pytest.mark.parametrize("command", ["AskQuestion", "WorkReport", "RequestState", "Ack", "Agents"])
async def test_a_device_cannot_say_what_only_the_relay_says(house: House, command: str) -> None:
    ann, bob = await house.room("Ann", "Bob")

    ack = await house.tell(ann, WebsocketMessage(Cmd=command, ref=REF))

    assert ack.ack.code == error_pb2.ERROR_CODE_UNKNOWN_COMMAND
    assert await house.commands(bob) == []


async def test_more_time_is_acknowledged_and_told_to_all(house: House) -> None:
    ann, bob = await house.room("Ann", "Bob")
    waiting = await asked(house, ann, bob)
    message = WebsocketMessage(Cmd="ExtendDeadline", ref=REF)
    message.extend_deadline.CopyFrom(
        request_pb2.ExtendDeadline(request_id="q", add_seconds=TIMEOUT)
    )

    ann.say(message)
    heard = await house.news(ann)

    [ack] = [m for m in heard if m.Cmd == "Ack"]
    assert ack.ack.accepted
    for states in (heard, await house.news(bob)):
        [state] = [m for m in states if m.Cmd == "RequestState"]
        assert state.seq == ack.seq
        assert state.request_state.deadline_unix_ms == NOW + 2 * TIMEOUT * 1000
        assert state.request_state.by_nickname == "Ann"
        assert state.request_state.by_device == "Ann"
    house.clock.advance(TIMEOUT)
    assert not waiting.done()
    house.clock.advance(TIMEOUT)
    await asyncio.wait_for(waiting, PATIENCE)


@pytest.mark.parametrize(
    ("request_id", "code"),
    [
        ("", ErrorCode.INVALID_ARGUMENT),
        ("x" * 129, ErrorCode.TOO_LARGE),
        ("never", ErrorCode.UNKNOWN_REQUEST),
    ],
)
async def test_more_time_for_nothing_is_refused(
    house: House, request_id: str, code: ErrorCode
) -> None:
    [ann] = await house.room("Ann")
    message = WebsocketMessage(Cmd="ExtendDeadline", ref=REF)
    message.extend_deadline.request_id = request_id

    ack = await house.tell(ann, message)

    assert error_pb2.ErrorCode.Name(ack.ack.code) == f"ERROR_CODE_{code.name}"


# Texts and signals -------------------------------------------------------------------------------


async def test_a_text_to_an_agent_is_kept_and_shown_to_devices_that_know_texts(
    house: House,
) -> None:
    ann, bob = await house.room("Ann", "Bob")
    frozen = await house.log_in("Old", extended=False)
    await house.news(ann)
    await house.news(bob)
    text = agent_pb2.Text(content="stop, please", agent_id="ada", message_id="mine")

    ann.say(WebsocketMessage(Cmd="Text", ref=REF, text=text))
    heard = await house.news(ann)

    [ack] = [m for m in heard if m.Cmd == "Ack"]
    assert (ack.ack.accepted, ack.seq) == (True, 1)
    [shown] = [m for m in await house.news(bob) if m.Cmd == "Text"]
    assert (shown.text.content, shown.text.agent_id) == ("stop, please", "ada")
    assert (getattr(shown.text, "from"), shown.text.sent_unix_ms) == ("Ann", NOW)
    assert shown.seq == 1
    assert await house.commands(frozen) == []


def picture(data: bytes = b"\x89PNG") -> content_pb2.McpResultContent:
    encoded = base64.b64encode(data).decode()
    image = content_pb2.ImageContent(type="image", data=encoded, mime_type="image/png")
    return content_pb2.McpResultContent(type=2, image=image)


async def test_a_text_shows_devices_what_is_attached_and_keeps_it(house: House) -> None:
    ann, bob = await house.room("Ann", "Bob")
    large = picture(b"\x89PNG" * (limits.LINKED_BYTES // 4 + 1))
    text = agent_pb2.Text(contents=[picture(), large], agent_id="ada")

    ann.say(WebsocketMessage(Cmd="Text", ref=REF, text=text))

    [ack] = [m for m in await house.news(ann) if m.Cmd == "Ack"]
    assert ack.ack.accepted
    [shown] = [m.text for m in await house.news(bob) if m.Cmd == "Text"]
    small, link = shown.contents
    assert (shown.content, small) == ("", picture())
    assert (link.type, link.embedded_resource.mime_type) == (4, "image/png")
    assert link.embedded_resource.uri.startswith("files/")
    assert not link.embedded_resource.data

    # Another device reads the same from the history.
    asked = WebsocketMessage(Cmd="GetHistory", get_history=ws.GetHistory(limit=10))
    bob.say(asked)
    [page] = [m.history_page for m in await house.news(bob) if m.Cmd == "GetHistory"]
    assert [list(m.text.contents) for m in page.messages] == [[small, link]]


def bad(**content: object) -> agent_pb2.Text:
    """A text whose second content is this."""
    second = content_pb2.McpResultContent(**content)  # type: ignore[arg-type] # by its tests
    return agent_pb2.Text(content="x", contents=[picture(), second])


@pytest.mark.parametrize(
    ("text", "code", "field"),
    [
        (agent_pb2.Text(content="  "), ErrorCode.INVALID_ARGUMENT, "text.content"),
        (agent_pb2.Text(content="x" * 100_001), ErrorCode.TOO_LARGE, "text.content"),
        (agent_pb2.Text(content="x", agent_id="a" * 129), ErrorCode.TOO_LARGE, "text.agent_id"),
        (agent_pb2.Text(contents=[picture()] * 21), ErrorCode.TOO_LARGE, "text.contents"),
        (bad(type=9), ErrorCode.INVALID_ARGUMENT, "text.contents[1]"),
        (
            bad(type=2, image=content_pb2.ImageContent(data="no base64")),
            ErrorCode.INVALID_ARGUMENT,
            "text.contents[1].image.data",
        ),
        (
            bad(type=4, embedded_resource=content_pb2.EmbeddedResource(uri="x" * 4_097)),
            ErrorCode.TOO_LARGE,
            "text.contents[1].embedded_resource.uri",
        ),
    ],
)
async def test_a_text_that_breaks_a_limit_is_refused(
    house: House, text: agent_pb2.Text, code: ErrorCode, field: str
) -> None:
    [ann] = await house.room("Ann")

    ack = await house.tell(ann, WebsocketMessage(Cmd="Text", ref=REF, text=text))

    assert error_pb2.ErrorCode.Name(ack.ack.code) == f"ERROR_CODE_{code.name}"
    assert ack.ack.message.startswith(field)
    assert not (await house.runner()).room.logged.texts


@pytest.mark.requirement("seed002:chat:one-receiver")
async def test_a_chat_message_reaches_its_receiver_only(house: House) -> None:
    ann, bob, eve = await house.room("Ann", "Bob", "Eve", extended=False)
    [user] = [user for user in await online(house, ann) if user.nickname == "Bob"]
    [me] = [user for user in await online(house, bob) if user.nickname == "Ann"]
    message = WebsocketMessage(Cmd="SendChatMessage", ref=REF)
    message.SendChatMessageRequest.receiver_client_id = user.client_id
    message.SendChatMessageRequest.content = "look"
    message.SendChatMessageRequest.forward_target.window_id = "7"
    message.SendChatMessageRequest.forward_target.mode = ws.FORWARD_TARGET_MODE_SPECIFIC_WINDOW

    ack = await house.tell(ann, message)

    assert ack.ack.accepted
    [note] = await house.news(bob)
    assert note.Cmd == "ChatMessageNotification"
    chat = note.ChatMessageNotification.chat_message
    assert (chat.sender_client_id, chat.sender_nickname) == (me.client_id, "Ann")
    assert (chat.receiver_client_id, chat.receiver_nickname) == (user.client_id, "Bob")
    assert (chat.content, chat.sent_at) == ("look", NOW // 1000)
    assert chat.message_id
    assert chat.forward_target == message.SendChatMessageRequest.forward_target
    assert await house.commands(eve) == await house.commands(ann) == []
    assert house.log.facts((await house.runner()).room_id) == []


async def test_a_chat_message_to_nobody_is_refused_if_it_has_a_ref(house: House) -> None:
    [ann] = await house.room("Ann")
    stranger = await house.log_in("Eve", token="token-of-another")
    other = await house.log_in("Pat", token="token-of-another")
    [user] = await online(house, other)
    message = WebsocketMessage(Cmd="SendChatMessage")
    message.SendChatMessageRequest.receiver_client_id = user.client_id
    message.SendChatMessageRequest.content = "look"

    ann.say(message)
    message.ref = REF
    ack = await house.tell(ann, message)

    assert (ack.ack.accepted, ack.ack.code) == (False, error_pb2.ERROR_CODE_RECEIVER_OFFLINE)
    assert "ChatMessageNotification" not in await house.commands(stranger)


@pytest.mark.parametrize(
    ("receiver", "content", "field"),
    [
        ("", "look", "receiver_client_id"),
        ("x" * 129, "look", "receiver_client_id"),
        ("someone", "", "content"),
        ("someone", "x" * 100_001, "content"),
    ],
)
async def test_a_chat_message_that_breaks_a_limit_is_refused(
    house: House, receiver: str, content: str, field: str
) -> None:
    [ann] = await house.room("Ann")
    message = WebsocketMessage(Cmd="SendChatMessage", ref=REF)
    message.SendChatMessageRequest.receiver_client_id = receiver
    message.SendChatMessageRequest.content = content

    ack = await house.tell(ann, message)

    assert not ack.ack.accepted
    assert ack.ack.message.startswith(f"SendChatMessageRequest.{field}: ")


async def test_who_is_typing_is_told_to_devices_that_know_it(house: House) -> None:
    ann, bob = await house.room("Ann", "Bob")
    frozen = await house.log_in("Old", extended=False)
    await house.news(bob)
    typing = client_pb2.Typing(request_id="q", nickname="somebody else")

    ann.say(WebsocketMessage(Cmd="Typing", typing=typing))
    await house.news(ann)

    [note] = await house.news(bob)
    assert note.typing == client_pb2.Typing(request_id="q", nickname="Ann")
    assert await house.commands(frozen) == []


async def test_typing_nowhere_is_refused(house: House) -> None:
    [ann] = await house.room("Ann")

    ack = await house.tell(ann, WebsocketMessage(Cmd="Typing", ref=REF))

    assert ack.ack.code == error_pb2.ERROR_CODE_INVALID_ARGUMENT


async def test_the_state_of_forwarding_is_asked_answered_and_told(house: House) -> None:
    phone, desk = await house.room("Phone", "Desk", extended=False)
    [desk_user] = await online(house, phone)
    [phone_user] = await online(house, desk)
    query = WebsocketMessage(Cmd="ForwardStateQuery")
    query.ForwardStateQueryRequest.CopyFrom(
        ws.ForwardStateQueryRequest(
            request_id="1", target_client_id=desk_user.client_id, requester_client_id="forged"
        )
    )
    phone.say(query)
    [heard] = await _news_after(house, phone, desk)
    assert heard.ForwardStateQueryRequest == ws.ForwardStateQueryRequest(
        request_id="1",
        target_client_id=desk_user.client_id,
        requester_client_id=phone_user.client_id,
    )

    windows = [ws.ForwardWindowItem(window_id="7", title="Editor")]
    answer = WebsocketMessage(Cmd="ForwardStateQueryResponse")
    answer.ForwardStateQueryResponse.CopyFrom(
        ws.ForwardStateQueryResponse(
            request_id="1",
            target_client_id=phone_user.client_id,
            responder_client_id="forged",
            forward_enabled=True,
            windows=windows,
        )
    )
    desk.say(answer)
    [heard] = await _news_after(house, desk, phone)
    expected = ws.ForwardStateQueryResponse()
    expected.CopyFrom(answer.ForwardStateQueryResponse)
    expected.responder_client_id = desk_user.client_id
    assert heard.ForwardStateQueryResponse == expected

    changed = WebsocketMessage(Cmd="ForwardStateChanged")
    changed.ForwardStateChangedNotification.CopyFrom(
        ws.ForwardStateChangedNotification(forward_enabled=True, windows=windows)
    )
    desk.say(changed)
    [heard] = await _news_after(house, desk, phone)
    assert heard.ForwardStateChangedNotification == ws.ForwardStateChangedNotification(
        source_client_id=desk_user.client_id, forward_enabled=True, windows=windows
    )

    failed = WebsocketMessage(Cmd="ForwardDeliveryError")
    failed.ForwardDeliveryErrorNotification.CopyFrom(
        ws.ForwardDeliveryErrorNotification(
            target_client_id=phone_user.client_id, invalid_window_id="7", reason="closed"
        )
    )
    desk.say(failed)
    [heard] = await _news_after(house, desk, phone)
    assert heard.ForwardDeliveryErrorNotification == ws.ForwardDeliveryErrorNotification(
        target_client_id=phone_user.client_id,
        peer_client_id=desk_user.client_id,
        invalid_window_id="7",
        reason="closed",
    )


async def _news_after(house: House, speaker: Wire, hearer: Wire) -> list[WebsocketMessage]:
    assert await house.commands(speaker) == []
    return await house.news(hearer)


async def test_too_many_windows_are_refused(house: House) -> None:
    [desk] = await house.room("Desk")
    changed = WebsocketMessage(Cmd="ForwardStateChanged", ref=REF)
    for number in range(limits.FORWARD_WINDOWS + 1):
        changed.ForwardStateChangedNotification.windows.add(window_id=str(number))

    ack = await house.tell(desk, changed)

    assert ack.ack.code == error_pb2.ERROR_CODE_TOO_LARGE


async def test_devices_that_know_agents_hear_of_them_after_a_while(house: House) -> None:
    [ann] = await house.room("Ann")
    frozen = await house.log_in("Old", extended=False)
    await house.news(ann)
    _, stream = await house.attach()
    await house.settled()
    assert ann.left() == []

    house.clock.advance(1)

    [message] = await ann.hear_all("Agents")
    [agent] = message.agents
    assert (agent.agent_id, agent.client, agent.attached) == ("ada", "coder", True)
    assert (agent.project_directory, agent.machine_name) == ("/work", "desk")
    assert frozen.left() == []
    assert stream.events


# Malformed frames --------------------------------------------------------------------------------


async def test_malformed_frames_are_ignored(house: House, caplog: pytest.LogCaptureFixture) -> None:
    [ann] = await house.room("Ann")
    caplog.set_level(logging.DEBUG)
    secret = b"\xff a secret"
    for _ in range(limits.MALFORMED_FRAMES_PER_MINUTE - 1):
        ann.say_bytes(secret)

    assert await house.commands(ann) == []
    assert "malformed" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.requirement("seed002:wire:malformed-frames-are-ignored")
async def test_too_many_malformed_frames_in_a_minute_close(house: House) -> None:
    [ann] = await house.room("Ann")
    for _ in range(limits.MALFORMED_FRAMES_PER_MINUTE):
        ann.say_bytes(b"\xff")
    # What comes after is not looked at any more.
    ann.say(WebsocketMessage(Cmd="Ping", ref=REF))

    assert await ann.closed() == 1008
    assert ann.left() == []


async def test_malformed_frames_of_another_minute_do_not_count(house: House) -> None:
    [ann] = await house.room("Ann")
    for _ in range(limits.MALFORMED_FRAMES_PER_MINUTE - 1):
        ann.say_bytes(b"\xff")
    await house.news(ann)
    house.clock.advance(60)
    for _ in range(limits.MALFORMED_FRAMES_PER_MINUTE - 1):
        ann.say_bytes(b"\xff")

    assert await house.commands(ann) == ["Devices"]
    ann.say_bytes(b"\xff")
    assert await ann.closed() == 1008


@pytest.mark.parametrize("ref", ["r" * 15, "r" * 65])
async def test_a_ref_of_a_wrong_length_makes_a_frame_malformed(house: House, ref: str) -> None:
    [ann] = await house.room("Ann")

    ann.say(WebsocketMessage(Cmd="Ping", ref=ref))

    assert await house.commands(ann) == []


@pytest.mark.parametrize("ref", ["r" * 16, "r" * 64])
async def test_a_ref_of_a_right_length_is_taken(house: House, ref: str) -> None:
    [ann] = await house.room("Ann")

    assert (await house.tell(ann, WebsocketMessage(Cmd="Ping", ref=ref))).ack.ref == ref


async def test_a_text_frame_is_malformed(house: House) -> None:
    [ann] = await house.room("Ann")
    for _ in range(limits.MALFORMED_FRAMES_PER_MINUTE):
        ann.say_text('{"v":1}')

    assert await ann.closed() == 1008


async def test_malformed_frames_before_the_login_count_too(house: House) -> None:
    wire = await house.accepted()
    for _ in range(limits.MALFORMED_FRAMES_PER_MINUTE):
        wire.say_bytes(b"\xff")

    assert await wire.closed() == 1008


# History -----------------------------------------------------------------------------------------


async def history(
    house: House, wire: Wire, *, after: int = 0, before: int = 0, limit: int = 200
) -> ws.HistoryPage:
    message = WebsocketMessage(Cmd="GetHistory", ref=REF)
    message.get_history.CopyFrom(ws.GetHistory(after_seq=after, before_seq=before, limit=limit))
    answer = await house.tell(wire, message)
    assert (answer.Cmd, answer.ref) == ("GetHistory", REF)
    return answer.history_page


@pytest.fixture
async def reader(house: House) -> Wire:
    """A device in a room with five questions that were withdrawn."""
    [ann] = await house.room("Ann")
    for number in range(5):
        await house.ask(f"q{number}", wait_ms=0)
        await house.do(cancels(f"q{number}"))
    await house.news(ann)
    return ann


async def test_history_is_read_forward_page_by_page(house: House, reader: Wire) -> None:
    first = await history(house, reader, limit=3)
    second = await history(house, reader, after=first.messages[-1].seq, limit=100)

    assert [m.seq for m in first.messages] == [1, 2, 3]
    assert commands(list(first.messages)) == ["AskQuestion", "RequestState", "AskQuestion"]
    assert (first.floor_seq, first.last_seq, first.more, first.reset) == (1, 10, True, False)
    assert [m.seq for m in second.messages] == [4, 5, 6, 7, 8, 9, 10]
    assert not second.more
    for message in [*first.messages, *second.messages]:
        assert message.AskQuestionRequest.UserToken == ""


async def test_history_is_read_backward_page_by_page(house: House, reader: Wire) -> None:
    newest = await history(house, reader, before=11, limit=4)
    oldest = await history(house, reader, before=newest.messages[0].seq, limit=100)

    assert [m.seq for m in newest.messages] == [7, 8, 9, 10]
    assert newest.more
    assert [m.seq for m in oldest.messages] == [1, 2, 3, 4, 5, 6]
    assert not oldest.more


@pytest.mark.parametrize(("after", "limit"), [(-5, 0), (-1, -7)])
async def test_nonsense_in_a_question_for_history_is_made_sense_of(
    house: House, reader: Wire, after: int, limit: int
) -> None:
    page = await history(house, reader, after=after, limit=limit)

    assert [m.seq for m in page.messages] == [1]


async def test_a_number_from_another_log_starts_anew(house: House, reader: Wire) -> None:
    assert (await history(house, reader, after=4_711)).reset


@pytest.mark.parametrize("backward", [True, False])
async def test_a_page_that_is_too_large_for_a_frame_ends_sooner(
    house: House, reader: Wire, monkeypatch: pytest.MonkeyPatch, backward: bool
) -> None:
    """Or a page of photos would close the connection as too slow, again and again."""
    whole = await history(house, reader)
    room_for_three = sum(m.ByteSize() for m in whole.messages[:3])
    monkeypatch.setattr("lineup_srv.transports.mapping.checks.OUTGOING_BYTES", room_for_three)

    seqs: list[int] = []
    more = True
    while more:
        if backward:
            page = await history(house, reader, before=min(seqs, default=11))
        else:
            page = await history(house, reader, after=max(seqs, default=0))
        assert 1 <= len(page.messages) <= 4
        seqs += [m.seq for m in page.messages]
        more = page.more

    assert sorted(seqs) == list(range(1, 11))


async def test_one_message_that_is_too_large_for_a_page_is_sent_alone(
    house: House, reader: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lineup_srv.transports.mapping.checks.OUTGOING_BYTES", 1)

    page = await history(house, reader)

    assert [m.seq for m in page.messages] == [1]
    assert page.more


async def test_history_that_cannot_be_read_is_refused(house: House, reader: Wire) -> None:
    house.log.unreadable = True

    ack = await house.tell(reader, WebsocketMessage(Cmd="GetHistory", ref=REF))

    assert ack.ack.code == error_pb2.ERROR_CODE_LOG_UNAVAILABLE
    house.log.unreadable = False


async def test_pending_requests_that_are_too_large_for_a_frame_are_told_in_parts(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen = await house.log_in("Old", extended=False)
    for number in range(3):
        await house.ask(f"q{number}", wait_ms=0)
    await house.news(frozen)
    ask = WebsocketMessage(Cmd="GetPendingMessages")
    whole = await house.tell(frozen, ask)
    room_for_two = whole.GetPendingMessagesResponse.ByteSize() * 2 // 3
    monkeypatch.setattr("lineup_srv.transports.mapping.checks.OUTGOING_BYTES", room_for_two)

    part = (await house.tell(frozen, ask)).GetPendingMessagesResponse

    ids = [m.ask_question_request.ID for m in part.pending_messages]
    assert ids == ["q0", "q1"]
    assert part.total_count == 2


# Slow devices ------------------------------------------------------------------------------------


async def test_a_device_that_reads_nothing_holds_nobody_up(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "CONNECTION_QUEUE_MESSAGES", 3)
    ann, slow = await house.room("Ann", "Slow")
    slow.pause()
    for number in range(5):
        await house.ask(f"q{number}", wait_ms=0)
        assert "AskQuestion" in await house.commands(ann)
    # It is gone for the others at once, though its close frame has not arrived.
    assert await online(house, ann) == []
    slow.resume()

    assert await slow.closed() == 1013


async def test_a_device_that_reads_slowly_still_learns_why_it_was_closed(house: House) -> None:
    [ann] = await house.room("Ann")
    ann.pause()
    ann.say(WebsocketMessage(Cmd="Ping", ref=REF))
    for _ in range(limits.MALFORMED_FRAMES_PER_MINUTE):
        ann.say_bytes(b"\xff")
    ann.say(WebsocketMessage(Cmd="Ping", ref="not-heard-any-more"))
    # Gone for the others: the relay has read all of it.
    bob = await house.log_in("Bob")
    assert await online(house, bob) == []
    ann.resume()

    assert (await ann.hear()).ack.ref == REF
    assert await ann.closed() == 1008


async def test_an_idle_device_has_no_task_of_the_relay(house: House) -> None:
    await house.room("Ann", "Bob", "Cid", "Dan")
    await house.settled()
    await house.sending.idle()

    others = asyncio.all_tasks() - {asyncio.current_task()}

    # The server's own, one for each connection.
    assert len(others) == 4


async def test_at_shutdown_each_is_closed_and_nobody_is_told_who_leaves(house: House) -> None:
    ann, bob = await house.room("Ann", "Bob")
    waiting = await house.accepted()

    house.connections.close_all()

    assert [await ann.closed(), await bob.closed()] == [1001, 1001]
    assert (ann.left(), bob.left()) == ([], [])
    # Thousands who leave at once would each be told to all the others.
    assert len((await house.runner()).room.live.members) == 2
    waiting.say(WebsocketMessage(Cmd="UserLogin", StrParam="token"))
    assert await waiting.closed() == 1001
