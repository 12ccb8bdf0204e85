"""A device's way back to the room's state: pages of history, as the page asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.wire._gen.lineup.v1 import websocket_pb2

if TYPE_CHECKING:
    from tests.system.devices import Device

    Message = websocket_pb2.WebsocketMessage

__all__ = ["page_after", "read_on"]


async def page_after(one: Device, seq: int, *, limit: int = 200) -> websocket_pb2.HistoryPage:
    """The page after a log number."""
    seen = len(one.received)
    ask = websocket_pb2.WebsocketMessage(Cmd="GetHistory")
    ask.get_history.after_seq = seq
    ask.get_history.limit = limit
    await one.send(ask)
    return (await one.sees("GetHistory", lambda m: True, after=seen)).history_page


async def read_on(one: Device, seq: int = 0, *, limit: int = 200) -> list[Message]:
    """Everything after a log number, page by page; none of them may be a reset."""
    told: list[Message] = []
    while True:
        page = await page_after(one, seq, limit=limit)
        assert not page.reset
        told.extend(page.messages)
        if not page.more:
            return told
        assert page.messages
        seq = page.messages[-1].seq
