"""Tools over protobuf: devices announce and answer, a bridge lists, calls, waits and withdraws."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.transports.grpc_server import build_grpc_server
from lineup_srv.wire._gen.lineup.v1 import error_pb2, relay_pb2, relay_pb2_grpc, tool_pb2
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from lineup_srv.wire.codes import ERROR_METADATA_KEY
from tests.service.memory import PATIENCE
from tests.transports.house import VERSION

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.transports.house import House
    from tests.transports.sockets import Wire

TOKEN = (("authorization", "Bearer token"),)
REF = "ref-of-a-tool-message"
SCHEMA = '{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}'
PNG = "iVBORw0KGgo="


class Bridge:
    """An attached agent."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        # The generated stub is untyped.
        self._stub: Any = relay_pb2_grpc.RelayServiceStub(channel)
        self.lease: Any = None

    async def attach(self) -> None:
        identity = relay_pb2.AgentIdentity(agent_id="ada", client="coder")
        request = relay_pb2.AttachRequest(agent=identity)
        self.lease = self._stub.Attach(request, metadata=TOKEN)
        await self.event("attached")

    async def event(self, kind: str) -> Any:
        """The next event of this kind."""
        async with asyncio.timeout(PATIENCE):
            while True:
                told = await self.lease.read()
                if told.WhichOneof("event") == kind:
                    return getattr(told, kind)

    async def ask(self, name: str, request: Any) -> Any:
        return await getattr(self._stub, name)(request, metadata=TOKEN, timeout=PATIENCE)

    def call(self, call_id: str = "call-1", name: str = "calculator", **fields: Any) -> Any:
        call = tool_pb2.ToolCall(
            **{
                "call_id": call_id,
                "agent_id": "ada",
                "name": name,
                "action": "add",
                "arguments_json": '{"a":1}',
                **fields,
            }
        )
        request = relay_pb2.CallToolRequest(call=call)
        return self._stub.CallTool(request, metadata=TOKEN, timeout=PATIENCE)

    async def refused(self, stream: Any) -> error_pb2.ErrorDetail:
        """Why the stream ended without anything."""
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stream.read()
        metadata = dict(caught.value.trailing_metadata() or ())
        return error_pb2.ErrorDetail.FromString(metadata[ERROR_METADATA_KEY])


@pytest.fixture
async def bridge(house: House) -> AsyncIterator[Bridge]:
    server = build_grpc_server(house.relay, house.clock, house.ids, VERSION)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(
        f"127.0.0.1:{port}", options=[("grpc.enable_http_proxy", 0)]
    ) as channel:
        bridge = Bridge(channel)
        await bridge.attach()
        yield bridge
        await bridge.ask("Goodbye", relay_pb2.GoodbyeRequest(agent_id="ada"))
        bridge.lease.cancel()
    await server.stop(None)


def calculator(**changes: Any) -> tool_pb2.ToolDefinition:
    add = tool_pb2.ActionDefinition(
        name="add",
        description="Adds",
        input_schema_json=SCHEMA,
        hints=tool_pb2.ActionHints(read_only=True),
        result_schema_json='{"type":"object"}',
    )
    told = {
        "name": "calculator",
        "type": tool_pb2.TOOL_TYPE_TOOLSET,
        "description": "Calculates",
        "actions": [add],
        "version": "1.2",
    }
    return tool_pb2.ToolDefinition(**{**told, **changes})


def choice(**changes: Any) -> tool_pb2.ToolDefinition:
    told = {
        "name": "choice",
        "type": tool_pb2.TOOL_TYPE_ACTION,
        "description": "Asks",
        "input_schema_json": SCHEMA,
        "interactive": True,
        "hints": tool_pb2.ActionHints(read_only=True),
    }
    return tool_pb2.ToolDefinition(**{**told, **changes})


def announcement(*tools: tool_pb2.ToolDefinition, **more: Any) -> WebsocketMessage:
    return WebsocketMessage(
        Cmd="ToolList", ref=REF, tool_list=tool_pb2.ToolList(tools=tools, **more)
    )


