"""One 1 kB message to 1,000 devices, until the last one has it."""

from __future__ import annotations

import secrets
import statistics
from typing import TYPE_CHECKING

from lineup_srv.wire._gen.lineup.v1 import agent_pb2, websocket_pb2
from tests.bench.crowd import crowd
from tests.bench.lines import Section
from tests.bench.processes import bare_broadcast, relay

if TYPE_CHECKING:
    from tests.bench.lines import Options

__all__ = ["measure"]

DEVICES = 1_000
MESSAGES = 20
TEXT_CHARACTERS = 950
"""The message's other fields make it 1 kB."""


async def measure(options: Options) -> list[Section]:
    """A device's text to all agents, which all devices are shown, beside bare broadcasting."""
    ours, floor = [], []
    for number in range(options.rounds):
        async with (
            relay(options.folder / str(number)) as process,
            crowd(process.address, DEVICES, login=True) as people,
        ):
            for _ in range(MESSAGES):
                message, mark = _text()
                ours.append(await people.time_to_all(message, mark, DEVICES))
        async with (
            bare_broadcast() as process,
            crowd(process.address, DEVICES, login=False) as people,
        ):
            for _ in range(MESSAGES):
                message, mark = _text()
                floor.append(await people.time_to_all(message, mark, DEVICES))
    section = Section(f"one 1 kB message to {DEVICES:,} devices, the last one has it, p50")
    section.add("relay, durable", statistics.median(ours) * 1000, "ms")
    section.add("websockets' broadcast()", statistics.median(floor) * 1000, "ms")
    section.add("ratio", statistics.median(ours) / statistics.median(floor), "", "1.8")
    return [section]


def _text() -> tuple[bytes, bytes]:
    """A text with a mark in it that no other has."""
    mark = secrets.token_hex(16)
    message = websocket_pb2.WebsocketMessage(
        Cmd="Text",
        ref=secrets.token_hex(16),
        text=agent_pb2.Text(content=mark.ljust(TEXT_CHARACTERS, "x")),
    )
    return message.SerializeToString(), mark.encode()
