"""JSON connections: hello, what is refused, and how they end (wire §5)."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import ClientId, CommandId
from lineup_srv.domain.commands import Logout
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from lineup_srv.wire.envelope import messages as m
from tests.transports.house import VERSION
from tests.transports.sockets import login
from tests.transports.talk import Talk, agent, app, connect
from tests.wire.envelopes import SAMPLES

if TYPE_CHECKING:
    from tests.transports.house import House


@pytest.mark.requirement("seed000:hello:both-present-the-token")
async def test_a_hello_is_answered_by_the_relays_own(house: House) -> None:
    talk = await connect(house)

    answer = await talk.tell(m.Hello(name="Phone", token="token"), envelope_id="my-hello")

    assert isinstance(answer, m.Hello)
    assert (answer.name, answer.version, answer.ref) == ("LineUp", VERSION, "my-hello")
    assert answer.client_id
    assert (answer.token, answer.agent) == ("", "")


@pytest.mark.requirement("seed000:hello:both-present-the-token")
@pytest.mark.parametrize("program", ["", "Hermes"])
async def test_a_wrong_token_is_told_so_and_closed(house: House, program: str) -> None:
    for token in ("", "wrong"):
        talk = await connect(house)
        hello = m.Hello(name="Phone", token=token, agent=program)

        error = await talk.tell(hello, envelope_id="my-hello")

        assert isinstance(error, m.Error)
        assert (error.code, error.ref) == (ErrorCode.UNAUTHENTICATED, "my-hello")
        assert error.field == "payload.token"
        assert await talk.wire.closed() == 1008


async def test_what_is_said_before_the_hello_is_refused(house: House) -> None:
    talk = await connect(house)

    error = await talk.tell(m.Text(content="Hi"), envelope_id="too-early")
    answer = await talk.tell(m.Hello(name="Phone", token="token"))

    assert error == m.Error(
        code=ErrorCode.UNAUTHENTICATED,
        message="say system.hello first",
        ref="too-early",
        field="type",
    )
    assert isinstance(answer, m.Hello)


async def test_who_says_no_hello_in_time_is_closed(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LOGIN_SECONDS", 0)
    silent, talkative = house.connect(), Talk(house, house.connect())
    talkative.say(m.Ping())

    assert await silent.closed() == 1008
    assert await talkative.wire.closed() == 1008
    assert house.parts.waiting == {}


async def test_who_leaves_before_its_hello_leaves_nothing(house: House) -> None:
    talk = await connect(house)
    talk.say(m.Ping())
    await talk.hears(m.Error)

    talk.wire.vanish()
    await talk.wire.over()

    assert house.parts.waiting == {}


async def test_the_first_frame_decides_the_form_and_the_other_is_refused(house: House) -> None:
    phone = await app(house)
    [ann] = await house.room("Ann")
    await phone.news()

    phone.wire.say(login("Bob"))
    error = await phone.hears(m.Error)
    ann.say_text(json.dumps({"v": 1, "id": "i", "type": "system.ping", "payload": {}}))

    assert (error.code, error.field) == (ErrorCode.INVALID_ARGUMENT, "")
    assert await phone.news() == []
    assert await house.commands(ann) == []


@pytest.mark.requirement("seed000:envelope:errors")
async def test_what_is_wrong_is_named_and_the_connection_stays(house: House) -> None:
    phone = await app(house)

    for frame, code, field in (
        ('{"v":2,"id":"i","type":"system.ping","payload":{}}', "invalid_argument", "v"),
        ('{"v":1,"id":"i","type":"text","payload":{}}', "invalid_argument", "payload.content"),
        ('{"v":1,"id":"i","type":"juggle","payload":{}}', "unknown_command", "type"),
    ):
        phone.wire.say_text(frame)
        error = await phone.hears(m.Error)
        assert (error.code.value, error.field, error.ref) == (code, field, "i")
        assert error.message

    assert await phone.news() == []


async def test_twenty_malformed_frames_in_a_minute_end_the_connection(house: House) -> None:
    phone = await app(house)
    for _ in range(limits.MALFORMED_FRAMES_PER_MINUTE - 1):
        phone.wire.say_text("{")
        phone.wire.say_text('{"v":1,"id":"i","type":"text","payload":{}}')
    await phone.news()
    house.clock.advance(60)
    for _ in range(limits.MALFORMED_FRAMES_PER_MINUTE - 1):
        phone.wire.say_text("{")
    await phone.news()

    phone.wire.say_text("{")
    phone.say(m.Ping())

    assert await phone.wire.closed() == 1008
    assert phone.wire.left() == []


async def test_nothing_of_a_frame_is_logged(house: House, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    phone = await app(house)
    phone.wire.say_text('{"secret-name":"secret-value"')
    phone.wire.say_text('{"v":1,"id":"i","type":"text","payload":{"secret-name":{"a":1,"a":2}}}')
    phone.say(m.Text(content="secret-value"))
    phone.say(m.ToolResult(name="n", action="a", call_id="c", result={"message": "secret-value"}))

    await phone.news()

    assert "secret" not in caplog.text
    assert "token" not in caplog.text.replace("test-token", "")


@pytest.mark.requirement("seed000:ping:is-answered")
async def test_a_ping_is_answered_and_answers_are_not(house: House) -> None:
    phone, helper = await app(house), await agent(house)

    for talk in (phone, helper):
        assert await talk.tell(m.Ping(), envelope_id="p") == m.Pong(ref="p")
        talk.say(m.Pong(ref="x"))
        talk.say(m.Ack(ref="x", accepted=True))
        talk.say(m.Error(code=ErrorCode.INVALID_ARGUMENT))
        assert not [p for p in await talk.news() if not isinstance(p, m.Hello)]


@pytest.mark.requirement("seed000:tools:never-dropped")
@pytest.mark.parametrize("name", [n for n in SAMPLES if n.startswith(("agent-to", "app-to"))])
async def test_every_message_is_taken_or_refused_by_name(house: House, name: str) -> None:
    talk = await (agent(house) if name.startswith("agent") else app(house))
    payload = SAMPLES[name]

    answer = await talk.tell(payload, envelope_id="it")

    match payload:
        case m.Hello():
            assert isinstance(answer, m.Error)
            assert answer.code is ErrorCode.UNAUTHENTICATED
        case m.ToolCall() | m.MiniAppToolCall():
            assert isinstance(answer, m.ToolResult)
            assert (answer.call_id, answer.code) == (payload.call_id, ErrorCode.UNKNOWN_TOOL)
            return
        case m.ToolCancel():
            assert isinstance(answer, m.Error)
            assert answer.code is ErrorCode.UNKNOWN_REQUEST
        case _:
            assert isinstance(answer, m.Ack | m.Pong | m.ToolList)
    assert answer.ref == "it"


async def test_what_is_for_the_other_side_only_is_refused(house: House) -> None:
    phone, helper = await app(house), await agent(house)
    await phone.news()

    picture = await phone.tell(m.Image(url="https://pictures.test/1"))
    reply = await helper.tell(m.Reply(request_id="q", message="yes"))

    for answer in (picture, reply):
        assert isinstance(answer, m.Error)
        assert answer.code is ErrorCode.NOT_SUPPORTED


async def test_a_second_hello_renames(house: House) -> None:
    [ann] = await house.room("Ann")
    phone = await app(house)
    await house.news(ann)

    answer = await phone.tell(m.Hello(name="Tablet", token="token"), envelope_id="again")

    assert isinstance(answer, m.Hello)
    assert (answer.client_id, answer.ref) == (phone.client_id, "again")
    [told] = [t for t in await house.news(ann) if t.Cmd == "UserConnectionStatusNotification"]
    assert told.UserConnectionStatusNotification.user.nickname == "Tablet"


async def test_an_agents_second_hello_gives_it_another_name(house: House) -> None:
    [ann] = await house.room("Ann")
    helper = await agent(house, "Helper")

    answer = await helper.tell(m.Hello(name="Builder", token="token", agent="Hermes"))
    await helper.tell(m.Text(content="Hi"))

    assert isinstance(answer, m.Hello)
    assert answer.client_id == helper.client_id
    [text] = [told.text for told in await house.news(ann) if told.Cmd == "Text"]
    assert getattr(text, "from") == "Builder"


async def test_a_second_hello_changes_neither_room_nor_kind(house: House) -> None:
    phone = await app(house)

    other = await phone.tell(m.Hello(name="Phone", token="token-of-another"))
    kind = await phone.tell(m.Hello(name="Phone", token="token", agent="Hermes"))

    assert isinstance(other, m.Error)
    assert (other.code, other.field) == (ErrorCode.UNAUTHENTICATED, "payload.token")
    assert isinstance(kind, m.Error)
    assert (kind.code, kind.field) == (ErrorCode.INVALID_ARGUMENT, "payload.agent")
    assert await phone.news() == []


@pytest.mark.parametrize("program", ["", "Hermes"])
async def test_a_room_that_cannot_be_read_is_no_refusal(house: House, program: str) -> None:
    house.log.unreadable = True
    talk = await connect(house)

    error = await talk.tell(m.Hello(name="Phone", token="token", agent=program))

    assert isinstance(error, m.Error)
    assert error.code is ErrorCode.LOG_UNAVAILABLE
    assert await talk.wire.closed() == 1013
    house.log.unreadable = False


async def test_a_room_that_is_too_busy_is_no_refusal(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PENDING_COMMANDS_PER_ROOM", 0)
    talk = await connect(house)

    error = await talk.tell(m.Hello(name="Phone", token="token"))

    assert isinstance(error, m.Error)
    assert error.code is ErrorCode.RATE_LIMITED
    assert await talk.wire.closed() == 1013


async def test_one_who_leaves_a_room_that_cannot_be_read_leaves_all_the_same(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone = await app(house)

    async def unreadable(*_: object) -> None:
        raise LineUpError(ErrorCode.LOG_UNAVAILABLE, "input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(house.relay, "submit", unreadable)
        phone.wire.vanish()
        await phone.wire.over()

    assert house.connections.count == 0
    await house.do(Logout(CommandId(""), ClientId(phone.client_id)))


async def test_a_slow_app_is_closed_and_the_others_are_not(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "CONNECTION_QUEUE_MESSAGES", 2)
    phone, helper = await app(house), await agent(house)
    phone.wire.pause()

    for _ in range(4):
        await helper.tell(m.Text(content="Hi"))
    phone.wire.resume()

    assert await phone.wire.closed() == 1013
    assert await helper.news() == []


async def test_at_shutdown_apps_and_agents_are_closed(house: House) -> None:
    phone, helper = await app(house), await agent(house)

    house.connections.close_all()

    assert [await phone.wire.closed(), await helper.wire.closed()] == [1001, 1001]
    late = await connect(house)
    late.say(m.Hello(name="Late", token="token", agent="Hermes"))
    assert await late.wire.closed() == 1001


async def test_the_end_of_a_token_ends_what_it_let_in(house: House) -> None:
    phone, helper = await app(house), await agent(house)

    house.relay.admissions.end(lambda _: True)

    assert [await phone.wire.closed(), await helper.wire.closed()] == [1008, 1008]


async def test_agents_are_not_counted_as_devices(house: House) -> None:
    await app(house)
    await agent(house)

    assert house.connections.count == 1


async def test_an_app_is_a_device_to_ask_if_it_shows_questions(house: House) -> None:
    await app(house, "Phone")
    await app(house, "Script", requests=False)

    members = (await house.runner()).room.live.members.values()
    assert {m.author.nickname: m.shows_requests for m in members} == {
        "Phone": True,
        "Script": False,
    }


async def test_a_frozen_device_and_an_app_share_the_room(house: House) -> None:
    frozen = await house.log_in("Old", extended=False)
    phone = await app(house, "Phone")

    told = await house.tell(frozen, WebsocketMessage(Cmd="GetOnlineUsers"))
    users = [told, *await house.news(frozen)]

    [online] = [t.GetOnlineUsersResponse for t in users if t.Cmd == "GetOnlineUsers"]
    assert [(u.nickname, u.client_id) for u in online.online_users] == [("Phone", phone.client_id)]