def update(call_id: str, phase: tool_pb2.CallPhase, **fields: Any) -> WebsocketMessage:
    told = tool_pb2.ToolCallUpdate(call_id=call_id, phase=phase, **fields)
    return WebsocketMessage(Cmd="ToolCallUpdate", ref=f"{REF}-{phase}", tool_call_update=told)


async def offering(house: House, name: str, *tools: tool_pb2.ToolDefinition) -> Wire:
    """A device that offers tools."""
    wire = await house.log_in(name, device=name)
    await house.news(wire)
    assert (await house.tell(wire, announcement(*tools))).ack.accepted
    await house.settled()
    return wire


@pytest.mark.requirement("seed000:tools:calls")
async def test_what_a_device_offers_is_listed_as_it_was_told(house: House, bridge: Bridge) -> None:
    timer = calculator(name="timer")
    app = tool_pb2.Application(id="pomodoro", version="2", title="Pomodoro", tools=[timer])
    wire = await house.log_in("Phone")
    await house.news(wire)
    assert (
        await house.tell(wire, announcement(calculator(), choice(), applications=[app]))
    ).ack.accepted
    await house.settled()
    house.clock.advance(1)

    revision = (await bridge.event("catalog_changed")).revision
    listed = await bridge.ask("ListTools", relay_pb2.ListToolsRequest())
    known = await bridge.ask("ListTools", relay_pb2.ListToolsRequest(revision=revision))

    assert listed.revision == revision > 0
    assert list(listed.tools) == [calculator(), choice()]
    assert list(listed.applications) == [app]
    assert known == relay_pb2.ListToolsResponse(revision=revision)


@pytest.mark.requirement("design:tools:hostile-definitions")
async def test_bad_tools_are_told_with_their_paths_and_the_rest_is_offered(
    house: House, bridge: Bridge
) -> None:
    wire = await house.log_in("Phone")
    await house.news(wire)
    broken = [
        choice(name="a", input_schema_json="{"),
        choice(name="b", input_schema_json="[]"),
        choice(name="c", input_schema_json='{"type":"text"}'),
        choice(name="d", type=tool_pb2.TOOL_TYPE_UNSPECIFIED),
        choice(name="e", input_schema_json=""),
        choice(name=""),
        choice(),
    ]
    wire.say(announcement(choice(), *broken))

    refused = await wire.hear()
    assert (refused.Cmd, refused.ref) == ("ToolsRefused", REF)
    assert (await wire.hear()).ack.accepted
    told = [(tool.name, tool.field) for tool in refused.tools_refused.tools]
    assert told == [
        ("a", "tools[1].inputSchema"),
        ("b", "tools[2].inputSchema"),
        ("c", "tools[3].inputSchema.type"),
        ("d", "tools[4].type"),
        ("e", "tools[5].inputSchema"),
        ("", "tools[6].name"),
        ("choice", "tools[7].name"),
    ]
    assert refused.tools_refused.tools[-1].code == error_pb2.ERROR_CODE_NAME_CONFLICT
    listed = await bridge.ask("ListTools", relay_pb2.ListToolsRequest())
    assert list(listed.tools) == [choice()]


