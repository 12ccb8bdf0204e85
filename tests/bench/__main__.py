"""`python -m tests.bench`: measures and prints figures beside the budgets of the design."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.bench import asking, bridge_start, broadcast, memory, page, relay_start
from tests.bench.lines import Options, print_section

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping

    from tests.bench.lines import Section

SECTIONS: Mapping[str, Callable[[Options], Coroutine[None, None, list[Section]]]] = {
    "asking": asking.measure,
    "broadcast": broadcast.measure,
    "memory": memory.measure,
    "relay-start": relay_start.measure,
    "bridge-start": bridge_start.measure,
    "page": page.measure,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.bench", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--count", type=int, default=200, help="questions in a round")
    parser.add_argument("--dir", default=None, help="where the logs go; a real disk tells more")
    options = parser.parse_args()
    unknown = set(options.sections) - SECTIONS.keys()
    if unknown:
        parser.error(f"no such section: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory(dir=options.dir) as folder:
        for name in options.sections or SECTIONS:
            place = Path(folder) / name
            place.mkdir()
            wanted = Options(options.rounds, options.count, place)
            for section in asyncio.run(SECTIONS[name](wanted)):
                print_section(section)


if __name__ == "__main__":
    main()
