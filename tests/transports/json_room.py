"""What tests of JSON apps and agents in one room have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.wire.envelope import messages as m

if TYPE_CHECKING:
    from lineup_srv.wire._gen.lineup.v1 import agent_pb2
    from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
    from tests.transports.house import House
    from tests.transports.talk import Talk

__all__ = ["LONG_ID", "acks", "greeted", "texts"]

LONG_ID = "an-id-of-more-than-16-characters"


def texts(told: list[WebsocketMessage]) -> list[agent_pb2.Text]:
    return [message.text for message in told if message.Cmd == "Text"]


async def greeted(house: House, talk: Talk) -> list[m.Hello]:
    """The hellos of agents, which come after a while of their own."""
    house.clock.advance(1)
    return [payload for payload in await talk.news() if isinstance(payload, m.Hello)]


async def acks(talk: Talk) -> list[m.Ack]:
    """The Acks among its news."""
    return [payload for payload in await talk.news() if isinstance(payload, m.Ack)]
