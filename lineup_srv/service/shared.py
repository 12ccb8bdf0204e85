"""Settings that the devices of a room share: written by one, shown to the others."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.domain.acks import taken
from lineup_srv.domain.effects import Except, Only, SendAck, ShowSetting
from lineup_srv.service.ports import LogRefused, LogUnknown

if TYPE_CHECKING:
    from lineup_srv.contract.ids import ClientId, Ref, RoomId
    from lineup_srv.domain.effects import Effect
    from lineup_srv.domain.shared import Setting
    from lineup_srv.service.registry import Rooms
    from lineup_srv.service.rooms import Outside

__all__ = ["SharedSettings"]

logger = logging.getLogger(__name__)

_STALE = "another device changed it meanwhile; its present value was sent"


class SharedSettings:
    """Writes and shows settings, one thing at a time in a room, so that no device goes back."""

    def __init__(self, rooms: Rooms, outside: Outside) -> None:
        """Serve rooms through these ports."""
        self._rooms = rooms
        self._outside = outside
        self._turns: WeakValueDictionary[RoomId, asyncio.Lock] = WeakValueDictionary()

    async def write(self, room_id: RoomId, by: ClientId, ref: Ref, wish: Setting) -> None:
        """Write a setting whose revision is the one that the device saw; durable before its Ack.

        If another device was faster, the writer gets the present value and is refused. A write
        that is asked for again has been done.

        Raises:
            LineUpError: RATE_LIMITED, too many keys; LOG_UNAVAILABLE.
        """
        runner = await self._rooms.get(room_id)
        me = Only(by)
        async with self._turn(room_id):
            try:
                now = await self._outside.settings.write(room_id, wish)
            except (LogRefused, LogUnknown) as error:
                raise LineUpError(ErrorCode.LOG_UNAVAILABLE, str(error)) from error
            if now is None:
                raise LineUpError(ErrorCode.RATE_LIMITED, "too many settings", field="settings.key")
            done = (now.value_json, now.revision) == (wish.value_json, wish.revision + 1)
            effects: list[Effect] = [ShowSetting(Except(by) if done else me, now)]
            if ref:
                effects.append(taken(me, ref) if done else _refused(me, ref))
            runner.delivery.emit_early(effects)

    async def show_all(self, room_id: RoomId, to: Only) -> None:
        """Show a device that logged in all settings; it does without if they cannot be read.

        Raises:
            LineUpError: LOG_UNAVAILABLE, the room cannot be loaded.
        """
        runner = await self._rooms.get(room_id)
        async with self._turn(room_id):
            try:
                settings = await self._outside.settings.of_room(room_id)
            except LogRefused as error:
                logger.error("room %s: its settings cannot be read: %s", room_id, error)
                return
            runner.delivery.emit_early([ShowSetting(to, setting) for setting in settings])

    def _turn(self, room_id: RoomId) -> asyncio.Lock:
        return self._turns.setdefault(room_id, asyncio.Lock())


def _refused(to: Only, ref: Ref) -> SendAck:
    return SendAck(
        to=to, ref=ref, accepted=False, code=ErrorCode.ID_CONFLICT, message=_STALE, seq=0
    )
