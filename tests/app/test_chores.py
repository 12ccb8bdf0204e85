"""What the relay does now and then goes on, whatever the log says meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.app import chores
from lineup_srv.contract.ids import RoomId
from lineup_srv.service.ports import LogRefused
from tests.domain.playbook import opens
from tests.service.stage import ROOM, Stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from lineup_srv.service.ports import DeadlineLine

OTHER = RoomId("other")


async def test_deadlines_are_watched_as_soon_as_the_log_can_be_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(chores, "WAKE_SECONDS", 0)
    before = Stage()
    await before.do(opens("q"))
    before.stop()
    relay, log = before.twin().relay, before.log
    failures = [LogRefused("input/output error")] * 2
    read = log.deadlines

    async def deadlines() -> Sequence[DeadlineLine]:
        if failures:
            raise failures.pop()
        return await read()

    monkeypatch.setattr(log, "deadlines", deadlines)

    await chores.wake_rooms(relay)

    assert relay.rooms.in_use() == {ROOM}
    assert failures == []
    relay.rooms.close()


async def test_a_room_that_could_not_be_read_is_tried_again_until_its_deadlines_are_watched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(chores, "WAKE_SECONDS", 0)
    before = Stage()
    for room_id in (ROOM, OTHER):
        await (await before.relay.submit(room_id, before.numbered(opens("q"))))
    before.stop()
    later, log = before.twin(), before.log
    failures = [LogRefused("input/output error")] * 2
    load = log.load

    async def damaged(room_id: RoomId) -> object:
        if room_id == ROOM and failures:
            raise failures.pop()
        return await load(room_id)

    monkeypatch.setattr(log, "load", damaged)

    await chores.wake_rooms(later.relay)
    await later.settled()

    assert failures == []
    assert later.relay.rooms.in_use() == {ROOM, OTHER}
    assert later.clock.watched == [30, 30, 600, 600]
    later.relay.rooms.close()
