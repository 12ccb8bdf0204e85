"""Deadlines and leases, by a clock that only the test moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import AgentId, RequestId
from lineup_srv.domain.facts import DeadlineMoved, Expired, Opened
from lineup_srv.domain.request import RequestState
from lineup_srv.service.timers import Timers
from tests.domain.playbook import deadline_reached, moves_deadline, opens, replies
from tests.service.fakes import FakeClock
from tests.service.stage import ROOM

if TYPE_CHECKING:
    from tests.service.stage import Stage


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def fired() -> list[tuple[object, ...]]:
    return []


@pytest.fixture
def timers(clock: FakeClock, fired: list[tuple[object, ...]]) -> Timers:
    return Timers(
        clock,
        lambda request_id, deadline: fired.append((request_id, deadline)),
        lambda agent_id, lease: fired.append((agent_id, lease)),
        lambda: fired.append(("retry",)),
    )


def test_timers_fire_once_and_are_idle_after_that(
    timers: Timers, clock: FakeClock, fired: list[tuple[object, ...]]
) -> None:
    at = clock.now + 10_000
    timers.set_deadline(RequestId("q"), at)
    timers.set_lease(AgentId("ada"), 1)
    timers.set_retry()
    timers.set_retry()

    clock.advance(5)
    without_retry = timers.idle
    clock.advance(5)
    without_deadline = timers.idle
    clock.advance(60)

    assert (without_retry, without_deadline) == (False, False)
    assert fired == [("retry",), ("q", at), ("ada", 1)]
    assert timers.idle


def test_a_timer_that_is_set_again_replaces_the_first(
    timers: Timers, clock: FakeClock, fired: list[tuple[object, ...]]
) -> None:
    timers.set_deadline(RequestId("q"), clock.now + 10_000)
    timers.set_deadline(RequestId("q"), clock.now + 20_000)
    timers.set_lease(AgentId("ada"), 1)
    timers.set_lease(AgentId("ada"), 2)

    clock.advance(60)

    assert [what[0] for what in fired] == ["q", "ada"]
    assert fired[1] == ("ada", 2)


def test_what_is_cleared_or_closed_does_not_fire(
    timers: Timers, clock: FakeClock, fired: list[tuple[object, ...]]
) -> None:
    timers.set_deadline(RequestId("q1"), clock.now + 10_000)
    timers.clear_deadline(RequestId("q1"))
    timers.clear_deadline(RequestId("never set"))
    timers.set_deadline(RequestId("q2"), clock.now + 10_000)
    timers.set_lease(AgentId("ada"), 1)
    timers.set_retry()

    timers.close()
    timers.close()
    clock.advance(60)

    assert fired == []
    assert timers.idle


def test_what_will_be_tried_again_is_watched_for(timers: Timers) -> None:
    assert timers.idle

    timers.set_retry()

    assert not timers.idle


async def test_a_deadline_expires_its_request(stage: Stage) -> None:
    call = await stage.begin(stage.call(opens("q", timeout_seconds=60)))
    await stage.settled()

    stage.clock.advance(59)
    assert (await stage.request("q")).pending
    stage.clock.advance(1)
    await stage.settled()

    assert (await call).request.state is RequestState.EXPIRED
    assert [type(line.fact) for line in stage.log.facts(ROOM)] == [Opened, Expired]
    assert stage.clock.watched == []


async def test_a_moved_deadline_counts_from_its_new_instant(stage: Stage) -> None:
    await stage.do(opens("q", timeout_seconds=60))
    await stage.do(moves_deadline("q", 60))

    stage.clock.advance(119)
    await stage.settled()
    assert (await stage.request("q")).pending
    stage.clock.advance(1)
    await stage.settled()

    assert (await stage.request("q")).state is RequestState.EXPIRED


async def test_a_timer_that_was_too_old_changes_nothing(stage: Stage) -> None:
    await stage.do(opens("q", timeout_seconds=60))

    await stage.do(deadline_reached("q", stage.clock.now + 59_999))

    assert (await stage.request("q")).pending


async def test_an_answer_clears_the_timer(stage: Stage) -> None:
    await stage.do(opens("q", timeout_seconds=60))
    await stage.do(replies("q"))

    assert stage.clock.watched == []


async def test_after_a_restart_near_deadlines_move_and_far_ones_stay(
    stage: Stage, twin: Stage
) -> None:
    await stage.do(opens("near", timeout_seconds=60))
    await stage.do(opens("far", timeout_seconds=600))
    stage.stop()
    stage.clock.advance(100)

    await twin.relay.rooms.wake_all()
    await twin.settled()

    [moved] = [line.fact for line in twin.log.facts(ROOM) if isinstance(line.fact, DeadlineMoved)]
    assert (moved.request_id, moved.reason) == ("near", ErrorCode.RELAY_AWAY)
    assert twin.clock.watched == [30, 120, 500]
    twin.clock.advance(120)
    await twin.settled(stage)
    assert (await twin.request("near")).state is RequestState.EXPIRED
    assert (await twin.request("far")).pending
