from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract.ids import RequestId
from lineup_srv.service.clock_watch import ClockWatch
from lineup_srv.service.timers import Timers
from tests.service.fakes import FakeClock, FakeHandle

if TYPE_CHECKING:
    from collections.abc import Callable


class Clocks:
    """A wall clock and a monotonic one that tests move by hand."""

    def __init__(self) -> None:
        self.wall = FakeClock()
        self.monotonic_ms = 0.0
        self.jumps = 0
        self.watch = ClockWatch(self.wall, lambda: self.monotonic_ms, self._jumped)

    def _jumped(self) -> None:
        self.jumps += 1

    def pass_time(self, wall_ms: int, monotonic_ms: int) -> None:
        self.wall.now += wall_ms
        self.monotonic_ms += monotonic_ms
        self.watch.check()


@pytest.mark.requirement("design:time:clock-jumps")
@pytest.mark.parametrize("jump_ms", [5_001, 3_600_000, -5_001, -3_600_000])
def test_a_wall_clock_that_jumps_is_noticed_once(jump_ms: int) -> None:
    clocks = Clocks()
    clocks.pass_time(1_000 + jump_ms, 1_000)
    clocks.pass_time(1_000, 1_000)
    assert clocks.jumps == 1


def test_a_machine_that_slept_is_noticed() -> None:
    clocks = Clocks()
    clocks.pass_time(600_000, 10)
    assert clocks.jumps == 1


def test_clocks_that_drift_slowly_are_left_alone() -> None:
    clocks = Clocks()
    for _ in range(100):
        clocks.pass_time(1_400, 1_000)
    assert clocks.jumps == 0


class RememberingClock(FakeClock):
    """Lets a test call back early, as a timer does after the wall clock was set back."""

    def __init__(self) -> None:
        super().__init__()
        self.callbacks: list[Callable[[], None]] = []

    def call_at(self, unix_ms: int, callback: Callable[[], None]) -> FakeHandle:
        self.callbacks.append(callback)
        return super().call_at(unix_ms, callback)


def test_a_timer_that_fires_before_its_wall_clock_time_waits_on() -> None:
    clock = RememberingClock()
    due: list[tuple[RequestId, int]] = []
    timers = Timers(clock, lambda *deadline: due.append(deadline), lambda *_: None, lambda: None)
    deadline = clock.unix_ms() + 10_000
    timers.set_deadline(RequestId("q1"), deadline)
    clock.callbacks[0]()
    assert due == []
    clock.advance(10)
    assert due == [(RequestId("q1"), deadline)]
