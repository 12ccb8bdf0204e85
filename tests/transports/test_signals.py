"""Chats, who is typing, what is forwarded, and which agents there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.wire._gen.lineup.v1 import client_pb2, error_pb2
from lineup_srv.wire._gen.lineup.v1 import websocket_pb2 as ws
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from tests.domain.playbook import NOW
from tests.transports.saying import REF, online

if TYPE_CHECKING:
    from tests.transports.house import House
    from tests.transports.sockets import Wire


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
