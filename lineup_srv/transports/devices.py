"""All logged-in devices: effects become frames, encoded once for all who get them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract.ids import RoomId
from lineup_srv.domain.effects import Welcome
from lineup_srv.transports.mapping.envelopes import payloads_for
from lineup_srv.transports.mapping.messages import RelayFacts, messages_for
from lineup_srv.wire.codec import encode_frame
from lineup_srv.wire.envelope import Envelope, encode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineup_srv.contract.ids import ClientId
    from lineup_srv.domain.effects import Message
    from lineup_srv.domain.people import Member
    from lineup_srv.service.ports import Clock
    from lineup_srv.transports.connection import Connection
    from lineup_srv.transports.envelope_app import EnvelopeApp
    from lineup_srv.transports.files import FileLinks
    from lineup_srv.transports.mapping.contents import Links

__all__ = ["REPLACED", "Devices"]

REPLACED = 4001
GOING_AWAY = 1001

_Tab = tuple[RoomId, str, str]


class Devices:
    """The DeviceOutbox port over WebSockets."""

    def __init__(self, relay: RelayFacts, clock: Clock, links: FileLinks) -> None:
        """Say `relay` at logins; make `links` to large contents."""
        self._relay = relay
        self._clock = clock
        self._links = links
        self._connections: dict[ClientId, Connection] = {}
        self._apps: dict[ClientId, EnvelopeApp] = {}
        self._agents: set[ClientId] = set()
        self._tabs: dict[_Tab, ClientId] = {}
        self._tab_of: dict[ClientId, _Tab] = {}
        self._closed = False

    def add(self, client_id: ClientId, connection: Connection) -> None:
        """A device is about to log in; `Connection.hold` comes first."""
        self._connections[client_id] = connection
        if self._closed:
            connection.close(GOING_AWAY, "the relay is shutting down")

    def add_app(self, client_id: ClientId, connection: Connection, app: EnvelopeApp) -> None:
        """As `add`, for a device that speaks in envelopes."""
        self._apps[client_id] = app
        self.add(client_id, connection)

    def add_agent(self, client_id: ClientId, connection: Connection) -> None:
        """An agent that speaks in envelopes: no device, but its connection ends like theirs."""
        self._agents.add(client_id)
        self.add(client_id, connection)

    def take_tab(self, room_id: RoomId, device_id: str, tab_id: str, client_id: ClientId) -> None:
        """The newest connection of a tab replaces an older one, which is closed with 4001."""
        if not device_id or not tab_id:
            return
        tab = room_id, device_id, tab_id
        older = self._tabs.get(tab)
        self._tabs[tab], self._tab_of[client_id] = client_id, tab
        if older is not None:
            self._tab_of.pop(older, None)
            if older in self._connections:
                self._connections[older].close(REPLACED, "this tab connected again")

    def remove(self, client_id: ClientId) -> None:
        """A device's connection is over."""
        self._connections.pop(client_id, None)
        self._apps.pop(client_id, None)
        self._agents.discard(client_id)
        tab = self._tab_of.pop(client_id, None)
        if tab is not None:
            del self._tabs[tab]

    def close_all(self) -> None:
        """The relay is shutting down."""
        self._closed = True
        connections, self._connections = self._connections, {}
        for connection in connections.values():
            connection.close(GOING_AWAY, "the relay is shutting down")

    @property
    def count(self) -> int:
        """How many devices are connected."""
        return len(self._connections) - len(self._agents)

    @property
    def closed(self) -> bool:
        """Whether the relay is shutting down: nobody is told who leaves."""
        return self._closed

    def send(
        self,
        room_id: RoomId,
        members: Sequence[Member],
        message: Message,
        bodies: Mapping[str, bytes],
    ) -> None:
        """Queue one message for each member; see the port."""
        frames: dict[bool, list[bytes]] = {}
        envelopes: list[str] | None = None
        for member in members:
            connection = self._connections.get(member.author.client_id)
            if connection is None:
                continue
            app = self._apps.get(member.author.client_id)
            if app is not None:
                if envelopes is None:
                    links, now = self.links_of(room_id), self._clock.unix_ms()
                    payloads = payloads_for(message, bodies, links, now)
                    envelopes = [encode(Envelope(app.new_id(), p)) for p in payloads]
                app.tell(message, envelopes)
                continue
            if member.extended not in frames:
                frames[member.extended] = self._encode(
                    room_id, message, bodies, extended=member.extended
                )
            if isinstance(message, Welcome) and not message.renamed:
                connection.release(frames[member.extended])
            else:
                for frame in frames[member.extended]:
                    connection.write(frame)

    def links_of(self, room_id: RoomId) -> Links:
        """Makes links to the room's large contents."""
        return self._links.of_room(room_id)

    def _encode(
        self, room_id: RoomId, message: Message, bodies: Mapping[str, bytes], *, extended: bool
    ) -> list[bytes]:
        messages = messages_for(
            message,
            bodies,
            extended=extended,
            relay=self._relay,
            clock_unix_ms=self._clock.unix_ms(),
            links=self.links_of(room_id) if extended else None,
        )
        return [encode_frame(message) for message in messages]
