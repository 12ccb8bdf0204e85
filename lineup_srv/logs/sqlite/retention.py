"""Decides which facts are too old, by age and by the size of the file, and gives space back."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from lineup_srv.contract import limits
from lineup_srv.service.ports import LogRefused

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.logs.sqlite.blobs import SqliteBlobs
    from lineup_srv.logs.sqlite.compaction import Compaction
    from lineup_srv.logs.sqlite.reader import Readers
    from lineup_srv.logs.sqlite.writer import Writer

__all__ = ["Retainer", "Retention"]

logger = logging.getLogger(__name__)

_DAY_MS: Final = 86_400_000
_SIZE_ROUNDS: Final = 20
_FREE_PAGES: Final = 256
"""So many free pages stay in the file for what comes next."""
_PAGES_AT_ONCE: Final = 200
_PAGE_BYTES: Final = 4_096
_FACT_OVERHEAD_BYTES: Final = 300
"""What a fact takes beside its record: its ids and its lines in three indexes, about."""

_STANDS: Final = """
    SELECT
        room_id,
        floor_seq,
        (SELECT min(seq) FROM facts WHERE facts.room_id = rooms.room_id),
        (SELECT max(seq) FROM facts WHERE facts.room_id = rooms.room_id),
        (
            SELECT seq FROM facts
            WHERE facts.room_id = rooms.room_id AND seq >= floor_seq AND at_unix_ms > ?
            ORDER BY seq LIMIT 1
        )
    FROM rooms
"""
# In the order of writing, which is that of age over all rooms.
_WEIGHTS: Final = """
    SELECT
        facts.at_unix_ms,
        length(record) + (
            SELECT coalesce(sum(size), 0)
            FROM named_blobs AS named JOIN blobs USING (room_id, sha256)
            WHERE named.room_id = facts.room_id AND named.seq = facts.seq
        )
    FROM facts JOIN rooms USING (room_id)
    WHERE facts.seq >= floor_seq AND facts.at_unix_ms <= ?
    ORDER BY facts.rowid
"""


@dataclass(frozen=True, slots=True)
class Retention:
    """How long and how much is kept.

    Args:
        keep_days: facts that nobody needs leave the log after so many days; 0: never.
        keep_bytes: above this size the oldest of them leave earlier; 0: no limit.
    """

    keep_days: int
    keep_bytes: int


class _Stand(NamedTuple):
    """A room's floor, oldest and newest fact, and its oldest fact that is too young to go."""

    room_id: RoomId
    floor: int
    first: int | None
    last: int | None
    young: int | None

    @property
    def new_floor(self) -> int:
        """The floor if all that is old enough goes; the newest fact always stays."""
        return max(self.floor, self.young or self.last or 0)

    @property
    def has_remains(self) -> bool:
        """Whether facts below the floor were needed the last time, or a crash left them."""
        return self.first is not None and self.first < self.floor


class Retainer:
    """Keeps the log within its bounds; `run` now and then."""

    def __init__(
        self,
        retention: Retention,
        *,
        compaction: Compaction,
        blobs: SqliteBlobs,
        writer: Writer,
        readers: Readers,
        now_unix_ms: Callable[[], int],
    ) -> None:
        self._retention = retention
        self._compaction = compaction
        self._blobs = blobs
        self._writer = writer
        self._readers = readers
        self._now_unix_ms = now_unix_ms
        self._compacted_unix_ms: dict[RoomId, int] = {}

    async def run(self) -> None:
        """Drop what is too old or too much. Raises LogRefused, LogUnknown."""
        before = self._compaction.dropped
        if self._retention.keep_days:
            horizon = self._now_unix_ms() - self._retention.keep_days * _DAY_MS
            await self._compact_rooms(min(horizon, self._settled()), at_once=False)
        await self._blobs.sweep_orphans()
        if self._retention.keep_bytes:
            await self._shed_excess()
        await self._shrink()
        if self._compaction.dropped > before:
            logger.info("%d old facts left the log", self._compaction.dropped - before)

    def _settled(self) -> int:
        return self._now_unix_ms() - limits.FACT_SETTLED_SECONDS * 1000

    async def _compact_rooms(self, horizon: int, *, at_once: bool) -> None:
        """Drop what is older than the horizon; at once, or when it is worth reading the room."""

        def query(db: sqlite3.Connection) -> list[_Stand]:
            return [_Stand(*row) for row in db.execute(_STANDS, (horizon,))]

        now = self._now_unix_ms()
        for stand in await self._readers.run(query):
            gain = stand.new_floor - stand.floor
            if not at_once and gain < limits.SNAPSHOT_FACTS:
                recently = now - self._compacted_unix_ms.get(stand.room_id, 0) < _DAY_MS
                if recently or not (gain or stand.has_remains):
                    continue
            if gain or not at_once:
                await self._compact(stand)
                self._compacted_unix_ms[stand.room_id] = now

    async def _compact(self, stand: _Stand) -> None:
        try:
            await self._compaction.compact(stand.room_id, stand.new_floor - 1)
        except LogRefused as error:
            # One room that cannot be read keeps what it has; the others go on.
            logger.warning("room %s is not compacted: %s", stand.room_id, error)

    async def _shed_excess(self) -> None:
        """Let the oldest facts go until the log is small enough, or nothing more may go."""
        horizon = 0
        for _ in range(_SIZE_ROUNDS):
            excess = await self._used_bytes() - self._retention.keep_bytes
            if excess <= 0:
                return
            further = await self._horizon_for(excess)
            if further <= horizon:
                break
            horizon = further
            await self._compact_rooms(horizon, at_once=True)
            await self._blobs.sweep_orphans()
        logger.warning("the log is larger than keep_bytes, and all that is left is still needed")

    async def _horizon_for(self, excess: int) -> int:
        """The age up to which facts weigh as much as the excess, if all of them may go."""
        settled = self._settled()

        def query(db: sqlite3.Connection) -> int:
            found = weight = 0
            rows = db.execute(_WEIGHTS, (settled,))
            try:
                for at_unix_ms, size in rows:
                    found = max(found, at_unix_ms)
                    weight += size + _FACT_OVERHEAD_BYTES
                    if weight >= excess:
                        break
            finally:
                # A query that stops half-way would hold its view of the file.
                rows.close()
            return found

        return await self._readers.run(query)

    async def _used_bytes(self) -> int:
        def query(db: sqlite3.Connection) -> int:
            (pages,) = db.execute("PRAGMA page_count").fetchone()
            (free,) = db.execute("PRAGMA freelist_count").fetchone()
            (page_bytes,) = db.execute("PRAGMA page_size").fetchone()
            return int(pages - free) * int(page_bytes)

        return await self._readers.run(query)

    async def _shrink(self) -> None:
        """Give free pages at the end of the file back, a few at a time."""

        def step(db: sqlite3.Connection) -> int:
            (free,) = db.execute("PRAGMA freelist_count").fetchone()
            # One page each time: Python's module takes a single step of a pragma without columns.
            for _ in range(min(_PAGES_AT_ONCE, free - _FREE_PAGES)):
                db.execute("PRAGMA incremental_vacuum(1)")
            return int(free)

        before, size = 0, _PAGES_AT_ONCE * _PAGE_BYTES
        while (free := await self._writer.submit(step, size=size, committed=None)) > _FREE_PAGES:
            if free == before:
                return  # the file is of a kind that does not shrink
            before = free
