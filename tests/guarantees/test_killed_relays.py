"""The relay is killed again and again while many ask and answer: nothing is lost or doubled."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from tests.guarantees.load import load
from tests.system.processes import relay

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

pytestmark = [pytest.mark.system, pytest.mark.kill]

MOST_BETWEEN_KILLS = 150
LONGEST_AFTER_SECONDS = 0.01


@pytest.mark.requirement(
    "B03", "B11", "design:guarantees:acknowledged-is-kept", "design:guarantees:one-outcome"
)
@pytest.mark.parametrize(
    "kills",
    [
        pytest.param(12, marks=pytest.mark.timeout(150)),
        pytest.param(50, marks=[pytest.mark.soak, pytest.mark.timeout(600)]),
    ],
)
async def test_a_relay_killed_at_random_loses_no_acknowledged_answer_and_doubles_none(
    token: str,
    tmp_path: Path,
    kills: int,
    chance: random.Random,
    tell: Callable[[str], None],
) -> None:
    async with relay(tmp_path / "relay", token=token) as server, load(server, token) as busy:

        async def killing() -> None:
            for _ in range(kills):
                await busy.traffic.more(chance.randrange(1, MOST_BETWEEN_KILLS))
                # Between two messages too, not only where one has just been heard.
                await asyncio.sleep(chance.uniform(0, LONGEST_AFTER_SECONDS))
                await server.restart()

        await busy.during(killing, chance)
        tell(f"{kills} kills, {busy.figures()}")
        await busy.check()