@pytest.mark.requirement("seed000:tools:calls")
async def test_a_call_goes_to_a_device_and_its_result_comes_back(
    house: House, bridge: Bridge
) -> None:
    phone = await offering(house, "Phone", calculator())
    stream = bridge.call(timeout_ms=60_000)

    given = (await phone.hear()).tool_call
    assert (given.call_id, given.name, given.action) == ("call-1", "calculator", "add")
    assert (given.arguments_json, given.agent_id) == ('{"a":1}', "ada")
    assert given.timeout_ms == 60_000
    assert (await stream.read()).update.phase == tool_pb2.CALL_PHASE_UNSPECIFIED
    await house.tell(phone, update("call-1", tool_pb2.CALL_PHASE_ACCEPTED, message="at work"))
    accepted = (await stream.read()).update
    assert (accepted.phase, accepted.message) == (tool_pb2.CALL_PHASE_ACCEPTED, "at work")
    await house.tell(
        phone,
        update("call-1", tool_pb2.CALL_PHASE_PROGRESS, progress=1, total=2, message="half"),
    )
    half = (await stream.read()).update
    assert (half.phase, half.progress, half.total, half.message) == (
        tool_pb2.CALL_PHASE_PROGRESS, 1, 2, "half",
    )  # fmt: skip
    picture = {"type": 2, "image": {"type": "image", "data": PNG, "mime_type": "image/png"}}
    done = update(
        "call-1",
        tool_pb2.CALL_PHASE_SUCCEEDED,
        result_json='{"message":"2","instance_id":"i"}',
        contents=[picture],
    )
    assert (await house.tell(phone, done)).ack.accepted

    told = await stream.read()
    assert (told.nickname, told.platform) == ("Phone", "test")
    assert told.changed_unix_ms == house.clock.now
    assert told.deadline_unix_ms > house.clock.now
    assert told.update.phase == tool_pb2.CALL_PHASE_SUCCEEDED
    assert json.loads(told.update.result_json) == {"message": "2", "instance_id": "i"}
    assert told.update.instance_id == "i"
    assert told.update.contents[0].image.data == PNG
    assert await stream.read() is grpc.aio.EOF
    await bridge.ask(
        "AckMessages", relay_pb2.AckMessagesRequest(agent_id="ada", call_ids=["call-1"])
    )
    again = bridge.call(name="", arguments_json="", action="")
    assert (await again.read()).update.result_json == told.update.result_json


async def test_a_call_is_withdrawn_and_the_device_is_told(house: House, bridge: Bridge) -> None:
    phone = await offering(house, "Phone", calculator())
    stream = bridge.call()
    await phone.hear()
    await stream.read()

    cancel = relay_pb2.CancelCallRequest(agent_id="ada", call_id="call-1")
    await bridge.ask("CancelCall", cancel)

    assert (await stream.read()).update.phase == tool_pb2.CALL_PHASE_CANCELLED
    told = (await phone.hear()).tool_call_update
    assert (told.call_id, told.phase) == ("call-1", tool_pb2.CALL_PHASE_CANCELLED)


async def test_a_failure_has_its_code_and_its_words(house: House, bridge: Bridge) -> None:
    phone = await offering(house, "Phone", calculator())
    stream = bridge.call()
    await phone.hear()
    await stream.read()
    failed = update(
        "call-1",
        tool_pb2.CALL_PHASE_FAILED,
        code=error_pb2.ERROR_CODE_NOT_SUPPORTED,
        message="not here",
    )
    await house.tell(phone, failed)

    told = (await stream.read()).update
    assert (told.phase, told.code, told.message) == (
        tool_pb2.CALL_PHASE_FAILED, error_pb2.ERROR_CODE_NOT_SUPPORTED, "not here",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"call_id": ""}, ErrorCode.INVALID_ARGUMENT, "call.call_id"),
        ({"call_id": "", "name": ""}, ErrorCode.INVALID_ARGUMENT, "call.call_id"),
        ({"call_id": "x" * 129}, ErrorCode.TOO_LARGE, "call.call_id"),
        ({"agent_id": ""}, ErrorCode.INVALID_ARGUMENT, "call.agent_id"),
        ({"arguments_json": "{"}, ErrorCode.INVALID_ARGUMENT, "arguments"),
        ({"application_id": "x" * 129}, ErrorCode.TOO_LARGE, "call.application_id"),
        ({"name": "abacus"}, ErrorCode.UNKNOWN_TOOL, ""),
        ({"name": ""}, ErrorCode.UNKNOWN_REQUEST, ""),
    ],
)
async def test_a_call_that_cannot_be_made_is_refused_with_the_field(
    bridge: Bridge, fields: dict[str, Any], code: ErrorCode, field: str
) -> None:
    refusal = await bridge.refused(bridge.call(**fields))

    assert refusal.code == error_pb2.ErrorCode.Value(f"ERROR_CODE_{code.name}")
    assert refusal.field == field


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (update("", tool_pb2.CALL_PHASE_ACCEPTED), "call_id"),
        (update("x" * 129, tool_pb2.CALL_PHASE_ACCEPTED), "call_id"),
        (update("call-1", tool_pb2.CALL_PHASE_UNSPECIFIED), "phase"),
        (update("call-1", tool_pb2.CALL_PHASE_TAKEN), "phase"),
        (update("call-1", tool_pb2.CALL_PHASE_PROGRESS, progress=float("nan")), "progress"),
        (update("call-1", tool_pb2.CALL_PHASE_ACCEPTED, message="x" * 2_001), "message"),
        (update("call-1", tool_pb2.CALL_PHASE_SUCCEEDED, contents=[{"type": 9}]), "contents[0]"),
    ],
)
async def test_an_update_that_says_nothing_is_refused_with_the_field(
    house: House, message: WebsocketMessage, field: str
) -> None:
    phone = await house.log_in("Phone")

    refused = (await house.tell(phone, message)).ack

    assert not refused.accepted
    assert refused.message.startswith(f"tool_call_update.{field}: ")


