from __future__ import annotations

import pytest

from lineup_srv.contract import limits
from lineup_srv.transports.pace import Pace


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_a_burst_is_handled_at_once() -> None:
    pace = Pace(Clock())
    assert {pace.take() for _ in range(limits.MESSAGES_AT_ONCE)} == {0.0}


@pytest.mark.requirement("design:limits:a-flood-waits-alone")
def test_a_flood_is_read_at_the_rate() -> None:
    clock = Clock()
    pace = Pace(clock)
    for _ in range(limits.MESSAGES_AT_ONCE):
        pace.take()
    for _ in range(3 * limits.MESSAGES_PER_SECOND):
        clock.seconds += pace.take()
    assert clock.seconds == pytest.approx(3.0)


def test_the_bucket_fills_again_but_never_over() -> None:
    clock = Clock()
    pace = Pace(clock)
    for _ in range(limits.MESSAGES_AT_ONCE):
        pace.take()
    clock.seconds += 3_600
    assert [pace.take() for _ in range(limits.MESSAGES_AT_ONCE)][-1] == 0.0
    assert pace.take() > 0


async def test_a_turn_that_is_due_does_not_wait() -> None:
    await Pace(Clock()).turn()


async def test_a_turn_waits_as_long_as_it_must(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MESSAGES_AT_ONCE", 0)
    monkeypatch.setattr(limits, "MESSAGES_PER_SECOND", 1_000)
    await Pace(Clock()).turn()
