"""A room decides at once, logs in order, and lets out results when they are durable."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ERRORS, ErrorCode
from lineup_srv.contract.ids import CommandId, Ref
from lineup_srv.domain.commands import ListPending, Logout
from lineup_srv.domain.decision import Held, Refused
from lineup_srv.domain.effects import (
    Everyone,
    Except,
    Only,
    SendAck,
    SendPending,
    ShowPresence,
    ShowReply,
    ShowRequest,
    ShowState,
    Welcome,
)
from lineup_srv.domain.facts import Answered, HandedOver, Opened
from lineup_srv.domain.request import RequestState
from tests.domain.playbook import BOB, LAPTOP, PHONE, hangs_up, logs_in, opens, replies
from tests.service.stage import ROOM

if TYPE_CHECKING:
    from tests.service.stage import Stage

REF = "ref-0000000000000"
RATE_LIMITED = ErrorCode.RATE_LIMITED


@pytest.mark.requirement("seed002:ask:shown-to-all")
async def test_a_card_is_shown_at_once_and_its_echo_follows_the_commit(stage: Stage) -> None:
    await stage.join(PHONE, LAPTOP)
    stage.log.appending.close()

    opened = await stage.submit(opens("q"))

    card = await stage.request("q")
    assert [(s.to, s.message) for s in stage.devices.sent] == [
        ((PHONE.client_id, LAPTOP.client_id), ShowRequest(Everyone(), card, 0))
    ]
    await stage.log.appending.arrived()
    assert not opened.done()
    stage.devices.sent.clear()
    stage.log.appending.open()
    await stage.settled()
    assert opened.result() == Held(card)
    [echo] = stage.told()
    assert isinstance(echo, ShowState)
    assert (echo.seq, echo.update.state) == (1, RequestState.PENDING)


async def test_acks_notifications_and_the_outcome_wait_for_the_commit(stage: Stage) -> None:
    await stage.join(PHONE, LAPTOP)
    call = await stage.begin(stage.ask("q"))
    await stage.settled()
    stage.devices.sent.clear()
    stage.log.appending.close()

    await stage.submit(replies("q", ref=REF))
    await stage.log.appending.arrived()

    assert stage.devices.sent == []
    assert not call.done()
    stage.log.appending.open()
    await stage.settled()
    assert stage.told(PHONE) == [_ack(seq=2)]
    [notified] = stage.told(LAPTOP)
    assert isinstance(notified, ShowReply)
    assert (notified.to, notified.seq) == (Except(PHONE.client_id), 2)
    assert (await call).request.reply == notified.reply


async def test_a_login_snapshot_waits_for_what_it_was_taken_of(stage: Stage) -> None:
    stage.log.appending.close()
    await stage.submit(opens("q"))
    await stage.log.appending.arrived()

    await stage.submit(logs_in(LAPTOP))

    assert stage.told(LAPTOP) == []
    stage.log.appending.open()
    await stage.settled()
    echo, welcome, card, state = stage.told(LAPTOP)
    assert isinstance(echo, ShowState)
    assert isinstance(welcome, Welcome)
    assert welcome.last_seq == 1
    assert isinstance(card, ShowRequest)
    assert isinstance(state, ShowState)
    assert (card.to, card.seq, state.seq) == (welcome.to, 1, 1)


async def test_a_refusal_waits_for_the_answer_it_was_decided_on(stage: Stage) -> None:
    await stage.join(PHONE, LAPTOP)
    await stage.do(opens("q"))
    stage.devices.sent.clear()
    stage.log.appending.close()
    await stage.submit(replies("q", ref=REF))
    await stage.log.appending.arrived()

    await stage.submit(replies("q", by=LAPTOP, ref="ref-too-late-0000"))

    assert stage.devices.sent == []
    stage.log.appending.open()
    await stage.settled()
    assert [m for m in stage.told(LAPTOP) if isinstance(m, SendAck)] == [
        SendAck(
            Only(LAPTOP.client_id),
            Ref("ref-too-late-0000"),
            False,
            ErrorCode.ALREADY_ANSWERED,
            "Phone answered first",
            0,
        )
    ]


async def test_what_waits_for_nothing_is_told_at_once(stage: Stage) -> None:
    await stage.join()

    listed = await stage.submit(ListPending(CommandId(""), PHONE.client_id))

    assert listed.done()
    assert stage.told() == [SendPending(Only(PHONE.client_id), ())]


async def test_commands_that_come_during_an_append_go_into_the_next_one_together(
    stage: Stage,
) -> None:
    stage.log.appending.close()
    first = await stage.submit(opens("q1"))
    await stage.log.appending.arrived()
    later = [
        await stage.submit(opens("q2")),
        await stage.submit(replies("q1")),
        await stage.submit(opens("q3", by=BOB)),
    ]

    stage.log.appending.step()
    await stage.log.appending.arrived()

    assert first.done()
    assert not any(future.done() for future in later)
    stage.log.appending.open()
    await stage.settled()
    assert [(a.expected_seq, [type(f) for f in a.facts]) for a in stage.log.appends] == [
        (0, [Opened]),
        (1, [Opened, Answered, HandedOver, Opened]),
    ]
    assert [line.seq for line in stage.log.facts(ROOM)] == [1, 2, 3, 4, 5]


async def test_the_order_of_commands_is_the_order_of_what_is_told(stage: Stage) -> None:
    await stage.join()
    stage.log.appending.close()
    for number in range(4):
        await stage.submit(opens(f"q{number}"))
        await stage.submit(logs_in(replace(PHONE, nickname=f"Phone {number}")))
    await stage.log.appending.arrived()
    stage.devices.sent.clear()

    stage.log.appending.open()
    await stage.settled()

    kinds = [m for m in stage.told() if isinstance(m, ShowState | Welcome)]
    assert [m.seq if isinstance(m, ShowState) else m.member.author.nickname for m in kinds] == [
        1,
        "Phone 0",
        2,
        "Phone 1",
        3,
        "Phone 2",
        4,
        "Phone 3",
    ]


async def test_a_device_that_left_before_the_commit_is_told_nothing(stage: Stage) -> None:
    await stage.join(PHONE, LAPTOP)
    await stage.do(opens("q"))
    stage.log.appending.close()
    await stage.submit(replies("q", ref=REF))
    await stage.log.appending.arrived()
    stage.devices.sent.clear()

    await stage.submit(Logout(CommandId(""), PHONE.client_id))
    stage.log.appending.open()
    await stage.settled()

    assert stage.told(PHONE) == []
    assert [type(m) for m in stage.told(LAPTOP)] == [ShowReply, ShowPresence]


async def test_a_room_with_too_many_uncommitted_commands_refuses_and_says_so(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PENDING_COMMANDS_PER_ROOM", 2)
    await stage.join()
    stage.log.appending.close()
    await stage.submit(opens("q"))
    await stage.log.appending.arrived()
    for _ in range(2):
        await stage.submit(ListPending(CommandId(""), PHONE.client_id))
    stage.devices.sent.clear()

    silent = await stage.submit(opens("q2"))
    refused = await stage.submit(replies("q", ref=REF))
    unsigned = await stage.submit(replies("q", ref=""))

    refusal = Refused(RATE_LIMITED, ERRORS[RATE_LIMITED].meaning)
    assert [f.result() for f in (silent, refused, unsigned)] == [refusal] * 3
    assert stage.told() == [_ack(accepted=False, code=RATE_LIMITED, seq=0)]
    stage.log.appending.open()
    await stage.settled()


async def test_what_only_ends_something_is_never_too_many(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PENDING_COMMANDS_PER_ROOM", 1)
    await stage.join()
    stage.log.appending.close()
    await stage.submit(opens("q"))
    await stage.log.appending.arrived()
    await stage.submit(ListPending(CommandId(""), PHONE.client_id))
    opened = stage.log.appends[0].facts[0]

    await stage.submit(Logout(CommandId(""), PHONE.client_id))
    await stage.submit(hangs_up(opened.fact_id.removesuffix(":0")))

    stage.log.appending.open()
    await stage.settled()
    live = (await stage.runner()).room.live
    assert (live.members, live.agents) == ({}, {})


def _ack(*, accepted: bool = True, code: ErrorCode = ErrorCode.UNSPECIFIED, seq: int) -> SendAck:
    message = "" if accepted else ERRORS[code].meaning
    return SendAck(Only(PHONE.client_id), Ref(REF), accepted, code, message, seq)
