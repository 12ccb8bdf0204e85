"""All logged-in devices: effects become frames, encoded once for all who get them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.domain.effects import Welcome
from lineup_srv.transports.mapping.messages import RelayFacts, messages_for
from lineup_srv.wire.codec import encode_frame

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineup_srv.contract.ids import ClientId, RoomId
    from lineup_srv.domain.effects import Message
    from lineup_srv.domain.people import Member
    from lineup_srv.service.ports import Clock
    from lineup_srv.transports.connection import Connection

__all__ = ["REPLACED", "Devices"]

REPLACED = 4001
GOING_AWAY = 1001


class Devices:
    """The DeviceOutbox port over WebSockets."""

    def __init__(self, relay: RelayFacts, clock: Clock) -> None:
        """Say `relay` at logins."""
        self._relay = relay
        self._clock = clock
        self._connections: dict[ClientId, Connection] = {}
        self._tabs: dict[tuple[RoomId, str, str], ClientId] = {}

    def add(self, client_id: ClientId, connection: Connection) -> None:
        """A device is about to log in."""
        self._connections[client_id] = connection

    def take_tab(self, room_id: RoomId, device_id: str, tab_id: str, client_id: ClientId) -> None:
        """The newest connection of a tab replaces an older one, which is closed with 4001."""
        if not device_id or not tab_id:
            return
        older = self._connections.get(self._tabs.get((room_id, device_id, tab_id), client_id))
        self._tabs[room_id, device_id, tab_id] = client_id
        if older is not None and older is not self._connections.get(client_id):
            older.close(REPLACED, "this tab connected again")

    def remove(self, client_id: ClientId) -> None:
        """A device's connection is over."""
        self._connections.pop(client_id, None)
        for tab, owner in list(self._tabs.items()):
            if owner == client_id:
                del self._tabs[tab]

    def close_all(self) -> None:
        """The relay is shutting down."""
        for connection in self._connections.values():
            connection.close(GOING_AWAY, "the relay is shutting down")

    def send(
        self, members: Sequence[Member], message: Message, bodies: Mapping[str, bytes]
    ) -> None:
        """Queue one message for each member; see the port."""
        frames: dict[bool, list[bytes]] = {}
        for member in members:
            connection = self._connections.get(member.author.client_id)
            if connection is None:
                continue
            if member.extended not in frames:
                frames[member.extended] = self._encode(message, bodies, extended=member.extended)
            if isinstance(message, Welcome) and not message.renamed:
                connection.release(frames[member.extended])
            else:
                for frame in frames[member.extended]:
                    connection.write(frame)

    def _encode(
        self, message: Message, bodies: Mapping[str, bytes], *, extended: bool
    ) -> list[bytes]:
        messages = messages_for(
            message,
            bodies,
            extended=extended,
            relay=self._relay,
            clock_unix_ms=self._clock.unix_ms(),
        )
        return [encode_frame(message) for message in messages]
