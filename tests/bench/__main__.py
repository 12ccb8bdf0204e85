"""`python -m tests.bench`: measures and prints ratios beside their budgets.

Rounds alternate between the relay and its floors, and the medians of the rounds' medians are
compared, so that a busy machine disturbs both alike.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench import ask, bare
from tests.bench.processes import minimal_relay, relay


@dataclass(slots=True)
class Rounds:
    """The medians of each round, in seconds or per second."""

    ours: list[float] = field(default_factory=list)
    floor: list[float] = field(default_factory=list)
    call: list[float] = field(default_factory=list)
    commit: list[float] = field(default_factory=list)
    ours_at_once: list[float] = field(default_factory=list)
    floor_at_once: list[float] = field(default_factory=list)


async def measure(rounds: int, count: int, folder: Path) -> Rounds:
    """Everything, `rounds` times."""
    measured = Rounds()
    for number in range(rounds):
        place = folder / str(number)
        place.mkdir()
        async with relay(place / "data") as address:
            times = await ask.one_by_one(address, count, confirm=True)
            measured.ours.append(statistics.median(times))
            measured.ours_at_once.append(await ask.all_at_once(address, 64, 10, confirm=True))
        async with minimal_relay() as address:
            times = await ask.one_by_one(address, count, confirm=False)
            measured.floor.append(statistics.median(times))
            measured.floor_at_once.append(await ask.all_at_once(address, 64, 10, confirm=False))
        measured.call.append(statistics.median(await bare.unary_calls(count)))
        commits = await asyncio.to_thread(bare.commits, place, count)
        measured.commit.append(statistics.median(commits))
    return measured


def report(measured: Rounds) -> None:
    """One line for each budget."""
    ours, floor = statistics.median(measured.ours), statistics.median(measured.floor)
    call, commit = statistics.median(measured.call), statistics.median(measured.commit)
    print("ask -> shown -> replied -> returned, durable, 1 agent, p50")
    print(f"  relay                      {ours * 1000:8.2f} ms")
    print(f"  minimal relay              {floor * 1000:8.2f} ms")
    print(f"  ratio                      {ours / floor:8.2f}     budget 1.6")
    print(f"  bare unary call            {call * 1000:8.2f} ms")
    print(f"  one FULL commit            {commit * 1000:8.2f} ms")
    print(f"  relay / (call + commit)    {ours / (call + commit):8.2f}     reported, goal 1.3")
    once, floor_once = (
        statistics.median(measured.ours_at_once),
        statistics.median(measured.floor_at_once),
    )
    print("64 agents at once, answered per second")
    print(f"  relay                      {once:8.0f} /s")
    print(f"  minimal relay              {floor_once:8.0f} /s")
    print(f"  ratio                      {once / floor_once:8.2f}     budget 0.7")


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--count", type=int, default=200, help="questions in a round")
    parser.add_argument("--dir", default=None, help="where the logs go; a real disk tells more")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.dir) as folder:
        report(asyncio.run(measure(options.rounds, options.count, Path(folder))))


if __name__ == "__main__":
    main()
