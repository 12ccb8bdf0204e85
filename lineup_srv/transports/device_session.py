"""A device's WebSocket in protobuf: login, then commands (wire §3 and §4)."""

from __future__ import annotations

import asyncio
import logging
import time
from functools import partial
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ERRORS, ErrorCode, LineUpError
from lineup_srv.contract.ids import DeviceId, Ref, TabId
from lineup_srv.domain.acks import RefCommand
from lineup_srv.domain.commands import Login, Logout
from lineup_srv.domain.decision import Refused
from lineup_srv.domain.effects import Only, SendAck
from lineup_srv.domain.people import Author, Member
from lineup_srv.service.bodies import Intake
from lineup_srv.transports.frames import MalformedFrames
from lineup_srv.transports.history import history_page
from lineup_srv.transports.mapping.calls import call_said
from lineup_srv.transports.mapping.checks import checked
from lineup_srv.transports.mapping.incoming import DEVICE_CMDS, Sender, device_command
from lineup_srv.transports.mapping.messages import ack_message
from lineup_srv.transports.mapping.pairing import pairing_message, wish_from_wire
from lineup_srv.transports.mapping.room import setting_from_wire
from lineup_srv.transports.mapping.tools import offer_from_wire
from lineup_srv.transports.pace import Pace
from lineup_srv.transports.stay import POLICY, TRY_AGAIN, Stay
from lineup_srv.wire._gen.lineup.v1 import websocket_pb2 as ws
from lineup_srv.wire.cmd import Cmd
from lineup_srv.wire.codec import MalformedFrame, decode_frame, encode_frame

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.types import Receive, Send

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.service.pairing import PairingTold
    from lineup_srv.transports.websocket import WebSocketParts

__all__ = ["DeviceSession"]

logger = logging.getLogger(__name__)

_UNPACED = (Cmd.GET_PENDING_MESSAGES.value, Cmd.PING.value)
"""Heartbeats are never held back (wire §3)."""
_OTHER_TOKEN = LineUpError(
    ErrorCode.UNAUTHENTICATED, "this connection belongs to another token", field="StrParam"
)


