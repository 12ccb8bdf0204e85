"""What an idle device and a pending question cost the relay in memory."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2, relay_pb2
from tests.bench.ask import METADATA, QUESTION, asking
from tests.bench.crowd import crowd
from tests.bench.lines import Section
from tests.bench.processes import relay

if TYPE_CHECKING:
    from lineup_srv.wire._gen.lineup.v1 import relay_pb2_grpc
    from tests.bench.lines import Options

__all__ = ["measure"]

DEVICES = 5_000
PER_ROOM = 10
AGENTS = 10
QUESTIONS_EACH = 200


async def measure(options: Options) -> list[Section]:
    """Resident memory before and after; the first of each kind is not counted."""
    return [await _devices(options), await _questions(options)]


async def _devices(options: Options) -> Section:
    async with relay(options.folder / "devices") as process:
        async with crowd(process.address, 10, login=True):
            before = process.resident_kib()
        async with crowd(process.address, DEVICES, login=True, per_room=PER_ROOM):
            after = process.resident_kib()
    section = Section(f"{DEVICES:,} idle devices, {PER_ROOM} in a room")
    section.add("each", (after - before) / DEVICES, "KiB", "28")
    section.add("the relay with all of them", after / 1024, "MiB", "200")
    return section


async def _questions(options: Options) -> Section:
    async with relay(options.folder / "questions") as process, asking(process.address) as stub:
        await _ask(stub, "first", 0)
        before = process.resident_kib()
        for agent in range(AGENTS):
            await asyncio.gather(
                *(_ask(stub, f"agent-{agent}", number) for number in range(QUESTIONS_EACH))
            )
        after = process.resident_kib()
    section = Section(f"{AGENTS * QUESTIONS_EACH:,} pending questions whose calls are over")
    section.add("each", (after - before) / (AGENTS * QUESTIONS_EACH), "KiB", "12")
    return section


async def _ask(stub: relay_pb2_grpc.RelayServiceAsyncStub, agent: str, number: int) -> None:
    question = agent_assist_pb2.AskQuestionRequest(
        ID=f"bench-{agent}-{number:06d}",
        Request=agent_assist_pb2.McpAskQuestionRequest(
            ProjectDirectory="/srv/shop-api",
            Question=f"{QUESTION} {number}",
            Timeout=3_600,
            AgentName="bench",
            McpClientName="bench",
            agent_id=agent,
            machine="bench-machine",
        ),
    )
    request = relay_pb2.OpenRequestRequest(question=question, wait_ms=0)
    await stub.OpenRequest(request, metadata=METADATA)
