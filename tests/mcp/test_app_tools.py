"""Conversations about the tools of devices: listed, called by name and by lineup_call_tool."""

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING

import pytest
from mcp.shared.exceptions import MCPError

from lineup_mcp.phrases import local_time
from lineup_srv.contract import limits
from lineup_srv.wire._gen.lineup.v1 import content_pb2, error_pb2, tool_pb2
from tests.mcp.fake_relay import CLOCK, FakeRelay, serving
from tests.mcp.harness import bridge_config, bridged, text_of
from tests.mcp.tools import CALCULATOR, CANVAS, CHOICE, POMODORO

if TYPE_CHECKING:
    from pathlib import Path

    from mcp.client.client import Client
    from mcp_types import CallToolResult, Tool

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
NUMBERS = {"a": 1, "b": 2}


async def tools_of(client: Client, wanted: str, *, gone: bool = False) -> dict[str, Tool]:
    """The tools by name, as soon as one of that name is among them, or no longer is."""
    async with asyncio.timeout(10):
        while True:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            if (wanted in tools) is not gone:
                return tools


async def test_every_action_of_every_tool_is_an_mcp_tool(tmp_path: Path) -> None:
    relay = FakeRelay()
    relay.offer(CANVAS, CALCULATOR, CHOICE, applications=[POMODORO])
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        tools = await tools_of(client, "choice")
    assert {
        "calculator_add",
        "calculator_divide",
        "canvas_clear",
        "canvas_draw",
        "canvas_open",
        "choice",
        "lineup_call_tool",
        "lineup_list_tools",
        "timer_start",
        "timer_stop",
    } <= tools.keys()
    hints = {
        name: tools[name].annotations
        for name in ("calculator_add", "canvas_clear", "canvas_draw", "choice")
    }
    told = {
        name: (one.read_only_hint, one.destructive_hint, one.idempotent_hint, one.open_world_hint)
        for name, one in hints.items()
        if one is not None
    }
    assert told == {
        "calculator_add": (True, False, True, False),
        "canvas_clear": (False, True, False, False),
        "canvas_draw": (False, False, False, False),
        "choice": (True, False, False, False),
    }
    assert tools["canvas_draw"].input_schema["required"] == ["instance_id", "path"]
    assert tools["choice"].description is not None
    assert "A human answers it" in tools["choice"].description


@pytest.mark.parametrize("by_name", [True, False])
async def test_a_call_runs_on_a_device_and_its_message_comes_first(
    tmp_path: Path, by_name: bool
) -> None:
    relay = FakeRelay()
    relay.offer(CALCULATOR)
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        await tools_of(client, "calculator_add")
        async with asyncio.TaskGroup() as tasks:
            if by_name:
                asked = client.call_tool("calculator_add", NUMBERS)
            else:
                arguments = {"name": "calculator", "action": "add", "arguments": NUMBERS}
                asked = client.call_tool("lineup_call_tool", arguments)
            running = tasks.create_task(asked)
            call = await relay.call()
            relay.finish(call, '{"message": "3", "exact": 0.10000000000000000555}')
        result = running.result()
    assert (call.name, call.action, call.application_id) == ("calculator", "add", "")
    assert json.loads(call.arguments_json) == NUMBERS
    assert call.timeout_ms > 590_000
    assert call.agent_id
    assert text_of(result) == '3\n{"exact":0.10000000000000000555}'
    assert result.is_error is False


async def test_pictures_come_once_and_a_call_goes_to_its_instance(tmp_path: Path) -> None:
    relay = FakeRelay()
    relay.offer(CANVAS)
    picture = content_pb2.McpResultContent(
        type=2,
        image=content_pb2.ImageContent(type="image", data=PIXEL, mime_type="image/png"),
    )
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        await tools_of(client, "canvas_draw")
        async with asyncio.TaskGroup() as tasks:
            drawing = {"instance_id": "i1", "path": "M0 0"}
            running = tasks.create_task(client.call_tool("canvas_draw", drawing))
            call = await relay.call()
            relay.finish(call, '{"message": "drawn"}', contents=[picture])
        kinds = [block.type for block in running.result().content]
    assert call.instance_id == "i1"
    assert kinds == ["text", "image"]
    assert text_of(running.result()).startswith("drawn")