class DeviceSession:
    """One connection: `log_in`, `serve`, `leave`. The login sets `room_id` and `member`."""

    def __init__(self, parts: WebSocketParts, receive: Receive, send: Send) -> None:
        """Speak on a socket that was accepted."""
        self._parts = parts
        self._receive = receive
        self._stay = Stay(parts, send)
        self._connection = self._stay.connection
        self._client_id = self._stay.client_id
        self._pace = Pace(time.monotonic)
        self._malformed = MalformedFrames(parts.clock)
        self._ended = False
        self._room_id: RoomId | None = None
        self._member: Member | None = None
        self._handlers: dict[str, Callable[[ws.WebsocketMessage], Awaitable[None]]] = {
            Cmd.USER_LOGIN.value: self._rename,
            Cmd.GET_HISTORY.value: self._history,
            Cmd.SETTINGS.value: self._set,
            Cmd.PING.value: self._accept,
            Cmd.PAIRING.value: self._pair,
            Cmd.TOOL_LIST.value: self._announce,
            Cmd.TOOL_CALL_UPDATE.value: self._update_call,
            **dict.fromkeys(DEVICE_CMDS, self._submit),
        }

    # Login -------------------------------------------------------------------------------------

    async def log_in(self, until: float) -> None:
        """Wait for UserLogin (loop time) and join; afterwards the connection may be closing."""
        try:
            async with asyncio.timeout_at(until):
                message = await self._next()
                while message is not None and message.Cmd != Cmd.USER_LOGIN.value:
                    self._ack_now(message, ErrorCode.UNAUTHENTICATED)
                    message = await self._next()
        except TimeoutError:
            self._connection.close(POLICY, "not logged in in time")
            return
        if message is None:
            return
        try:
            await self._join(message)
        except LineUpError as error:
            # The token may be right: a client must not take this for a refusal.
            logger.warning("client %s cannot join: %s", self._client_id, error)
            self._connection.release([])
            self._ack_now(message, error.code, error.message)
            self._connection.close(TRY_AGAIN, error.code.value)

    async def _join(self, message: ws.WebsocketMessage) -> None:
        room_id = await self._parts.relay.authenticate(message.StrParam)
        if room_id is None:
            await self._refuse_login(message)
            return
        try:
            member = self._member_from(message)
        except LineUpError as error:
            await self._refuse_login(message, error)
            return
        self._room_id, self._member = room_id, member
        self._stay.admit(message.StrParam, room_id, partial(self._log_out, room_id))
        info = message.client_info
        self._connection.hold()
        self._parts.devices.add(self._client_id, self._connection)
        self._parts.devices.take_tab(room_id, info.device_id, info.tab_id, self._client_id)
        await self._submit_login(room_id, member, message)
        if member.extended:
            await self._parts.relay.settings.show_all(room_id, Only(self._client_id))
        logger.info("client %s joined room %s", self._client_id, room_id)

    async def _submit_login(
        self, room_id: RoomId, member: Member, message: ws.WebsocketMessage
    ) -> None:
        login = Login(self._parts.relay.new_command_id(), member, Ref(message.ref))
        result = await (await self._parts.relay.submit(room_id, login))
        if isinstance(result, Refused):
            raise LineUpError(result.code, result.message)

    def _member_from(self, message: ws.WebsocketMessage) -> Member:
        info = message.client_info
        nickname = checked(message.Nickname.strip(), "Nickname")
        return Member(
            author=Author(
                client_id=self._client_id,
                device_id=DeviceId(checked(info.device_id, "client_info.device_id")),
                nickname=nickname or f"User_{self._client_id[:8]}",
                platform=checked(info.platform, "client_info.platform"),
            ),
            extended=message.HasField("client_info"),
            visible=info.visible,
            connected_unix_ms=self._parts.clock.unix_ms(),
            tab_id=TabId(checked(info.tab_id, "client_info.tab_id")),
        )

    async def _refuse_login(
        self, message: ws.WebsocketMessage, error: LineUpError | None = None
    ) -> None:
        """A failed login waits, is told so and is closed; a right token is never slowed."""
        await self._say_refused(message, error)
        self._connection.close(POLICY, "login refused")

    async def _say_refused(
        self, message: ws.WebsocketMessage, error: LineUpError | None = None
    ) -> None:
        await asyncio.sleep(limits.LOGIN_REFUSAL_DELAY_SECONDS)
        entry = ERRORS[ErrorCode.UNAUTHENTICATED]
        words = f"{entry.meaning} {entry.next_step}" if error is None else error.in_full
        refusal = ws.WebsocketMessage(
            Cmd=Cmd.USER_LOGIN.value,
            StrParam=self._parts.facts.version,
            UserLoginResponse=ws.UserLoginResponse(success=False, error_message=words),
        )
        self._connection.write(encode_frame(refusal))
        code = ErrorCode.UNAUTHENTICATED if error is None else error.code
        self._ack_now(message, code, words)

    async def _rename(self, message: ws.WebsocketMessage) -> None:
        """A second login renames; another room's token is refused, the socket stays."""
        room_id, member = self._here()
        if await self._parts.relay.authenticate(message.StrParam) != room_id:
            await self._say_refused(message, _OTHER_TOKEN)
            return
        try:
            renamed = self._member_from(message)
        except LineUpError as error:
            await self._say_refused(message, error)
            return
        if self._connection.closing:
            return  # it has left the room meanwhile
        author = renamed.author if message.HasField("client_info") else member.author
        self._member = Member(
            author=Author(
                author.client_id, author.device_id, renamed.author.nickname, author.platform
            ),
            extended=member.extended or renamed.extended,
            visible=renamed.visible if message.HasField("client_info") else member.visible,
            connected_unix_ms=member.connected_unix_ms,
            tab_id=renamed.tab_id if message.HasField("client_info") else member.tab_id,
        )
        await self._submit_login(room_id, self._member, message)

    async def _log_out(self, room_id: RoomId) -> None:
        relay = self._parts.relay
        await relay.submit(room_id, Logout(relay.new_command_id(), self._client_id))

    async def leave(self) -> None:
        """The connection is over; does nothing the second time."""
        await self._stay.end()

    def _here(self) -> tuple[RoomId, Member]:
        assert self._room_id is not None
        assert self._member is not None
        return self._room_id, self._member

    # Commands ----------------------------------------------------------------------------------

    async def serve(self) -> None:
        """Handle commands until the connection ends."""
        while (message := await self._next()) is not None:
            handler = self._handlers.get(message.Cmd)
            if handler is None:
                self._ack_now(message, ErrorCode.UNKNOWN_COMMAND)
                continue
            if message.Cmd not in _UNPACED:
                await self._pace.turn()
            try:
                await handler(message)
            except LineUpError as error:
                logger.info("client %s: %s refused, %s", self._client_id, message.Cmd, error.code)
                self._ack_now(message, error.code, error.in_full)

    async def _next(self) -> ws.WebsocketMessage | None:
        """The next well-formed message; None at the end. What comes while it closes is dropped."""
        while not self._ended:
            event = await self._receive()
            if event["type"] == "websocket.disconnect":
                self._ended = True
                return None
            if self._connection.closing:
                continue
            data = event.get("bytes")
            try:
                if data is None:
                    raise MalformedFrame("this connection speaks in binary frames")
                message = decode_frame(data)
                if message.ref and not (
                    limits.REF_MIN_CHARACTERS <= len(message.ref) <= limits.REF_MAX_CHARACTERS
                ):
                    raise MalformedFrame("a ref has 16 to 64 characters")
            except MalformedFrame as error:
                self._count_malformed(error)
            else:
                return message
        return None

    def _count_malformed(self, error: MalformedFrame) -> None:
        """Counted and ignored (seed 002); too many in a minute end the connection."""
        logger.warning("client %s sent a malformed frame: %s", self._client_id, error)
        if self._malformed.one_too_many():
            self._connection.close(POLICY, "too many malformed frames")

    async def _submit(self, message: ws.WebsocketMessage) -> None:
        room_id, member = self._here()
        relay, intake = self._parts.relay, Intake()
        sender = Sender(member.author, relay.new_command_id(), intake)
        command = device_command(message, sender)
        await relay.keep(room_id, intake)
        if isinstance(command, RefCommand):
            await relay.submit_with_ref(room_id, command)
        else:
            await relay.submit(room_id, command)

    async def _announce(self, message: ws.WebsocketMessage) -> None:
        room_id, _ = self._here()
        offer = offer_from_wire(message.tool_list)
        await self._parts.relay.tools.announce(room_id, self._client_id, offer, Ref(message.ref))

    async def _update_call(self, message: ws.WebsocketMessage) -> None:
        room_id, member = self._here()
        intake = Intake()
        said = call_said(message, member.author, intake)
        await self._parts.relay.tools.update(room_id, said, intake)

    async def _history(self, message: ws.WebsocketMessage) -> None:
        room_id, _ = self._here()
        page = await history_page(self._parts, room_id, self._stay.client_id, message)
        self._connection.write(encode_frame(page))

    async def _pair(self, message: ws.WebsocketMessage) -> None:
        """Show a code for one more device, or decide about the one that presented it."""
        room_id, _ = self._here()
        base_url, pairings = self._parts.base_url, self._parts.pairings

        def tell(told: PairingTold, ref: str = "") -> None:
            self._connection.write(encode_frame(pairing_message(told, base_url, ref)))

        let_in = wish_from_wire(message.pairing)
        if let_in is None:
            tell(pairings.offer(room_id, self._client_id, tell), message.ref)
            return
        pairings.decide(self._client_id, let_in=let_in)
        self._ack_now(message, ErrorCode.UNSPECIFIED)

    async def _set(self, message: ws.WebsocketMessage) -> None:
        room_id, _ = self._here()
        wish = setting_from_wire(message.settings)
        await self._parts.relay.settings.write(room_id, self._client_id, Ref(message.ref), wish)

    async def _accept(self, message: ws.WebsocketMessage) -> None:
        self._ack_now(message, ErrorCode.UNSPECIFIED)

    def _ack_now(self, message: ws.WebsocketMessage, code: ErrorCode, text: str = "") -> None:
        """Acknowledge what leads to no fact."""
        if not message.ref:
            return
        accepted = code is ErrorCode.UNSPECIFIED
        ack = SendAck(
            to=Only(self._client_id),
            ref=Ref(message.ref),
            accepted=accepted,
            code=code,
            message=text or ("" if accepted else ERRORS[code].meaning),
            seq=0,
        )
        self._connection.write(encode_frame(ack_message(ack)))
