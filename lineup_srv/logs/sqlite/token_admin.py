"""Tokens as an administrator changes them, beside a relay that may be running.

Every change raises a number in the file; the relay looks at it every second, acts on the change and
confirms the number. So a revocation that was confirmed is one that nobody gets past.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.ids import RoomId
from lineup_srv.logs.errors import LogUnusable
from lineup_srv.logs.lock import DirectoryLock, is_locked, make_data_directory
from lineup_srv.logs.sqlite.offline import find_room
from lineup_srv.logs.sqlite.schema import FILE_NAME, MIGRATIONS, connect, migrate
from lineup_srv.logs.sqlite.tokens import CHANGED, CONFIRMED
from lineup_srv.service.admissions import token_key
from lineup_srv.service.ports import LogRefused

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType
    from typing import Self

__all__ = ["TokenAdmin", "TokenLine"]

CONFIRMED_WITHIN_SECONDS: Final = 5.0
_POLL_SECONDS: Final = 0.05
_VERSION: Final = "SELECT value FROM meta WHERE key = 'schema_version'"
_NUMBER: Final = "SELECT value FROM meta WHERE key = ?"
_RAISE: Final = """
    INSERT INTO meta VALUES (?, 1) ON CONFLICT (key) DO UPDATE SET value = value + 1
    RETURNING value
"""
_LINES: Final = """
    SELECT hash, room_id, kind, name, created_unix_ms, expires_unix_ms, last_seen_unix_ms, issued,
        revoked_unix_ms
    FROM tokens ORDER BY created_unix_ms, hash
