"""The ports RoomSettings and KnownDevices over SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.ids import DeviceId
from lineup_srv.domain.devices import KnownDevice
from lineup_srv.domain.shared import Setting

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.logs.sqlite.reader import Readers
    from lineup_srv.logs.sqlite.writer import Writer

__all__ = ["SqliteKnownDevices", "SqliteSettings"]

_SETTINGS: Final = "SELECT key, value_json, revision FROM settings WHERE room_id = ? ORDER BY key"
_SETTING: Final = "SELECT value_json, revision FROM settings WHERE room_id = ? AND key = ?"
_COUNT: Final = "SELECT count(*) FROM settings WHERE room_id = ?"
_SET: Final = """
    INSERT INTO settings VALUES (?, ?, ?, ?) ON CONFLICT (room_id, key)
    DO UPDATE SET value_json = excluded.value_json, revision = excluded.revision
"""
_DEVICES: Final = """
    SELECT device_id, nickname, platform, last_seen_unix_ms FROM devices
    WHERE room_id = ? ORDER BY last_seen_unix_ms DESC
"""
# A room that vanished meanwhile has no devices to remember.
_REMEMBER: Final = """
    INSERT OR REPLACE INTO devices SELECT room_id, ?, ?, ?, ? FROM rooms WHERE room_id = ?
"""
_FORGET: Final = """
    DELETE FROM devices WHERE room_id = ?1 AND device_id NOT IN (
        SELECT device_id FROM devices WHERE room_id = ?1
        ORDER BY last_seen_unix_ms DESC LIMIT ?2
    )
"""


class SqliteSettings:
    """A RoomSettings. `open_store` makes it."""

    def __init__(self, *, writer: Writer, readers: Readers) -> None:
        self._writer = writer
        self._readers = readers

    async def of_room(self, room_id: RoomId) -> Sequence[Setting]:
        def query(db: sqlite3.Connection) -> list[Setting]:
            return [Setting(*row) for row in db.execute(_SETTINGS, (room_id,)).fetchall()]

        return await self._readers.run(query)

    async def write(self, room_id: RoomId, wish: Setting) -> Setting | None:
        done = Setting(wish.key, wish.value_json, wish.revision + 1)

        def work(db: sqlite3.Connection) -> Setting | None:
            row = db.execute(_SETTING, (room_id, wish.key)).fetchone()
            now = Setting(wish.key, "", 0) if row is None else Setting(wish.key, *row)
            if now.revision != wish.revision:
                return now
            (count,) = db.execute(_COUNT, (room_id,)).fetchone()
            if row is None and count >= limits.SETTINGS_PER_ROOM:
                return None
            db.execute(_SET, (room_id, wish.key, wish.value_json, done.revision))
            return done

        return await self._writer.submit(work, size=len(wish.value_json), committed=None)


class SqliteKnownDevices:
    """A KnownDevices. `open_store` makes it."""

    def __init__(self, *, writer: Writer, readers: Readers) -> None:
        self._writer = writer
        self._readers = readers

    async def of_room(self, room_id: RoomId) -> Sequence[KnownDevice]:
        def query(db: sqlite3.Connection) -> list[KnownDevice]:
            rows = db.execute(_DEVICES, (room_id,)).fetchall()
            return [KnownDevice(DeviceId(device_id), *rest) for device_id, *rest in rows]

        return await self._readers.run(query)

    def remember(self, room_id: RoomId, devices: Sequence[KnownDevice]) -> None:
        rows = [
            (device.device_id, device.nickname, device.platform, device.last_seen_unix_ms, room_id)
            for device in devices
        ]

        def work(db: sqlite3.Connection) -> None:
            db.executemany(_REMEMBER, rows)
            db.execute(_FORGET, (room_id, limits.KNOWN_DEVICES_PER_ROOM))

        self._writer.post(work)
