"""A store on a real file, with a clock that the test moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.logs.sample import NOW
from tests.logs.stores import Clock, opened_store

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.logs.sqlite import SqliteStore


@pytest.fixture
def clock() -> Clock:
    return Clock(NOW)


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
async def store(data_dir: Path, clock: Clock) -> AsyncIterator[SqliteStore]:
    """In open mode."""
    async with opened_store(data_dir, clock) as opened:
        yield opened


@pytest.fixture
async def room(store: SqliteStore) -> RoomId:
    room_id = await store.tokens.room_of("test-token")
    assert room_id is not None
    return room_id