"""
_ISSUE: Final = "INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, 1, NULL)"
_REVOKE: Final = "UPDATE tokens SET revoked_unix_ms = ? WHERE hash = ?"


@dataclass(frozen=True, slots=True)
class TokenLine:
    """A token without the token; `token_id` is the beginning of its hash."""

    hash: bytes
    room_id: RoomId
    kind: str
    name: str
    created_unix_ms: int
    expires_unix_ms: int | None
    last_seen_unix_ms: int
    issued: bool
    revoked_unix_ms: int | None

    @property
    def token_id(self) -> str:
        return self.hash.hex()[: limits.SHORT_ID_CHARACTERS]

    def state(self, now_unix_ms: int) -> str:
        """`issued`, `listed`, `expired` or `revoked`."""
        if self.revoked_unix_ms is not None:
            return "revoked"
        if self.expires_unix_ms is not None and self.expires_unix_ms <= now_unix_ms:
            return "expired"
        return "issued" if self.issued else "listed"


class TokenAdmin:
    """Opens the log of a data directory; use it in a `with`."""

    def __init__(self, data_dir: Path, *, make: bool) -> None:
        """Open the log.

        Args:
            data_dir: of the relay.
            make: make a log if there is none.

        Raises:
            LogUnusable: there is none, or it belongs to a relay of another version.
        """
        self._data_dir = data_dir
        self._change: int | None = None
        self._db = _open(data_dir, make=make)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._db.close()

    def lines(self) -> list[TokenLine]:
        """Every token, the oldest first."""
        return [
            TokenLine(
                hash_, RoomId(room_id), kind, name, created, expires, seen, bool(issued), gone
            )
            for hash_, room_id, kind, name, created, expires, seen, issued, gone in (
                self._db.execute(_LINES).fetchall()
            )
        ]

    def issue(
        self,
        *,
        name: str,
        kind: str,
        room: str | None,
        expires_unix_ms: int | None,
        now_unix_ms: int,
    ) -> str:
        """Make a token and return it; only its hash stays.

        Args:
            name: no other good token has it.
            kind: agent, device or room.
            room: the name or id of the room it opens; None: the only one, or for kind room a new
                one.
            expires_unix_ms: until when it is good; None: for ever.
            now_unix_ms: the time.

        Raises:
            LogRefused: the name is taken, or it is not clear which room is meant.
        """
        made = secrets.token_urlsafe(limits.TOKEN_BYTES)

        def work() -> None:
            if any(line.name == name for line in self._good(now_unix_ms)):
                raise LogRefused(f"another token is called {name!r}; rotate or revoke that one")
            if kind == "room" and room is None:
                room_id = RoomId(secrets.token_hex(16))
                self._db.execute(
                    "INSERT INTO rooms (room_id, created_unix_ms, open) VALUES (?, ?, 0)",
                    (room_id, now_unix_ms),
                )
            else:
                room_id = find_room(self._db, room)
            row = (token_key(made), room_id, kind, name, now_unix_ms, expires_unix_ms, now_unix_ms)
            self._db.execute(_ISSUE, row)

        self._write(work)
        return made

    def rotate(self, which: str, *, now_unix_ms: int) -> str:
        """Revoke a token and return another for the same room, with its name and expiry.

        Raises:
            LogRefused: no good token, or more than one, is called so.
        """
        made = secrets.token_urlsafe(limits.TOKEN_BYTES)

        def work() -> None:
            old = self._find(which, now_unix_ms)
            self._db.execute(_REVOKE, (now_unix_ms, old.hash))
            self._db.execute(
                _ISSUE,
                (
                    token_key(made),
                    old.room_id,
                    old.kind,
                    old.name,
                    now_unix_ms,
                    old.expires_unix_ms,
                    now_unix_ms,
                ),
            )

        self._write(work)
        return made

    def revoke(self, which: str, *, now_unix_ms: int) -> None:
        """Let nobody in by this token any more. Raises LogRefused as `rotate`."""
        self._write(
            lambda: self._db.execute(_REVOKE, (now_unix_ms, self._find(which, now_unix_ms).hash))
        )

    def relay_confirms(self, within_seconds: float = CONFIRMED_WITHIN_SECONDS) -> bool:
        """Wait until the relay, if one runs, has acted on the last change. Blocks."""
        until = time.monotonic() + within_seconds
        while is_locked(self._data_dir):
            row = self._db.execute(_NUMBER, (CONFIRMED,)).fetchone()
            if row is not None and self._change is not None and row[0] >= self._change:
                return True
            if time.monotonic() >= until:
                return False
            time.sleep(_POLL_SECONDS)
        return True

    def _good(self, now_unix_ms: int) -> list[TokenLine]:
        return [
            line for line in self.lines() if line.state(now_unix_ms) not in ("revoked", "expired")
        ]

    def _find(self, which: str, now_unix_ms: int) -> TokenLine:
        good = self._good(now_unix_ms)
        found = [line for line in good if line.name == which]
        if not found and len(which) >= limits.SHORT_ID_CHARACTERS:
            found = [line for line in good if line.hash.hex().startswith(which)]
        if len(found) != 1:
            how_many = "no good token is" if not found else "several tokens are"
            raise LogRefused(f"{how_many} called {which!r}; `lineup-srv token list` shows all")
        return found[0]

    def _write(self, work: Callable[[], object]) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        with self._db:
            work()
            (self._change,) = self._db.execute(_RAISE, (CHANGED,)).fetchone()


def _open(data_dir: Path, *, make: bool) -> sqlite3.Connection:
    path = data_dir / FILE_NAME
    there = path.is_file()
    if not there and not make:
        raise LogUnusable(path, "there is no log")
    make_data_directory(data_dir)
    db = connect(path, writes=True)
    try:
        version = db.execute(_VERSION).fetchone()[0] if there else 0
        if version != len(MIGRATIONS):
            _bring_up_to_date(db, data_dir)
    except BaseException:
        db.close()
        raise
    return db


def _bring_up_to_date(db: sqlite3.Connection, data_dir: Path) -> None:
    """Only without a relay, which would not know the new tables."""
    path = data_dir / FILE_NAME
    if is_locked(data_dir):
        raise LogUnusable(path, "a relay of another version runs on it; restart that one first")
    lock = DirectoryLock(data_dir)
    try:
        migrate(db, path, MIGRATIONS)
    finally:
        lock.release()
