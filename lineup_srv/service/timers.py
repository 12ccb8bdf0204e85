"""The timers of one room: one for each open request, one for each running lease."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract import limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineup_srv.contract.ids import AgentId, RequestId
    from lineup_srv.service.ports import Clock, Handle

__all__ = ["Timers"]

RETRY_MS = 5_000
"""A deadline whose end could not be logged is tried again after this long."""


class Timers:
    """Holds what the clock will call; setting a timer again replaces it."""

    def __init__(
        self,
        clock: Clock,
        on_deadline: Callable[[RequestId, int], None],
        on_lease: Callable[[AgentId, int], None],
    ) -> None:
        """Call `on_deadline(request, deadline)` and `on_lease(agent, lease)` when due."""
        self._clock = clock
        self._on_deadline = on_deadline
        self._on_lease = on_lease
        self._deadlines: dict[RequestId, Handle] = {}
        self._leases: dict[AgentId, Handle] = {}

    def set_deadline(self, request_id: RequestId, deadline_unix_ms: int) -> None:
        """Watch a request's deadline."""
        self._watch(request_id, deadline_unix_ms, deadline_unix_ms)

    def retry_deadline(self, request_id: RequestId, deadline_unix_ms: int) -> None:
        """Try a deadline again a little later."""
        self._watch(request_id, deadline_unix_ms, self._clock.unix_ms() + RETRY_MS)

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

    def close(self) -> None:
        """Forget everything."""
        for handle in (*self._deadlines.values(), *self._leases.values()):
            handle.cancel()
        self._deadlines.clear()
        self._leases.clear()

    @property
    def idle(self) -> bool:
        """Whether nothing is watched."""
        return not self._deadlines and not self._leases

    def _watch(self, request_id: RequestId, deadline_unix_ms: int, at_unix_ms: int) -> None:
        self.clear_deadline(request_id)

        def fire() -> None:
            self._deadlines.pop(request_id, None)
            self._on_deadline(request_id, deadline_unix_ms)

        self._deadlines[request_id] = self._clock.call_at(at_unix_ms, fire)
