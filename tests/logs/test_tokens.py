from __future__ import annotations

import asyncio
import stat
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.ids import RoomId
from lineup_srv.domain.call_facts import ToolForgotten, ToolRemembered
from lineup_srv.logs.sqlite.tokens import SqliteTokens
from lineup_srv.service.ports import LogRefused
from tests.logs.sample import NOW, conversation, opened
from tests.logs.stores import Clock, in_writer, opened_store, token_room

if TYPE_CHECKING:
    from pathlib import Path

    from lineup_srv.logs.sqlite import SqliteStore

SIXTEEN = "0123456789abcdef"
IDLE_MS = limits.OPEN_ROOM_IDLE_SECONDS * 1000


async def room_count(store: SqliteStore) -> int:
    rows = await in_writer(store, lambda db: db.execute("SELECT count(*) FROM rooms").fetchone())
    count: int = rows[0]
    return count


@pytest.mark.parametrize(
    "token", [SIXTEEN, "test-token", "ein Schlüssel, lang genug", "\ud800" * 16]
)
async def test_open_mode_makes_a_room_for_a_good_new_token(store: SqliteStore, token: str) -> None:
    room = await token_room(store, token)
    assert await store.tokens.room_of(token) == room
    assert len(room) == 32


@pytest.mark.parametrize("token", ["", SIXTEEN[1:], "Test-token", "test-token "])
async def test_open_mode_refuses_a_short_token(store: SqliteStore, token: str) -> None:
    assert await store.tokens.room_of(token) is None
    assert await room_count(store) == 0


async def test_two_first_logins_get_one_room(store: SqliteStore) -> None:
    rooms = await asyncio.gather(*(store.tokens.room_of(SIXTEEN) for _ in range(5)))
    assert len(set(rooms)) == 1
    assert None not in rooms
    assert await room_count(store) == 1


async def test_a_first_login_that_gives_up_does_not_cost_the_other_its_room(
    store: SqliteStore,
) -> None:
    first = asyncio.ensure_future(store.tokens.room_of(SIXTEEN))
    second = asyncio.ensure_future(store.tokens.room_of(SIXTEEN))
    await asyncio.sleep(0)
    first.cancel()
    assert await second is not None
    assert await room_count(store) == 1


async def test_open_mode_stops_at_the_limit_of_rooms(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "ROOMS", 3)
    rooms = await asyncio.gather(*(store.tokens.room_of(f"{SIXTEEN}{n}") for n in range(5)))
    assert sum(room is not None for room in rooms) == 3
    assert await room_count(store) == 3
    known = next(n for n, room in enumerate(rooms) if room is not None)
    assert await store.tokens.room_of(f"{SIXTEEN}{known}") == rooms[known]


async def test_listed_tokens_have_rooms_and_leave_open_mode(data_dir: Path, clock: Clock) -> None:
    async with opened_store(data_dir, clock, listed_tokens=["one", "two"]) as store:
        one, two = await token_room(store, "one"), await token_room(store, "two")
        assert one != two
        assert await store.tokens.room_of(SIXTEEN) is None
    async with opened_store(data_dir, clock, listed_tokens=["two", "three"]) as store:
        assert await token_room(store, "two") == two
        assert await store.tokens.room_of("one") is None
        assert await token_room(store, "three") not in (one, two)


async def test_a_token_of_open_mode_opens_nothing_once_there_is_a_list(
    data_dir: Path, clock: Clock
) -> None:
    async with opened_store(data_dir, clock) as store:
        room = await token_room(store, SIXTEEN)
    async with opened_store(data_dir, clock, listed_tokens=["one"]) as store:
        assert await store.tokens.room_of(SIXTEEN) is None
    async with opened_store(data_dir, clock, open_mode=False) as store:
        assert await store.tokens.room_of(SIXTEEN) is None
    async with opened_store(data_dir, clock, listed_tokens=[SIXTEEN]) as store:
        assert await token_room(store, SIXTEEN) == room


async def test_a_device_token_works_until_it_expires(data_dir: Path, clock: Clock) -> None:
    async with opened_store(data_dir, clock, listed_tokens=["one"]) as store:
        room = await token_room(store, "one")
        await store.tokens.add(
            room, "phone", kind="device", name="Phone", expires_unix_ms=NOW + 1_000
        )
        await store.tokens.add(room, "bridge", kind="agent", name="", expires_unix_ms=None)
        with pytest.raises(LogRefused, match="exists"):
            await store.tokens.add(room, "phone", kind="agent", name="", expires_unix_ms=None)
        with pytest.raises(LogRefused):
            await store.tokens.add(
                RoomId("nowhere"), "other", kind="agent", name="", expires_unix_ms=None
            )
    async with opened_store(data_dir, clock, listed_tokens=["one"]) as store:
        clock.unix_ms = NOW + 999
        assert await store.tokens.room_of("phone") == room
        clock.unix_ms = NOW + 1_000
        assert await store.tokens.room_of("phone") is None
        assert await store.tokens.room_of("bridge") == room
        assert await store.tokens.room_of("other") is None


