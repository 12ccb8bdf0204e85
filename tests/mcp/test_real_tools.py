"""Tools of devices through the real relay: called over MCP, run once, one result."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from websockets.asyncio.client import connect

from lineup_mcp.whereabouts import holder_of
from lineup_srv.wire._gen.lineup.v1 import tool_pb2, websocket_pb2
from tests.mcp.harness import bridge_config, bridged, text_of
from tests.mcp.test_app_tools import tools_of
from tests.mcp.test_list_changed import Notices, names_of
from tests.mcp.test_real_relay import TOKEN, device, running
from tests.mcp.tools import CALCULATOR, CANVAS, CHOICE, POMODORO, action, toolset
from tests.system.processes import poll

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from websockets.asyncio.client import ClientConnection

pytestmark = pytest.mark.system

NUMBERS = {"a": 1, "b": 2}


class App:
    """A device that offers tools and is told what to do with calls."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.taken: list[str] = []
        """Ids of the calls it ran."""

    async def login(self, name: str) -> None:
        message = websocket_pb2.WebsocketMessage(Cmd="UserLogin", StrParam=TOKEN, Nickname=name)
        message.client_info.device_id = f"device-of-{name}"
        message.client_info.tab_id = "tab"
        message.client_info.platform = "Android"
        message.client_info.visible = True
        await self._send(message)
        await self.sees("UserLogin")

    async def offer(
        self, *tools: tool_pb2.ToolDefinition, applications: tuple[tool_pb2.Application, ...] = ()
    ) -> None:
        offer = tool_pb2.ToolList(tools=tools, applications=applications)
        await self._send(
            websocket_pb2.WebsocketMessage(
                Cmd="ToolList", ref="ref-of-the-list-00", tool_list=offer
            )
        )
        ack = (await self.sees("Ack")).ack
        assert ack.accepted, ack

    async def called(self) -> tool_pb2.ToolCall:
        """The next call, taken."""
        call = (await self.sees("ToolCall")).tool_call
        self.taken.append(call.call_id)
        return call

    async def tell(
        self, call: tool_pb2.ToolCall, phase: tool_pb2.CallPhase, **fields: object
    ) -> None:
        update = tool_pb2.ToolCallUpdate(call_id=call.call_id, phase=phase, **fields)  # type: ignore[arg-type] # by name
        await self._send(
            websocket_pb2.WebsocketMessage(Cmd="ToolCallUpdate", tool_call_update=update)
        )

    async def finish(self, call: tool_pb2.ToolCall, result_json: str) -> None:
        await self.tell(call, tool_pb2.CALL_PHASE_SUCCEEDED, result_json=result_json)

    async def sees(self, command: str) -> websocket_pb2.WebsocketMessage:
        async with asyncio.timeout(10):
            while True:
                frame = await self._socket.recv()
                assert isinstance(frame, bytes)
                message = websocket_pb2.WebsocketMessage.FromString(frame)
                if command == message.Cmd:
                    return message

    async def _send(self, message: websocket_pb2.WebsocketMessage) -> None:
        await self._socket.send(message.SerializeToString())


@asynccontextmanager
async def app(port: int, name: str = "Ann") -> AsyncIterator[App]:
    async with connect(f"ws://127.0.0.1:{port}/ws") as socket:
        device = App(socket)
        await device.login(name)
        yield device


async def test_a_device_answers_calls_made_over_mcp(tmp_path: Path) -> None:
    async with running(tmp_path) as relay, app(relay.port) as phone:
        await phone.offer(CANVAS, CALCULATOR, CHOICE, applications=(POMODORO,))
        config = bridge_config(relay.grpc_port, tmp_path, token=TOKEN)
        async with bridged(config, mode="auto") as client:
            await tools_of(client, "choice")
            async with asyncio.TaskGroup() as tasks:
                running_call = tasks.create_task(client.call_tool("calculator_add", NUMBERS))
                call = await phone.called()
                await phone.tell(call, tool_pb2.CALL_PHASE_ACCEPTED)
                await phone.finish(call, '{"message": "3"}')
            assert text_of(running_call.result()) == "3"
            async with asyncio.TaskGroup() as tasks:
                question = {"question": "Which?", "options": ["a", "b"]}
                running_call = tasks.create_task(client.call_tool("choice", question))
                call = await phone.called()
                await phone.finish(call, '{"message": "b"}')
            lines = text_of(running_call.result()).splitlines()
            assert lines[0] == "b"
            assert lines[1].startswith("(Answered by Ann on Android at ")
            async with asyncio.TaskGroup() as tasks:
                running_call = tasks.create_task(
                    client.call_tool("lineup_call_tool", {"name": "timer", "action": "start"})
                )
                call = await phone.called()
                assert call.application_id == POMODORO.id
                await phone.tell(call, tool_pb2.CALL_PHASE_ACCEPTED)
                await phone.finish(call, '{"message": "25:00"}')
            assert text_of(running_call.result()) == "25:00"


