"""What tests of what devices say have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage

if TYPE_CHECKING:
    import asyncio

    from lineup_srv.service.ports import OutcomeTold
    from lineup_srv.wire._gen.lineup.v1 import websocket_pb2 as ws
    from tests.transports.house import House
    from tests.transports.sockets import Wire

__all__ = ["REF", "asked", "commands", "online"]

REF = "ref-of-this-message"


def commands(messages: list[WebsocketMessage]) -> list[str]:
    return [message.Cmd for message in messages]


async def online(house: House, wire: Wire) -> list[ws.OnlineUser]:
    answer = await house.tell(wire, WebsocketMessage(Cmd="GetOnlineUsers"))
    assert answer.GetOnlineUsersResponse.total_count == len(
        answer.GetOnlineUsersResponse.online_users
    )
    return list(answer.GetOnlineUsersResponse.online_users)


async def asked(house: House, *wires: Wire, request_id: str = "q") -> asyncio.Task[OutcomeTold]:
    """A question that an agent waits for, and that these devices have heard of."""
    waiting = await house.begin(house.ask(request_id))
    for wire in wires:
        assert "AskQuestion" in await house.commands(wire)
    return waiting