async def test_a_miniapp_is_called_by_its_id(tmp_path: Path) -> None:
    relay = FakeRelay()
    relay.offer(applications=[POMODORO])
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        await tools_of(client, "timer_start")
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(client.call_tool("timer_start"))
            call = await relay.call()
            relay.finish(call, '{"message": "25:00"}')
    assert (call.application_id, call.name, call.action) == (POMODORO.id, "timer", "start")
    assert text_of(running.result()) == "25:00"


FAILURES = [
    ("NO_APP", "no_app: app not connected. ", False),
    ("APP_GONE", "app_gone: app not connected. ", False),
    ("UNKNOWN_TOOL", "unknown_tool: app not connected. ", False),
    ("NO_ANSWER", "no_answer: ", False),
    ("NOT_SUPPORTED", "not_supported: ", False),
    ("TOOL_CHANGED", "tool_changed: ", False),
    ("INVALID_RESULT", "invalid_result: ", True),
    ("START_FAILED", "start_failed: ", True),
    ("INVALID_ARGUMENT", "invalid_argument: ", True),
    ("UNSPECIFIED", "Failed: ", True),
]


@pytest.mark.parametrize(("code", "start", "is_error"), FAILURES)
async def test_every_failure_says_what_happened_and_what_to_do(
    tmp_path: Path, code: str, start: str, is_error: bool
) -> None:
    relay = FakeRelay()
    relay.offer(CALCULATOR)
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        await tools_of(client, "calculator_add")
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(client.call_tool("calculator_add", NUMBERS))
            number = error_pb2.ErrorCode.Value(f"ERROR_CODE_{code}")
            call = await relay.call()
            relay.tell(call, tool_pb2.CALL_PHASE_FAILED, code=number, message="so it is")
    result = running.result()
    lines = text_of(result).splitlines()
    assert lines[0] == f"{start}so it is"
    assert lines[1] == 'Call: calculator: add {"a":1,"b":2}'
    assert lines[-1].startswith("Next step: ")
    assert result.is_error is is_error


@pytest.mark.parametrize(
    ("phase", "start"),
    [(tool_pb2.CALL_PHASE_EXPIRED, "expired: "), (tool_pb2.CALL_PHASE_CANCELLED, "cancelled: ")],
)
async def test_an_end_without_an_answer_is_no_consent(
    tmp_path: Path, phase: tool_pb2.CallPhase, start: str
) -> None:
    relay = FakeRelay()
    relay.offer(CHOICE)
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        await tools_of(client, "choice")
        async with asyncio.TaskGroup() as tasks:
            question = {"question": "Which?", "options": ["a", "b"]}
            running = tasks.create_task(client.call_tool("choice", question))
            relay.tell(await relay.call(), phase)
    result = running.result()
    assert text_of(result).startswith(start)
    assert "Do not assume consent" in text_of(result)
    assert "Which?" in text_of(result)
    assert result.is_error is False


async def test_arguments_are_checked_before_they_leave(tmp_path: Path) -> None:
    relay = FakeRelay()
    relay.offer(CALCULATOR)
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        await tools_of(client, "calculator_add")
        result = await client.call_tool("calculator_add", {"a": 1, "b": "two"})
        through = await client.call_tool(
            "lineup_call_tool", {"name": "calculator", "action": "add", "arguments": '{"a": 1}'}
        )
    assert text_of(result).startswith("invalid_argument: ")
    assert "arguments.b" in text_of(result)
    assert text_of(through).startswith("invalid_argument: ")
    assert result.is_error is False
    assert not relay.called


