"""From the relay's start to the first login, with 100,000 facts in its log."""

from __future__ import annotations

import statistics
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from lineup_srv.contract.ids import FactId
from lineup_srv.logs.sqlite.store import open_store
from tests.bench.crowd import TOKEN, crowd
from tests.bench.lines import Section
from tests.bench.processes import relay
from tests.domain.playbook import Play, acknowledges, opens, replies

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lineup_srv.domain.facts import Fact
    from tests.bench.lines import Options

__all__ = ["measure"]

FACTS = 100_000
ROOMS = 1_000
FACTS_EACH = 4
"""Opened, answered, handed over, received."""
BATCH = 900
"""Facts in one append."""


async def measure(options: Options) -> list[Section]:
    """All facts in one room, then spread over many."""
    section = Section(f"relay start with {FACTS:,} facts, to the first login, p50")
    for rooms, title in ((1, "in one room"), (ROOMS, f"in {ROOMS:,} rooms")):
        data_dir = options.folder / f"rooms-{rooms}"
        await _fill(data_dir, rooms)
        times = []
        for _ in range(options.rounds):
            started = time.perf_counter()
            async with relay(data_dir) as process, crowd(process.address, 1, login=True):
                times.append(time.perf_counter() - started)
        section.add(title, statistics.median(times), "s", "1")
    return [section]


async def _fill(data_dir: Path, rooms: int) -> None:
    now_unix_ms = time.time_ns() // 1_000_000
    store = await open_store(data_dir, open_mode=True)
    try:
        for number in range(rooms):
            token = TOKEN if number == 0 else f"{TOKEN}-{number}"
            room_id = await store.tokens.room_of(token)
            assert room_id is not None
            seq = 0
            for batch in _answered(FACTS // rooms, now_unix_ms):
                seq = await store.log.append(room_id, seq, batch)
    finally:
        await store.close()


def _answered(count: int, now_unix_ms: int) -> Iterator[list[Fact]]:
    """Questions that were asked, answered and received, `count` facts in all."""
    batch: list[Fact] = []
    for number in range(count // FACTS_EACH):
        play, name = Play(now=now_unix_ms), f"q{number}"
        play.do(opens(name))
        play.do(replies(name, ref=f"ref-{number:012}"))
        play.do(acknowledges(name))
        # The commands of each play begin to count anew.
        batch.extend(
            replace(fact, fact_id=FactId(f"{name}:{index}")) for index, fact in enumerate(play.log)
        )
        if len(batch) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
