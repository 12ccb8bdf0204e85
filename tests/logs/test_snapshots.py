from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.logs.errors import RecordUnreadable
from tests.logs.sample import answered, conversation, opened
from tests.logs.stores import (
    Clock,
    folded,
    in_writer,
    loaded,
    opened_store,
    same_order,
    snapshots_made,
    token_room,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.domain.facts import Fact
    from lineup_srv.domain.state import Logged
    from lineup_srv.logs.sqlite import SqliteStore


@pytest.fixture(autouse=True)
def every_ten_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SNAPSHOT_FACTS", 10)


async def append_singly(
    store: SqliteStore, room: RoomId, facts: Iterable[Fact], *, after: int = 0
) -> None:
    for seq, fact in enumerate(facts, start=after):
        await store.log.append(room, seq, [fact])
        await snapshots_made(store)


async def snapshot_seqs(store: SqliteStore) -> list[int]:
    rows = await in_writer(
        store, lambda db: db.execute("SELECT seq FROM snapshots ORDER BY seq").fetchall()
    )
    return [seq for (seq,) in rows]


def questions(count: int) -> list[Fact]:
    """Few requests at a time: each is answered before the next."""
    facts: list[Fact] = []
    for number in range(count // 2):
        facts += [opened(number), answered(number)]
    return facts


async def test_snapshot_and_tail_are_the_full_fold(store: SqliteStore, room: RoomId) -> None:
    facts = conversation()
    await append_singly(store, room, facts)
    logged, tail = await store.log.load(room)
    assert (logged.last_seq, len(tail)) == (40, len(facts) - 40)
    assert same_order(logged, folded(facts[:40]))
    assert same_order(await loaded(store, room), folded(facts))


async def test_a_snapshot_builds_on_the_one_before_and_two_are_kept(
    store: SqliteStore, room: RoomId
) -> None:
    facts = questions(100)
    await append_singly(store, room, facts[:31])
    # The second was due after 10 facts; a room of 15 requests waits for 15.
    assert await snapshot_seqs(store) == [20, 30]
    await in_writer(
        store, lambda db: db.execute("UPDATE facts SET record = '{}' WHERE seq <= 30").rowcount
    )
    for seq, fact in enumerate(facts[31:], start=31):
        await store.log.append(room, seq, [fact])
        await snapshots_made(store)
    assert len(await snapshot_seqs(store)) == 2
    assert same_order(await loaded(store, room), folded(facts))


async def test_one_big_append_makes_one_snapshot(store: SqliteStore, room: RoomId) -> None:
    await store.log.append(room, 0, questions(50))
    await snapshots_made(store)
    assert await snapshot_seqs(store) == [50]
    state = await in_writer(store, lambda db: db.execute("SELECT state FROM snapshots").fetchone())
    assert json.loads(state[0])["last_seq"] == 50


async def test_a_restart_goes_on_from_the_kept_snapshot(data_dir: Path, clock: Clock) -> None:
    facts = questions(30)
    async with opened_store(data_dir, clock) as store:
        room = await token_room(store, "test-token")
        await append_singly(store, room, facts[:12])
        assert await snapshot_seqs(store) == [10]
    async with opened_store(data_dir, clock) as store:
        for seq, fact in enumerate(facts[12:], start=12):
            await store.log.append(room, seq, [fact])
            await snapshots_made(store)
        assert await snapshot_seqs(store) == [20, 30]
        assert same_order(await loaded(store, room), folded(facts))


async def test_a_snapshot_that_fails_unexpectedly_is_told_without_any_body(
    store: SqliteStore,
    room: RoomId,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(logged: Logged) -> str:
        raise KeyError(logged.requests.popitem())

    with monkeypatch.context() as patched:
        patched.setattr("lineup_srv.logs.sqlite.snapshots.encode_snapshot", broken)
        await append_singly(store, room, questions(10))

    assert await snapshot_seqs(store) == []
    (told,) = [record.getMessage() for record in caplog.records]
    assert told.startswith(f"no snapshot of room {room}: KeyError at\n")
    assert "in broken" in told
    assert "Question" not in told
    # The next one comes when it is due.
    await append_singly(store, room, questions(20)[10:], after=10)
    assert await snapshot_seqs(store) == [20]


async def test_a_room_that_cannot_be_read_gets_no_snapshot_and_says_why(
    store: SqliteStore, room: RoomId, caplog: pytest.LogCaptureFixture
) -> None:
    facts = questions(30)
    await append_singly(store, room, facts[:5])
    newer = """UPDATE facts SET record = '{"kind":"sung","v":1}' WHERE seq = 2"""
    await in_writer(store, lambda db: db.execute(newer).rowcount)
    await append_singly(store, room, facts[5:25], after=5)
    assert await snapshot_seqs(store) == []
    # Once for every ten facts, not for every fact.
    assert [record.getMessage() for record in caplog.records] == [
        f"no snapshot of room {room}: record 'sung' version 1:"
        " unknown kind; a newer LineUp wrote it"
    ] * 2
    with pytest.raises(RecordUnreadable, match="a newer LineUp") as held:
        await store.log.load(room)
    # The reader lets go of the file, even while somebody still looks at what it raised.
    await store.log.append(room, 25, [opened(99)])
    _, pages, copied = store.writer._db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    assert pages == copied
    assert held.value.kind == "sung"
