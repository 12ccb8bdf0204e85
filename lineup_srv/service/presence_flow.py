"""Keeps a join storm from growing with the square of the members (wire §3).

Up to `limits.PRESENCE_PER_SECOND` notices a second go out as they come. Beyond that a receiver
gets only the final state of each device, at the same rate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract import limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineup_srv.contract.ids import ClientId
    from lineup_srv.domain.effects import ShowPresence
    from lineup_srv.service.ports import Clock, Handle

__all__ = ["PresenceFlow", "merged_for_ms"]

_SECOND_MS = 1_000
_MERGED_MS = 250
_LARGE_ROOM = 100


def merged_for_ms(members: int) -> int:
    """How long changes of a list are merged before `members` devices are told the list.

    Longer in a large room: every one that comes would else be told to all with the whole list.
    """
    return _MERGED_MS * max(1, members // _LARGE_ROOM)


class PresenceFlow:
    """The notices of one room. `send` is called for each that goes out."""

    def __init__(self, clock: Clock, send: Callable[[ShowPresence], None]) -> None:
        """Send by `send`, timed by `clock`."""
        self._clock = clock
        self._send = send
        self._since_unix_ms = 0
        self._sent = 0
        self._waiting: dict[ClientId, ShowPresence] = {}
        self._timer: Handle | None = None

    def put(self, notice: ShowPresence) -> None:
        """Send a notice now, or the last one of its device when it is its turn."""
        if not self._waiting and self._take_turn():
            self._send(notice)
            return
        client_id = notice.member.author.client_id
        # A device keeps its place, so that no storm can starve it.
        self._waiting[client_id] = notice
        if self._timer is None:
            self._timer = self._clock.call_at(self._since_unix_ms + _SECOND_MS, self._flush)

    def close(self) -> None:
        """Send nothing more."""
        self._waiting.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _flush(self) -> None:
        self._timer = None
        while self._waiting and self._take_turn():
            client_id = next(iter(self._waiting))
            self._send(self._waiting.pop(client_id))
        if self._waiting:
            self._timer = self._clock.call_at(self._since_unix_ms + _SECOND_MS, self._flush)

    def _take_turn(self) -> bool:
        """Whether one more notice may go out in this second."""
        now = self._clock.unix_ms()
        if not 0 <= now - self._since_unix_ms < _SECOND_MS:
            self._since_unix_ms = now
            self._sent = 0
        self._sent += 1
        return self._sent <= limits.PRESENCE_PER_SECOND
