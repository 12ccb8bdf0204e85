"""A code lets one device in, once, if the device that shows it says so in time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import ClientId, RoomId
from lineup_srv.service.pairing import Guest, Pairings, PairingState, PairingTold
from lineup_srv.service.ports import LogRefused
from tests.service.fakes import DictTokens, FakeClock, FakeIds

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ROOM = RoomId("room")
PC = ClientId("pc")
PHONE = Guest("Ada's phone", "web")


class Desk:
    """Pairings of one relay, and what the device that shows codes was told."""

    def __init__(self) -> None:
        self.tokens, self.clock = DictTokens({}), FakeClock()
        self.pairings = Pairings(self.tokens, self.clock, FakeIds("c"))
        self.told: list[PairingTold] = []
        self.claims: list[asyncio.Task[str]] = []

    def offer(self, client_id: ClientId = PC) -> str:
        told = self.pairings.offer(ROOM, client_id, self.told.append)
        assert told.state is PairingState.OFFERED
        assert told.expires_unix_ms == self.clock.now + limits.PAIRING_CODE_SECONDS * 1000
        return told.code

    async def claim(self, code: str) -> asyncio.Task[str]:
        """A guest that has presented the code and waits, or was refused."""
        claim = asyncio.get_running_loop().create_task(self.pairings.claim(code, PHONE))
        self.claims.append(claim)
        await asyncio.wait([claim], timeout=0)
        return claim

    def states(self) -> list[PairingState]:
        return [told.state for told in self.told]


async def refusal(claim: asyncio.Task[str]) -> ErrorCode:
    with pytest.raises(LineUpError) as caught:
        await claim
    return caught.value.code


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    yield desk
    assert all(claim.done() for claim in desk.claims)
    desk.pairings.forget(PC)
    assert desk.clock.watched == []


@pytest.mark.requirement("B36")
async def test_a_device_that_is_let_in_gets_a_token_of_its_own(desk: Desk) -> None:
    claim = await desk.claim(desk.offer())
    assert [(told.state, told.guest) for told in desk.told] == [(PairingState.CLAIMED, PHONE)]

    desk.pairings.decide(PC, let_in=True)
    token = await claim

    assert await desk.tokens.room_of(token) == ROOM
    assert desk.tokens.names[token] == "device Ada's phone"
    assert desk.states() == [PairingState.CLAIMED, PairingState.JOINED]


@pytest.mark.requirement("B36")
async def test_a_code_is_good_once(desk: Desk) -> None:
    code = desk.offer()
    first, second = await desk.claim(code), await desk.claim(code)

    assert await refusal(second) is ErrorCode.UNAUTHENTICATED
    desk.pairings.decide(PC, let_in=True)
    await first
    assert await refusal(await desk.claim(code)) is ErrorCode.UNAUTHENTICATED


@pytest.mark.requirement("B36")
async def test_a_code_is_good_for_five_minutes(desk: Desk) -> None:
    code = desk.offer()
    desk.clock.advance(limits.PAIRING_CODE_SECONDS)

    assert await refusal(await desk.claim(code)) is ErrorCode.UNAUTHENTICATED
    assert desk.states() == [PairingState.EXPIRED]


async def test_a_device_that_nobody_lets_in_is_told_so(desk: Desk) -> None:
    claim = await desk.claim(desk.offer())
    desk.clock.advance(limits.PAIRING_DECISION_SECONDS)

    assert await refusal(claim) is ErrorCode.EXPIRED
    assert desk.states() == [PairingState.CLAIMED, PairingState.EXPIRED]


async def test_a_device_may_be_turned_away(desk: Desk) -> None:
    claim = await desk.claim(desk.offer())
    desk.pairings.decide(PC, let_in=False)

    assert await refusal(claim) is ErrorCode.DECLINED
    assert desk.states() == [PairingState.CLAIMED, PairingState.REFUSED]


async def test_a_code_may_be_withdrawn(desk: Desk) -> None:
    code = desk.offer()
    desk.pairings.decide(PC, let_in=False)

    assert await refusal(await desk.claim(code)) is ErrorCode.UNAUTHENTICATED
    assert desk.states() == [PairingState.REFUSED]


async def test_another_code_makes_the_first_one_void(desk: Desk) -> None:
    first = desk.offer()
    waiting = await desk.claim(first)
    second = desk.offer()

    assert await refusal(waiting) is ErrorCode.EXPIRED
    desk.told.clear()
    claim = await desk.claim(second)
    desk.pairings.decide(PC, let_in=True)
    assert await claim
    assert desk.states() == [PairingState.CLAIMED, PairingState.JOINED]


async def test_nobody_comes_in_by_a_device_that_is_gone(desk: Desk) -> None:
    code = desk.offer()
    desk.pairings.forget(PC)

    assert await refusal(await desk.claim(code)) is ErrorCode.UNAUTHENTICATED
    assert desk.told == []


async def test_a_guest_that_hangs_up_is_gone(desk: Desk) -> None:
    claim = await desk.claim(desk.offer())
    claim.cancel()
    with pytest.raises(asyncio.CancelledError):
        await claim

    assert desk.states() == [PairingState.CLAIMED, PairingState.EXPIRED]


@pytest.mark.parametrize("let_in", [True, False])
async def test_who_shows_no_code_decides_nothing(desk: Desk, *, let_in: bool) -> None:
    with pytest.raises(LineUpError, match="no device waits"):
        desk.pairings.decide(PC, let_in=let_in)
    desk.offer()
    with pytest.raises(LineUpError, match="no device waits"):
        desk.pairings.decide(PC, let_in=True)


async def test_a_token_that_cannot_be_written_lets_nobody_in(desk: Desk) -> None:
    claim = await desk.claim(desk.offer())
    desk.tokens.fault = LogRefused("the disk is full")
    desk.pairings.decide(PC, let_in=True)
    with pytest.raises(LineUpError, match="no device waits"):
        desk.pairings.decide(PC, let_in=True)

    assert await refusal(claim) is ErrorCode.LOG_UNAVAILABLE
    assert desk.states() == [PairingState.CLAIMED, PairingState.REFUSED]


async def test_who_shows_another_code_meanwhile_hears_of_that_one_only(desk: Desk) -> None:
    claim = await desk.claim(desk.offer())
    desk.pairings.decide(PC, let_in=True)
    desk.offer()

    assert await claim
    assert desk.states() == [PairingState.CLAIMED]
