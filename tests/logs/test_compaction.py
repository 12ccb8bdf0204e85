"""What leaves the log, what must not, and that a room is the same before and after."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lineup_srv.contract import limits
from lineup_srv.contract.ids import CallId, FactId, Ref, RequestId, RoomId
from lineup_srv.domain.call import Progress
from lineup_srv.domain.call_facts import CallProgressed
from lineup_srv.domain.facts import LateReplied, Received
from lineup_srv.logs.derived import subject_of
from lineup_srv.logs.sqlite.compaction import needed_subjects
from lineup_srv.service.ports import LogRefused
from tests.logs.compactor import LATER_MS, STEP, TOKEN, written
from tests.logs.histories import AGENTS, history, mail_of, steps
from tests.logs.sample import NOW, PICTURE, answered, conversation, opened, reply
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
    from collections.abc import Callable

    from lineup_srv.domain.facts import Fact
    from lineup_srv.domain.people import AgentIdentity
    from lineup_srv.logs.sqlite import SqliteStore
    from tests.domain.playbook import Play

DAY_MS = 86_400_000


async def kept(store: SqliteStore, room: RoomId) -> list[int]:
    return [line.seq for line in await store.log.read(room, 0, 100_000)]


async def test_what_nobody_needs_goes_and_the_state_is_the_same(
    store: SqliteStore, room: RoomId, clock: Clock
) -> None:
    facts = conversation()
    await store.log.append(room, 0, facts)
    clock.unix_ms += 30 * DAY_MS
    before = await loaded(store, room)

    assert await store.log.compact(room, len(facts) - 1) == len(facts)

    assert await store.log.floor(room) == len(facts)
    # Request 2 was received, 4 ended without an answer, text 2 was received; all of them long ago.
    needed = {"request1", "request3", "request5", "request6", "text1", "call4"}
    subjects = {seq: subject_of(fact) for seq, fact in enumerate(facts, 1)}
    last = len(facts)
    assert await kept(store, room) == [s for s in subjects if subjects[s] in needed or s == last]
    assert same_order(await loaded(store, room), before)
    assert same_order(before, folded(facts))


async def test_the_progress_of_a_call_that_still_runs_goes(
    store: SqliteStore, room: RoomId, clock: Clock
) -> None:
    facts = conversation()
    progress = [
        CallProgressed(FactId(f"p{n}:0"), NOW, CallId("call4"), Progress(n, 100, ""))
        for n in range(50)
    ]
    await store.log.append(room, 0, [*facts, *progress, opened(99)])
    clock.unix_ms += 30 * DAY_MS
    before = await loaded(store, room)

    await store.log.compact(room, len(facts) + 50)

    left = [line.fact for line in await store.log.read(room, 0, 1_000)]
    assert not [fact for fact in left if isinstance(fact, CallProgressed)]
    assert same_order(await loaded(store, room), before)
    running = before.calls.find(CallId("call4"))
    assert running is not None
    assert running.progress == Progress(49, 100, "")


async def test_results_of_the_last_days_stay(
    store: SqliteStore, room: RoomId, clock: Clock
) -> None:
    facts = conversation()
    await store.log.append(room, 0, facts)
    clock.unix_ms += limits.ENDED_KEPT_SECONDS * 1000
    await store.log.compact(room, len(facts))

    lines = await store.log.read_request(room, RequestId("request2"))

    assert [line.fact for line in lines] == [
        fact for fact in facts if getattr(fact, "request_id", "") == "request2"
    ]


async def test_the_newest_fact_stays_and_the_numbers_go_on(
    store: SqliteStore, room: RoomId, clock: Clock
) -> None:
    facts = _received(20)
    await store.log.append(room, 0, facts)
    clock.unix_ms += 30 * DAY_MS

    assert await store.log.compact(room, 1_000) == len(facts)

    assert await kept(store, room) == [len(facts)]
    assert await store.log.append(room, len(facts), [opened(99)]) == len(facts) + 1


async def test_a_room_without_old_facts_keeps_its_floor(store: SqliteStore, room: RoomId) -> None:
    assert await store.log.compact(room, 5) == 1
    assert await store.log.floor(room) == 0
    await store.log.append(room, 0, [opened(1)])
    assert await store.log.compact(room, 5) == 1
    assert await store.log.floor(room) == 1


async def test_the_floor_never_falls(store: SqliteStore, room: RoomId, clock: Clock) -> None:
    await store.log.append(room, 0, _received(20))
    clock.unix_ms += 30 * DAY_MS
    assert await store.log.compact(room, 30) == 31
    assert await store.log.compact(room, 10) == 31


async def test_a_ref_is_still_known_when_its_fact_is_gone(
    store: SqliteStore, room: RoomId, clock: Clock
) -> None:
    facts = _received(3)
    clock.unix_ms += DAY_MS
    await store.log.append(room, 0, [*facts, opened(99)])
    clock.unix_ms += limits.REF_KEPT_SECONDS * 1000 - 1
    await store.log.compact(room, len(facts))
    assert await kept(store, room) == [len(facts) + 1]
    ack = await store.log.find_ref(room, Ref("ref-of-answer-00"))
    assert ack is not None
    assert ack.seq == 2


async def test_a_restart_after_a_compaction_finds_the_same_room(
    data_dir: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SNAPSHOT_FACTS", 10)
    facts = conversation()
    async with opened_store(data_dir, clock) as store:
        room = await token_room(store, "test-token")
        await store.log.append(room, 0, facts[:12])
        await snapshots_made(store)
        clock.unix_ms += 30 * DAY_MS
        # The kept snapshot is older than what goes, so another is made first.
        await store.log.append(room, 12, facts[12:])
        await store.log.compact(room, len(facts) - 1)
    async with opened_store(data_dir, clock) as store:
        assert same_order(await loaded(store, room), folded(facts))
        deadlines = {line.request_id for line in await store.log.deadlines()}
        state = folded(facts)
        assert deadlines == {*state.open_ids, *state.calls.live_ids}


async def test_nothing_goes_that_no_snapshot_holds(
    store: SqliteStore, room: RoomId, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.log.append(room, 0, _received(5))
    clock.unix_ms += 30 * DAY_MS

    async def forgotten(_room: RoomId, _seq: int) -> tuple[object, None]:
        return folded(_received(5)), None

    monkeypatch.setattr(store._snapshots, "prepare", forgotten)
    with pytest.raises(LogRefused, match="no snapshot"):
        await store.log.compact(room, 10)
    assert len(await kept(store, room)) == 15
    assert await store.log.floor(room) == 1


async def test_an_answer_that_comes_during_the_compaction_keeps_its_question(
    store: SqliteStore, room: RoomId, clock: Clock
) -> None:
    facts = conversation()
    await store.log.append(room, 0, facts)
    clock.unix_ms += 30 * DAY_MS
    then = await loaded(store, room)
    seq = then.last_seq
    cancelled = RequestId("request4")
    late = LateReplied(opened(50).fact_id, clock.unix_ms, cancelled, reply("ref-of-late-4444"))
    await store.log.append(room, seq, [late])
    assert cancelled not in needed_subjects(then, clock.unix_ms)

    await store.log._compaction._drop_below(room, seq, then)

    lines = await store.log.read_request(room, cancelled)
    assert [type(line.fact).__name__ for line in lines] == ["Opened", "Cancelled", "LateReplied"]


async def test_blobs_that_no_fact_names_any_more_are_swept(
    store: SqliteStore, room: RoomId, clock: Clock
) -> None:
    await store.blobs.put(room, PICTURE, b"12345")
    facts = _received(2)
    await store.log.append(room, 0, facts)
    clock.unix_ms += 30 * DAY_MS
    await store.log.compact(room, 3)
    await store.blobs.sweep_orphans()
    assert await store.blobs.get(room, PICTURE) == b"12345"
    await store.log.append(room, len(facts), [answered(77)])
    await store.log.compact(room, len(facts))
    await store.blobs.sweep_orphans()
    assert await store.blobs.get(room, PICTURE) is None


async def test_a_room_that_cannot_be_read_is_left_as_it_is(
    store: SqliteStore, room: RoomId
) -> None:
    await store.log.append(room, 0, _received(2))
    newer = """UPDATE facts SET record = '{"kind":"sung","v":1}' WHERE seq = 2"""
    await in_writer(store, lambda db: db.execute(newer).rowcount)
    with pytest.raises(LogRefused, match="newer LineUp"):
        await store.log.compact(room, 5)
    assert await store.log.floor(room) == 1


async def test_appends_go_on_while_a_room_is_compacted(
    store: SqliteStore, room: RoomId, clock: Clock
) -> None:
    facts = _received(1_000)
    await store.log.append(room, 0, facts)
    clock.unix_ms += 30 * DAY_MS
    compaction = asyncio.ensure_future(store.log.compact(room, len(facts) - 1))
    during = 0
    seq = len(facts)
    while not compaction.done():
        seq = await store.log.append(room, seq, [opened(10_000 + seq)])
        during += not compaction.done()
    assert during > 5
    assert await compaction == len(facts)
    assert await kept(store, room) == list(range(len(facts), seq + 1))


@pytest.mark.requirement("B88")
@settings(max_examples=60, database=None)
@given(chosen=steps, data=st.data())
def test_compaction_at_any_point_changes_no_state_and_no_mailbox(
    chosen: list[tuple[Callable[[Play, int, AgentIdentity], None], int, AgentIdentity]],
    data: st.DataObject,
) -> None:
    play = history(chosen)
    facts = play.log
    points = data.draw(st.lists(st.integers(0, len(facts)), min_size=1, max_size=3))
    parts = sorted({*data.draw(st.lists(st.integers(0, len(facts)), max_size=3)), len(facts)})

    async def check(data_dir: Path) -> None:
        clock = Clock(play.now)
        async with opened_store(data_dir, clock) as store:
            room = await token_room(store, "test-token")
            seq = 0
            for part in parts:
                if facts[seq:part]:
                    seq = await store.log.append(room, seq, facts[seq:part])
                for upto in points:
                    floor = await store.log.compact(room, upto)
                    await _check(store, room, facts[:seq], floor, clock)

    with tempfile.TemporaryDirectory() as directory:
        asyncio.run(check(Path(directory) / "data"))


async def _check(
    store: SqliteStore, room: RoomId, facts: list[Fact], floor: int, clock: Clock
) -> None:
    """The room is what all of its facts say, and all that is needed is still there."""
    whole = folded(facts)
    now = await loaded(store, room)
    assert same_order(now, whole)
    for by in AGENTS:
        assert mail_of(now, by) == mail_of(whole, by)
    lines = await store.log.read(room, 0, 1_000)
    assert [line.seq for line in lines if line.seq >= floor] == list(range(floor, len(facts) + 1))
    assert all(line.fact == facts[line.seq - 1] for line in lines)
    there = {line.seq for line in lines}
    needed = {*whole.open_ids, *whole.mail_ids, *whole.texts}
    for seq, fact in enumerate(facts, start=1):
        subject = getattr(fact, "request_id", "") or getattr(fact, "text_id", "")
        request = whole.requests.get(RequestId(subject))
        young = request is not None and request.changed_unix_ms > clock.unix_ms - 7 * DAY_MS
        if subject in needed or young:
            assert seq in there, fact


def floor_before_a_kill(data_dir: Path, after_lines: int) -> int:
    """The last floor that a compaction returned before its process was killed."""
    floor = 0
    with subprocess.Popen(
        [sys.executable, "-m", "tests.logs.compactor", str(data_dir)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        for count, line in enumerate(process.stdout, start=1):
            # Also what it said before the signal came; the last line may be torn.
            if line.endswith(b"\n"):
                floor = int(line)
            if count == after_lines:
                process.kill()
    return floor


@pytest.mark.kill
@pytest.mark.timeout(60)
@pytest.mark.parametrize("after_lines", [1, 2, 5, 9])
async def test_a_kill_in_the_middle_of_a_compaction_leaves_a_good_log(
    data_dir: Path, after_lines: int
) -> None:
    floor = floor_before_a_kill(data_dir, after_lines)
    facts = written()
    async with opened_store(data_dir, Clock(NOW + LATER_MS)) as store:
        assert await in_writer(
            store, lambda db: db.execute("PRAGMA integrity_check").fetchall()
        ) == [("ok",)]
        room = await token_room(store, TOKEN)
        assert await store.log.floor(room) >= floor
        assert await store.log.floor(room) <= floor + STEP
        assert same_order(await loaded(store, room), folded(facts))
        # What the kill left below the floor goes now.
        assert await store.log.compact(room, len(facts)) == len(facts)
        assert await kept(store, room) == [1_001, 1_002, 1_003, len(facts)]
        assert same_order(await loaded(store, room), folded(facts))


def _received(count: int) -> list[Fact]:
    """Requests that were opened, answered and received, so that nobody needs them later."""
    facts: list[Fact] = []
    for number in range(count):
        facts += [
            opened(number),
            answered(number, ref=f"ref-of-answer-{number:02}"),
            Received(opened(-1 - number).fact_id, NOW + number, RequestId(f"request{number}")),
        ]
    return facts
