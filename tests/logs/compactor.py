"""A process to be killed: writes a room, then compacts it step by step and says where it is.

`python -m tests.logs.compactor DIRECTORY`
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lineup_srv.contract.ids import Ref, TextId
from lineup_srv.domain.facts import TextKept, TextReceived
from lineup_srv.logs.sqlite import open_store
from tests.logs.sample import AGENT, NOW, PHONE, answered, opened
from tests.logs.stores import Clock

if TYPE_CHECKING:
    from lineup_srv.domain.facts import Fact

TOKEN: Final = "token of the room that is compacted"
LATER_MS: Final = 30 * 86_400_000
STEP: Final = 300


def written() -> list[Fact]:
    """Answers that nobody fetched among many texts that were received long ago."""
    facts: list[Fact] = []
    for number in range(1_500):
        text_id = TextId(f"text{number}")
        kept = TextKept(
            opened(number).fact_id, NOW, text_id, AGENT.agent_id, (), PHONE, Ref(""), False
        )
        facts += [kept, TextReceived(answered(number).fact_id, NOW, text_id)]
    facts[1_000:1_000] = [opened(10_000), answered(10_000), opened(10_001)]
    return facts


async def main(data_dir: Path) -> None:
    clock = Clock(NOW + LATER_MS)
    store = await open_store(data_dir, open_mode=True, now_unix_ms=clock)
    room = await store.tokens.room_of(TOKEN)
    assert room is not None
    facts = written()
    await store.log.append(room, 0, facts)
    os.write(1, b"0\n")
    for upto in range(STEP, len(facts), STEP):
        floor = await store.log.compact(room, upto)
        os.write(1, f"{floor}\n".encode())
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
