"""Writes the log of this release as a fixture, once for each version of its records.

`python -m tests.logs.write_golden tests/golden/log_v2`; what is there already never changes: it
stands for the files that people have.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from lineup_srv.contract import limits
from lineup_srv.logs.records import encode_snapshot
from lineup_srv.logs.sqlite.schema import FILE_NAME
from tests.logs.sample import NOW, PICTURE, TOKEN, conversation
from tests.logs.stores import Clock, folded, opened_store, snapshots_made, token_room


async def write_log(data_dir: Path) -> None:
    """The sample conversation, with a snapshot in its middle."""
    limits.SNAPSHOT_FACTS = 12  # type: ignore[misc] # one snapshot in a short log
    async with opened_store(data_dir, Clock(NOW)) as store:
        room = await token_room(store, TOKEN)
        await store.blobs.put(room, PICTURE, b"12345")
        for seq, fact in enumerate(conversation()):
            await store.log.append(room, seq, [fact])
            await snapshots_made(store)


def main(target: Path) -> None:
    target.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as directory:
        data_dir = Path(directory)
        asyncio.run(write_log(data_dir))
        with closing(sqlite3.connect(data_dir / FILE_NAME)) as db:
            dump = "\n".join(db.iterdump()) + "\n"
    (target / "lineup.sql").write_text(dump)
    state = json.loads(encode_snapshot(folded(conversation())))
    (target / "state.json").write_text(json.dumps(state, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
