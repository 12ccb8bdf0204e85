"""A connection's stay in its room, whatever form it speaks: let in once, over once."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from lineup_srv.contract.errors import LineUpError
from lineup_srv.contract.ids import ClientId
from lineup_srv.transports.connection import TOO_SLOW, Connection

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.types import Send

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.transports.websocket import WebSocketParts

__all__ = ["POLICY", "TRY_AGAIN", "Stay"]

logger = logging.getLogger(__name__)

POLICY = 1008
TRY_AGAIN = 1013


class Stay:
    """From the upgrade to the end. `admit` comes at the login, `end` when the connection is over.

    Whoever closes the connection only says so: it is read on until the server says that it is
    over, or the close frame would be lost.
    """

    def __init__(self, parts: WebSocketParts, send: Send) -> None:
        """Begin with a connection that was accepted."""
        self._parts = parts
        self.client_id = ClientId(parts.ids.new())
        self.connection = Connection(send, parts.tasks, self._closed)
        self._room_id: RoomId | None = None
        self._leave: Callable[[], Awaitable[object]] | None = None
        self._over: Callable[[], None] = lambda: None

    def admit(self, token: str, room_id: RoomId, leave: Callable[[], Awaitable[object]]) -> None:
        """It was let into the room by the token; `leave` takes it out and is called once."""
        self._room_id, self._leave = room_id, leave
        self._over = self._parts.relay.admissions.add(token, self._revoked)

    def _revoked(self) -> None:
        self.connection.close(POLICY, "the token was revoked or has expired")

    def _closed(self) -> None:
        """The others hear of it at once, however long the close frame takes to arrive."""
        if self.connection.close_code == TOO_SLOW:
            self._parts.metrics.evictions.inc()
        if self._leave is not None and not self._parts.devices.closed:
            self._parts.tasks.start(self.end())

    async def end(self) -> None:
        """The connection is over; does nothing the second time."""
        self._over()
        self._parts.devices.remove(self.client_id)
        self._parts.pairings.forget(self.client_id)
        leave, self._leave = self._leave, None
        if leave is None or self._parts.devices.closed:
            return
        logger.info("client %s leaves room %s", self.client_id, self._room_id)
        try:
            await leave()
        except LineUpError as error:
            # A room that is not in memory has no members.
            logger.warning("client %s cannot leave: %s", self.client_id, error)