def test_no_token_lies_in_the_files(data_dir: Path, clock: Clock) -> None:
    async def use() -> None:
        async with opened_store(data_dir, clock) as store:
            room = await token_room(store, SIXTEEN)
            await store.log.append(room, 0, [opened(1)])

    asyncio.run(use())
    for path in data_dir.iterdir():
        assert SIXTEEN.encode() not in path.read_bytes()


async def test_files_are_for_the_owner_only(store: SqliteStore, data_dir: Path) -> None:
    await token_room(store, SIXTEEN)
    check_modes(data_dir)


def check_modes(data_dir: Path) -> None:
    assert stat.S_IMODE(data_dir.stat().st_mode) == 0o700
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in data_dir.iterdir()}
    assert modes == dict.fromkeys(["lineup.db", "lineup.db-wal", "lineup.db-shm"], 0o600)


async def test_empty_rooms_of_open_mode_vanish_after_a_while(
    store: SqliteStore, clock: Clock
) -> None:
    empty, used, busy, seen = [
        await token_room(store, f"{SIXTEEN}{n}") for n in ("empty", "used", "busy", "seen")
    ]
    await store.log.append(used, 0, [opened(1)])
    clock.unix_ms += IDLE_MS - 1
    await store.sweep(in_use=())
    assert await room_count(store) == 4
    assert await token_room(store, f"{SIXTEEN}seen") == seen
    clock.unix_ms += 1
    await store.sweep(in_use={busy})
    assert await room_count(store) == 3
    with pytest.raises(LogRefused):
        await store.log.append(empty, 0, [opened(1)])
    # Its token is a new one again; the others have what they had.
    assert await token_room(store, f"{SIXTEEN}empty") != empty
    assert await token_room(store, f"{SIXTEEN}used") == used
    assert await token_room(store, f"{SIXTEEN}busy") == busy


async def test_a_room_where_a_page_only_announced_its_tools_is_empty(
    store: SqliteStore, clock: Clock
) -> None:
    visited, used = [await token_room(store, f"{SIXTEEN}{n}") for n in ("visited", "used")]
    tools = [f for f in conversation() if isinstance(f, ToolRemembered | ToolForgotten)]
    await store.log.append(visited, 0, tools)
    await store.log.append(used, 0, [*tools, opened(1)])
    clock.unix_ms += IDLE_MS
    await store.sweep(in_use=())
    assert await room_count(store) == 1
    assert await token_room(store, f"{SIXTEEN}used") == used
    assert await token_room(store, f"{SIXTEEN}visited") != visited


async def test_rooms_of_listed_tokens_stay(data_dir: Path, clock: Clock) -> None:
    async with opened_store(data_dir, clock, listed_tokens=["one"]) as store:
        room = await token_room(store, "one")
        clock.unix_ms += 10 * IDLE_MS
        await store.sweep(in_use=())
        assert await token_room(store, "one") == room
        assert await room_count(store) == 1


async def test_when_a_token_was_seen_outlives_a_restart(data_dir: Path, clock: Clock) -> None:
    async with opened_store(data_dir, clock) as store:
        room = await token_room(store, SIXTEEN)
        clock.unix_ms += IDLE_MS - 1
        assert await token_room(store, SIXTEEN) == room
    async with opened_store(data_dir, clock) as store:
        clock.unix_ms += 2
        await store.sweep(in_use=())
        assert await token_room(store, SIXTEEN) == room


async def test_a_login_during_the_sweep_is_not_let_into_a_vanishing_room(
    store: SqliteStore, clock: Clock
) -> None:
    old = await token_room(store, SIXTEEN)
    clock.unix_ms += IDLE_MS
    sweep = asyncio.ensure_future(store.sweep(in_use=()))
    await asyncio.sleep(0)
    assert store.tokens._leaving
    room = await token_room(store, SIXTEEN)
    await sweep
    assert room != old
    assert await store.log.append(room, 0, [opened(1)]) == 1
    assert not store.tokens._leaving


def test_hashes_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The look-up is by hash; the last word is hmac's."""
    assert "compare_digest" in SqliteTokens._room_of_known.__code__.co_names


async def test_a_room_has_so_many_tokens_and_no_more(
    data_dir: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "TOKENS_PER_ROOM", 1)
    async with opened_store(data_dir, clock, listed_tokens=["one"]) as store:
        room = await token_room(store, "one")
        await store.tokens.add(room, "phone", kind="device", name="", expires_unix_ms=None)
        with pytest.raises(LogRefused, match="too many tokens"):
            await store.tokens.add(room, "tablet", kind="device", name="", expires_unix_ms=None)
        assert await store.tokens.room_of("tablet") is None
