"""A WebSocket that speaks in JSON envelopes: hello, then what an app or an agent says (wire §5)."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ERRORS, ErrorCode, LineUpError
from lineup_srv.transports.envelope_agent import EnvelopeAgent
from lineup_srv.transports.envelope_app import EnvelopeApp
from lineup_srv.transports.envelope_line import EnvelopeLine
from lineup_srv.transports.frames import MalformedFrames
from lineup_srv.transports.stay import POLICY, TRY_AGAIN, Stay
from lineup_srv.wire.envelope import EnvelopeError, parse
from lineup_srv.wire.envelope import messages as m

if TYPE_CHECKING:
    from starlette.types import Receive, Send

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.transports.websocket import WebSocketParts
    from lineup_srv.wire.envelope import Envelope

__all__ = ["EnvelopeSession"]

logger = logging.getLogger(__name__)


class EnvelopeSession:
    """One connection. It lives as a protobuf one does: `log_in`, `serve`, `leave`."""

    def __init__(self, parts: WebSocketParts, receive: Receive, send: Send) -> None:
        """Speak on a socket that was accepted."""
        self._parts = parts
        self._receive = receive
        self._stay = Stay(parts, send)
        self._connection = self._stay.connection
        self._client_id = self._stay.client_id
        self._line = EnvelopeLine(parts, self._connection, self._client_id)
        self._malformed = MalformedFrames(parts.clock)
        self._ended = False
        self._room_id: RoomId | None = None
        self._client: EnvelopeApp | EnvelopeAgent | None = None

    async def log_in(self, until: float) -> None:
        """Wait for the hello (loop time); afterwards the connection may be closing."""
        try:
            async with asyncio.timeout_at(until):
                while (envelope := await self._next()) is not None:
                    if isinstance(envelope.payload, m.Hello):
                        break
                    code = ErrorCode.UNAUTHENTICATED
                    self._line.error(code, "say system.hello first", envelope.id, "type")
        except TimeoutError:
            self._connection.close(POLICY, "not logged in in time")
            return
        if envelope is None or not isinstance(envelope.payload, m.Hello):
            return
        try:
            await self._join(envelope.id, envelope.payload)
        except LineUpError as error:
            # The token may be right: a client must not take this for a refusal.
            logger.warning("client %s cannot join: %s", self._client_id, error)
            self._connection.release([])
            self._line.error(error.code, error.message, envelope.id, error.field)
            self._connection.close(TRY_AGAIN, error.code.value)

    async def _join(self, envelope_id: str, hello: m.Hello) -> None:
        room_id = await self._parts.relay.authenticate(hello.token)
        if room_id is None:
            await self._refuse_token(envelope_id)
            self._connection.close(POLICY, "login refused")
            return
        kind = EnvelopeAgent if hello.agent else EnvelopeApp
        client = kind(self._line, room_id)
        self._room_id, self._client = room_id, client
        self._stay.admit(hello.token, room_id, client.leave)
        await client.join(envelope_id, hello)
        if self._connection.closing and not self._parts.devices.closed:
            await client.leave()  # it was closed while it came in, and left too early
        logger.info("client %s joined room %s in JSON", self._client_id, room_id)

    async def _refuse_token(self, envelope_id: str) -> None:
        """A wrong token waits; a right one is never slowed."""
        await asyncio.sleep(limits.LOGIN_REFUSAL_DELAY_SECONDS)
        code = ErrorCode.UNAUTHENTICATED
        words = f"{ERRORS[code].meaning} {ERRORS[code].next_step}"
        self._line.error(code, words, envelope_id, "payload.token")

    async def leave(self) -> None:
        """The connection is over; does nothing the second time."""
        self._client = None
        await self._stay.end()

    async def serve(self) -> None:
        """Handle messages until the connection ends."""
        client = self._client
        if client is None:
            await self._next()  # it is closing: nothing more is taken
        else:
            await client.serve(partial(self._listen, client))

    async def _listen(self, client: EnvelopeApp | EnvelopeAgent) -> None:
        while (envelope := await self._next()) is not None:
            try:
                await self._handle(client, envelope)
            except LineUpError as error:
                logger.info("client %s: %s refused", self._client_id, envelope.payload.TYPE)
                self._line.error(error.code, error.message, envelope.id, error.field)

    async def _handle(self, client: EnvelopeApp | EnvelopeAgent, envelope: Envelope) -> None:
        match envelope.payload:
            case m.Ping():
                self._line.write(m.Pong(ref=envelope.id))
            case m.Pong() | m.Ack() | m.Error():
                pass  # answers to what the relay does not ask
            case m.Hello() as hello:
                await self._say_hello(client, envelope.id, hello)
            case payload if not await client.handle(envelope):
                whom = "agents" if isinstance(client, EnvelopeAgent) else "apps"
                raise LineUpError(
                    ErrorCode.NOT_SUPPORTED,
                    f"this relay does not take {payload.TYPE} from {whom}",
                    field="type",
                )
            case _:
                pass

    async def _say_hello(
        self, client: EnvelopeApp | EnvelopeAgent, envelope_id: str, hello: m.Hello
    ) -> None:
        """A second hello renames; another room's token is refused, the connection stays."""
        if await self._parts.relay.authenticate(hello.token) != self._room_id:
            await self._refuse_token(envelope_id)
        elif bool(hello.agent) != isinstance(client, EnvelopeAgent):
            raise LineUpError(
                ErrorCode.INVALID_ARGUMENT,
                "an app stays an app and an agent an agent: connect anew",
                field="payload.agent",
            )
        else:
            await client.say_hello(envelope_id, hello)

    async def _next(self) -> Envelope | None:
        """The next message; None at the end. What comes while it closes is dropped."""
        while not self._ended:
            event = await self._receive()
            if event["type"] == "websocket.disconnect":
                self._ended = True
            elif not self._connection.closing:
                try:
                    return _read(event.get("text"))
                except EnvelopeError as error:
                    self._refuse(error)
        return None

    def _refuse(self, error: EnvelopeError) -> None:
        """Say what is wrong; too many frames that are no envelopes end the connection."""
        logger.info("client %s sent no message: %s", self._client_id, error.code.value)
        self._line.error(error.code, error.message, error.ref, error.field)
        if error.malformed and self._malformed.one_too_many():
            self._connection.close(POLICY, "too many malformed frames")


def _read(text: str | None) -> Envelope:
    if text is None:
        raise EnvelopeError(
            ErrorCode.INVALID_ARGUMENT,
            "this connection speaks in text frames",
            malformed=True,
            ref="",
        )
    return parse(text)
