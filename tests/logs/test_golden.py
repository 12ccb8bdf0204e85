"""The logs of every release fold for ever to the states they had (design §2.1)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import Ref
from lineup_srv.domain.commands import StoredAck
from lineup_srv.logs.records import KINDS, SNAPSHOT_VERSION, decode_snapshot
from lineup_srv.logs.sqlite.schema import FILE_NAME
from tests.logs.sample import PICTURE, TOKEN, opened
from tests.logs.stores import Clock, folded, loaded, opened_store, same_order, token_room

if TYPE_CHECKING:
    from lineup_srv.domain.state import Logged

GOLDEN = sorted((Path(__file__).parent.parent / "golden").glob("log_v*"))


def restore(golden: Path, data_dir: Path) -> Logged:
    """Put the kept log into the directory; its recorded state."""
    data_dir.mkdir()
    with closing(sqlite3.connect(data_dir / FILE_NAME)) as db:
        db.executescript((golden / "lineup.sql").read_text())
    return decode_snapshot((golden / "state.json").read_text())


def test_every_release_is_kept() -> None:
    assert [golden.name for golden in GOLDEN] == ["log_v1", "log_v2", "log_v3"]


def test_the_newest_log_has_every_kind_in_its_newest_version(data_dir: Path) -> None:
    restore(GOLDEN[-1], data_dir)
    with closing(sqlite3.connect(data_dir / FILE_NAME)) as db:
        kinds = set(db.execute("SELECT kind, json_extract(record, '$.v') FROM facts"))
        [snapshots] = db.execute("SELECT DISTINCT v FROM snapshots")
    assert kinds == {(kind.name, kind.version) for kind in KINDS}
    assert snapshots == (SNAPSHOT_VERSION,)


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.name)
async def test_a_kept_log_has_the_state_it_had(golden: Path, data_dir: Path, clock: Clock) -> None:
    recorded = restore(golden, data_dir)
    async with opened_store(data_dir, clock) as store:
        room = await token_room(store, TOKEN)
        snapshot, tail = await store.log.load(room)
        assert 0 < snapshot.last_seq < recorded.last_seq
        assert len(tail) == recorded.last_seq - snapshot.last_seq
        assert same_order(await loaded(store, room), recorded)

        lines = await store.log.read(room, 0, 1_000)
        assert [line.seq for line in lines] == list(range(1, recorded.last_seq + 1))
        assert same_order(folded(line.fact for line in lines), recorded)

        deadlines = {
            str(line.request_id): line.deadline_unix_ms for line in await store.log.deadlines()
        }
        asked = {str(r.request_id): r.deadline_unix_ms for r in recorded.open_requests()}
        called = {str(call.call_id): call.deadline_unix_ms for call in recorded.calls.live()}
        assert deadlines == {**asked, **called}
        kept_late = StoredAck(ErrorCode.KEPT_LATE, 13)
        assert await store.log.find_ref(room, Ref("ref-of-late-repl")) == kept_late
        assert await store.blobs.get(room, PICTURE) == b"12345"
        seq = recorded.last_seq
        assert await store.log.append(room, seq, [opened(99)]) == seq + 1