async def test_a_relay_killed_in_the_middle_of_a_call_costs_nothing(tmp_path: Path) -> None:
    """One call on the device, one result to the agent, and the same id brings it again."""
    async with running(tmp_path) as relay:
        config = bridge_config(relay.grpc_port, tmp_path, token=TOKEN)
        meta = {"claudecode/toolUseId": "toolu_01"}
        async with bridged(config) as client, asyncio.TaskGroup() as tasks:
            async with app(relay.port) as phone:
                await phone.offer(CALCULATOR)
                await tools_of(client, "calculator_add")
                calling = tasks.create_task(
                    client.call_tool("calculator_add", NUMBERS, meta=meta)  # type: ignore[arg-type] # any meta
                )
                call = await phone.called()
                await phone.tell(call, tool_pb2.CALL_PHASE_ACCEPTED)
                # The relay has it on disk when it says so to others.
                assert call.call_id
                await relay.kill()
            await relay.start()
            async with app(relay.port) as phone:
                await phone.offer(CALCULATOR)
                again = await phone.called()
                assert again.call_id == call.call_id
                await phone.finish(again, '{"message": "3"}')
                assert text_of(await calling) == "3"
                # The agent program makes the very same call once more: nothing runs.
                repeated = await client.call_tool("calculator_add", NUMBERS, meta=meta)  # type: ignore[arg-type] # any meta
                assert text_of(repeated) == "3"
                assert phone.taken == [call.call_id]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("tool", ["ask_question", "choice"])
async def test_a_call_that_waits_has_a_killed_relay_started_anew(tmp_path: Path, tool: str) -> None:
    """By the bridge, as for a new call; the human's answer to the card of before arrives."""
    async with running(tmp_path) as relay:
        config = bridge_config(
            relay.grpc_port, tmp_path, token=TOKEN, port=relay.port, autostart=True
        )
        environ = dict(os.environ)
        async with bridged(config, environ=environ) as client, asyncio.TaskGroup() as tasks:
            async with app(relay.port) as phone, device(relay.port) as other:
                await phone.offer(CHOICE)
                await tools_of(client, "choice")
                question = {"question": "Which?", "options": ["a", "b"]}
                calling = tasks.create_task(client.call_tool(tool, question))
                if tool == "choice":
                    await phone.called()
                else:
                    await other.asked()
                    # A card is shown before it is on disk.
                    assert await other.pending()
                await relay.kill()
            async with (
                started_anew(tmp_path),
                app(relay.port) as phone,
                device(relay.port) as other,
            ):
                if tool == "choice":
                    await phone.offer(CHOICE)
                    await phone.finish(await phone.called(), '{"message": "b"}')
                else:
                    (asked,) = await other.pending()
                    await other.answer(asked, "b")
                text = text_of(await calling)
    assert "b" in text.splitlines()
    assert "relay_unreachable" not in text


@asynccontextmanager
async def started_anew(data_dir: Path) -> AsyncIterator[None]:
    """The relay that a bridge starts in this directory, once it answers; killed at the end."""
    anywhere = bridge_config(1, data_dir)
    # Nothing tells a stranger when that is.
    holder = await poll(lambda: asyncio.to_thread(holder_of, anywhere))
    assert holder is not None
    try:
        yield
    finally:
        os.kill(holder.pid, signal.SIGKILL)
        await asyncio.to_thread(os.waitpid, holder.pid, 0)


