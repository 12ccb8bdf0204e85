"""One JSON client's line: envelopes out, and who is at its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineup_srv.wire.envelope import Envelope, encode
from lineup_srv.wire.envelope import messages as m

if TYPE_CHECKING:
    from lineup_srv.contract.errors import ErrorCode
    from lineup_srv.contract.ids import ClientId
    from lineup_srv.transports.connection import Connection
    from lineup_srv.transports.websocket import WebSocketParts

__all__ = ["EnvelopeLine"]


@dataclass(frozen=True, slots=True)
class EnvelopeLine:
    """What the two kinds of JSON client share."""

    parts: WebSocketParts
    connection: Connection
    client_id: ClientId

    def text(self, payload: m.Payload) -> str:
        """A frame with an id of its own."""
        return encode(Envelope(self.parts.ids.new(), payload))

    def write(self, payload: m.Payload) -> None:
        """Send a message."""
        self.connection.write(self.text(payload))

    def hello(self, client_id: str, ref: str) -> str:
        """The relay's own hello, in answer to a client's."""
        version = self.parts.facts.version
        return self.text(m.Hello(name="LineUp", version=version, client_id=client_id, ref=ref))

    def error(self, code: ErrorCode, message: str, ref: str, field: str) -> None:
        """Say that a message was not taken."""
        self.write(m.Error(code=code, message=message, ref=ref, field=field))
