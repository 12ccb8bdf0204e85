"""Effects for devices → WebSocket messages, in one form for each kind of client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from lineup_srv.contract import limits
from lineup_srv.domain.call_effects import ShowCall, ShowCallUpdate, ShowRefusedTools
from lineup_srv.domain.effects import (
    SendAck,
    SendOnline,
    SendPending,
    SendValidity,
    ShowAgents,
    ShowDevices,
    ShowPictureShown,
    ShowPresence,
    ShowReply,
    ShowRequest,
    ShowSaid,
    ShowSetting,
    ShowSignal,
    ShowState,
    ShowText,
    ShowTextReceived,
    Welcome,
)
from lineup_srv.transports.mapping.agents import (
    agents_message,
    picture_message,
    said_message,
)
from lineup_srv.transports.mapping.calls import call_message, update_message
from lineup_srv.transports.mapping.request_messages import request_messages
from lineup_srv.transports.mapping.room import devices_message, setting_message
from lineup_srv.transports.mapping.signals import signal_to_wire
from lineup_srv.transports.mapping.texts import text_to_wire
from lineup_srv.transports.mapping.tools import refused_message
from lineup_srv.wire._gen.lineup.v1 import agent_pb2, client_pb2
from lineup_srv.wire._gen.lineup.v1 import websocket_pb2 as ws
from lineup_srv.wire.cmd import Cmd
from lineup_srv.wire.codes import code_to_wire

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineup_srv.domain.effects import Message
    from lineup_srv.domain.people import Member
    from lineup_srv.transports.mapping.contents import Links

__all__ = ["FEATURES", "RelayFacts", "ack_message", "messages_for", "online_user"]

FEATURES = ("history", "extend_deadline", "settings", "devices", "tools", "pairing", "miniapps")
_LIMITS = {
    "message_bytes": limits.FRAME_BYTES,
    "contents_per_message": limits.CONTENTS_PER_MESSAGE,
    "history_page_messages": limits.HISTORY_PAGE_MESSAGES,
    "settings_per_room": limits.SETTINGS_PER_ROOM,
    "setting_bytes": limits.SETTING_BYTES,
}


@dataclass(frozen=True, slots=True)
class RelayFacts:
    """What the relay says about itself."""

    version: str
    log_id: str


# What clients with client_info alone know.
_Extension = (
    ShowText
    | ShowTextReceived
    | ShowSaid
    | ShowPictureShown
    | ShowAgents
    | ShowDevices
    | ShowSetting
    | ShowCall
    | ShowCallUpdate
    | ShowRefusedTools
)


def messages_for(
    message: Message,
    bodies: Mapping[str, bytes],
    *,
    extended: bool,
    relay: RelayFacts,
    clock_unix_ms: int,
    links: Links | None = None,
) -> list[ws.WebsocketMessage]:
    """The frames of one effect for one kind of client.

    Args:
        message: the effect.
        bodies: the bytes behind its references.
        extended: for clients with client_info; the others get frozen messages only (wire §1).
        relay: facts for the login.
        clock_unix_ms: the relay's clock.
        links: for clients with client_info: large contents go as links (wire §4).

    Returns:
        No, one or two messages.
    """
    match message:
        case ShowRequest() | ShowReply() | ShowState() | SendPending():
            return request_messages(message, bodies, links, extended=extended)
        case ShowSignal():
            return signal_to_wire(message, clock_unix_ms, extended=extended)
        case SendOnline():
            return [_online(message)]
        case SendValidity():
            return [_validity(message)]
        case ShowPresence():
            return [_presence(message, clock_unix_ms)]
        case Welcome():
            return _welcome(message, relay, clock_unix_ms)
        case SendAck():
            return [ack_message(message)]
        case _:
            return [_extension(message, bodies, links, clock_unix_ms)] if extended else []


def _extension(  # noqa: C901 - one case for each kind
    message: _Extension, bodies: Mapping[str, bytes], links: Links | None, clock_unix_ms: int
) -> ws.WebsocketMessage:
    match message:
        case ShowText():
            return _text(message, bodies, links)
        case ShowTextReceived():
            return _text_received(message)
        case ShowSaid():
            return said_message(message, bodies, links)
        case ShowPictureShown():
            return picture_message(message, bodies, links)
        case ShowAgents():
            return agents_message(message)
        case ShowDevices():
            return devices_message(message)
        case ShowSetting():
            return setting_message(message)
        case ShowCall():
            return call_message(message, bodies, clock_unix_ms)
        case ShowCallUpdate():
            return update_message(message, bodies, links)
        case ShowRefusedTools():
            return refused_message(message)
        case _:  # pragma: no cover - mypy proves that nothing is left
            assert_never(message)


def _text(
    message: ShowText, bodies: Mapping[str, bytes], links: Links | None
) -> ws.WebsocketMessage:
    text = text_to_wire(message.text, bodies, links, received=message.received)
    return ws.WebsocketMessage(Cmd=Cmd.TEXT.value, text=text, seq=message.seq)


def _text_received(message: ShowTextReceived) -> ws.WebsocketMessage:
    """Only that the agent has it: what it says was shown before."""
    text = agent_pb2.Text(message_id=message.text_id, received=True)
    return ws.WebsocketMessage(Cmd=Cmd.TEXT.value, text=text, seq=message.seq)


def _online(message: SendOnline) -> ws.WebsocketMessage:
    users = [online_user(member) for member in message.members]
    return ws.WebsocketMessage(
        Cmd=Cmd.GET_ONLINE_USERS.value,
        GetOnlineUsersResponse=ws.GetOnlineUsersResponse(
            online_users=users, total_count=len(users)
        ),
    )


def _validity(message: SendValidity) -> ws.WebsocketMessage:
    return ws.WebsocketMessage(
        Cmd=Cmd.CHECK_MESSAGE_VALIDITY.value,
        CheckMessageValidityResponse=ws.CheckMessageValidityResponse(
            validity=dict(message.validity)
        ),
    )


def online_user(member: Member) -> ws.OnlineUser:
    """A member as the frozen messages name it; its time is in Unix seconds."""
    return ws.OnlineUser(
        client_id=member.author.client_id,
        nickname=member.author.nickname,
        connected_at=member.connected_unix_ms // 1000,
    )


def _presence(message: ShowPresence, clock_unix_ms: int) -> ws.WebsocketMessage:
    return ws.WebsocketMessage(
        Cmd=Cmd.USER_CONNECTION_STATUS.value,
        UserConnectionStatusNotification=ws.UserConnectionStatusNotification(
            user=online_user(message.member),
            status="connected" if message.connected else "disconnected",
            timestamp=clock_unix_ms // 1000,
        ),
    )


def _welcome(message: Welcome, relay: RelayFacts, clock_unix_ms: int) -> list[ws.WebsocketMessage]:
    login = ws.WebsocketMessage(
        Cmd=Cmd.USER_LOGIN.value,
        StrParam=relay.version,
        Nickname=message.member.author.nickname,
        UserLoginResponse=ws.UserLoginResponse(
            client_id=message.member.author.client_id, success=True
        ),
    )
    if not message.member.extended or message.renamed:
        return [login]
    info = client_pb2.ServerInfo(
        version=relay.version,
        protocol=1,
        clock_unix_ms=clock_unix_ms,
        limits=_LIMITS,
        features=FEATURES,
        last_seq=message.last_seq,
        log_id=relay.log_id,
    )
    return [login, ws.WebsocketMessage(Cmd=Cmd.SERVER_INFO.value, server_info=info)]


def ack_message(ack: SendAck) -> ws.WebsocketMessage:
    """An Ack."""
    return ws.WebsocketMessage(
        Cmd=Cmd.ACK.value,
        ack=client_pb2.Ack(
            ref=ack.ref, accepted=ack.accepted, code=code_to_wire(ack.code), message=ack.message
        ),
        seq=ack.seq,
    )
