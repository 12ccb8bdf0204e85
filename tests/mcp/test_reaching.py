"""How long a call looks for the relay: one rule for all calls."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from lineup_mcp.attaching import Attaching
from lineup_mcp.reaching import reach
from lineup_mcp.relay_client import RelayUnreachable
from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.wire._gen.lineup.v1 import relay_pb2

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from lineup_mcp.lease import Lease
    from lineup_mcp.relay_client import RelayClient


class Waiting:
    """A call on its way."""

    def __init__(self, seconds: float) -> None:
        self.deadline = asyncio.get_running_loop().time() + seconds
        self.sent_at: float | None = None
        self.error: Exception | None = None

    def ended(self) -> bool:
        return self.error is not None

    def fail(self, error: Exception) -> None:
        self.error = error


async def brought(
    call: Waiting, tell: Callable[[], Awaitable[bool]], *, absent: bool = False
) -> list[float]:
    """Bring it to a relay that is there or not; returns how long each look for it may take."""
    looks: list[float] = []

    async def until_attached(until: float) -> None:
        looks.append(until - asyncio.get_running_loop().time())
        if absent:
            raise RelayUnreachable("absent")

    async with asyncio.timeout(5):
        await reach(cast("Lease", SimpleNamespace(until_attached=until_attached)), call, tell)
    return looks


async def broken() -> bool:
    raise RelayUnreachable("broken")


async def test_what_nobody_has_seen_is_given_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "UNREACHABLE_SECONDS", 0.3)
    call = Waiting(600)
    looks = await brought(call, broken, absent=True)
    assert isinstance(call.error, RelayUnreachable)
    assert call.sent_at is None
    assert len(looks) > 1
    assert max(looks) <= 0.3


async def test_what_the_relay_may_have_is_given_up_at_its_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "UNREACHABLE_SECONDS", 0.0)
    call = Waiting(0.3)
    looks = await brought(call, broken)
    assert isinstance(call.error, RelayUnreachable)
    assert len(looks) > 1
    assert asyncio.get_running_loop().time() >= call.deadline


async def test_a_deadline_that_moved_before_the_connection_broke_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A relay that was away gives more time; it may vanish once more after the first deadline."""
    monkeypatch.setattr(limits, "UNREACHABLE_SECONDS", 0.0)
    call = Waiting(0.0)

    async def moved_then_broken() -> bool:
        if call.deadline > asyncio.get_running_loop().time():
            return True
        call.deadline += 600
        raise RelayUnreachable("broken")

    looks = await brought(call, moved_then_broken)
    assert call.error is None
    assert looks[0] <= 0
    assert looks[1] > 500


async def test_a_refusal_ends_it_at_once() -> None:
    call = Waiting(600)

    async def refused() -> bool:
        raise LineUpError(ErrorCode.RATE_LIMITED, "too many")

    assert len(await brought(call, refused)) == 1
    assert isinstance(call.error, LineUpError)


class Absent:
    """A relay that never answers."""

    target = "nowhere"
    said: tuple[relay_pb2.AttachResponse, ...] = ()

    async def attach(self, _request: object) -> AsyncIterator[relay_pb2.AttachResponse]:
        for event in self.said:
            yield event
        raise RelayUnreachable(self.target)

    async def close(self) -> None: ...


@pytest.mark.parametrize("waited_for", [True, False])
async def test_a_relay_is_started_for_what_waits_by_the_stream_alone(waited_for: bool) -> None:
    """A question holds no call after its first seconds."""
    tried: list[int] = []
    started: list[int] = []
    enough = asyncio.Event()

    def request() -> relay_pb2.AttachRequest:
        tried.append(len(started))
        if len(tried) == 4:
            enough.set()
        return relay_pb2.AttachRequest()

    def connect(port: int) -> RelayClient:
        ports.append(port)
        return cast("RelayClient", Absent())

    async def start() -> int:
        # One on another port is gone again: back to the configured one.
        started.append(80 if not started else 0)
        return started[-1]

    ports: list[int] = []
    attaching = Attaching(connect, start, request, lambda _event: None, lambda: waited_for)
    running = asyncio.create_task(attaching.run())
    async with asyncio.timeout(10):
        await enough.wait()
    running.cancel()
    await asyncio.wait({running})
    assert tried == ([0, 1, 2, 3] if waited_for else [0, 0, 0, 0])
    assert ports == ([0, 80, 0] if waited_for else [0])
