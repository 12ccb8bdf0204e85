"""A process to be killed: appends without end and prints each number once it is durable.

`python -m tests.logs.appender DIRECTORY`
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from lineup_srv.logs.sqlite import SqliteStore, open_store
from tests.logs.sample import opened

ROOMS = 4


async def append_for_ever(store: SqliteStore, number: int) -> None:
    room = await store.tokens.room_of(f"token of the room number {number}")
    assert room is not None
    seq = 0
    while True:
        seq = await store.log.append(room, seq, [opened(seq + 1), opened(-seq - 1)])
        # Straight to the pipe: what is printed has been promised.
        os.write(1, f"{number} {seq}\n".encode())


async def main(data_dir: Path) -> None:
    store = await open_store(data_dir, open_mode=True)
    await asyncio.gather(*(append_for_ever(store, number) for number in range(ROOMS)))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
