"""The stream of RelayService, which is the lease of an agent."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import grpc

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.service.ports import DevicesCounted
from lineup_srv.transports.grpc_server import build_grpc_server
from lineup_srv.transports.relay_calls import AgentStream
from lineup_srv.wire._gen.lineup.v1 import relay_pb2
from tests.domain.playbook import NOW, TIMEOUT, moves_deadline, replies
from tests.service.memory import PATIENCE
from tests.system.cable import cable
from tests.transports.bridges import Bridge, event, noticed, refused
from tests.transports.house import VERSION, House

if TYPE_CHECKING:
    import pytest


async def test_the_outcome_of_what_the_agent_waits_for_comes_on_its_stream(
    bridge: Bridge,
) -> None:
    await bridge.open("q")
    async with bridge.attached("q") as stream:
        await bridge.house.do(replies("q", "yes"))

        outcome = (await event(stream)).outcome
        assert (outcome.request_id, outcome.contents[0].text.text) == ("q", "yes")


async def test_a_stream_hears_of_unknown_requests_deadlines_mail_and_devices(
    bridge: Bridge,
) -> None:
    house = bridge.house
    await bridge.open("q")
    async with bridge.attached("q", "never") as stream:
        assert (await event(stream)).unknown_request.request_id == "never"
        await house.do(moves_deadline("q", TIMEOUT))
        assert (await event(stream)).deadline_moved == relay_pb2.DeadlineMoved(
            request_id="q", deadline_unix_ms=NOW + 2 * TIMEOUT * 1000
        )
        ann = await house.log_in("Ann")
        assert (await event(stream)).devices_online.count == 1
        ann.vanish()
        await ann.over()
        assert (await event(stream)).devices_online.count == 0
        await bridge.call("SetWaiting", relay_pb2.SetWaitingRequest(agent_id="ada"))
        await house.do(replies("q", "yes"))
        assert (await event(stream)).mailbox_count.count == 1


async def test_a_stream_that_breaks_ends_the_agent_after_its_lease(
    bridge: Bridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = bridge.house
    detached = noticed(monkeypatch, house.relay, "detach", before=False)
    async with bridge.attached() as stream:
        [presence] = (await house.runner()).room.live.agents.values()
        assert presence.attached
        stream.cancel()
        await asyncio.wait_for(detached.wait(), PATIENCE)
    [presence] = (await house.runner()).room.live.agents.values()
    assert not presence.attached
    assert not (await house.runner()).delivery.streams
    house.clock.advance(limits.AGENT_LEASE_SECONDS)
    await house.settled()

    assert not (await house.runner()).room.live.agents


async def test_a_bridge_whose_machine_fell_silent_is_noticed(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its connection never ends: a closed laptop sends no farewell."""
    monkeypatch.setattr(limits, "GRPC_PING_SECONDS", 0.2)
    monkeypatch.setattr(limits, "GRPC_DEAD_SECONDS", 0.2)
    server = build_grpc_server(house.relay, house.clock, house.ids, VERSION)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    detached = noticed(monkeypatch, house.relay, "detach", before=False)
    options = [("grpc.enable_http_proxy", 0)]
    async with (
        cable(port) as between,
        grpc.aio.insecure_channel(f"127.0.0.1:{between.port}", options=options) as channel,
        Bridge(channel, house).attached(),
    ):
        between.hold_up()

        await asyncio.wait_for(detached.wait(), 2 * PATIENCE)
    [presence] = (await house.runner()).room.live.agents.values()
    assert not presence.attached
    await server.stop(0)


async def test_a_stream_that_attaches_in_vain_is_refused(bridge: Bridge) -> None:
    bridge.house.log.unreadable = True

    async with refused("UNAVAILABLE", ErrorCode.LOG_UNAVAILABLE):
        await bridge.attach().read()
    bridge.house.log.unreadable = False


async def test_waiting_for_too_much_is_refused(bridge: Bridge) -> None:
    async with refused("INVALID_ARGUMENT", ErrorCode.TOO_LARGE, "waiting_ids"):
        await bridge.attach(*["x"] * 513).read()


async def test_a_stream_that_is_full_ends_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "AGENT_STREAM_QUEUE_MESSAGES", 2)
    stream = AgentStream()
    stream.put(DevicesCounted(1))
    stream.put(DevicesCounted(2))
    assert await stream.next() == DevicesCounted(1)
    stream.put(DevicesCounted(3))
    stream.put(DevicesCounted(4))

    # What came between is lost, so nothing of it counts: the bridge attaches again.
    assert await stream.next() is None
