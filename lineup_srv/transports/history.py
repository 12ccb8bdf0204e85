"""A page of a room's log, as a device asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.domain.effects import Only
from lineup_srv.transports.mapping.checks import fitting
from lineup_srv.transports.mapping.messages import messages_for
from lineup_srv.wire._gen.lineup.v1 import websocket_pb2 as ws
from lineup_srv.wire.cmd import Cmd

if TYPE_CHECKING:
    from lineup_srv.contract.ids import ClientId, RoomId
    from lineup_srv.transports.websocket import WebSocketParts

__all__ = ["history_page"]


async def history_page(
    parts: WebSocketParts, room_id: RoomId, client_id: ClientId, message: ws.WebsocketMessage
) -> ws.WebsocketMessage:
    """The answer to GetHistory.

    A page that is too large for one frame ends sooner, at the side it goes on from.

    Raises:
        LineUpError: LOG_UNAVAILABLE.
    """
    asked, to = message.get_history, Only(client_id)
    backward = asked.before_seq > 0
    history = parts.relay.history
    if backward:
        page = await history.before(room_id, to, asked.before_seq, asked.limit)
    else:
        page = await history.after(room_id, to, max(0, asked.after_seq), asked.limit)
    clock = parts.clock.unix_ms()
    messages = [
        frame
        for told, bodies in page.messages
        for frame in messages_for(
            told,
            bodies,
            extended=True,
            relay=parts.facts,
            clock_unix_ms=clock,
            links=parts.devices.links_of(room_id),
        )
    ]
    fit = fitting(reversed(messages))[::-1] if backward else fitting(messages)
    answer = ws.HistoryPage(
        messages=fit,
        floor_seq=page.floor_seq,
        last_seq=page.last_seq,
        more=page.more or len(fit) < len(messages),
        reset=page.reset,
    )
    return ws.WebsocketMessage(Cmd=Cmd.GET_HISTORY.value, history_page=answer, ref=message.ref)
