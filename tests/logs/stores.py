"""Opens stores, and waits for what they do on the side."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import TYPE_CHECKING, TypeVar

from lineup_srv.domain.fold import fold
from lineup_srv.domain.state import Logged
from lineup_srv.logs.sqlite import SqliteStore, open_store

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence
    from pathlib import Path

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.domain.facts import Fact

T = TypeVar("T")


class Clock:
    """Stands until it is moved."""

    def __init__(self, unix_ms: int) -> None:
        self.unix_ms = unix_ms

    def __call__(self) -> int:
        return self.unix_ms


@contextlib.asynccontextmanager
async def opened_store(
    data_dir: Path, clock: Clock, *, listed_tokens: Sequence[str] = (), open_mode: bool = True
) -> AsyncIterator[SqliteStore]:
    store = await open_store(
        data_dir, listed_tokens=listed_tokens, open_mode=open_mode, now_unix_ms=clock
    )
    try:
        yield store
    finally:
        await store.close()


async def token_room(store: SqliteStore, token: str) -> RoomId:
    """The room of a token that must open one."""
    room_id = await store.tokens.room_of(token)
    assert room_id is not None
    return room_id


async def in_writer(store: SqliteStore, work: Callable[[sqlite3.Connection], T]) -> T:
    """What `work` returns, done in the writing thread."""
    return await store.writer.submit(work, size=0, committed=None)


@contextlib.asynccontextmanager
async def held_writer(store: SqliteStore) -> AsyncIterator[None]:
    """What is asked for meanwhile goes into one group afterwards, without exception."""
    began, go_on = threading.Event(), threading.Event()

    def hold(_: sqlite3.Connection) -> None:
        began.set()
        assert go_on.wait(10)

    holding = store.writer.submit(hold, size=0, committed=None)
    assert await asyncio.to_thread(began.wait, 10)
    try:
        yield
        # The tasks that were started inside get as far as the queue.
        await asyncio.sleep(0)
    finally:
        go_on.set()
    await holding


async def snapshots_made(store: SqliteStore) -> None:
    """Every snapshot that was due is written."""
    made = store._snapshots._pool.submit(lambda: None)
    await asyncio.wrap_future(made)
    await in_writer(store, lambda _: None)
    # Background work is done after the group it came with; the second group is behind it.
    await in_writer(store, lambda _: None)


def folded(facts: Iterable[Fact]) -> Logged:
    logged = Logged()
    for fact in facts:
        fold(logged, fact)
    return logged


async def loaded(store: SqliteStore, room_id: RoomId) -> Logged:
    """The room as a start reads it: snapshot and tail."""
    logged, tail = await store.log.load(room_id)
    for line in tail:
        fold(logged, line.fact)
    return logged


def same_order(one: Logged, other: Logged) -> bool:
    """Whether both are equal, also in the order of what they list."""

    def lists(logged: Logged) -> list[list[object]]:
        parts: list[list[object]] = [
            list(part)
            for part in (
                logged.requests, logged.aliases, logged.texts, logged.open_ids, logged.mail_ids,
                logged.ended_ids, logged.calls.by_id, logged.calls.aliases, logged.calls.live_ids,
                logged.calls.ended_ids, logged.calls.instances, logged.calls.remembered,
            )
        ]  # fmt: skip
        return parts

    return one == other and lists(one) == lists(other)
