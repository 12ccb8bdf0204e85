"""Reads the log from another process than the relay's: copies of it, and its conversations."""

from __future__ import annotations

import secrets
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.ids import RoomId
from lineup_srv.domain.fold import fold
from lineup_srv.logs.errors import LogUnusable
from lineup_srv.logs.sqlite.rooms import decoded, load_room
from lineup_srv.logs.sqlite.schema import FILE_NAME, connect
from lineup_srv.logs.sqlite.secrets import drop_secrets
from lineup_srv.service.ports import LogRefused

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lineup_srv.domain.state import Logged
    from lineup_srv.service.ports import LoggedFact

__all__ = ["RoomRecord", "back_up", "conversations", "find_room"]

_ROOMS: Final = """
    SELECT room_id FROM rooms WHERE EXISTS (SELECT 1 FROM facts WHERE facts.room_id = rooms.room_id)
    ORDER BY created_unix_ms, room_id
"""
_NAMES: Final = "SELECT name FROM tokens WHERE room_id = ? AND name <> '' ORDER BY name"
_FACTS: Final = "SELECT seq, record FROM facts WHERE room_id = ? ORDER BY seq"
_TEXTS: Final = """
    SELECT DISTINCT sha256, CAST(data AS BLOB) FROM blobs JOIN named_blobs USING (room_id, sha256)
    WHERE room_id = ? AND size <= ?
"""


@dataclass(frozen=True, slots=True)
class RoomRecord:
    """All that is kept of a room.

    Attributes:
        names: of its tokens.
        facts: in order; below the room's floor only those that somebody still needs.
        logged: its state.
        bodies: bytes of contents that may be long texts, by hash.
    """

    room_id: RoomId
    names: tuple[str, ...]
    facts: Sequence[LoggedFact]
    logged: Logged
    bodies: dict[str, bytes]


def back_up(data_dir: Path, target: Path) -> None:
    """Copy the log into a file as it is at one moment, without its secrets, and check the copy.

    The copy is another log to those who kept numbers of this one: after it was restored, what they
    have may differ from it.

    Args:
        data_dir: of the relay, which may run.
        target: an empty file.

    Raises:
        LogUnusable: there is no log, or the copy is damaged.
        sqlite3.Error: it cannot be read or written.
    """
    with closing(_reader(data_dir)) as db, closing(sqlite3.connect(target)) as copy:
        # In one step: a copy in parts would start again with every append of the relay.
        db.backup(copy)
        found = _damage(copy)
        if found:
            raise LogUnusable(data_dir / FILE_NAME, f"the copy is damaged: {found}")
        # One file, whose name may change.
        copy.execute("PRAGMA journal_mode = DELETE")
        with copy:
            drop_secrets(copy)
            copy.execute("UPDATE meta SET value = ? WHERE key = 'log_id'", (secrets.token_hex(16),))


def _damage(db: sqlite3.Connection) -> str:
    """What is wrong with the file; empty: nothing."""
    try:
        found = str(db.execute("PRAGMA integrity_check(1)").fetchone()[0])
        if found == "ok":
            rows = db.execute("PRAGMA foreign_key_check").fetchall()
            return f"{len(rows)} rows without their room" if rows else ""
    except sqlite3.DatabaseError as error:
        return str(error)
    return found


def conversations(data_dir: Path, room: str | None) -> list[RoomRecord]:
    """Everything that is kept of one room, or of all that have content.

    Raises:
        LogUnusable: there is no log.
        LogRefused: there is no such room, or it cannot be read.
    """
    with closing(_reader(data_dir)) as db:
        if room is not None:
            return [_record(db, find_room(db, room))]
        return [_record(db, RoomId(row[0])) for row in db.execute(_ROOMS).fetchall()]


def find_room(db: sqlite3.Connection, which: str | None) -> RoomId:
    """The room of this name of a token, this id, or this beginning of an id; None: the only one.

    Raises:
        LogRefused: there is none, or more than one.
    """
    rows = db.execute("SELECT room_id FROM rooms").fetchall()
    ids = {RoomId(row[0]) for row in rows}
    if which is None:
        if len(ids) != 1:
            raise LogRefused(f"there are {len(ids)} rooms: say which with --room")
        return ids.pop()
    named = {
        RoomId(row[0])
        for row in db.execute("SELECT room_id FROM tokens WHERE name = ?", (which,)).fetchall()
    }
    if not named and len(which) >= limits.SHORT_ID_CHARACTERS:
        named = {room_id for room_id in ids if room_id.startswith(which)}
    if len(named) != 1:
        how_many = "no room is" if not named else "several rooms are"
        raise LogRefused(f"{how_many} called {which!r}; `lineup-srv token list` shows them")
    return named.pop()


def _reader(data_dir: Path) -> sqlite3.Connection:
    path = data_dir / FILE_NAME
    if not path.is_file():
        raise LogUnusable(path, "there is no log")
    return connect(path, writes=False)


def _record(db: sqlite3.Connection, room_id: RoomId) -> RoomRecord:
    logged, tail = load_room(db, room_id)
    for line in tail:
        fold(logged, line.fact)
    return RoomRecord(
        room_id=room_id,
        names=tuple(dict.fromkeys(row[0] for row in db.execute(_NAMES, (room_id,)).fetchall())),
        facts=decoded(db.execute(_FACTS, (room_id,))),
        logged=logged,
        bodies=dict(db.execute(_TEXTS, (room_id, limits.EXPORTED_TEXT_BYTES)).fetchall()),
    )
