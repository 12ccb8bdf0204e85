"""Ask → shown → replied → returned, alone and with 64 agents at once, beside two floors."""

from __future__ import annotations

import asyncio
import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.bench import ask, bare
from tests.bench.lines import Section
from tests.bench.processes import minimal_relay, relay

if TYPE_CHECKING:
    from tests.bench.lines import Options

__all__ = ["measure"]

AGENTS = 64
EACH = 10


@dataclass(slots=True)
class Rounds:
    """The medians of each round, in seconds or per second.

    Rounds alternate between the relay and its floors, and the medians of the rounds' medians are
    compared, so that a busy machine disturbs both alike.
    """

    ours: list[float] = field(default_factory=list)
    floor: list[float] = field(default_factory=list)
    call: list[float] = field(default_factory=list)
    commit: list[float] = field(default_factory=list)
    ours_at_once: list[float] = field(default_factory=list)
    floor_at_once: list[float] = field(default_factory=list)


async def measure(options: Options) -> list[Section]:
    """One agent, then many."""
    rounds = Rounds()
    for number in range(options.rounds):
        await _round(rounds, options, number)
    return [_alone(rounds), _at_once(rounds)]


async def _round(rounds: Rounds, options: Options, number: int) -> None:
    place = options.folder / str(number)
    place.mkdir(parents=True)
    async with relay(place / "data") as process:
        times = await ask.one_by_one(process.address, options.count, confirm=True)
        rounds.ours.append(statistics.median(times))
        rounds.ours_at_once.append(
            await ask.all_at_once(process.address, AGENTS, EACH, confirm=True)
        )
    async with minimal_relay() as process:
        times = await ask.one_by_one(process.address, options.count, confirm=False)
        rounds.floor.append(statistics.median(times))
        rounds.floor_at_once.append(
            await ask.all_at_once(process.address, AGENTS, EACH, confirm=False)
        )
    rounds.call.append(statistics.median(await bare.unary_calls(options.count)))
    commits = await asyncio.to_thread(bare.commits, place, options.count)
    rounds.commit.append(statistics.median(commits))


def _alone(rounds: Rounds) -> Section:
    ours, floor = statistics.median(rounds.ours), statistics.median(rounds.floor)
    call, commit = statistics.median(rounds.call), statistics.median(rounds.commit)
    section = Section("ask -> shown -> replied -> returned, durable, 1 agent, p50")
    section.add("relay", ours * 1000, "ms")
    section.add("minimal relay", floor * 1000, "ms")
    section.add("ratio", ours / floor, "", "1.6")
    section.add("bare unary call", call * 1000, "ms")
    section.add("one FULL commit", commit * 1000, "ms")
    section.add("relay / (call + commit)", ours / (call + commit), "", "reported, goal 1.3")
    return section


def _at_once(rounds: Rounds) -> Section:
    ours = statistics.median(rounds.ours_at_once)
    floor = statistics.median(rounds.floor_at_once)
    section = Section(f"{AGENTS} agents at once, answered per second")
    section.add("relay", ours, "/s")
    section.add("minimal relay", floor, "/s")
    section.add("ratio", ours / floor, "", ">= 0.7")
    return section
