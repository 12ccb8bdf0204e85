"""The tables, their migrations, and connections that are set up the same way everywhere."""

from __future__ import annotations

import logging
import os
import secrets
import sqlite3
from typing import TYPE_CHECKING, Final

from lineup_srv.contract.ids import LogId
from lineup_srv.logs.errors import LogUnusable

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FILE_NAME", "MIGRATIONS", "connect", "make_shrinkable", "migrate", "read_log_id"]

logger = logging.getLogger(__name__)

FILE_NAME: Final = "lineup.db"
_BUSY_SECONDS: Final = 5
_INCREMENTAL: Final = 2

# One entry per schema version; a released entry never changes. Rooms own their rows, so a row
# without its room cannot be written. Records stay in tables with a rowid: they are big, and
# tables without one keep big rows badly.
MIGRATIONS: Final = (
    """
    CREATE TABLE rooms (
        room_id TEXT PRIMARY KEY,
        created_unix_ms INTEGER NOT NULL,
        open INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE tokens (
        hash BLOB PRIMARY KEY,
        room_id TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE,
        kind TEXT NOT NULL CHECK (kind IN ('agent', 'device', 'room')),
        name TEXT NOT NULL,
        created_unix_ms INTEGER NOT NULL,
        expires_unix_ms INTEGER,
        last_seen_unix_ms INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX tokens_room ON tokens (room_id);
    CREATE TABLE facts (
        room_id TEXT NOT NULL REFERENCES rooms,
        seq INTEGER NOT NULL,
        fact_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        subject TEXT NOT NULL,
        at_unix_ms INTEGER NOT NULL,
        record TEXT NOT NULL,
        UNIQUE (room_id, seq),
        UNIQUE (room_id, fact_id)
    );
    CREATE INDEX facts_subject ON facts (room_id, subject, seq);
    CREATE TABLE refs (
        room_id TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE,
        ref TEXT NOT NULL,
        seq INTEGER NOT NULL,
        code TEXT NOT NULL,
        at_unix_ms INTEGER NOT NULL,
        UNIQUE (room_id, ref)
    );
    CREATE TABLE snapshots (
        room_id TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE,
        seq INTEGER NOT NULL,
        v INTEGER NOT NULL,
        next_seq INTEGER NOT NULL,
        state TEXT NOT NULL,
        UNIQUE (room_id, seq)
    );
    CREATE TABLE deadlines (
        room_id TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE,
        request_id TEXT NOT NULL,
        deadline_unix_ms INTEGER NOT NULL,
        PRIMARY KEY (room_id, request_id)
    ) WITHOUT ROWID;
    CREATE TABLE blobs (
        room_id TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE,
        sha256 TEXT NOT NULL,
        size INTEGER NOT NULL,
        created_unix_ms INTEGER NOT NULL,
        data BLOB NOT NULL,
        UNIQUE (room_id, sha256)
    );
    CREATE TABLE named_blobs (
        room_id TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE,
        sha256 TEXT NOT NULL,
        seq INTEGER NOT NULL,
        PRIMARY KEY (room_id, sha256, seq)
    ) WITHOUT ROWID;
    """,
    # Below its floor a room has only the facts that somebody still needs. Issued tokens are good by
    # themselves, listed or not; revoked ones stay, so that open mode does not let them in anew.
    """
    ALTER TABLE rooms ADD COLUMN floor_seq INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE tokens ADD COLUMN issued INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE tokens ADD COLUMN revoked_unix_ms INTEGER;
    UPDATE tokens SET issued = 1 WHERE kind <> 'room';
    CREATE INDEX named_blobs_seq ON named_blobs (room_id, seq);
    CREATE TABLE settings (
        room_id TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE,
        key TEXT NOT NULL,
        value_json TEXT NOT NULL,
        revision INTEGER NOT NULL,
        UNIQUE (room_id, key)
    );
    CREATE TABLE devices (
        room_id TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE,
        device_id TEXT NOT NULL,
        nickname TEXT NOT NULL,
        platform TEXT NOT NULL,
        last_seen_unix_ms INTEGER NOT NULL,
        PRIMARY KEY (room_id, device_id)
    ) WITHOUT ROWID;
    """,
    # Answers that must not be in the log, until they are received.
    """
    CREATE TABLE secrets (
        room_id TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE,
        secret_id TEXT NOT NULL,
        value TEXT NOT NULL,
        at_unix_ms INTEGER NOT NULL,
        UNIQUE (room_id, secret_id)
    );
    """,
)


def connect(path: Path, *, writes: bool) -> sqlite3.Connection:
    """A connection in autocommit mode; transactions are begun and ended in words.

    It may be closed by another thread than the one that uses it. Raises sqlite3.Error.
    """
    if writes:
        # SQLite gives its other files the mode of this one.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    db = sqlite3.connect(path, isolation_level=None, timeout=_BUSY_SECONDS, check_same_thread=False)
    try:
        if writes:
            # Before the first page is written: it only counts for a new file.
            db.execute("PRAGMA auto_vacuum = INCREMENTAL")
            db.execute("PRAGMA journal_mode = WAL")
            # FULL: a commit is on the disk before anybody hears of it (design §5).
            db.execute("PRAGMA synchronous = FULL")
            db.execute("PRAGMA foreign_keys = ON")
        else:
            db.execute("PRAGMA query_only = ON")
    except sqlite3.Error:
        db.close()
        raise
    return db


def migrate(db: sqlite3.Connection, path: Path, migrations: tuple[str, ...]) -> None:
    """Bring the schema to the newest version, each step all or nothing.

    Raises:
        LogUnusable: a newer release made the file.
    """
    db.execute("BEGIN IMMEDIATE")
    with db:
        db.execute("CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID")
        db.execute("INSERT OR IGNORE INTO meta VALUES ('schema_version', 0)")
        db.execute("INSERT OR IGNORE INTO meta VALUES ('log_id', ?)", (secrets.token_hex(16),))
    (version,) = db.execute("SELECT value FROM meta WHERE key = 'schema_version'").fetchone()
    if version > len(migrations):
        raise LogUnusable(path, f"schema version {version} is from a newer LineUp")
    for number, script in enumerate(migrations[version:], start=version + 1):
        db.execute("BEGIN IMMEDIATE")
        with db:
            # Not executescript: it commits what is open before it starts.
            for statement in script.split(";"):
                db.execute(statement)
            db.execute("UPDATE meta SET value = ? WHERE key = 'schema_version'", (number,))


def make_shrinkable(db: sqlite3.Connection) -> None:
    """Let a file that was made without it give free pages back; rewrites the file, once.

    A disk that has no room for that is no reason not to start: free pages are used again anyway.
    """
    (mode,) = db.execute("PRAGMA auto_vacuum").fetchone()
    if mode == _INCREMENTAL:
        return
    try:
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        db.execute("VACUUM")
    except sqlite3.Error as error:
        logger.warning("the log cannot be made to shrink: %s", error)


def read_log_id(db: sqlite3.Connection) -> LogId:
    """The id of this log."""
    (log_id,) = db.execute("SELECT value FROM meta WHERE key = 'log_id'").fetchone()
    return LogId(log_id)
