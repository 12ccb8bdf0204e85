"""The bridge against the real relay, with a device on its WebSocket."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from websockets.asyncio.client import connect

from lineup_srv.wire._gen.lineup.v1 import websocket_pb2
from tests.mcp.harness import bridge_config, bridged, text_of
from tests.mcp.test_shell import command
from tests.system.processes import PATIENCE_SECONDS, bound, poll

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator
    from pathlib import Path

    from websockets.asyncio.client import ClientConnection

pytestmark = pytest.mark.system

TOKEN = "the-room-of-the-bridge-tests"
ASK = {"question": "Go on?"}


class Relay:
    """A relay process that can be killed and started again at the same address."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._process: Process | None = None
        self.port = 0
        self.grpc_port = 0

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "lineup_srv",
            "--port",
            str(self.port),
            "--grpc-port",
            str(self.grpc_port),
            "--data-dir",
            str(self._data_dir),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=dict(os.environ),
        )
        assert self._process.stdout is not None
        told = json.loads(await self._process.stdout.readline())
        assert told["event"] == "listening"
        self.port = int(told["http"].rpartition(":")[2])
        self.grpc_port = int(told["grpc"].rpartition(":")[2])

    async def kill(self) -> None:
        assert self._process is not None
        if self._process.returncode is None:
            self._process.send_signal(signal.SIGKILL)
        await self._process.communicate()


class Device:
    """A phone that logs in and answers by hand."""

    def __init__(self, socket_: ClientConnection) -> None:
        self._socket = socket_

    async def asked(self, command: str = "AskQuestion") -> websocket_pb2.WebsocketMessage:
        """The next message of that kind."""
        async with asyncio.timeout(10):
            while True:
                frame = await self._socket.recv()
                assert isinstance(frame, bytes)
                message = websocket_pb2.WebsocketMessage.FromString(frame)
                if command == message.Cmd:
                    return message

    async def pending(self) -> list[str]:
        """Ids of the open questions, as far as they are on disk."""
        ask = websocket_pb2.WebsocketMessage(Cmd="GetPendingMessages")
        await self._socket.send(ask.SerializeToString())
        told = (await self.asked("GetPendingMessages")).GetPendingMessagesResponse
        return [one.ask_question_request.ID for one in told.pending_messages]

    async def answer(self, request_id: str, text: str) -> None:
        reply = websocket_pb2.WebsocketMessage(Cmd="AskQuestionReply")
        reply.AskQuestionRequest.ID = request_id
        reply.AskQuestionResponse.ID = request_id
        content = reply.AskQuestionResponse.contents.add(type=1)
        content.text.type = "text"
        content.text.text = text
        await self._socket.send(reply.SerializeToString())


@asynccontextmanager
async def device(port: int) -> AsyncIterator[Device]:
    async with connect(f"ws://127.0.0.1:{port}/ws") as socket_:
        login = websocket_pb2.WebsocketMessage(Cmd="UserLogin", StrParam=TOKEN, Nickname="Ann")
        await socket_.send(login.SerializeToString())
        phone = Device(socket_)
        await phone.asked("UserLogin")
        yield phone


@asynccontextmanager
async def running(data_dir: Path) -> AsyncIterator[Relay]:
    relay = Relay(data_dir)
    await relay.start()
    try:
        yield relay
    finally:
        await relay.kill()


async def test_an_answer_from_a_device_reaches_the_agent(tmp_path: Path) -> None:
    async with running(tmp_path) as relay, device(relay.port) as phone:
        config = bridge_config(relay.grpc_port, tmp_path, token=TOKEN)
        async with bridged(config, mode="auto") as client, asyncio.TaskGroup() as tasks:
            call = tasks.create_task(client.call_tool("ask_question", ASK))
            asked = (await phone.asked()).AskQuestionRequest
            assert asked.Request.Question == "Go on?"
            assert asked.UserToken == ""
            await phone.answer(asked.ID, "yes")
            text = text_of(await call)
    assert text.startswith("Answered by Ann at ")
    assert text.endswith("Answer:\nyes")


async def test_a_killed_relay_loses_no_question_and_no_answer(tmp_path: Path) -> None:
    """B03, B51."""
    async with running(tmp_path) as relay:
        config = bridge_config(relay.grpc_port, tmp_path, token=TOKEN)
        async with bridged(config) as client, asyncio.TaskGroup() as tasks:
            async with device(relay.port) as phone:
                call = tasks.create_task(client.call_tool("ask_question", ASK))
                asked = (await phone.asked()).AskQuestionRequest
                # A card is shown before it is on disk; killed in between, it would be opened again.
                assert await phone.pending() == [asked.ID]
                await relay.kill()
            await relay.start()
            async with device(relay.port) as phone:
                await phone.answer(asked.ID, "after the crash")
                text = text_of(await call)
            assert text.endswith("after the crash")
            assert "may have reached you" not in text
            again = text_of(await client.call_tool("ask_question", {}))
            assert "after the crash" not in again


