"""The Tokens port over SQLite.

All are held in memory, by their hash; nothing about a token can be learned from how long a look-up
by its hash takes, and the last comparison is in constant time. Another process may issue and revoke
tokens meanwhile (`token_admin`): it raises a number in the file, `refresh` reads the table again,
and `confirm` says so.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.ids import RoomId
from lineup_srv.service.admissions import token_key
from lineup_srv.service.ports import LogRefused

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Sequence

    from lineup_srv.logs.sqlite.reader import Readers
    from lineup_srv.logs.sqlite.writer import Writer
    from lineup_srv.service.ports import TokenKind

__all__ = ["KnownToken", "SqliteTokens"]

SEED_TOKEN: Final = "test-token"
"""Works in open mode although it is short: the seed's clients use it (design §10)."""

CHANGED: Final = "tokens_changed"
"""In `meta`: a number that another process raises with each change of the table."""
CONFIRMED: Final = "tokens_confirmed"
"""In `meta`: the last such number that the running relay has acted on."""
_NUMBER: Final = "SELECT value FROM meta WHERE key = ?"
_CONFIRM: Final = "INSERT OR REPLACE INTO meta VALUES (?, ?)"
_ROWS: Final = """
    SELECT hash, room_id, kind, expires_unix_ms, last_seen_unix_ms, issued,
        revoked_unix_ms IS NOT NULL
    FROM tokens
"""
_ISSUED: Final = """
    SELECT count(*) FROM tokens WHERE room_id = ? AND issued AND revoked_unix_ms IS NULL
"""
# A page announces its tools wherever it is: that alone makes no room worth keeping.
_EMPTY: Final = """
    SELECT 1 FROM rooms WHERE room_id = ?1 AND open AND created_unix_ms <= ?2
    AND NOT EXISTS (
        SELECT 1 FROM facts
        WHERE room_id = ?1 AND kind NOT IN ('tool_remembered', 'tool_forgotten')
    )
    AND NOT EXISTS (SELECT 1 FROM settings WHERE room_id = ?1)
    AND NOT EXISTS (
        SELECT 1 FROM tokens WHERE room_id = ?1 AND (issued OR revoked_unix_ms IS NOT NULL)
    )
"""
_VANISH: Final = ("DELETE FROM facts WHERE room_id = ?", "DELETE FROM rooms WHERE room_id = ?")


@dataclass(slots=True)
class KnownToken:
    """A row of the table; `last_seen_unix_ms` runs ahead of it until `flush_soon`.

    `issued` ones are good by themselves; `revoked` ones open nothing whatever is listed.
    """

    hash: bytes
    room_id: RoomId
    kind: TokenKind
    expires_unix_ms: int | None
    last_seen_unix_ms: int
    issued: bool
    revoked: bool
    seen_since_flush: bool