async def test_a_slice_ends_and_lineup_call_tool_goes_on_waiting(tmp_path: Path) -> None:
    relay = FakeRelay()
    relay.offer(CHOICE)
    async with serving(relay) as port:
        config = bridge_config(port, tmp_path, wait_slice_seconds=0.3)
        async with bridged(config) as client:
            await tools_of(client, "choice")
            question = {"question": "Which?", "options": ["a", "b"]}
            first = await client.call_tool("choice", question)
            found = re.search(r'call lineup_call_tool with call_id="([^"]+)"', text_of(first))
            assert text_of(first).startswith("Not answered yet: it is shown on ")
            assert "Which?" in text_of(first)
            assert first.is_error is False
            assert found is not None
            async with asyncio.TaskGroup() as tasks:
                again = tasks.create_task(
                    client.call_tool("lineup_call_tool", {"call_id": found[1]})
                )
                call = await relay.call()
                relay.finish(call, '{"message": "b"}')
            await relay.until(lambda: call.call_id in relay.acknowledged)
    assert call.call_id == found[1]
    assert text_of(again.result()).splitlines()[0] == "b"
    assert "(Answered by Ann on Android at 2027-01-15 " in text_of(again.result())
    assert "Which?" in text_of(again.result())
    assert len(relay.called) == 1
    assert not relay.named("CancelCall")


async def test_the_relay_says_when_a_call_ends(tmp_path: Path) -> None:
    """A relay that was away gives a call more time than the agent asked for."""
    relay = FakeRelay()
    relay.offer(CHOICE)
    relay.call_deadline = CLOCK + 3_600_500
    until = f"until {local_time(relay.call_deadline)}"
    asked = {"question": "Which?", "options": ["a", "b"]}
    arguments = {"name": "choice", "arguments": asked, "timeout": 60}
    async with serving(relay) as port:
        config = bridge_config(port, tmp_path, wait_slice_seconds=1)
        async with bridged(config) as client, asyncio.TaskGroup() as tasks:
            own = tasks.create_task(client.call_tool("lineup_call_tool", arguments))
            call = await relay.call()
            relay.tell(call, tool_pb2.CALL_PHASE_ACCEPTED)
        async with bridged(config) as another:
            again = {"call_id": call.call_id}
            foreign = await another.call_tool("lineup_call_tool", again)
    assert text_of(own.result()).splitlines()[0].endswith(f"{until}.")
    assert text_of(foreign).splitlines()[0].endswith(f"{until} at most.")


async def test_another_process_goes_on_waiting_by_the_id(tmp_path: Path) -> None:
    relay = FakeRelay()
    relay.called["earlier"] = tool_pb2.ToolCall(call_id="earlier", name="choice")
    relay.finish(relay.called["earlier"], '{"message": "b"}')
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        found = await client.call_tool("lineup_call_tool", {"call_id": "earlier"})
        lost = await client.call_tool("lineup_call_tool", {"call_id": "never"})
    assert text_of(found) == "b"
    assert text_of(lost).startswith("unknown_request: ")
    assert lost.is_error is False


async def test_a_broken_stream_replays_the_call_and_gives_one_result(tmp_path: Path) -> None:
    relay = FakeRelay()
    relay.offer(CALCULATOR)
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        await tools_of(client, "calculator_add")
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(client.call_tool("calculator_add", NUMBERS))
            call = await relay.call()
            relay.tell(call, tool_pb2.CALL_PHASE_ACCEPTED)
            relay.break_call(call)
            relay.drop_streams()
            await relay.until(lambda: len(relay.named("CallTool")) == 2)
            relay.finish(call, '{"message": "3"}')
    assert text_of(running.result()) == "3"
    assert len(relay.called) == 1
    ids = {request.call.call_id for request in relay.named("CallTool")}
    assert ids == {call.call_id}


async def test_the_hosts_cancel_reaches_the_device(tmp_path: Path) -> None:
    relay = FakeRelay()
    relay.offer(CALCULATOR)
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        await tools_of(client, "calculator_add")
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(client.call_tool("calculator_add", NUMBERS))
            call = await relay.call()
            running.cancel()
        await relay.until(lambda: relay.named("CancelCall"))
    assert [request.call_id for request in relay.named("CancelCall")] == [call.call_id]


