"""The relay is killed while a tool is called: nothing runs twice, and no result is lost."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from typing import TYPE_CHECKING

import grpc
import pytest

from lineup_srv.wire._gen.lineup.v1 import tool_pb2, websocket_pb2
from tests.system.devices import device
from tests.system.direct import relay_service
from tests.system.processes import PATIENCE_SECONDS, relay

if TYPE_CHECKING:
    from pathlib import Path

    from tests.system.devices import Device
    from tests.system.direct import RelayService

pytestmark = [pytest.mark.system, pytest.mark.kill]

TAB = "one-tab-of-the-device"
DONE = '{"message":"printed"}'
CALL = tool_pb2.ToolCall(
    call_id="call-of-a-printer",
    name="printer",
    action="print",
    arguments_json='{"pages":2}',
    agent_id="an-agent-without-a-bridge",
)


async def announce(one: Device) -> None:
    """The device offers a printer, whose action must not run twice."""
    tool = tool_pb2.ToolDefinition(
        name="printer",
        type=tool_pb2.TOOL_TYPE_TOOLSET,
        description="Prints",
        actions=[
            tool_pb2.ActionDefinition(
                name="print", description="Prints", input_schema_json='{"type":"object"}'
            )
        ],
    )
    ref = secrets.token_hex(16)
    said = websocket_pb2.WebsocketMessage(Cmd="ToolList", ref=ref)
    said.tool_list.tools.append(tool)
    await one.send(said)
    assert (await one.sees("Ack", lambda m: m.ack.ref == ref)).ack.accepted


async def say(one: Device, phase: tool_pb2.CallPhase, result: str = "") -> None:
    """A word of the device on the call; returns when the relay has it on its disk."""
    ref = secrets.token_hex(16)
    said = websocket_pb2.WebsocketMessage(Cmd="ToolCallUpdate", ref=ref)
    said.tool_call_update.CopyFrom(
        tool_pb2.ToolCallUpdate(call_id=CALL.call_id, phase=phase, result_json=result)
    )
    await one.send(said)
    assert (await one.sees("Ack", lambda m: m.ack.ref == ref)).ack.accepted


async def given(one: Device) -> tool_pb2.ToolCall:
    return (await one.sees("ToolCall", lambda m: m.tool_call.call_id == CALL.call_id)).tool_call


def calls_of(one: Device) -> list[str]:
    return [m.tool_call.call_id for m in one.received if m.Cmd == "ToolCall"]


async def call(service: RelayService) -> list[tool_pb2.ToolCallUpdate]:
    """All that the agent hears until the end, or until the relay dies."""
    heard: list[tool_pb2.ToolCallUpdate] = []
    with contextlib.suppress(grpc.aio.AioRpcError):
        async with asyncio.timeout(PATIENCE_SECONDS):
            await service.call(CALL, heard.append)
    return heard


@pytest.mark.requirement("seed004:calls:replay", "design:calls:runs-once")
async def test_a_call_that_runs_while_the_relay_is_killed_runs_once_and_is_answered(
    token: str, tmp_path: Path
) -> None:
    async with relay(tmp_path / "relay", token=token) as server:
        async with device(server.http, token, tab_id=TAB) as before:
            await announce(before)
            async with relay_service(server.grpc, token) as service:
                calling = asyncio.create_task(call(service))
                assert (await given(before)).arguments_json == CALL.arguments_json
                await say(before, tool_pb2.CALL_PHASE_STARTED)
                await server.kill()
                await calling
        await server.start()

        async with (
            device(server.http, token, tab_id=TAB) as back,
            device(server.http, token, "Bob") as other,
            relay_service(server.grpc, token) as service,
        ):
            replay = asyncio.create_task(call(service))
            await announce(other)
            await announce(back)
            # The tab knows the call_id, so that it sends its update and prints nothing.
            await given(back)
            await say(back, tool_pb2.CALL_PHASE_SUCCEEDED, DONE)
            told = await replay

            assert (told[-1].phase, told[-1].result_json) == (
                tool_pb2.CALL_PHASE_SUCCEEDED,
                DONE,
            )
            assert calls_of(other) == []


@pytest.mark.requirement("seed004:calls:replay", "design:guarantees:acknowledged-is-kept")
async def test_a_result_that_was_acknowledged_is_there_after_the_relay_was_killed(
    token: str, tmp_path: Path
) -> None:
    async with relay(tmp_path / "relay", token=token) as server:
        async with device(server.http, token, tab_id=TAB) as before:
            await announce(before)
            async with relay_service(server.grpc, token) as service:
                calling = asyncio.create_task(call(service))
                await given(before)
                await say(before, tool_pb2.CALL_PHASE_SUCCEEDED, DONE)
                await server.kill()
                await calling
        await server.start()

        async with (
            device(server.http, token, tab_id=TAB) as back,
            relay_service(server.grpc, token) as service,
        ):
            await announce(back)
            [end] = await call(service)
            assert (end.phase, end.result_json) == (tool_pb2.CALL_PHASE_SUCCEEDED, DONE)
            assert calls_of(back) == []
