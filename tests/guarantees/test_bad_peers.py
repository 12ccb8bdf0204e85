"""Devices that read nothing, or are gone without a word: the others do not notice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.wire._gen.lineup.v1 import agent_pb2, relay_pb2, websocket_pb2
from tests.guarantees.asking import asker
from tests.guarantees.pages import read_on
from tests.guarantees.sockets import PING, bare_device
from tests.system.devices import device
from tests.system.processes import relay

if TYPE_CHECKING:
    from pathlib import Path

    from tests.guarantees.asking import Asker
    from tests.system.devices import Device

pytestmark = [pytest.mark.system, pytest.mark.timeout(90)]

TEXTS = 200
TEXT_BYTES = 50_000
QUEUE = {"CONNECTION_QUEUE_MESSAGES": 50}
SMALL_BUFFER = 65_536
TOO_SLOW = 1013
QUICK_PINGS = {"WEBSOCKET_PING_SECONDS": 1, "WEBSOCKET_DEAD_SECONDS": 1}


async def say(agent: Asker, content: str) -> int:
    """Show a text on every device; returns its log number."""
    text = agent_pb2.Text(agent_id=agent.agent_id, content=content)
    request = relay_pb2.SendTextRequest(text=text)
    return (await agent.stub.SendText(request, metadata=agent.metadata)).seq


async def goes(one: Device, nickname: str) -> websocket_pb2.WebsocketMessage:
    """The notice that a device is gone."""
    return await one.sees(
        "UserConnectionStatusNotification",
        lambda m: (
            m.UserConnectionStatusNotification.user.nickname == nickname
            and m.UserConnectionStatusNotification.status == "disconnected"
        ),
    )


@pytest.mark.requirement("design:guarantees:slow-delays-nobody")
async def test_a_device_that_never_reads_delays_nobody_is_closed_and_reads_on_later(
    token: str, tmp_path: Path
) -> None:
    async with (
        relay(tmp_path / "relay", token=token, limits=QUEUE) as server,
        asker(server.grpc, token, "one") as agent,
        device(server.http, token, "Ann") as ann,
        device(server.http, token, "Phone", extended=False) as phone,
        bare_device(server.http, token, "Stuck", buffer_bytes=SMALL_BUFFER) as stuck,
    ):
        last = [await say(agent, f"{number}".ljust(TEXT_BYTES)) for number in range(TEXTS)][-1]
        # Stuck has read nothing since its login; everybody else has everything, in its order.
        await ann.sees("Text", lambda m: m.seq == last)
        told = [m.text.content.strip() for m in ann.received if m.Cmd == "Text"]
        assert told == [str(number) for number in range(TEXTS)]
        await goes(ann, "Stuck")
        call = agent.begin("And now?")
        asked = await phone.card("And now?")
        await ann.answer_and_ack(asked.ID, "all well")
        assert (await call).contents[0].text.text == "all well"
        await agent.idle()
        assert await stuck.closed_with() == TOO_SLOW
        async with device(server.http, token, "Stuck") as again:
            assert await read_on(again) == await read_on(ann)


@pytest.mark.requirement("B46", "design:guarantees:dead-sockets-go")
@pytest.mark.parametrize("reads", [True, False], ids=["reads", "reads nothing"])
async def test_a_device_that_answers_no_ping_is_gone(
    token: str, tmp_path: Path, reads: bool
) -> None:
    async with (
        relay(tmp_path / "relay", token=token, limits=QUICK_PINGS) as server,
        asker(server.grpc, token, "one") as agent,
        device(server.http, token, "Ann") as ann,
        bare_device(server.http, token, "Gone", buffer_bytes=SMALL_BUFFER) as gone,
    ):
        if reads:
            opcodes = []
            while (frame := await gone.frame()) is not None:
                opcodes.append(frame[0])
            assert PING in opcodes
        else:
            # More than the kernels take, less than the relay's own queue: only pings can tell.
            for number in range(TEXTS):
                await say(agent, f"{number}".ljust(TEXT_BYTES))
        await goes(ann, "Gone")
        assert ann.close_code is None


@pytest.mark.requirement("B44", "design:guarantees:dead-sockets-go")
def test_pings_keep_proxies_open_and_find_the_dead_within_45_seconds() -> None:
    """nginx cuts what is silent for 60 s; 20 s leave room for two lost pings."""
    assert limits.WEBSOCKET_PING_SECONDS == 20
    assert limits.WEBSOCKET_PING_SECONDS + limits.WEBSOCKET_DEAD_SECONDS <= 45