@pytest.mark.parametrize("key", ["claudecode/toolUseId", "callId"])
async def test_a_call_that_the_program_repeats_has_one_id(tmp_path: Path, key: str) -> None:
    relay = FakeRelay()
    relay.offer(CALCULATOR)
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        await tools_of(client, "calculator_add")

        async def called(meta: dict[str, object] | None) -> CallToolResult:
            return await client.call_tool("calculator_add", NUMBERS, meta=meta)  # type: ignore[arg-type] # any meta

        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(called({key: "toolu_1"})) for _ in range(2)]
            running.append(tasks.create_task(called({key: "toolu_2"})))
            running.append(tasks.create_task(called(None)))
            await relay.until(lambda: len(relay.named("CallTool")) == 4)
            for call in relay.called.values():
                relay.finish(call, '{"message": "3"}')
    assert len(relay.called) == 3


async def test_progress_is_forwarded_and_grows(tmp_path: Path) -> None:
    relay = FakeRelay()
    relay.offer(CALCULATOR)
    seen: list[tuple[float, float | None, str | None]] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        await tools_of(client, "calculator_add")
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(
                client.call_tool("calculator_add", NUMBERS, progress_callback=tell)
            )
            call = await relay.call()
            relay.tell(call, tool_pb2.CALL_PHASE_ACCEPTED)
            for done, message in ((3, "a third" * 100), (2, "back"), (10, "")):
                relay.tell(
                    call, tool_pb2.CALL_PHASE_PROGRESS, progress=done, total=10, message=message
                )
            relay.finish(call, '{"message": "3"}')
    assert text_of(running.result()) == "3"
    numbers = [done for done, _, _ in seen]
    assert numbers == sorted(set(numbers))
    assert seen[1][0] == 3
    assert seen[1][1] == 10
    assert all(len(message or "") <= 200 for _, _, message in seen)
    assert numbers[-1] == 10


@pytest.mark.requirement("B29")
async def test_a_stale_call_says_that_the_app_is_not_connected(tmp_path: Path) -> None:
    relay = FakeRelay()
    relay.offer(CANVAS)
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        tools = await tools_of(client, "canvas_draw")
        relay.offer(CALCULATOR)
        await tools_of(client, "calculator_add")
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(client.call_tool("canvas_open"))
            call = await relay.call()
            number = error_pb2.ERROR_CODE_NO_APP
            relay.tell(call, tool_pb2.CALL_PHASE_FAILED, code=number)
        later = {tool.name for tool in (await client.list_tools()).tools}
        with pytest.raises(MCPError):
            await client.call_tool("never_offered")
    assert "canvas_open" in tools
    assert "canvas_open" not in later
    result = running.result()
    assert text_of(result).startswith("no_app: app not connected. ")
    assert result.is_error is False


@pytest.mark.requirement("B30")
async def test_hosts_that_freeze_their_list_find_and_call_everything(tmp_path: Path) -> None:
    relay = FakeRelay()
    config = bridge_config(0, tmp_path, max_tools=2)
    async with serving(relay) as port:
        config = bridge_config(port, tmp_path, max_tools=2)
        async with bridged(config) as client:
            await client.list_tools()
            empty = text_of(await client.call_tool("lineup_list_tools"))
            relay.offer(CANVAS, CALCULATOR, CHOICE)
            await tools_of(client, "calculator_add")
            listed = text_of(await client.call_tool("lineup_list_tools"))
            one = text_of(await client.call_tool("lineup_list_tools", {"name": "canvas"}))
            offered = {tool.name for tool in (await client.list_tools()).tools}
            for arguments in (
                {"name": "choice", "arguments": {"question": "Which?", "options": ["a"]}},
                {"name": "canvas_open"},
                {"name": "canvas", "action": "open", "timeout": 1},
            ):
                async with asyncio.TaskGroup() as tasks:
                    running = tasks.create_task(client.call_tool("lineup_call_tool", arguments))
                    call = await relay.call(len(relay.called) + 1)
                    relay.finish(call, '{"message": "done"}')
                assert text_of(running.result()).startswith("done")
            unknown = text_of(await client.call_tool("lineup_call_tool", {"name": "nothing"}))
            several = text_of(await client.call_tool("lineup_call_tool", {"name": "canvas"}))
    assert empty.startswith("No tools are offered")
    assert {"calculator_add", "calculator_divide"} <= offered
    assert "canvas_open" not in offered
    assert "add [calculator_add]: Does add." in listed
    assert "canvas: more than 2 actions: call it by lineup_call_tool" in listed
    assert '"required":["instance_id","path"]' in one
    assert [(c.name, c.action) for c in relay.called.values()] == [
        ("choice", "choice"),
        ("canvas", "open"),
        ("canvas", "open"),
    ]
    assert unknown.startswith("unknown_tool: app not connected")
    assert "Offered now: canvas, calculator, choice." in unknown
    assert several.startswith("invalid_argument: action is missing: canvas has open, draw, clear")


