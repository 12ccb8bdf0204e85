"""What the relay does now and then goes on, whatever the log says meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.app import chores
from lineup_srv.service.ports import LogRefused
from tests.domain.playbook import opens
from tests.service.stage import ROOM, Stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from lineup_srv.service.ports import DeadlineLine


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
