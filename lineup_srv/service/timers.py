"""The timers of one room: for each open request, each running lease, and a log that failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract import limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineup_srv.contract.ids import AgentId, RequestId
    from lineup_srv.service.ports import Clock, Handle

__all__ = ["Timers"]

RETRY_MS = 5_000
"""What failed because of the log is tried again after this long."""


class Timers:
    """Holds what the clock will call; setting a timer again replaces it."""

    def __init__(
        self,
        clock: Clock,
        on_deadline: Callable[[RequestId, int], None],
        on_lease: Callable[[AgentId, int], None],
        on_retry: Callable[[], None],
    ) -> None:
        """Call `on_deadline(request, deadline)`, `on_lease(agent, lease)`, `on_retry` when due."""
        self._clock = clock
        self._on_deadline = on_deadline
        self._on_lease = on_lease
        self._on_retry = on_retry
        self._deadlines: dict[RequestId, Handle] = {}
        self._leases: dict[AgentId, Handle] = {}
        self._retry: Handle | None = None

    def set_deadline(self, request_id: RequestId, deadline_unix_ms: int) -> None:
        """Watch a request's deadline."""
        self.clear_deadline(request_id)

        def fire() -> None:
            if self._clock.unix_ms() < deadline_unix_ms:
                # The wall clock was set back while the timer ran.
                self.set_deadline(request_id, deadline_unix_ms)
                return
            self._deadlines.pop(request_id, None)
            self._on_deadline(request_id, deadline_unix_ms)

        self._deadlines[request_id] = self._clock.call_at(deadline_unix_ms, fire)

    def clear_deadline(self, request_id: RequestId) -> None:
        """Forget a request's deadline."""
        handle = self._deadlines.pop(request_id, None)
        if handle is not None:
            handle.cancel()

    def set_lease(self, agent_id: AgentId, lease: int) -> None:
        """Let a lease run out."""
        handle = self._leases.pop(agent_id, None)
        if handle is not None:
            handle.cancel()

        def fire() -> None:
            self._leases.pop(agent_id, None)
            self._on_lease(agent_id, lease)

        at = self._clock.unix_ms() + limits.AGENT_LEASE_SECONDS * 1000
        self._leases[agent_id] = self._clock.call_at(at, fire)

    def set_retry(self) -> None:
        """Try again after `RETRY_MS` what failed because of the log."""

        def fire() -> None:
            self._retry = None
            self._on_retry()

        if self._retry is None:
            self._retry = self._clock.call_at(self._clock.unix_ms() + RETRY_MS, fire)

    def close(self) -> None:
        """Forget everything."""
        retry = () if self._retry is None else (self._retry,)
        for handle in (*self._deadlines.values(), *self._leases.values(), *retry):
            handle.cancel()
        self._deadlines.clear()
        self._leases.clear()
        self._retry = None

    @property
    def idle(self) -> bool:
        """Whether nothing is watched."""
        return not self._deadlines and not self._leases and self._retry is None