async def test_two_applications_with_one_tool_are_told_apart(tmp_path: Path) -> None:
    other = tool_pb2.Application(id="com.example.other", title="Other", tools=POMODORO.tools)
    relay = FakeRelay()
    relay.offer(applications=[POMODORO, other])
    named = {"name": "timer", "action": "start"}
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        tools = await tools_of(client, "timer_start")
        unclear = await client.call_tool("lineup_call_tool", named)
        async with asyncio.TaskGroup() as tasks:
            arguments = {**named, "application": other.id}
            running = tasks.create_task(client.call_tool("lineup_call_tool", arguments))
            call = await relay.call()
            relay.finish(call, '{"message": "25:00"}')
    assert text_of(unclear).startswith("invalid_argument: application is missing: timer is in ")
    assert call.application_id == other.id
    assert text_of(running.result()) == "25:00"
    assert sum(name.startswith("timer_start") for name in tools) == 2


async def test_a_flood_of_calls_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "OPEN_REQUESTS_PER_AGENT", 1)
    relay = FakeRelay()
    relay.offer(CALCULATOR)
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        await tools_of(client, "calculator_add")
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(client.call_tool("calculator_add", NUMBERS))
            call = await relay.call()
            second = await client.call_tool("calculator_add", NUMBERS)
            relay.finish(call, '{"message": "3"}')
    assert text_of(running.result()) == "3"
    assert text_of(second).startswith("rate_limited: ")
    assert second.is_error is False
    assert len(relay.called) == 1


async def test_without_a_relay_a_call_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "UNREACHABLE_SECONDS", 0.2)
    relay = FakeRelay()
    relay.offer(CALCULATOR)
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        await tools_of(client, "calculator_add")
    async with bridged(bridge_config(port, tmp_path)) as client:
        # Remembered from the time before.
        assert "calculator_add" in {tool.name for tool in (await client.list_tools()).tools}
        result = await client.call_tool("calculator_add", NUMBERS)
        listed = text_of(await client.call_tool("lineup_list_tools"))
    assert text_of(result).startswith("relay_unreachable: ")
    assert "nothing was run" in text_of(result)
    assert listed.startswith("The relay cannot be reached now; 2 actions were known last:")


@pytest.mark.parametrize(
    ("selection", "offered"),
    [
        (("questions",), {"ask_question", "work_report"}),
        (("apps",), {"lineup_list_tools", "lineup_call_tool", "choice"}),
        (("choice", "ask_question"), {"choice", "ask_question"}),
    ],
)
async def test_an_entry_offers_what_it_is_made_for(
    tmp_path: Path, selection: tuple[str, ...], offered: set[str]
) -> None:
    relay = FakeRelay()
    relay.offer(CHOICE)
    async with serving(relay) as port:
        config = bridge_config(port, tmp_path, tools=selection)
        async with bridged(config) as client:
            if "choice" in offered:
                await tools_of(client, "choice")
            else:
                await relay.until(lambda: relay.named("ListTools"))
            names = {tool.name for tool in (await client.list_tools()).tools}
            outside = "choice" if "choice" not in offered else "work_report"
            with pytest.raises(MCPError):
                await client.call_tool(outside, {})
    assert offered <= names
    assert outside not in names
