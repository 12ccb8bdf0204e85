"""The Tokens port over SQLite.

Tokens are kept as plain SHA-256: a token is 256 random bits, so there is nothing to guess and a
slow, salted hash would only slow every login. All are held in memory, by their hash; nothing about
a token can be learned from how long a look-up by its hash takes, and the last comparison is in
constant time.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from lineup_srv.contract import limits
from lineup_srv.contract.ids import RoomId
from lineup_srv.service.ports import LogRefused

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Sequence

    from lineup_srv.logs.sqlite.writer import Writer

__all__ = ["KnownToken", "SqliteTokens", "TokenKind"]

TokenKind = Literal["agent", "device", "room"]

SEED_TOKEN: Final = "test-token"
"""Works in open mode although it is short: the seed's clients use it (design §10)."""

_VANISH: Final = """
    DELETE FROM rooms WHERE room_id = ?1 AND open AND created_unix_ms <= ?2
    AND NOT EXISTS (SELECT 1 FROM facts WHERE room_id = ?1)
    AND NOT EXISTS (SELECT 1 FROM settings WHERE room_id = ?1)
    AND NOT EXISTS (
        SELECT 1 FROM tokens WHERE room_id = ?1 AND (issued OR revoked_unix_ms IS NOT NULL)
    )
"""


@dataclass(slots=True)
class KnownToken:
    """A row of the table; `last_seen_unix_ms` runs ahead of it until `flush`."""

    hash: bytes
    room_id: RoomId
    kind: TokenKind
    expires_unix_ms: int | None
    last_seen_unix_ms: int
    seen_since_flush: bool


class SqliteTokens:
    """A Tokens. `open_store` makes it.

    A token of a kind other than room is good until it expires. A token of kind room is good if it
    is listed or, in open mode, long enough: one that was taken from the list, or came in open mode
    before there was a list, stays in the table and opens nothing.
    """

    def __init__(
        self,
        known: Sequence[KnownToken],
        *,
        writer: Writer,
        listed: Sequence[str],
        open_mode: bool,
        now_unix_ms: Callable[[], int],
    ) -> None:
        """`known` is what `read` gave. `ensure_listed` comes before the first `room_of`."""
        self._writer = writer
        self._listed = {_hash(token) for token in listed}
        self._open_mode = open_mode and not listed
        self._now_unix_ms = now_unix_ms
        self._known = {row.hash: row for row in known}
        self._making: dict[bytes, asyncio.Future[RoomId | None]] = {}
        self._leaving: dict[RoomId, asyncio.Future[set[RoomId]]] = {}

    @staticmethod
    def read(db: sqlite3.Connection) -> list[KnownToken]:
        """The table."""
        rows = db.execute(
            "SELECT hash, room_id, kind, expires_unix_ms, last_seen_unix_ms FROM tokens"
        )
        return [
            KnownToken(hash_, RoomId(room_id), kind, expires, seen, seen_since_flush=False)
            for hash_, room_id, kind, expires, seen in rows
        ]

    async def ensure_listed(self) -> None:
        """Make the rooms of listed tokens that have none. Raises LogRefused."""
        for hash_ in self._listed - self._known.keys():
            await self._make_room(hash_, open_=False)

    async def room_of(self, token: str) -> RoomId | None:
        hash_ = _hash(token)
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
        now = self._now_unix_ms()
        if known.expires_unix_ms is not None and known.expires_unix_ms <= now:
            return None
        if known.kind == "room" and hash_ not in self._listed and not self._opens_room(token):
            return None
        if not hmac.compare_digest(known.hash, hash_):
            return None
        known.last_seen_unix_ms = now
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
                    hash_, made, "room", None, now, seen_since_flush=False
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
        """Make another token of a room. Raises LogRefused: no such room, or the token exists."""
        hash_ = _hash(token)
        now = self._now_unix_ms()

        def work(db: sqlite3.Connection) -> None:
            if db.execute("SELECT 1 FROM tokens WHERE hash = ?", (hash_,)).fetchone():
                raise LogRefused("the token exists")
            db.execute(
                "INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, 1, NULL)",
                (hash_, room_id, kind, name, now, expires_unix_ms, now),
            )

        def committed(_: None) -> None:
            self._known[hash_] = KnownToken(
                hash_, room_id, kind, expires_unix_ms, now, seen_since_flush=False
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
        """Delete rooms that open mode made, that have no fact and that nobody came to for long.

        Args:
            in_use: rooms with members, agents or commands now; they stay.

        Returns:
            How many were deleted.
        """
        horizon = self._now_unix_ms() - limits.OPEN_ROOM_IDLE_SECONDS * 1000
        rooms = {known.room_id for known in self._known.values()} - set(in_use)
        rooms -= {k.room_id for k in self._known.values() if k.last_seen_unix_ms > horizon}

        def work(db: sqlite3.Connection) -> set[RoomId]:
            return {
                room_id for room_id in rooms if db.execute(_VANISH, (room_id, horizon)).rowcount
            }

        def committed(gone: set[RoomId]) -> None:
            self._known = {h: k for h, k in self._known.items() if k.room_id not in gone}

        sweep = self._writer.submit(work, size=0, committed=committed)
        leaving = dict.fromkeys(rooms, sweep)
        self._leaving |= leaving
        try:
            return len(await sweep)
        finally:
            self._leaving = {r: s for r, s in self._leaving.items() if s is not sweep}


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()
