"""UserLogin: who comes in, what it is told, and what becomes of who does not (wire §3)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.service.ports import LogRefused, LogUnknown
from lineup_srv.wire._gen.lineup.v1 import error_pb2
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from tests.domain.playbook import NOW, opens, report
from tests.service.fakes import DictTokens
from tests.service.memory import PATIENCE
from tests.service.stage import ROOM
from tests.transports.house import OTHER_ROOM, VERSION, House
from tests.transports.sockets import login

if TYPE_CHECKING:
    from lineup_srv.contract.ids import RoomId

REF = "ref-of-the-login"


@pytest.mark.requirement("seed002:login:answer")
async def test_a_frozen_client_gets_its_login_answer_and_nothing_of_ours(house: House) -> None:
    await house.ask("q", wait_ms=0)
    wire = await house.accepted()

    answer = await house.tell(wire, login("Ann", extended=False))

    assert (answer.Cmd, answer.StrParam, answer.Nickname) == ("UserLogin", VERSION, "Ann")
    assert answer.UserLoginResponse.success
    assert answer.UserLoginResponse.client_id
    assert answer.UserLoginResponse.error_message == ""
    assert await house.commands(wire) == []


async def test_a_client_with_client_info_gets_the_relay_and_each_open_card_with_its_state(
    house: House,
) -> None:
    await house.ask("q", wait_ms=0)
    await house.call(opens("r", asked=report("done")), wait_ms=0)
    wire = await house.accepted()

    wire.say(login("Ann"))
    heard = await wire.hear_all(
        "UserLogin", "ServerInfo", "AskQuestion", "RequestState", "WorkReport", "RequestState"
    )

    info = heard[1].server_info
    assert (info.version, info.protocol, info.clock_unix_ms) == (VERSION, 1, NOW)
    assert (info.last_seq, info.log_id) == (2, "log")
    assert {"history", "extend_deadline"} <= set(info.features)
    assert info.limits["message_bytes"] == limits.FRAME_BYTES
    assert [message.seq for message in heard[2:]] == [1, 1, 2, 2]
    assert heard[2].AskQuestionRequest.ID == heard[3].request_state.request_id == "q"
    assert heard[4].WorkReportRequest.ID == heard[5].request_state.request_id == "r"
    assert await house.commands(wire) == []


async def test_a_client_without_a_name_gets_one_from_its_id(house: House) -> None:
    wire = await house.accepted()

    answer = await house.tell(wire, login("  ", extended=False))

    assert answer.Nickname == f"User_{answer.UserLoginResponse.client_id[:8]}"


@pytest.mark.parametrize("extended", [True, False])
async def test_a_login_with_a_ref_is_acknowledged_once(house: House, extended: bool) -> None:
    wire = await house.accepted()

    wire.say(login("Ann", ref=REF, extended=extended))
    heard = await house.news(wire)

    acks = [message.ack for message in heard if message.Cmd == "Ack"]
    assert [(ack.ref, ack.accepted) for ack in acks] == [(REF, True)]
    assert heard[0].Cmd == "UserLogin"


@pytest.mark.requirement("seed002:login:wrong-token-is-refused")
async def test_a_wrong_token_is_refused_and_closed(house: House) -> None:
    wire = await house.accepted()

    answer = await house.tell(wire, login("Mallory", token="guess", ref=REF))
    ack = await wire.hear()

    assert answer.UserLoginResponse.success is False
    assert "token" in answer.UserLoginResponse.error_message
    assert "guess" not in str(answer)
    assert (ack.ack.ref, ack.ack.accepted) == (REF, False)
    assert ack.ack.code == error_pb2.ERROR_CODE_UNAUTHENTICATED
    assert await wire.closed() == 1008
    assert not house.relay.rooms.in_use()


async def test_a_refusal_is_delayed_and_a_right_token_is_not(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LOGIN_REFUSAL_DELAY_SECONDS", 3_600)
    waiting = await house.accepted()
    waiting.say(login("Mallory", token="guess"))
    wire = await house.log_in("Ann")

    assert waiting.left() == []
    assert await house.commands(wire) == []
    assert waiting.task is not None
    waiting.task.cancel()
    await asyncio.wait([waiting.task])
    house.wires.remove(waiting)


async def test_a_name_over_its_limit_is_refused_with_the_reason(house: House) -> None:
    wire = await house.accepted()

    answer = await house.tell(wire, login("x" * (limits.NAME_CHARACTERS + 1)))

    assert answer.UserLoginResponse.success is False
    assert "Nickname: has at most 200 characters" in answer.UserLoginResponse.error_message
    assert await wire.closed() == 1008


@pytest.mark.requirement("seed002:login:not-logged-in-is-refused")
async def test_what_is_said_before_the_login_is_refused_at_once(house: House) -> None:
    wire = await house.accepted()

    ack = await house.tell(wire, WebsocketMessage(Cmd="GetOnlineUsers", ref=REF))
    wire.say(WebsocketMessage(Cmd="GetPendingMessages"))  # without a ref: no answer
    wire.say(login("Ann", extended=False))

    assert (ack.ack.accepted, ack.ack.code) == (False, error_pb2.ERROR_CODE_UNAUTHENTICATED)
    await wire.hear_all("UserLogin")


async def test_who_does_not_log_in_in_time_is_closed(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LOGIN_SECONDS", 0)
    wire = await house.accepted()

    assert await wire.closed() == 1008
    assert house.parts.waiting == {}


async def test_who_leaves_before_its_login_leaves_nothing(house: House) -> None:
    wire = await house.accepted()
    wire.vanish()
    await wire.over()

    assert house.parts.waiting == {}


async def test_an_address_may_have_only_so_many_logins_pending(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LOGINS_PENDING_PER_ADDRESS", 2)
    first, _ = [await house.accepted(address="203.0.113.7") for _ in range(2)]

    refused = house.connect(address="203.0.113.7")
    start, body = await refused.event(), await refused.event()
    await refused.over()
    elsewhere = await house.accepted(address="203.0.113.8")
    trusted = [await house.accepted() for _ in range(3)]

    assert (start["type"], start["status"]) == ("websocket.http.response.start", 503)
    assert b"Try again" in body["body"]
    assert len(trusted) == 3
    first.vanish()
    await first.over()
    await house.accepted(address="203.0.113.7")
    assert house.parts.waiting["203.0.113.7"] == 2
    elsewhere.vanish()
    await elsewhere.over()
    assert "203.0.113.8" not in house.parts.waiting


async def test_a_trusted_address_has_a_limit_too(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LOGINS_PENDING_PER_TRUSTED_ADDRESS", 1)
    await house.accepted()

    refused = house.connect()

    assert (await refused.event())["status"] == 503
    await refused.over()


async def test_a_logged_in_device_is_no_pending_login(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LOGINS_PENDING_PER_TRUSTED_ADDRESS", 1)

    await house.log_in("Ann")
    await house.log_in("Bob")

    assert house.parts.waiting == {}


async def test_a_room_that_cannot_be_read_refuses_nobody_for_ever(house: House) -> None:
    """The page takes a failed login for a wrong token; this one may come again."""
    house.log.unreadable = True
    wire = await house.accepted()

    ack = await house.tell(wire, login("Ann", ref=REF))

    assert (ack.Cmd, ack.ack.accepted) == ("Ack", False)
    assert ack.ack.code == error_pb2.ERROR_CODE_LOG_UNAVAILABLE
    assert await wire.closed() == 1013
    house.log.unreadable = False
    await house.log_in("Ann")


@pytest.mark.parametrize("failure", [LogRefused("disk full"), LogUnknown("no answer")])
async def test_a_room_that_cannot_be_made_refuses_nobody_for_ever(
    monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    class FullDisk(DictTokens):
        async def room_of(self, token: str) -> RoomId | None:
            raise failure

    house = House(tokens=FullDisk({}))
    wire = await house.accepted()
    wire.say(login("Ann"))

    assert await wire.closed() == 1013
    assert wire.left() == []
    await house.close()


async def test_a_login_that_the_room_refuses_is_told_and_closed(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection whose login came to nothing must not stay open, deaf and dumb."""
    other = await house.log_in("Ann")
    monkeypatch.setattr(limits, "PENDING_COMMANDS_PER_ROOM", 0)
    wire = await house.accepted()

    ack = await house.tell(wire, login("Bob", ref=REF))

    assert ack.ack.code == error_pb2.ERROR_CODE_RATE_LIMITED
    assert await wire.closed() == 1013
    monkeypatch.undo()
    assert await house.commands(other) == []


