"""Notices that the wall clock jumped, or that the machine slept (design §4.4).

Deadlines are wall-clock instants, timers run on the monotonic clock. When the two drift apart,
every open deadline that fell into the gap, or is near, gets more time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract import limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineup_srv.service.ports import Clock

__all__ = ["ClockWatch"]


class ClockWatch:
    """Compares both clocks whenever it is asked to.

    Args:
        clock: the wall clock.
        monotonic_ms: the clock that timers run on, milliseconds.
        jumped: called when they have drifted apart by more than `limits.CLOCK_DRIFT_SECONDS`
            since the last time.
    """

    def __init__(
        self, clock: Clock, monotonic_ms: Callable[[], float], jumped: Callable[[], None]
    ) -> None:
        """Begin with both clocks as they are now."""
        self._clock = clock
        self._monotonic_ms = monotonic_ms
        self._jumped = jumped
        self._offset = self._measure()

    def check(self) -> None:
        """Compare; to be called about once a second."""
        offset = self._measure()
        drift = abs(offset - self._offset)
        # Taken over every time: a clock that is slewed slowly never adds up to a jump.
        self._offset = offset
        if drift > limits.CLOCK_DRIFT_SECONDS * 1000:
            self._jumped()

    def _measure(self) -> float:
        return self._clock.unix_ms() - self._monotonic_ms()