async def test_the_answer_to_a_cancelled_call_comes_later_and_once(tmp_path: Path) -> None:
    async with running(tmp_path) as relay, device(relay.port) as phone:
        config = bridge_config(relay.grpc_port, tmp_path, token=TOKEN)
        async with bridged(config) as client:
            async with asyncio.TaskGroup() as tasks:
                call = tasks.create_task(client.call_tool("ask_question", ASK))
                asked = (await phone.asked()).AskQuestionRequest
                call.cancel()
            gone = (await phone.asked("RequestCancelled")).RequestCancelledNotification
            assert gone.request_id == asked.ID
            await phone.answer(asked.ID, "too late")
            # The answer is on disk when a message sent after it was answered.
            texts = []
            for _ in range(2):
                async with asyncio.TaskGroup() as tasks:
                    call = tasks.create_task(
                        client.call_tool("ask_question", {"question": "Another?"})
                    )
                    other = (await phone.asked()).AskQuestionRequest
                    await phone.answer(other.ID, "fine")
                    texts.append(text_of(await call))
    assert "too late" in texts[0]
    assert "(late, after the call had ended)" in texts[0]
    assert "too late" not in texts[1]


async def test_a_slice_ends_and_the_next_one_gets_the_answer(tmp_path: Path) -> None:
    async with running(tmp_path) as relay, device(relay.port) as phone:
        config = bridge_config(relay.grpc_port, tmp_path, token=TOKEN, wait_slice_seconds=0.3)
        async with bridged(config) as client:
            first = text_of(await client.call_tool("ask_question", ASK))
            asked = (await phone.asked()).AskQuestionRequest
            assert "on 1 device, until" in first
            found = re.search(r'question_id="([^"]+)"', first)
            assert found is not None
            assert found[1] == asked.ID
            await phone.answer(asked.ID, "in between")
            second = text_of(await client.call_tool("ask_question", {"question_id": asked.ID}))
            third = text_of(await client.call_tool("ask_question", {}))
    assert second.endswith("in between")
    assert "in between" not in third


async def test_a_wrong_token_and_no_relay_are_clear_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lineup_srv.contract.limits.UNREACHABLE_SECONDS", 1.0)
    async with running(tmp_path) as relay:
        config = bridge_config(relay.grpc_port, tmp_path, token="short")
        async with bridged(config) as client:
            result = await client.call_tool("ask_question", ASK)
            assert text_of(result).startswith("unauthenticated:")
            assert result.is_error is False
        await relay.kill()
        config = bridge_config(relay.grpc_port, tmp_path, token=TOKEN)
        async with bridged(config) as client:
            result = await client.call_tool("ask_question", ASK)
            assert text_of(result).startswith("relay_unreachable:")


async def test_a_call_starts_the_relay_it_needs(tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as one,
        socket.create_server(("127.0.0.1", 0)) as two,
    ):
        port, grpc_port = one.getsockname()[1], two.getsockname()[1]
    data = tmp_path / "data"
    lock = data / "lock"

    async def written() -> str:
        return lock.read_text() if lock.exists() else ""

    config = bridge_config(
        grpc_port,
        data,
        port=port,
        token=TOKEN,
        autostart=True,
        wait_slice_seconds=0.2,
    )
    try:
        async with bridged(config, environ=dict(os.environ)) as client:
            result = await client.call_tool("ask_question", ASK)
        assert text_of(result).startswith("Not answered yet")
        assert "on no device yet" in text_of(result)
    finally:
        # Also when it started too late for the test: nothing may be left running.
        pid = json.loads(await poll(written))["pid"]
        os.kill(pid, signal.SIGTERM)
        async with asyncio.timeout(bound(PATIENCE_SECONDS)):
            await asyncio.to_thread(os.waitpid, pid, 0)


@pytest.mark.timeout(60)
async def test_an_answer_to_a_command_that_ended_comes_with_the_next_one_once(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as relay, device(relay.port) as phone:
        async with command(relay.grpc_port, "ask", "First?", token=TOKEN) as ended:
            first = (await phone.asked()).AskQuestionRequest.ID
            assert await phone.pending() == [first]
            ended.send_signal(signal.SIGINT)
            await ended.wait()
        assert await phone.pending() == []
        await phone.answer(first, "late words")
        said = []
        for question in ("Second?", "Third?"):
            async with command(relay.grpc_port, "ask", question, token=TOKEN) as process:
                await phone.answer((await phone.asked()).AskQuestionRequest.ID, question)
                output, errors = await process.communicate()
                assert output.decode() == f"{question}\n"
                said.append(errors.decode())
    assert "(late, after the call had ended)" in said[0]
    assert "Question: First?" in said[0]
    assert said[0].endswith("late words\n")
    assert "late words" not in said[1]