async def test_news_of_the_room_come_after_the_welcome(house: House) -> None:
    ann = await house.log_in("Ann")
    house.log.appending.close()
    asking = await house.begin(house.ask("q", wait_ms=0))
    await house.log.appending.arrived()
    wire = await house.accepted()
    # Decided, but not told before the append it was decided on.
    wire.say(login("Bob"))
    # Shown to all at once: to who has its welcome.
    shown = await ann.hear()
    another = await house.begin(house.ask("q2", wait_ms=0))
    again = await ann.hear()
    assert [shown.AskQuestionRequest.ID, again.AskQuestionRequest.ID] == ["q", "q2"]
    assert wire.left() == []
    house.log.appending.open()
    await asyncio.wait([asking, another], timeout=PATIENCE)

    commands = await house.commands(wire)

    assert commands[:2] == ["UserLogin", "ServerInfo"]
    assert commands.count("AskQuestion") == 2


async def test_who_vanishes_while_its_login_is_decided_leaves_nothing(house: House) -> None:
    ann = await house.log_in("Ann")
    house.log.appending.close()
    asking = await house.begin(house.ask("q", wait_ms=0))
    await house.log.appending.arrived()
    wire = await house.accepted()
    wire.say(login("Bob", tab="t", device="d"))
    await asyncio.sleep(0)
    wire.vanish()
    house.log.appending.open()
    await asyncio.wait([asking], timeout=PATIENCE)
    await wire.over()

    heard = await house.news(ann)

    statuses = [m.UserConnectionStatusNotification.status for m in heard if "Status" in m.Cmd]
    assert statuses == ["connected", "disconnected"]
    runner = await house.runner()
    assert len(runner.room.live.members) == 1


