"""Lists, pings and small commands of a logged-in device (wire §3 and §4)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.wire._gen.lineup.v1 import error_pb2, request_pb2
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from tests.domain.playbook import NOW, TIMEOUT, cancels, opens, report
from tests.service.memory import PATIENCE
from tests.transports.saying import REF, asked, online

if TYPE_CHECKING:
    from tests.transports.house import House


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
