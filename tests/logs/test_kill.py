from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.logs.appender import ROOMS
from tests.logs.sample import opened
from tests.logs.stores import Clock, opened_store, token_room

if TYPE_CHECKING:
    from pathlib import Path


def promised_before_a_kill(data_dir: Path, after_lines: int) -> dict[int, int]:
    """Room number → the highest seq that an append returned before the process was killed."""
    promised: dict[int, int] = {}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.logs.appender", str(data_dir)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        for count, line in enumerate(process.stdout):
            if count == after_lines:
                process.kill()
            # Also what it managed to promise before the signal came; the last line may be torn.
            if line.endswith(b"\n"):
                number, seq = line.split()
                promised[int(number)] = int(seq)
    return promised


@pytest.mark.kill
@pytest.mark.timeout(60)
@pytest.mark.parametrize("after_lines", [1, 50, 777])
async def test_every_append_that_returned_outlives_a_kill(
    data_dir: Path, clock: Clock, after_lines: int
) -> None:
    promised = promised_before_a_kill(data_dir, after_lines)
    assert promised
    async with opened_store(data_dir, clock) as store:
        for number in range(ROOMS):
            room = await token_room(store, f"token of the room number {number}")
            lines = await store.log.read(room, 0, 1_000_000)
            assert len(lines) >= promised.get(number, 0)
            # All or nothing: two facts an append.
            assert [line.fact for line in lines] == [
                opened(sign * (seq + 1)) for seq in range(0, len(lines), 2) for sign in (1, -1)
            ]
            assert [line.seq for line in lines] == list(range(1, len(lines) + 1))