@pytest.mark.requirement("seed002:presence:others-are-told")
async def test_the_others_hear_who_comes_and_goes(house: House) -> None:
    ann = await house.log_in("Ann", extended=False)
    bob = await house.log_in("Bob")
    bob.vanish()
    await bob.over()

    came, went = await house.news(ann)

    for message, status in ((came, "connected"), (went, "disconnected")):
        told = message.UserConnectionStatusNotification
        assert message.Cmd == "UserConnectionStatusNotification"
        assert (told.status, told.user.nickname) == (status, "Bob")
        # Seconds, as existing clients expect.
        assert told.timestamp == told.user.connected_at == NOW // 1000


async def test_nobody_of_another_token_hears_anything(house: House) -> None:
    stranger = await house.log_in("Eve", token="token-of-another")
    ann = await house.log_in("Ann")
    await house.ask("q", wait_ms=0)
    ann.vanish()
    await ann.over()

    assert await house.commands(stranger) == []
    assert set(house.relay.rooms.in_use()) == {ROOM, OTHER_ROOM}


# Renaming ----------------------------------------------------------------------------------------


@pytest.mark.requirement("seed002:login:second-login-renames")
async def test_a_second_login_renames_and_the_others_hear_it_once(house: House) -> None:
    ann, bob = await house.room("Ann", "Bob")

    answer = await house.tell(ann, login("Anna"))
    again = await house.tell(ann, login("Anna"))

    assert answer.UserLoginResponse.success
    assert answer.Nickname == again.Nickname == "Anna"
    [told] = await house.news(bob)
    assert told.UserConnectionStatusNotification.status == "connected"
    assert told.UserConnectionStatusNotification.user.nickname == "Anna"
    assert (
        told.UserConnectionStatusNotification.user.client_id == answer.UserLoginResponse.client_id
    )
    assert await house.commands(ann) == []


@pytest.mark.parametrize("token", ["guess", "token-of-another"])
async def test_another_token_in_a_second_login_is_refused_and_the_socket_stays(
    house: House, token: str
) -> None:
    ann, bob = await house.room("Ann", "Bob")

    answer = await house.tell(ann, login("Anna", token=token, ref=REF))
    ack = await ann.hear()

    assert answer.UserLoginResponse.success is False
    assert "another token" in answer.UserLoginResponse.error_message
    assert ack.ack.code == error_pb2.ERROR_CODE_UNAUTHENTICATED
    assert await house.commands(bob) == []
    users = await house.tell(bob, WebsocketMessage(Cmd="GetOnlineUsers"))
    assert [user.nickname for user in users.GetOnlineUsersResponse.online_users] == ["Ann"]