@pytest.mark.parametrize("moment", ["shown", "taken", "answered"])
async def test_whenever_the_relay_is_killed_there_is_one_run_and_one_result(
    tmp_path: Path, moment: str
) -> None:
    """A device that keeps what it answered, as every device does, and a relay that dies."""
    async with running(tmp_path) as relay:
        config = bridge_config(relay.grpc_port, tmp_path, token=TOKEN)
        async with bridged(config) as client, asyncio.TaskGroup() as tasks:
            async with app(relay.port) as phone:
                await phone.offer(CALCULATOR)
                await tools_of(client, "calculator_add")
                calling = tasks.create_task(client.call_tool("calculator_add", NUMBERS))
                call = await phone.called()
                if moment != "shown":
                    await phone.tell(call, tool_pb2.CALL_PHASE_ACCEPTED)
                if moment == "answered":
                    await phone.finish(call, '{"message": "3"}')
                await relay.kill()
            await relay.start()
            async with app(relay.port) as phone:
                await phone.offer(CALCULATOR)
                if moment == "answered":
                    # It does not know whether the relay has it, so it says it again.
                    await phone.finish(call, '{"message": "3"}')
                else:
                    again = await phone.called()
                    assert again.call_id == call.call_id
                    await phone.finish(again, '{"message": "3"}')
                result = await calling
    assert text_of(result) == "3"
    assert result.is_error is False


async def test_a_slice_ends_and_the_answer_comes_with_the_next_call(tmp_path: Path) -> None:
    async with running(tmp_path) as relay, app(relay.port) as phone:
        await phone.offer(CHOICE)
        config = bridge_config(relay.grpc_port, tmp_path, token=TOKEN, wait_slice_seconds=0.3)
        async with bridged(config) as client:
            await tools_of(client, "choice")
            question = {"question": "Which?", "options": ["a", "b"]}
            first = text_of(await client.call_tool("choice", question))
            call = await phone.called()
            assert first.startswith("Not answered yet: it is shown on 1 device, until ")
            assert f'call_id="{call.call_id}"' in first
            await phone.finish(call, '{"message": "a"}')
            second = await client.call_tool("lineup_call_tool", {"call_id": call.call_id})
        # Another process of the same agent asks for it again.
        async with bridged(config) as client:
            third = await client.call_tool("lineup_call_tool", {"call_id": call.call_id})
    assert text_of(second).splitlines()[0] == "a"
    assert text_of(third).splitlines()[0] == "a"


@pytest.mark.requirement("B29")
async def test_a_closed_app_is_said_to_be_closed_and_an_opened_one_is_announced(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as relay:
        config = bridge_config(relay.grpc_port, tmp_path, token=TOKEN)
        async with bridged(config) as client:
            await tools_of(client, "calculator_add", gone=True)
            async with app(relay.port) as phone:
                await phone.offer(CALCULATOR)
                await tools_of(client, "calculator_add")
            await tools_of(client, "calculator_add", gone=True)
            stale = await client.call_tool("calculator_add", NUMBERS)
    assert "app not connected" in text_of(stale)
    assert "Next step: " in text_of(stale)
    assert stale.is_error is False


async def test_a_cancelled_call_is_cancelled_on_the_device(tmp_path: Path) -> None:
    async with running(tmp_path) as relay, app(relay.port) as phone:
        await phone.offer(CALCULATOR)
        config = bridge_config(relay.grpc_port, tmp_path, token=TOKEN)
        async with bridged(config) as client:
            await tools_of(client, "calculator_add")
            async with asyncio.TaskGroup() as tasks:
                calling = tasks.create_task(client.call_tool("calculator_add", NUMBERS))
                call = await phone.called()
                await phone.tell(call, tool_pb2.CALL_PHASE_ACCEPTED)
                calling.cancel()
            while True:
                update = (await phone.sees("ToolCallUpdate")).tool_call_update
                if update.phase == tool_pb2.CALL_PHASE_CANCELLED:
                    break
    assert update.call_id == call.call_id


async def test_a_hundred_devices_that_join_are_a_handful_of_notices(tmp_path: Path) -> None:
    notices = Notices()
    async with running(tmp_path) as relay, AsyncExitStack() as devices:
        config = bridge_config(relay.grpc_port, tmp_path, token=TOKEN, max_tools=200)
        async with bridged(config, hear=notices.hear) as client:
            await tools_of(client, "ask_question")

            async def join(number: int) -> None:
                device = await devices.enter_async_context(app(relay.port, f"n{number}"))
                await device.offer(CALCULATOR, toolset(f"device{number}", action("ring")))

            async with asyncio.TaskGroup() as tasks:
                for number in range(100):
                    tasks.create_task(join(number))
            wanted = {"calculator_add", *(f"device{number}_ring" for number in range(100))}
            seen = 0
            while not wanted <= await names_of(client):
                await notices.more_than(seen)
                seen = notices.count
    assert 1 <= notices.count <= 10
