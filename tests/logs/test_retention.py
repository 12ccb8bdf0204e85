"""When old facts leave the log, by age and by the size of the file, and that the file shrinks."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.ids import AgentId, Ref, RequestId, TextId
from lineup_srv.domain.contents import Content, ContentKind, ContentRef, Picture
from lineup_srv.domain.facts import PictureShown, Received, TextKept, TextReceived, TextSaid
from lineup_srv.logs.sqlite import Retention, SqliteStore, open_store
from lineup_srv.logs.sqlite.schema import FILE_NAME
from tests.logs.sample import AGENT, NOW, PHONE, answered, opened, text
from tests.logs.stores import Clock, folded, in_writer, loaded, same_order, token_room

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.domain.facts import Fact

DAY_MS = 86_400_000
KEEP_ALL = Retention(0, 0)


@contextlib.asynccontextmanager
async def keeping(data_dir: Path, clock: Clock, retention: Retention) -> AsyncIterator[SqliteStore]:
    store = await open_store(data_dir, open_mode=True, retention=retention, now_unix_ms=clock)
    try:
        yield store
    finally:
        await store.close()


def said(number: int, at_unix_ms: int, words: str = "hello") -> TextSaid:
    contents = (Content(ContentKind.TEXT, text(words), ""),)
    fact_id = opened(number).fact_id
    return TextSaid(fact_id, at_unix_ms, TextId(f"said{number}"), AGENT, "Claude", contents)


def pictured(number: int, at_unix_ms: int, sha256: str, size: int) -> PictureShown:
    picture = Picture(ContentRef(sha256, size, "image/png", None), "", "", "")
    fact_id = opened(number).fact_id
    return PictureShown(fact_id, at_unix_ms, TextId(f"shown{number}"), AGENT, "Claude", picture)


async def say_daily(store: SqliteStore, room: RoomId, days: int) -> None:
    """One text a day; the clock stands on the last of these days."""
    for day in range(days):
        await store.log.append(room, day, [said(day, NOW + day * DAY_MS)])


async def kept(store: SqliteStore, room: RoomId) -> list[int]:
    return [line.seq for line in await store.log.read(room, 0, 100_000)]


def file_bytes(data_dir: Path) -> int:
    return (data_dir / FILE_NAME).stat().st_size


async def copied_back(store: SqliteStore) -> None:
    """The write-ahead file is copied into the other one."""
    await store.writer.submit(lambda _: None, size=0, committed=None)
    store.writer.post(lambda _: None)
    await store.writer.submit(lambda _: None, size=0, committed=None)


async def test_facts_older_than_keep_days_go(data_dir: Path, clock: Clock) -> None:
    async with keeping(data_dir, clock, Retention(10, 0)) as store:
        room = await token_room(store, "test-token")
        await say_daily(store, room, 30)
        clock.unix_ms = NOW + 29 * DAY_MS
        await store.sweep({room})
        # The oldest that stays is ten days old and no older.
        assert await kept(store, room) == list(range(21, 31))
        assert await store.log.floor(room) == 21


async def test_without_a_limit_everything_stays(data_dir: Path, clock: Clock) -> None:
    async with keeping(data_dir, clock, KEEP_ALL) as store:
        room = await token_room(store, "test-token")
        await say_daily(store, room, 5)
        clock.unix_ms = NOW + 10_000 * DAY_MS
        await store.sweep({room})
        assert await kept(store, room) == [1, 2, 3, 4, 5]


async def test_by_default_facts_stay_for_ninety_days(data_dir: Path, clock: Clock) -> None:
    store = await open_store(data_dir, open_mode=True, now_unix_ms=clock)
    room = await token_room(store, "test-token")
    await say_daily(store, room, 3)
    clock.unix_ms = NOW + (limits.KEEP_DAYS + 1) * DAY_MS - 1
    await store.sweep({room})
    assert await kept(store, room) == [2, 3]
    await store.close()


async def test_a_room_is_read_for_it_once_a_day_or_when_much_is_old(
    data_dir: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SNAPSHOT_FACTS", 5)
    async with keeping(data_dir, clock, Retention(10, 0)) as store:
        room = await token_room(store, "test-token")
        await say_daily(store, room, 30)
        clock.unix_ms = NOW + 12 * DAY_MS
        await store.sweep({room})
        assert await store.log.floor(room) == 4
        clock.unix_ms += DAY_MS - 1
        await store.sweep({room})
        assert await store.log.floor(room) == 4
        clock.unix_ms += 1
        await store.sweep({room})
        assert await store.log.floor(room) == 5
        # Half a day later, but five facts are too old by then.
        await in_writer(
            store, lambda db: db.execute("UPDATE facts SET at_unix_ms = ? WHERE seq < 10", (NOW,))
        )
        clock.unix_ms += DAY_MS // 2
        await store.sweep({room})
        assert await store.log.floor(room) == 10


@pytest.mark.requirement("B88")
async def test_what_was_needed_goes_when_it_is_no_longer(data_dir: Path, clock: Clock) -> None:
    async with keeping(data_dir, clock, Retention(10, 0)) as store:
        room = await token_room(store, "test-token")
        question: list[Fact] = [opened(1), answered(1)]
        await store.log.append(room, 0, [*question, said(2, NOW + 1), said(3, NOW + 2)])
        clock.unix_ms += 100 * DAY_MS
        await store.sweep({room})
        # The answer waits for its agent as long as it takes.
        assert await kept(store, room) == [1, 2, 4]
        received = Received(opened(9).fact_id, clock.unix_ms, RequestId("request1"))
        await store.log.append(room, 4, [received])
        clock.unix_ms += 11 * DAY_MS
        await store.sweep({room})
        assert await kept(store, room) == [5]


async def test_what_is_attached_to_a_text_stays_until_it_is_received(
    data_dir: Path, clock: Clock
) -> None:
    async with keeping(data_dir, clock, Retention(10, 0)) as store:
        room = await token_room(store, "test-token")
        await store.blobs.put(room, "b" * 64, b"12345")
        ref = ContentRef("b" * 64, 5, "image/png", None)
        attached = (Content(ContentKind.IMAGE, ref, ""),)
        note = TextId("note")
        kept_note = TextKept(
            opened(1).fact_id, NOW, note, AgentId("agent1"), attached, PHONE, Ref(""), False
        )
        await store.log.append(room, 0, [kept_note, said(2, NOW)])
        clock.unix_ms += 100 * DAY_MS
        await store.sweep({room})
        assert await store.blobs.get(room, "b" * 64) == b"12345"
        received = TextReceived(opened(9).fact_id, clock.unix_ms, note)
        await store.log.append(room, 2, [received])
        clock.unix_ms += 11 * DAY_MS
        await store.sweep({room})
        assert await kept(store, room) == [3]
        assert await store.blobs.get(room, "b" * 64) is None


async def test_the_oldest_go_first_when_the_file_is_too_large(data_dir: Path, clock: Clock) -> None:
    async with keeping(data_dir, clock, Retention(90, 8_000_000)) as store:
        one, two = [await token_room(store, f"token of room {n}, long") for n in "ab"]
        for number in range(60):
            room, sha256 = (one, two)[number % 2], f"{number:064}"
            await store.blobs.put(room, sha256, bytes([number]) * 200_000)
            fact = pictured(number, clock.unix_ms, sha256, 200_000)
            await store.log.append(room, number // 2, [fact])
            clock.unix_ms += 60_000
        question: list[Fact] = [opened(1_000), answered(1_000)]
        await store.log.append(one, 30, question)
        clock.unix_ms += 2 * 3_600_000
        before = await loaded(store, one)

        await store.sweep({one, two})

        left = [n for n in range(60) if await store.blobs.get((one, two)[n % 2], f"{n:064}")]
        assert left == list(range(left[0], 60))
        assert 35 <= len(left) <= 40
        floors = [await store.log.floor(room) for room in (one, two)]
        assert floors == [(left[0] + 1) // 2 + 1, left[0] // 2 + 1]
        assert same_order(await loaded(store, one), before)
    assert file_bytes(data_dir) < 9_500_000


async def test_what_is_needed_or_fresh_stays_however_large_the_file_is(
    data_dir: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    async with keeping(data_dir, clock, Retention(90, 1)) as store:
        room = await token_room(store, "test-token")
        facts: list[Fact] = [opened(1), answered(1), said(2, NOW), opened(3)]
        await store.log.append(room, 0, facts)
        clock.unix_ms += limits.FACT_SETTLED_SECONDS * 1000 - 1
        await store.sweep({room})
        assert await kept(store, room) == [1, 2, 3, 4]
        clock.unix_ms += 100_000
        await store.sweep({room})
        assert await kept(store, room) == [1, 2, 4]
        assert same_order(await loaded(store, room), folded(facts))
    assert "larger than keep_bytes" in caplog.text


async def test_the_file_shrinks(data_dir: Path, clock: Clock) -> None:
    async with keeping(data_dir, clock, Retention(10, 0)) as store:
        room = await token_room(store, "test-token")
        long = "word " * 700
        for start in range(0, 4_000, 500):
            facts = [said(n, NOW, long) for n in range(start, start + 500)]
            await store.log.append(room, start, facts)
        clock.unix_ms += 11 * DAY_MS
        await store.log.append(room, 4_000, [said(9_999, clock.unix_ms)])
    full = file_bytes(data_dir)
    async with keeping(data_dir, clock, Retention(10, 0)) as store:
        await store.sweep({room})
        assert await kept(store, room) == [4_001]
    assert full > 12_000_000
    # 256 free pages stay for what comes next.
    assert file_bytes(data_dir) < 2_000_000


async def test_a_file_that_could_not_shrink_can_after_its_next_start(
    data_dir: Path, clock: Clock
) -> None:
    data_dir.mkdir()  # noqa: ASYNC240
    path = data_dir / FILE_NAME
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE of_an_older_release (x)")
        assert db.execute("PRAGMA auto_vacuum").fetchone() == (0,)
    async with keeping(data_dir, clock, KEEP_ALL) as store:
        mode = await in_writer(store, lambda db: db.execute("PRAGMA auto_vacuum").fetchone())
    assert mode == (2,)


async def test_one_room_that_cannot_be_read_does_not_keep_the_others(
    data_dir: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    async with keeping(data_dir, clock, Retention(10, 0)) as store:
        bad, good = [await token_room(store, f"token of room {n}, long") for n in "ab"]
        for room in (bad, good):
            await store.log.append(room, 0, [said(1, NOW), said(2, NOW)])
        newer = """UPDATE facts SET record = '{"kind":"sung","v":1}' WHERE room_id = ?"""
        await in_writer(store, lambda db: db.execute(newer, (bad,)).rowcount)
        clock.unix_ms += 11 * DAY_MS
        await store.sweep({bad, good})
        assert await store.log.floor(bad) == 1
        assert await kept(store, good) == [2]
    assert f"room {bad} is not compacted" in caplog.text


async def test_an_orphan_of_many_bytes_is_swept_alone(
    store: SqliteStore, room: RoomId, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts: list[int] = []
    submit = store.writer.submit

    def counted(work: Callable[..., int], **rest: object) -> object:
        if work.__name__ == "delete":
            parts.append(1)
        return submit(work, **rest)  # type: ignore[arg-type] # passed on

    for number, size in enumerate([3_000_000, 3_000_000, 10, 10]):
        await store.blobs.put(room, f"{number:064}", b"x" * size)
    clock.unix_ms += 3_600_001
    monkeypatch.setattr(store.writer, "submit", counted)
    assert await store.blobs.sweep_orphans() == 4
    assert len(parts) == 2
