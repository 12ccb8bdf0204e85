"""What `/metrics` tells: counts and durations, never a token, a name or a word of a message."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from lineup_srv.domain.facts import Answered, Cancelled, Declined, Expired, LateReplied, Opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineup_srv.domain.facts import Fact
    from lineup_srv.domain.request import Request

__all__ = ["PrometheusMetrics"]

_ROUND_TRIP_SECONDS = (1, 3, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 4 * 3_600, 24 * 3_600)
_COMMIT_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5)
_STATES = {
    Opened: "pending",
    Answered: "answered",
    Declined: "declined",
    Expired: "expired",
    Cancelled: "cancelled",
    LateReplied: "late",
}


class PrometheusMetrics:
    """The Metrics port, and what transports count themselves."""

    def __init__(self) -> None:
        """Count from zero, in a registry of its own."""
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "lineup_requests", "Requests that came into a state", ["state"], registry=self._registry
        )
        self._round_trip = Histogram(
            "lineup_round_trip_seconds",
            "From the opening of a request to its answer",
            buckets=_ROUND_TRIP_SECONDS,
            registry=self._registry,
        )
        self._commit = Histogram(
            "lineup_log_commit_seconds",
            "How long an append to the log took",
            buckets=_COMMIT_SECONDS,
            registry=self._registry,
        )
        self._failed = Counter(
            "lineup_log_failures", "Appends that failed", registry=self._registry
        )
        self.connections = Gauge(
            "lineup_connections", "Devices that are logged in", registry=self._registry
        )
        self.evictions = Counter(
            "lineup_queue_evictions",
            "Connections closed because their queue was full",
            registry=self._registry,
        )
        for state in _STATES.values():
            self._requests.labels(state)

    def delivered(self, fact: Fact, request: Request | None) -> None:
        """A fact was committed."""
        state = _STATES.get(type(fact))
        if state is not None:
            self._requests.labels(state).inc()
        if isinstance(fact, Answered) and request is not None:
            self._round_trip.observe((fact.at_unix_ms - request.opened_unix_ms) / 1000)

    @contextmanager
    def committing(self) -> Iterator[None]:
        """Time an append."""
        started = time.perf_counter()
        try:
            yield
        except BaseException:
            self._failed.inc()
            raise
        self._commit.observe(time.perf_counter() - started)

    def exposition(self) -> tuple[bytes, str]:
        """Everything in the text format, and its media type."""
        return generate_latest(self._registry), CONTENT_TYPE_LATEST
