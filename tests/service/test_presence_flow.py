from __future__ import annotations

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.ids import ClientId, DeviceId, TabId
from lineup_srv.domain.effects import Except, ShowPresence
from lineup_srv.domain.people import Author, Member
from lineup_srv.service.presence_flow import PresenceFlow, merged_for_ms
from tests.service.fakes import FakeClock

RATE = limits.PRESENCE_PER_SECOND


def notice(number: int, *, connected: bool = True) -> ShowPresence:
    client_id = ClientId(f"client-{number}")
    author = Author(client_id, DeviceId(f"device-{number}"), f"Device {number}", "web")
    member = Member(author, extended=True, visible=True, connected_unix_ms=0, tab_id=TabId(""))
    return ShowPresence(Except(client_id), member, connected=connected)


class Flow:
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.sent: list[ShowPresence] = []
        self.flow = PresenceFlow(self.clock, self.sent.append)


def test_a_few_notices_go_out_as_they_come() -> None:
    flow = Flow()
    notices = [notice(number) for number in range(RATE)]
    for one in notices:
        flow.flow.put(one)
    assert flow.sent == notices
    assert flow.clock.watched == []


@pytest.mark.requirement("wire:presence:join-storm")
def test_a_storm_tells_each_device_once_and_at_the_rate() -> None:
    flow = Flow()
    for number in range(100):
        flow.flow.put(notice(number))
        flow.flow.put(notice(number, connected=False))
        flow.flow.put(notice(number))
    per_second = [len(flow.sent)]
    while flow.clock.watched:
        before = len(flow.sent)
        flow.clock.advance(1)
        per_second.append(len(flow.sent) - before)
    assert max(per_second) == RATE
    last = {one.member.author.client_id: one.connected for one in flow.sent}
    assert last == {ClientId(f"client-{number}"): True for number in range(100)}
    assert len(flow.sent) < 100 + RATE


def test_who_is_gone_again_is_told_as_gone() -> None:
    flow = Flow()
    for number in range(RATE + 1):
        flow.flow.put(notice(number))
    flow.flow.put(notice(RATE, connected=False))
    flow.clock.advance(1)
    assert flow.sent[-1] == notice(RATE, connected=False)


def test_after_a_storm_notices_go_out_as_they_come_again() -> None:
    flow = Flow()
    for number in range(RATE + 1):
        flow.flow.put(notice(number))
    flow.clock.advance(1)
    flow.flow.put(notice(99))
    assert flow.sent[-1] == notice(99)


def test_a_clock_that_is_set_back_holds_nothing_up() -> None:
    flow = Flow()
    for number in range(RATE):
        flow.flow.put(notice(number))
    flow.clock.now -= 60_000
    flow.flow.put(notice(99))
    assert flow.sent[-1] == notice(99)


def test_a_closed_room_tells_nothing_more() -> None:
    flow = Flow()
    for number in range(RATE + 1):
        flow.flow.put(notice(number))
    flow.flow.close()
    flow.clock.advance(5)
    assert len(flow.sent) == RATE
    flow.flow.close()


@pytest.mark.parametrize("members", [100, 150, 1_000, limits.MEMBERS_PER_ROOM])
def test_a_list_that_changes_all_the_time_goes_out_no_more_often_in_a_large_room(
    members: int,
) -> None:
    lists_a_second = members * 1_000 / merged_for_ms(members)

    assert lists_a_second <= 2 * 100 * 1_000 / merged_for_ms(100)


def test_a_small_room_hears_of_a_change_within_a_quarter_of_a_second() -> None:
    assert merged_for_ms(1) == merged_for_ms(100) == 250
