"""How long a call looks for the relay: one rule for all calls."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from lineup_mcp.reaching import reach
from lineup_mcp.relay_client import RelayUnreachable
from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import pytest

    from lineup_mcp.lease import Lease


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
