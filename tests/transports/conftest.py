"""Every test ends with a relay that has nothing left: no task, queue, tab or counted login."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from tests.transports.bridges import serving
from tests.transports.house import House

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.transports.bridges import Bridge


@pytest.fixture
async def house(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    # Nobody waits in a test; that a refusal is delayed is a test of its own.
    monkeypatch.setattr(limits, "LOGIN_REFUSAL_DELAY_SECONDS", 0)
    house = House()
    yield house
    await house.close()


@pytest.fixture
async def bridge(house: House) -> AsyncIterator[Bridge]:
    async with serving(house) as bridge:
        yield bridge