class SqliteTokens:
    """A Tokens. `open_store` makes it.

    An issued token is good until it expires or is revoked. Any other is good if it is listed or,
    in open mode, long enough: one that was taken from the list, or came in open mode before there
    was a list, stays in the table and opens nothing.
    """

    def __init__(
        self,
        known: Sequence[KnownToken],
        *,
        writer: Writer,
        readers: Readers,
        listed: Sequence[str],
        open_mode: bool,
        now_unix_ms: Callable[[], int],
    ) -> None:
        """`known` is what `read` gave. `ensure_listed` comes before the first `room_of`."""
        self._writer = writer
        self._readers = readers
        self._read_change: int | None = None
        self._listed = {token_key(token) for token in listed}
        self._open_mode = open_mode and not listed
        self._now_unix_ms = now_unix_ms
        self._known = {row.hash: row for row in known}
        self._making: dict[bytes, asyncio.Future[RoomId | None]] = {}
        self._leaving: dict[RoomId, asyncio.Future[set[RoomId]]] = {}

    @staticmethod
    def read(db: sqlite3.Connection) -> list[KnownToken]:
        """The table."""
        return [
            KnownToken(
                hash_,
                RoomId(room_id),
                kind,
                expires,
                seen,
                issued=bool(issued),
                revoked=bool(revoked),
                seen_since_flush=False,
            )
            for hash_, room_id, kind, expires, seen, issued, revoked in db.execute(_ROWS)
        ]

    async def refresh(self) -> int | None:
        """Read the table again if another process changed it.

        Returns:
            The number of that change, for `confirm`; None if nothing changed.

        Raises:
            LogRefused: the file cannot be read.
            LogUnknown: likewise.
        """

        def look(db: sqlite3.Connection) -> int:
            row = db.execute(_NUMBER, (CHANGED,)).fetchone()
            return 0 if row is None else int(row[0])

        if await self._readers.run(look) == self._read_change:
            return None

        def work(db: sqlite3.Connection) -> tuple[int, list[KnownToken]]:
            return look(db), self.read(db)

        # In the writer, so that it comes between rooms that are made and rooms that vanish.
        change, _ = await self._writer.submit(work, size=0, committed=self._merge)
        return change

    def _merge(self, read: tuple[int, list[KnownToken]]) -> None:
        self._read_change, rows = read
        for row in rows:
            known = self._known.setdefault(row.hash, row)
            known.room_id, known.kind = row.room_id, row.kind
            known.expires_unix_ms = row.expires_unix_ms
            known.issued, known.revoked = row.issued, row.revoked

    async def confirm(self, change: int) -> None:
        """Say that a change has been acted on. Raises LogRefused, LogUnknown."""

        def work(db: sqlite3.Connection) -> None:
            db.execute(_CONFIRM, (CONFIRMED, change))

        await self._writer.submit(work, size=0, committed=None)

    def ended(self, key: bytes) -> bool:
        """Whether a token that was good is no longer, by its `token_key`."""
        known = self._known.get(key)
        return known is not None and (known.revoked or self._expired(known))

    def _expired(self, known: KnownToken) -> bool:
        expires = known.expires_unix_ms
        return expires is not None and expires <= self._now_unix_ms()

    async def ensure_listed(self) -> None:
        """Make the rooms of listed tokens that have none. Raises LogRefused."""
        for hash_ in self._listed - self._known.keys():
            await self._make_room(hash_, open_=False)

    async def room_of(self, token: str) -> RoomId | None:
        hash_ = token_key(token)
        known = self._known.get(hash_)
        if known is not None and known.room_id in self._leaving:
            # A sweep decides about the room; nobody may be let into it and then lose it.
            await asyncio.wait([self._leaving[known.room_id]])
            known = self._known.get(hash_)
        if known is not None:
            return self._room_of_known(known, hash_, token)
        if not self._opens_room(token):
            return None
        # Two first logins with one token share the room, whichever gives up waiting.
        making = self._making.get(hash_)
        if making is None:
            making = self._making[hash_] = self._make_room(hash_, open_=True)
            making.add_done_callback(lambda done: self._made(hash_, done))
        return await asyncio.shield(making)

    def _made(self, hash_: bytes, done: asyncio.Future[RoomId | None]) -> None:
        del self._making[hash_]
        if not done.cancelled():
            # Looked at here, because those who waited may have given up.
            done.exception()

    def _room_of_known(self, known: KnownToken, hash_: bytes, token: str) -> RoomId | None:
        if known.revoked or self._expired(known):
            return None
        if not (known.issued or hash_ in self._listed or self._opens_room(token)):
            return None
        if not hmac.compare_digest(known.hash, hash_):
            return None
        known.last_seen_unix_ms = self._now_unix_ms()
        known.seen_since_flush = True
        return known.room_id

    def _opens_room(self, token: str) -> bool:
        long_enough = len(token) >= limits.OPEN_MODE_TOKEN_CHARACTERS
        return self._open_mode and (long_enough or token == SEED_TOKEN)

    def _make_room(self, hash_: bytes, *, open_: bool) -> asyncio.Future[RoomId | None]:
        """The token's new room; None: there are too many."""
        now = self._now_unix_ms()
        room_id = RoomId(secrets.token_hex(16))

        def work(db: sqlite3.Connection) -> RoomId | None:
            (rooms,) = db.execute("SELECT count(*) FROM rooms").fetchone()
            if open_ and rooms >= limits.ROOMS:
                return None
            db.execute(
                "INSERT INTO rooms (room_id, created_unix_ms, open) VALUES (?, ?, ?)",
                (room_id, now, open_),
            )
            db.execute(
                "INSERT INTO tokens VALUES (?, ?, 'room', '', ?, NULL, ?, 0, NULL)",
                (hash_, room_id, now, now),
            )
            return room_id

        def committed(made: RoomId | None) -> None:
            if made is not None:
                self._known[hash_] = KnownToken(
                    hash_,
                    made,
                    "room",
                    None,
                    now,
                    issued=False,
                    revoked=False,
                    seen_since_flush=False,
                )

        return self._writer.submit(work, size=0, committed=committed)

    async def add(
        self,
        room_id: RoomId,
        token: str,
        *,
        kind: TokenKind,
        name: str,
        expires_unix_ms: int | None,
    ) -> None:
        hash_ = token_key(token)
        now = self._now_unix_ms()

        def work(db: sqlite3.Connection) -> None:
            if db.execute("SELECT 1 FROM tokens WHERE hash = ?", (hash_,)).fetchone():
                raise LogRefused("the token exists")
            (count,) = db.execute(_ISSUED, (room_id,)).fetchone()
            if count >= limits.TOKENS_PER_ROOM:
                raise LogRefused("the room has too many tokens: revoke some")
            db.execute(
                "INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, 1, NULL)",
                (hash_, room_id, kind, name, now, expires_unix_ms, now),
            )

        def committed(_: None) -> None:
            self._known[hash_] = KnownToken(
                hash_,
                room_id,
                kind,
                expires_unix_ms,
                now,
                issued=True,
                revoked=False,
                seen_since_flush=False,
            )

        await self._writer.submit(work, size=0, committed=committed)

    def flush_soon(self) -> asyncio.Future[None] | None:
        """Queue writing when each token was last seen; None: nothing to write."""
        seen = [known for known in self._known.values() if known.seen_since_flush]
        if not seen:
            return None
        rows = [(known.last_seen_unix_ms, known.hash) for known in seen]
        for known in seen:
            known.seen_since_flush = False

        def work(db: sqlite3.Connection) -> None:
            db.executemany("UPDATE tokens SET last_seen_unix_ms = ? WHERE hash = ?", rows)

        return self._writer.submit(work, size=0, committed=None)

    async def sweep_rooms(self, in_use: Collection[RoomId]) -> int:
        """Delete rooms that open mode made, that are empty and that nobody came to for long.

        Args:
            in_use: rooms with members, agents or commands now; they stay.

        Returns:
            How many were deleted.
        """
        horizon = self._now_unix_ms() - limits.OPEN_ROOM_IDLE_SECONDS * 1000
        rooms = {known.room_id for known in self._known.values()} - set(in_use)
        rooms -= {k.room_id for k in self._known.values() if k.last_seen_unix_ms > horizon}

        def work(db: sqlite3.Connection) -> set[RoomId]:
            empty = {r for r in rooms if db.execute(_EMPTY, (r, horizon)).fetchone()}
            for room_id in empty:
                for statement in _VANISH:
                    db.execute(statement, (room_id,))
            return empty

        def committed(gone: set[RoomId]) -> None:
            self._known = {h: k for h, k in self._known.items() if k.room_id not in gone}

        sweep = self._writer.submit(work, size=0, committed=committed)
        leaving = dict.fromkeys(rooms, sweep)
        self._leaving |= leaving
        try:
            return len(await sweep)
        finally:
            self._leaving = {r: s for r, s in self._leaving.items() if s is not sweep}