async def test_a_new_name_over_its_limit_is_refused_and_the_old_one_stays(house: House) -> None:
    ann, bob = await house.room("Ann", "Bob")

    answer = await house.tell(ann, login("x" * 201))

    assert answer.UserLoginResponse.success is False
    assert await house.commands(bob) == []
    assert (await house.tell(ann, login("Ann"))).UserLoginResponse.success


async def test_a_second_login_with_a_ref_is_acknowledged_once(house: House) -> None:
    [ann] = await house.room("Ann")

    ann.say(login("Anna", ref=REF))
    heard = await house.news(ann)

    assert [message.Cmd for message in heard] == ["UserLogin", "Ack"]


async def test_a_frozen_client_that_logs_in_with_client_info_gets_our_messages(
    house: House,
) -> None:
    ann = await house.log_in("Ann", extended=False)
    await house.tell(ann, login("Ann", device="phone"))

    await house.ask("q", wait_ms=0)

    assert (await house.commands(ann))[:2] == ["AskQuestion", "RequestState"]


async def test_who_is_closed_while_it_renames_itself_does_not_come_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gate = asyncio.Event()
    gate.set()

    class Slow(DictTokens):
        async def room_of(self, token: str) -> RoomId | None:
            await gate.wait()
            return ROOM

    house = House(tokens=Slow({}))
    [ann, bob] = await house.room("Ann", "Bob")
    gate.clear()
    ann.say(login("Anna"))
    ann.pause()
    await asyncio.sleep(0)
    [connection, _] = house.connections._connections.values()
    connection.close(1013, "too slow")
    assert (await bob.hear()).UserConnectionStatusNotification.status == "disconnected"
    gate.set()
    ann.resume()
    assert await ann.closed() == 1013

    assert await house.commands(bob) == []
    assert len((await house.runner()).room.live.members) == 1
    await house.close()


# One tab -----------------------------------------------------------------------------------------


async def test_the_same_tab_replaces_its_older_connection(house: House) -> None:
    older = await house.accepted()
    older.say(login("Ann", device="phone", tab="tab"))
    await older.hear_all("UserLogin", "ServerInfo")
    bob = await house.log_in("Bob")
    newer = await house.accepted()
    newer.say(login("Ann", device="phone", tab="tab"))
    await newer.hear_all("UserLogin", "ServerInfo")

    assert await older.closed() == 4001
    statuses = [m.UserConnectionStatusNotification.status for m in await house.news(bob)]
    assert sorted(statuses) == ["connected", "disconnected"]
    third = await house.accepted()
    third.say(login("Ann", device="phone", tab="tab"))
    assert await newer.closed() == 4001


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("phone", "tab", "token"), ("phone", "another", "token")),
        (("phone", "tab", "token"), ("laptop", "tab", "token")),
        (("phone", "tab", "token"), ("phone", "tab", "token-of-another")),
        (("", "tab", "token"), ("", "tab", "token")),
        (("phone", "", "token"), ("phone", "", "token")),
    ],
)
async def test_what_is_not_the_same_tab_stays(
    house: House, first: tuple[str, str, str], second: tuple[str, str, str]
) -> None:
    wires = []
    for device, tab, token in (first, second):
        wire = await house.accepted()
        wire.say(login("Ann", device=device, tab=tab, token=token))
        await wire.hear_all("UserLogin", "ServerInfo")
        wires.append(wire)

    for wire in wires:
        assert set(await house.commands(wire)) <= {"UserConnectionStatusNotification"}


async def test_a_replaced_tab_that_reads_nothing_is_gone_for_the_others_at_once(
    house: House,
) -> None:
    older = await house.accepted()
    older.say(login("Ann", device="phone", tab="tab"))
    await older.hear_all("UserLogin", "ServerInfo")
    older.pause()
    newer = await house.accepted()
    newer.say(login("Ann", device="phone", tab="tab"))
    [_, _, gone] = await newer.hear_all(
        "UserLogin", "ServerInfo", "UserConnectionStatusNotification"
    )

    assert gone.UserConnectionStatusNotification.status == "disconnected"
    assert len((await house.runner()).room.live.members) == 1
    older.resume()
    assert await older.closed() == 4001
