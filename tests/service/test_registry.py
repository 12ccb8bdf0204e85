"""Rooms are read when they are first used, and leave memory when nobody would miss them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import CommandId, RoomId
from lineup_srv.domain.commands import Logout
from lineup_srv.domain.facts import DeadlineMoved
from lineup_srv.service.ports import LogRefused
from tests.domain.playbook import ADA, BOB, PHONE, acknowledges, logs_in, opens, replies
from tests.service.stage import ROOM, opened

if TYPE_CHECKING:
    from tests.service.stage import Stage

OTHER = RoomId("other")
THIRD = RoomId("third")


async def test_a_room_that_several_want_at_once_is_read_once(stage: Stage) -> None:
    stage.log.reading.close()
    getting = [await stage.begin(stage.relay.rooms.get(ROOM)) for _ in range(3)]
    await stage.log.reading.arrived()

    stage.log.reading.open()

    first, *others = [await task for task in getting]
    assert others == [first, first]
    assert (stage.log.reads, stage.log.followed(ROOM)) == (1, 1)


async def test_a_room_that_cannot_be_read_is_refused_and_can_be_tried_again(stage: Stage) -> None:
    stage.log.unreadable = True
    stage.log.reading.close()
    getting = [await stage.begin(stage.relay.rooms.get(ROOM)) for _ in range(2)]
    stage.log.reading.open()

    errors = await asyncio.gather(*getting, return_exceptions=True)

    assert [e.code for e in errors if isinstance(e, LineUpError)] == [ErrorCode.LOG_UNAVAILABLE] * 2
    assert stage.log.followed(ROOM) == 0
    stage.log.unreadable = False
    assert (await stage.runner()).committed == 0


async def test_a_caller_that_goes_while_a_room_is_read_leaves_no_follower(stage: Stage) -> None:
    stage.log.reading.close()
    first = await stage.begin(stage.relay.rooms.get(ROOM))
    second = await stage.begin(stage.relay.rooms.get(ROOM))
    await stage.log.reading.arrived()

    first.cancel()
    await stage.log.reading.arrived(2)
    stage.log.reading.open()
    await second

    assert stage.log.followed(ROOM) == 1


async def test_idle_rooms_leave_memory_beyond_the_limit_oldest_first(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "ROOMS_IN_MEMORY", 2)
    for room_id in (ROOM, OTHER, ROOM):
        await stage.relay.rooms.get(room_id)

    await stage.relay.rooms.get(THIRD)

    assert stage.relay.rooms.in_use() == {ROOM, THIRD}
    assert stage.log.followed(OTHER) == 0


async def test_rooms_that_somebody_would_miss_stay_however_many(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "ROOMS_IN_MEMORY", 1)
    await stage.join()
    await (await stage.relay.submit(OTHER, stage.numbered(opens("q"))))

    third = await stage.relay.rooms.get(THIRD)
    await stage.relay.rooms.get(RoomId("fourth"))

    assert stage.relay.rooms.in_use() == {ROOM, OTHER, RoomId("fourth")}
    assert await stage.relay.rooms.get(THIRD) is not third


async def test_a_room_is_idle_only_when_nothing_is_there_and_nothing_will_happen(
    stage: Stage,
) -> None:
    runner = await stage.runner()
    assert runner.idle

    await stage.join()
    with_member = runner.idle
    await stage.do(Logout(CommandId(""), PHONE.client_id))
    alone = runner.idle
    stage.log.appending.close()
    call = await stage.begin(stage.ask("q"))
    await stage.log.appending.arrived()
    appending = runner.idle
    stage.log.appending.open()
    await stage.settled()
    open_ = runner.idle
    await stage.do(replies("q"))
    await call
    await stage.settled()

    assert (with_member, alone, appending, open_, runner.idle) == (False, True, False, False, True)


async def test_a_relay_is_needed_while_anybody_is_there_or_anything_is_undelivered(
    stage: Stage,
) -> None:
    """What decides whether a relay that started by itself may end by itself."""
    rooms = stage.relay.rooms
    needed = [rooms.needed]
    await stage.join()
    needed.append(rooms.needed)
    await stage.do(Logout(CommandId(""), PHONE.client_id))
    needed.append(rooms.needed)
    await stage.ask("q", wait_ms=0)
    needed.append(rooms.needed)
    await stage.do(replies("q"))
    needed.append(rooms.needed)
    await stage.wait("q")
    await stage.do(acknowledges("q"))
    needed.append(rooms.needed)

    assert needed == [False, True, False, True, True, False]


async def test_a_start_wakes_every_room_with_an_open_request(stage: Stage, twin: Stage) -> None:
    await stage.do(opens("q"))
    await (await stage.relay.submit(OTHER, stage.numbered(opens("q"))))
    await stage.relay.rooms.get(THIRD)
    stage.stop()

    await twin.relay.rooms.wake_all()
    await twin.settled()

    assert twin.relay.rooms.in_use() == {ROOM, OTHER}
    assert twin.clock.watched == [30, 30, 600, 600]


async def test_one_room_that_cannot_be_read_does_not_keep_the_others_asleep(
    stage: Stage, twin: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    for room_id in (ROOM, OTHER):
        await (await stage.relay.submit(room_id, stage.numbered(opens("q"))))
    stage.stop()
    load = twin.log.load

    async def damaged(room_id: RoomId) -> object:
        if room_id == ROOM:
            raise LogRefused("a record cannot be read")
        return await load(room_id)

    with monkeypatch.context() as patched:
        patched.setattr(twin.log, "load", damaged)
        assert await twin.relay.rooms.wake_all() == [ROOM]
    await twin.settled()
    assert twin.relay.rooms.in_use() == {OTHER}

    assert await twin.relay.rooms.wake_all() == []
    await twin.settled()
    assert twin.relay.rooms.in_use() == {ROOM, OTHER}


async def test_after_a_start_the_agents_of_a_room_have_half_a_minute(
    stage: Stage, twin: Stage
) -> None:
    await stage.do(opens("q"))
    stage.stop()

    await twin.relay.rooms.wake_all()
    runner = await twin.runner()

    assert list(runner.room.live.agents) == [ADA.agent_id]
    twin.clock.advance(30)
    await twin.settled()
    assert runner.room.live.agents == {}


@pytest.mark.parametrize(("seconds", "present"), [(29, True), (30, False)])
async def test_owners_of_mail_are_awaited_only_when_the_relay_has_just_started(
    stage: Stage, twin: Stage, seconds: int, present: bool
) -> None:
    await stage.ask("q", wait_ms=0)
    await stage.do(replies("q"))
    stage.stop()

    twin.clock.advance(seconds)
    runner = await twin.runner()

    assert (ADA.agent_id in runner.room.live.agents) is present
    twin.clock.advance(30)


@pytest.mark.requirement("design:time:clock-jumps")
async def test_a_jump_of_the_clock_gives_open_requests_more_time(stage: Stage) -> None:
    await stage.relay.rooms.get(OTHER)
    await stage.do(opens("near", timeout_seconds=60))
    await stage.do(opens("far", timeout_seconds=600))
    stage.clock.now += 100_000

    stage.relay.rooms.clock_jumped()
    await stage.settled()

    [moved] = [f.fact for f in stage.log.facts(ROOM) if isinstance(f.fact, DeadlineMoved)]
    assert (moved.request_id, moved.reason) == ("near", ErrorCode.RELAY_AWAY)
    assert stage.clock.watched == [120, 500]
    assert stage.log.facts(OTHER) == []


async def test_a_room_without_past_is_not_greeted(stage: Stage) -> None:
    await stage.runner()

    assert stage.clock.watched == []
    assert stage.log.appends == []


async def test_what_another_relay_opened_is_there_when_the_room_is_read(stage: Stage) -> None:
    stage.log.write(ROOM, [opened(opens("q", by=BOB), "third")])

    await stage.do(logs_in(PHONE))

    assert (await stage.request("q")).opened_seq == 1
