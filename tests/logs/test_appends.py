from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import FactId, Ref, RequestId, RoomId, TextId
from lineup_srv.domain.commands import StoredAck
from lineup_srv.domain.facts import Expired, LateReplied
from lineup_srv.service.ports import Conflict, DeadlineLine, LoggedFact, LogRefused
from tests.logs.sample import DEADLINE, NOW, answered, conversation, opened, reply
from tests.logs.stores import (
    Clock,
    folded,
    held_writer,
    in_writer,
    loaded,
    opened_store,
    token_room,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lineup_srv.logs.sqlite import SqliteStore


def file_names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


async def test_facts_are_numbered_without_gaps_and_read_back(
    store: SqliteStore, room: RoomId
) -> None:
    facts = conversation()
    assert await store.log.append(room, 0, facts[:3]) == 3
    assert await store.log.append(room, 3, facts[3:]) == len(facts)
    lines = [LoggedFact(seq, fact) for seq, fact in enumerate(facts, start=1)]
    assert await store.log.read(room, 0, 1_000) == lines
    assert await store.log.read(room, 4, 2) == lines[4:6]
    assert await store.log.read(room, len(facts), 10) == []
    assert await loaded(store, room) == folded(facts)


async def test_a_repeated_append_gets_the_same_numbers_and_writes_nothing(
    store: SqliteStore, room: RoomId
) -> None:
    facts = [opened(1), opened(2)]
    assert await store.log.append(room, 0, facts) == 2
    assert await store.log.append(room, 2, [opened(3)]) == 3
    assert await store.log.append(room, 0, facts) == 2
    # Also by one that knows what came since.
    assert await store.log.append(room, 3, facts) == 2
    assert len(await store.log.read(room, 0, 10)) == 3


async def test_two_equal_appends_in_one_group_are_one(store: SqliteStore, room: RoomId) -> None:
    appends = (store.log.append(room, 0, [opened(1)]) for _ in range(2))
    assert await asyncio.gather(*appends) == [1, 1]
    assert len(await store.log.read(room, 0, 10)) == 1


async def test_a_half_known_append_is_refused(store: SqliteStore, room: RoomId) -> None:
    await store.log.append(room, 0, [opened(1)])
    with pytest.raises(LogRefused, match="some of the facts"):
        await store.log.append(room, 1, [opened(1), opened(2)])
    with pytest.raises(LogRefused):
        await store.log.append(room, 1, [opened(2), opened(1)])
    assert len(await store.log.read(room, 0, 10)) == 1


@pytest.mark.parametrize("expected_seq", [0, 2])
async def test_an_append_on_another_number_is_a_conflict(
    store: SqliteStore, room: RoomId, expected_seq: int
) -> None:
    await store.log.append(room, 0, [opened(1)])
    with pytest.raises(Conflict):
        await store.log.append(room, expected_seq, [opened(2)])
    assert await store.log.append(room, 1, [opened(2)]) == 2


async def test_fact_ids_of_one_room_mean_nothing_in_another(
    store: SqliteStore, room: RoomId
) -> None:
    other = await token_room(store, "another token, long enough")
    await store.log.append(room, 0, [opened(1)])
    assert await store.log.append(other, 0, [opened(1)]) == 1
    assert len(await store.log.read(other, 0, 10)) == 1


async def test_a_room_that_does_not_exist_is_refused(store: SqliteStore) -> None:
    with pytest.raises(LogRefused, match="does not exist"):
        await store.log.append(RoomId("nowhere"), 0, [opened(1)])


async def test_a_fact_that_cannot_be_written_is_refused(store: SqliteStore, room: RoomId) -> None:
    with pytest.raises(LogRefused, match="cannot be written"):
        await store.log.append(room, 0, [opened(1, request_id="\ud800")])
    with pytest.raises(ValueError, match="without facts"):
        await store.log.append(room, 0, [])


async def test_appends_of_many_rooms_share_a_commit(store: SqliteStore) -> None:
    rooms = [await token_room(store, f"token of the room number {n}") for n in range(50)]
    before = store.writer.commits
    async with held_writer(store):
        appending = asyncio.gather(
            *(store.log.append(room, seq, [opened(seq)]) for room in rooms for seq in range(4))
        )
    assert await appending == [1, 2, 3, 4] * 50
    # One for what held the writer, one for two hundred appends.
    assert store.writer.commits - before == 2
    for room in rooms:
        assert len(await store.log.read(room, 0, 10)) == 4


async def test_a_conflict_does_not_fail_the_others_of_its_group(
    store: SqliteStore, room: RoomId
) -> None:
    other = await token_room(store, "another token, long enough")
    before = store.writer.commits
    async with held_writer(store):
        appending = asyncio.gather(
            store.log.append(room, 0, [opened(1)]),
            store.log.append(room, 0, [opened(2)]),
            store.log.append(RoomId("nowhere"), 0, [opened(3)]),
            store.log.append(other, 0, [opened(4)]),
            store.log.append(room, 1, [opened(5)]),
            return_exceptions=True,
        )
    results = await appending
    assert [type(r) if isinstance(r, Exception) else r for r in results] == [
        1, Conflict, LogRefused, 1, 2,
    ]  # fmt: skip
    assert store.writer.commits - before == 2


async def test_a_cancelled_append_still_reaches_the_followers(
    store: SqliteStore, room: RoomId
) -> None:
    told: list[LoggedFact] = []
    store.log.follow(room, told.extend)
    append = asyncio.ensure_future(store.log.append(room, 0, [opened(1)]))
    await asyncio.sleep(0)
    append.cancel()
    assert await store.log.append(room, 1, [opened(2)]) == 2
    assert [line.seq for line in told] == [1, 2]


async def test_followers_get_every_batch_of_their_room_in_order(
    store: SqliteStore, room: RoomId
) -> None:
    other = await token_room(store, "another token, long enough")
    batches: list[list[LoggedFact]] = []

    def deliver(lines: Sequence[LoggedFact]) -> None:
        asyncio.get_running_loop()
        batches.append(list(lines))

    end = store.log.follow(room, deliver)
    await asyncio.gather(
        store.log.append(room, 0, [opened(1), opened(2)]),
        store.log.append(other, 0, [opened(3)]),
        store.log.append(room, 2, [opened(4)]),
    )
    await store.log.append(room, 0, [opened(1), opened(2)])
    assert batches == [
        [LoggedFact(1, opened(1)), LoggedFact(2, opened(2))],
        [LoggedFact(3, opened(4))],
    ]
    end()
    end()
    await store.log.append(room, 3, [opened(5)])
    assert len(batches) == 2


async def test_a_failing_follower_costs_the_others_nothing(
    store: SqliteStore, room: RoomId
) -> None:
    failures: list[str] = []
    asyncio.get_running_loop().set_exception_handler(
        lambda _, context: failures.append(str(context["exception"]))
    )

    def fail(lines: Sequence[LoggedFact]) -> None:
        raise RuntimeError("out of order")

    told: list[LoggedFact] = []
    store.log.follow(room, fail)
    store.log.follow(room, told.extend)
    assert await store.log.append(room, 0, [opened(1)]) == 1
    assert failures == ["out of order"]
    assert len(told) == 1


async def test_open_deadlines_are_listed_for_all_rooms(store: SqliteStore, room: RoomId) -> None:
    other = await token_room(store, "another token, long enough")
    await store.log.append(room, 0, conversation())
    await store.log.append(other, 0, [opened(1), opened(2), answered(1)])
    lines = sorted(await store.log.deadlines(), key=lambda line: line.request_id)
    assert lines == [
        DeadlineLine(room, RequestId("call4"), DEADLINE + 60_000),
        DeadlineLine(other, RequestId("request2"), DEADLINE),
        DeadlineLine(room, RequestId("request5"), DEADLINE + 90_000),
        DeadlineLine(room, RequestId("request6"), DEADLINE),
    ]


async def test_a_request_and_a_text_are_read_by_their_ids(store: SqliteStore, room: RoomId) -> None:
    facts = conversation()
    await store.log.append(room, 0, facts)
    lines = await store.log.read_request(room, RequestId("request2"))
    assert [type(line.fact).__name__ for line in lines] == [
        "Opened", "Joined", "Answered", "Corrected", "HandedOver", "Received",
    ]  # fmt: skip
    assert [line.fact for line in lines] == [facts[line.seq - 1] for line in lines]
    texts = await store.log.read_request(room, TextId("text1"))
    assert {type(line.fact).__name__ for line in texts} == {"TextKept", "TextHandedOver"}


async def test_the_floor_is_the_oldest_kept_number(store: SqliteStore, room: RoomId) -> None:
    assert await store.log.floor(room) == 0
    await store.log.append(room, 0, [opened(1), opened(2)])
    assert await store.log.floor(room) == 1


async def test_a_ref_is_remembered_with_its_first_ack_for_a_while(
    store: SqliteStore, room: RoomId, clock: Clock
) -> None:
    ref = Ref("0123456789abcdef")
    late = LateReplied(FactId("late:0"), NOW, RequestId("request1"), reply(ref))
    expired = Expired(FactId("end:0"), NOW, RequestId("request1"))
    await store.log.append(room, 0, [opened(1), expired, late])
    await store.log.append(room, 3, [opened(2), answered(2, ref=ref)])
    stored = StoredAck(ErrorCode.KEPT_LATE, 3)
    assert await store.log.find_ref(room, ref) == stored
    assert await store.log.find_ref(room, Ref("another ref of 16")) is None
    other = await token_room(store, "another token, long enough")
    assert await store.log.find_ref(other, ref) is None

    clock.unix_ms += limits.REF_KEPT_SECONDS * 1000 - 1
    await store.sweep(in_use=())
    assert await store.log.find_ref(room, ref) == stored
    clock.unix_ms += 1
    assert await store.log.find_ref(room, ref) is None
    await store.sweep(in_use=())
    assert await in_writer(
        store, lambda db: db.execute("SELECT count(*) FROM refs").fetchone()
    ) == (0,)


async def test_many_old_refs_are_swept_in_parts(
    store: SqliteStore, room: RoomId, clock: Clock
) -> None:
    facts = [answered(n, ref=f"ref of the answer {n}") for n in range(1_200)]
    await store.log.append(room, 0, facts)
    clock.unix_ms += limits.REF_KEPT_SECONDS * 1000
    await store.log.append(room, 1_200, [answered(1_200, ref="a ref that is young")])
    await store.sweep(in_use=())
    refs = await in_writer(store, lambda db: db.execute("SELECT ref FROM refs").fetchall())
    assert refs == [("a ref that is young",)]


async def test_the_log_can_be_asked_whether_it_can_be_written(store: SqliteStore) -> None:
    assert await store.log.healthy()


async def test_everything_is_there_after_a_restart(data_dir: Path, clock: Clock) -> None:
    async with opened_store(data_dir, clock) as store:
        room = await token_room(store, "test-token")
        log_id = store.log.log_id
        await store.log.append(room, 0, conversation())
    async with opened_store(data_dir, clock) as store:
        assert await token_room(store, "test-token") == room
        assert store.log.log_id == log_id
        assert await loaded(store, room) == folded(conversation())
        seq = len(conversation())
        assert await store.log.append(room, 0, conversation()) == seq
        assert await store.log.append(room, seq, [opened(7)]) == seq + 1


async def test_a_close_finishes_what_was_asked_and_refuses_the_rest(
    data_dir: Path, clock: Clock
) -> None:
    async with opened_store(data_dir, clock) as store:
        room = await token_room(store, "test-token")
        appends = [
            asyncio.ensure_future(store.log.append(room, seq, [opened(seq)])) for seq in range(20)
        ]
        reading = asyncio.ensure_future(store.log.read(room, 0, 1))
        await asyncio.sleep(0)
        await asyncio.gather(store.close(), store.close())
        assert await asyncio.gather(*appends) == list(range(1, 21))
        await reading
        with pytest.raises(LogRefused, match="closed"):
            await store.log.append(room, 20, [opened(21)])
        with pytest.raises(LogRefused, match="closed"):
            await store.log.read(room, 0, 1)
        assert not await store.log.healthy()
    # All of it is in the one file.
    assert file_names(data_dir) == {"lineup.db"}
