"""A visit on RelayService: what `lineup-mcp doctor` asks a relay without coming as an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import grpc

from lineup_srv.wire._gen.lineup.v1 import relay_pb2
from tests.service.stage import ROOM
from tests.transports.bridges import event
from tests.transports.house import VERSION

if TYPE_CHECKING:
    from tests.transports.bridges import Bridge


async def test_a_visit_is_told_of_the_relay_and_seen_by_nobody(bridge: Bridge) -> None:
    stream = bridge.visit()
    first, second = await event(stream), await event(stream)
    assert first.attached.version == VERSION
    assert second.devices_online == relay_pb2.DevicesOnline(count=0)
    assert await event(stream) is grpc.aio.EOF
    runner = await bridge.house.relay.rooms.get(ROOM)
    assert not runner.room.live.agents
