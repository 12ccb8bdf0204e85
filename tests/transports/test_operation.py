from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import RequestId
from lineup_srv.domain.facts import Answered, Expired
from lineup_srv.transports.metrics import PrometheusMetrics
from lineup_srv.transports.operation import Operation
from tests.domain.playbook import opens
from tests.transports.house import House

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

VERSION = "1.2.3"


@pytest.fixture
async def house() -> AsyncIterator[House]:
    house = House()
    yield house
    await house.close()


def client_of(
    house: House,
    *,
    metrics: PrometheusMetrics | None = None,
    healthy: bool = True,
    address: str = "127.0.0.1",
    base_url: str = "http://127.0.0.1",
) -> TestClient:
    async def is_healthy() -> bool:
        return healthy

    operation = Operation(house.relay, is_healthy, metrics or PrometheusMetrics(), VERSION)
    app = Starlette(routes=list(operation.routes))
    return TestClient(app, base_url=base_url, client=(address, 50_000))


async def test_health_names_the_process_to_its_own_machine_only(house: House) -> None:
    here = client_of(house).get("/health").json()
    assert here["version"] == VERSION
    assert here["pid"] > 0
    assert "pid" not in client_of(house, address="192.168.1.9").get("/health").json()
    proxied = client_of(house, base_url="https://lineup.example")
    assert "pid" not in proxied.get("/health").json()


@pytest.mark.parametrize(("healthy", "status"), [(True, 200), (False, 503)])
async def test_a_relay_is_ready_while_its_log_can_be_written(
    house: House, *, healthy: bool, status: int
) -> None:
    answer = client_of(house, healthy=healthy).get("/ready")
    assert (answer.status_code, answer.json()["ready"]) == (status, healthy)
    assert answer.json().keys() >= (set() if healthy else {"code", "message", "next_step"})


@pytest.mark.parametrize(
    ("address", "base_url", "header", "status"),
    [
        ("127.0.0.1", "http://127.0.0.1", None, 200),
        ("127.0.0.1", "http://localhost", None, 200),
        ("127.0.0.1", "https://lineup.example", None, 401),
        ("192.168.1.9", "http://127.0.0.1", None, 401),
        ("192.168.1.9", "http://192.168.1.2", "Bearer token", 200),
        ("192.168.1.9", "http://192.168.1.2", "Bearer wrong", 401),
        ("192.168.1.9", "http://192.168.1.2", "Basic token", 401),
    ],
)
async def test_metrics_are_for_this_machine_or_with_a_token(
    house: House, address: str, base_url: str, header: str | None, status: int
) -> None:
    client = client_of(house, address=address, base_url=base_url)
    headers = {} if header is None else {"authorization": header}
    assert client.get("/metrics", headers=headers).status_code == status


async def test_metrics_count_ends_and_round_trips(house: House) -> None:
    metrics = PrometheusMetrics()
    await house.do(opens("q"))
    request = await house.request("q")
    answered = Answered("f:0", 0, RequestId("q"), reply=None)  # type: ignore[arg-type]
    metrics.delivered(answered, request)
    metrics.delivered(Expired("f:1", 0, RequestId("q")), None)  # type: ignore[arg-type]
    text = client_of(house, metrics=metrics).get("/metrics").text
    assert 'lineup_requests_total{state="answered"} 1.0' in text
    assert 'lineup_requests_total{state="expired"} 1.0' in text
    assert "lineup_round_trip_seconds_count 1.0" in text


def test_appends_are_timed_and_failures_counted() -> None:
    metrics = PrometheusMetrics()
    with metrics.committing():
        pass
    with pytest.raises(OSError, match="disk full"), metrics.committing():
        raise OSError("disk full")
    text = metrics.exposition()[0].decode()
    assert "lineup_log_commit_seconds_count 1.0" in text
    assert "lineup_log_failures_total 1.0" in text
    assert ErrorCode.UNSPECIFIED.value not in text