async def test_a_frozen_client_hears_nothing_of_tools(house: House, bridge: Bridge) -> None:
    old = await house.log_in("Old", extended=False)
    phone = await offering(house, "Phone", choice())
    stream = bridge.call(name="choice", action="choice")
    await phone.hear()
    await stream.read()
    await house.tell(
        phone, update("call-1", tool_pb2.CALL_PHASE_SUCCEEDED, result_json='{"message":"a"}')
    )

    assert not [name for name in await house.commands(old) if name.startswith("Tool")]


async def test_other_devices_hear_who_answered(house: House, bridge: Bridge) -> None:
    wires = [await offering(house, name, choice()) for name in ("Phone", "Desk")]
    stream = bridge.call(name="choice", action="choice")
    await stream.read()
    for wire in wires:
        heard = await house.news(wire)
        assert [m.Cmd for m in heard if m.Cmd == "ToolCall"] == ["ToolCall"]
    await house.tell(
        wires[0], update("call-1", tool_pb2.CALL_PHASE_SUCCEEDED, result_json='{"message":"a"}')
    )

    told = [m for m in await house.news(wires[1]) if m.Cmd == "ToolCallUpdate"]
    assert [(m.tool_call_update.phase, m.Nickname) for m in told] == [
        (tool_pb2.CALL_PHASE_TAKEN, "Phone"),
        (tool_pb2.CALL_PHASE_SUCCEEDED, "Phone"),
    ]
    stream.cancel()


@pytest.mark.requirement("design:calls:ends-shown-to-all")
async def test_devices_that_never_had_a_call_get_it_with_its_end(
    house: House, bridge: Bridge
) -> None:
    runner = await offering(house, "Desk", calculator())
    onlooker = await house.log_in("Phone", device="Phone")
    old = await house.log_in("Old", extended=False)
    stream = bridge.call()
    await house.news(runner)
    await stream.read()
    await house.tell(
        runner, update("call-1", tool_pb2.CALL_PHASE_SUCCEEDED, result_json='{"message":"2"}')
    )
    while (await stream.read()).update.phase != tool_pb2.CALL_PHASE_SUCCEEDED:
        pass

    heard = [m for m in await house.news(onlooker) if m.Cmd.startswith("Tool")]
    assert [(m.Cmd, m.Nickname) for m in heard] == [("ToolCallUpdate", "Desk")]
    (told,) = heard
    assert told.tool_call_update.phase == tool_pb2.CALL_PHASE_SUCCEEDED
    # What a device worked out is the agent's.
    assert told.tool_call_update.result_json == ""
    call = told.tool_call
    assert (call.call_id, call.name, call.action) == ("call-1", "calculator", "add")
    assert (call.arguments_json, call.agent_id) == ('{"a":1}', "ada")
    assert call.opened_unix_ms < call.deadline_unix_ms
    assert not [name for name in await house.commands(old) if name.startswith("Tool")]
    stream.cancel()
