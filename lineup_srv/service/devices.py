"""The device list of one room: kept over restarts, told to its devices when it changes."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from lineup_srv.domain.devices import KnownDevice, device_lines
from lineup_srv.domain.effects import Everyone, MemberJoined, MemberLeft, ShowDevices
from lineup_srv.service.ports import LogRefused
from lineup_srv.service.presence_flow import merged_for_ms

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineup_srv.contract.ids import ClientId, DeviceId
    from lineup_srv.domain.effects import Change
    from lineup_srv.domain.people import Author
    from lineup_srv.service.rooms import Outside, RoomRunner

__all__ = ["DeviceList"]

logger = logging.getLogger(__name__)


class DeviceList:
    """Sees every change of who is here. Made by the room's runner."""

    def __init__(self, runner: RoomRunner, outside: Outside) -> None:
        """Keep and tell through the ports in `outside`."""
        self._runner = runner
        self._outside = outside
        self._known: dict[DeviceId, KnownDevice] = {}
        self._loaded = False
        self._changed: dict[DeviceId, KnownDevice] = {}
        self._authors: dict[ClientId, Author] = {}
        self._telling = False

    def note(self, changes: Iterable[Change]) -> None:
        """Members came, changed or went."""
        noted = False
        for change in changes:
            match change:
                case MemberJoined():
                    author = change.member.author
                    self._authors[author.client_id] = author
                case MemberLeft() if change.client_id in self._authors:
                    author = self._authors.pop(change.client_id)
                case _:
                    continue
            noted = True
            self._seen(author)
        if noted and not self._telling:
            self._telling = True
            clock = self._outside.clock
            wait_ms = merged_for_ms(len(self._runner.room.live.members))
            self._timer = clock.call_at(clock.unix_ms() + wait_ms, self._due)

    def close(self) -> None:
        """Tell nothing more; what is not kept yet is kept, with those who are here."""
        for author in self._authors.values():
            self._seen(author)
        self._keep()
        if self._telling:
            self._telling = False
            self._timer.cancel()

    def _seen(self, author: Author) -> None:
        if author.device_id:
            now = self._outside.clock.unix_ms()
            device = KnownDevice(author.device_id, author.nickname, author.platform, now)
            self._changed[author.device_id] = self._known[author.device_id] = device

    def _keep(self) -> None:
        changed, self._changed = self._changed, {}
        if changed:
            self._outside.known.remember(self._runner.room_id, list(changed.values()))

    def _due(self) -> None:
        self._telling = False
        self._keep()
        if self._loaded:
            self._tell()
        else:
            self._outside.tasks.start(self._load())

    async def _load(self) -> None:
        try:
            known = await self._outside.known.of_room(self._runner.room_id)
        except LogRefused as error:
            logger.error("room %s: its devices cannot be read: %s", self._runner.room_id, error)
        else:
            self._known = {device.device_id: device for device in known} | self._known
            self._loaded = True
        self._tell()

    def _tell(self) -> None:
        members = self._runner.room.live.members.values()
        lines = device_lines(members, self._known.values(), self._outside.clock.unix_ms())
        # What is not told is not kept either.
        away = {line.device_id for line in lines}
        self._known = {i: device for i, device in self._known.items() if i in away}
        self._runner.delivery.emit_early([ShowDevices(Everyone(), lines)])
