"""Devices that come, rename themselves and go."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ERRORS, ErrorCode
from lineup_srv.contract.ids import CommandId, Ref, RequestId
from lineup_srv.domain.acks import taken
from lineup_srv.domain.commands import ListPending, Logout
from lineup_srv.domain.decision import Refused
from lineup_srv.domain.effects import (
    DevicesChanged,
    Except,
    Only,
    SendAck,
    SendOnline,
    SendPending,
    SendValidity,
    ShowPresence,
    Welcome,
)
from lineup_srv.domain.presence import devices_online
from lineup_srv.domain.state import Live
from lineup_srv.domain.updates import state_update
from tests.domain.playbook import (
    LAPTOP,
    PHONE,
    Play,
    Step,
    checks,
    deadline_reached,
    device,
    hangs_up,
    lists_online,
    logs_in,
    member,
    opens,
    question,
    sees,
)

if TYPE_CHECKING:
    from lineup_srv.domain.effects import Change

MEMBER = member(PHONE)
REF = "ref-login-0000000"


def logs_out(client_id: str) -> Logout:
    return Logout(CommandId(""), device(client_id).client_id)


@pytest.mark.requirement("B12")
def test_a_device_that_logs_in_gets_every_open_card_with_its_state() -> None:
    play = Play()
    play.do(opens("q1"))
    play.do(opens("q2"))
    play.do(opens("q3"))
    play.do(deadline_reached("q2", play.request("q2").deadline_unix_ms))
    play.do(hangs_up("c1"))
    play.do(hangs_up("c2"))
    play.do(hangs_up("c3"))

    step = play.do(logs_in(PHONE))

    requests = [play.request("q1"), play.request("q3")]
    updates = tuple((r, state_update(play.room, r, by=None)) for r in requests)
    assert step == Step(
        facts=(),
        early=(),
        told=(),
        effects=(
            Welcome(Only(PHONE.client_id), MEMBER, renamed=False, updates=updates, last_seq=4),
            ShowPresence(Except(PHONE.client_id), MEMBER, connected=True),
            DevicesChanged(1),
        ),
        result=None,
    )
    assert all(update.agent_gone for _, update in updates)


def test_a_login_with_a_ref_is_acknowledged() -> None:
    step = Play().do(logs_in(PHONE, ref=REF))

    assert step.effects[1] == SendAck(
        Only(PHONE.client_id),
        Ref(REF),
        accepted=True,
        code=ErrorCode.UNSPECIFIED,
        message="",
        seq=0,
    )


def test_a_device_that_renames_itself_is_shown_again_only_under_a_new_name() -> None:
    play = Play()
    play.do(logs_in(PHONE))
    renamed = replace(MEMBER, author=replace(PHONE, nickname="Sofa"))

    new = play.do(logs_in(renamed.author))
    same = play.do(logs_in(renamed.author))

    welcome = Welcome(Only(PHONE.client_id), renamed, renamed=True, updates=(), last_seq=0)
    shown = ShowPresence(Except(PHONE.client_id), renamed, connected=True)
    assert new == Step((), (), (), (welcome, shown), None)
    assert same == Step((), (), (), (welcome,), None)
    assert play.room.live.members == {PHONE.client_id: renamed}


def test_a_device_that_leaves_is_told_to_the_others() -> None:
    play = Play()
    play.do(logs_in(PHONE))
    play.do(logs_in(LAPTOP))

    step = play.do(logs_out("phone"))

    gone = ShowPresence(Except(PHONE.client_id), MEMBER, connected=False)
    assert step == Step((), (), (), (gone, DevicesChanged(1)), None)
    assert list(play.room.live.members) == [LAPTOP.client_id]


def test_a_device_that_is_not_here_cannot_leave() -> None:
    assert Play().do(logs_out("phone")) == Step((), (), (), (), None)


def test_a_device_with_two_connections_counts_once() -> None:
    play = Play()
    play.do(logs_in(PHONE))
    second = replace(PHONE, client_id=device("tab2").client_id)
    anonymous = [device("old1", device_id=""), device("old2", device_id="")]

    step = play.do(logs_in(second))
    for author in anonymous:
        play.do(logs_in(author))

    assert step.effects[-1] == DevicesChanged(1)
    assert devices_online(play.room.live.members.values()) == 3


def test_a_script_that_shows_no_questions_is_no_device_to_ask() -> None:
    play = Play()
    play.do(logs_in(PHONE))
    silent = logs_in(LAPTOP)
    silent = replace(silent, member=replace(silent.member, shows_requests=False))
    assert play.do(silent).effects[-1] == DevicesChanged(1)
    assert play.do(logs_in(LAPTOP)).effects[-1] == DevicesChanged(2)
    assert play.do(silent).effects[-1] == DevicesChanged(1)


@pytest.mark.parametrize("ref", ["", REF])
def test_a_full_room_refuses_a_newcomer_and_lets_its_members_rename_themselves(
    monkeypatch: pytest.MonkeyPatch, ref: str
) -> None:
    monkeypatch.setattr(limits, "MEMBERS_PER_ROOM", 1)
    play = Play()
    play.do(logs_in(PHONE))

    refused = play.do(logs_in(LAPTOP, ref=ref))
    renamed = play.do(logs_in(replace(PHONE, nickname="Sofa")))

    meaning = ERRORS[ErrorCode.RATE_LIMITED].meaning
    assert refused == Step((), (), (), (), Refused(ErrorCode.RATE_LIMITED, meaning))
    assert renamed.result is None
    assert [m.author.nickname for m in play.room.live.members.values()] == ["Sofa"]


def test_logins_that_are_taken_back_and_decided_again_are_shown_once() -> None:
    play = Play()
    login = replace(logs_in(PHONE), command_id=CommandId("login"))

    def decide_both() -> list[ShowPresence]:
        undos.clear()
        shown: list[ShowPresence] = []
        for _ in range(2):
            effects = play.decide_again(login).effects
            shown.extend(e for e in effects if isinstance(e, ShowPresence))
            undos.append(play.undo)
        return shown

    undos: list[tuple[Change, ...]] = []
    first = decide_both()
    play.take_back(*undos)
    assert play.room.live == Live()

    assert decide_both() == first
    assert first == [ShowPresence(Except(PHONE.client_id), MEMBER, connected=True)]


def test_a_page_that_goes_to_the_front_or_away_is_remembered() -> None:
    play = Play()
    play.do(logs_in(PHONE))

    away = play.do(sees(PHONE, visible=False, ref=REF))

    ack = taken(Only(PHONE.client_id), Ref(REF))
    assert away == Step((), (), (), (ack,), None)
    assert play.room.live.members == {PHONE.client_id: replace(MEMBER, visible=False)}
    assert play.do(sees(PHONE, visible=False)) == Step((), (), (), (), None)
    assert play.do(sees(PHONE, visible=True)) == Step((), (), (), (), None)
    assert play.room.live.members == {PHONE.client_id: MEMBER}


def test_a_page_that_is_not_here_is_not_seen() -> None:
    assert Play().do(sees(PHONE, visible=True, ref=REF)) == Step((), (), (), (), None)


def test_a_device_lists_who_else_is_here() -> None:
    play = Play()
    for author in (LAPTOP, PHONE, device("tablet")):
        play.do(logs_in(author))

    step = play.do(lists_online(PHONE))

    others = SendOnline(Only(PHONE.client_id), (member(LAPTOP), member(device("tablet"))))
    assert step == Step((), (), (), (others,), None)


def test_only_a_pending_request_is_valid_under_every_id_it_has() -> None:
    play = Play()
    play.do(opens("q1", asked=question("go?")))
    play.do(hangs_up("c1"))
    play.do(opens("alias", asked=question("go?")))
    play.do(opens("q2"))
    play.do(deadline_reached("q2", play.request("q2").deadline_unix_ms))

    step = play.do(checks(PHONE, "q2", "alias", "unknown", "q1"))

    validity = (("q2", False), ("alias", True), ("unknown", False), ("q1", True))
    [sent] = step.effects
    assert sent == SendValidity(
        Only(PHONE.client_id), tuple((RequestId(i), valid) for i, valid in validity)
    )
    assert not step.facts


def test_a_device_lists_the_open_cards_oldest_first() -> None:
    play = Play()
    play.do(opens("q2"))
    play.do(opens("q1"))

    step = play.do(ListPending(CommandId(""), PHONE.client_id))

    pending = SendPending(Only(PHONE.client_id), (play.request("q2"), play.request("q1")))
    assert step == Step((), (), (), (pending,), None)
