"""Channels, spoken by a scripted program: words come unasked, permissions are answered."""

from __future__ import annotations

import asyncio
import os
import re
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest

from lineup_mcp import sessions
from lineup_mcp.bridge import Bridge
from lineup_mcp.channels import EXPERIMENTAL, ChannelPort
from lineup_mcp.early import EarlyAnswers
from lineup_mcp.replies import Replies
from lineup_mcp.server import serve
from lineup_mcp.stdio import StdioChannel
from lineup_srv.wire._gen.lineup.v1 import request_pb2
from tests.mcp.fake_relay import FakeRelay, picture, serving
from tests.mcp.harness import bridge_config
from tests.mcp.test_pictures import drawn
from tests.system.processes import poll

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from lineup_mcp.jsonrpc import Message

PUSH = "notifications/claude/channel"
HELLO: Message = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "claude-code", "version": "2"},
}
MODERN: Message = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "claude-code", "version": "2"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}


class Program:
    """An agent program: what it says and hears, line by line."""

    def __init__(self, channel: StdioChannel) -> None:
        self._channel = channel
        self._asked = 0

    async def ask(self, method: str, params: Message) -> Message:
        """A request and its answer; what comes in between must not."""
        await self.begin(method, params)
        return await self.hear()

    async def begin(self, method: str, params: Message) -> None:
        self._asked += 1
        await self._channel.send(
            {"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params}
        )

    async def tell(self, method: str, params: Message | None = None) -> None:
        message: Message = {"jsonrpc": "2.0", "method": method}
        await self._channel.send(message if params is None else {**message, "params": params})

    async def hear(self) -> Message:
        async with asyncio.timeout(10):
            message = await self._channel.receive()
        assert isinstance(message, dict)
        return message

    async def shake_hands(self) -> Message:
        answer = await self.ask("initialize", HELLO)
        await self.tell("notifications/initialized")
        result = answer["result"]
        assert isinstance(result, dict)
        return result

    async def call(self, name: str, arguments: Message) -> str:
        await self.begin("tools/call", {"name": name, "arguments": arguments})
        return text_of(await self.hear())


def text_of(answer: Message) -> str:
    result = answer["result"]
    assert isinstance(result, dict)
    return str(result["content"][0]["text"])


def params_of(message: Message, method: str) -> Message:
    assert message["method"] == method
    params = message["params"]
    assert isinstance(params, dict)
    return params


@asynccontextmanager
async def session(port: int, directory: Path, *, early: bool = False) -> AsyncIterator[Program]:
    """A bridge with channels, and a program at the other end of two pipes."""
    ends = [asyncio.Event(), asyncio.Event()]
    to_bridge, from_program = os.pipe()
    to_program, from_bridge = os.pipe()
    inner = StdioChannel(to_bridge, from_bridge, on_end=ends[0].set)
    outer = StdioChannel(to_program, from_program, on_end=ends[1].set)
    inner.start()
    outer.start()
    channels = ChannelPort(inner)

    async def run() -> None:
        replies = Replies()
        async with asyncio.TaskGroup() as tasks:
            bridge = Bridge(
                bridge_config(port, directory, channels=True),
                replies,
                tasks,
                environ={"CLAUDE_CODE_SESSION_ID": "the-session"},
                working_directory=Path("/project"),
                port=channels,
            )
            answers = EarlyAnswers(bridge.listing, EXPERIMENTAL)
            if early:
                collecting = tasks.create_task(answers.collect(channels, replies))
                await answers.begun.wait()
                collecting.cancel()
            await serve(channels, replies, bridge, answers)

    try:
        async with anyio.create_task_group() as group:
            group.start_soon(run)
            yield Program(outer)
            group.cancel_scope.cancel()
    finally:
        inner.close()
        outer.close()
        os.close(from_program)
        os.close(from_bridge)
        async with asyncio.timeout(5):
            await asyncio.gather(*(end.wait() for end in ends))
        os.close(to_bridge)
        os.close(to_program)


@pytest.mark.parametrize("early", [False, True])
async def test_the_2026_era_is_refused_and_the_handshake_declares_channels(
    tmp_path: Path, early: bool
) -> None:
    async with serving(FakeRelay()) as port, session(port, tmp_path, early=early) as program:
        refused = await program.ask("server/discover", MODERN)
        hello = await program.shake_hands()
    error = refused["error"]
    assert isinstance(error, dict)
    assert error["code"] == -32601
    capabilities = hello["capabilities"]
    assert isinstance(capabilities, dict)
    assert capabilities["experimental"] == {
        "claude/channel": {},
        "claude/channel/permission": {},
    }
    assert hello["protocolVersion"] == "2025-11-25"


async def test_without_channels_nothing_is_declared(tmp_path: Path) -> None:
    from tests.mcp.harness import bridged

    async with (
        serving(FakeRelay()) as port,
        bridged(bridge_config(port, tmp_path)) as client,
    ):
        capabilities = client.server_capabilities
        assert capabilities.experimental is None


async def test_a_text_is_pushed_at_once_and_confirmed_by_the_next_call(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, session(port, tmp_path) as program:
        await program.shake_hands()
        await relay.until(lambda: relay.streams)
        relay.write("stop, use the other branch", "text-1")
        pushed = params_of(await program.hear(), PUSH)
        assert str(pushed["content"]).startswith("Message from Ann at 2027-01-15")
        assert str(pushed["content"]).endswith("stop, use the other branch")
        assert pushed["meta"] == {"kind": "text", "text_id": "text-1"}
        # Nobody knows whether the program takes channels: the relay keeps it.
        assert relay.acknowledged == []

        relay.write("and be quick", "text-2")
        second = params_of(await program.hear(), PUSH)
        assert str(second["content"]).endswith("and be quick")

        told = await program.call("check_messages", {})
        assert "[may have reached you before] Message from Ann" in told
        assert told.endswith("and be quick")
        await relay.until(lambda: set(relay.acknowledged) == {"text-1", "text-2"})
        assert (await program.call("check_messages", {})).startswith("No messages")


async def test_what_is_attached_is_pushed_as_files(tmp_path: Path) -> None:
    relay, drawing = FakeRelay(), drawn("PNG")
    async with serving(relay) as port, session(port, tmp_path) as program:
        await program.shake_hands()
        await relay.until(lambda: relay.streams)
        relay.write("like this", "text-1", [picture(drawing)])
        pushed = params_of(await program.hear(), PUSH)
    told = re.search(
        r"like this\n\[With attachment 1, see below\.\]"
        r"\nAttachment 1: picture \(PNG, 4×3 pixels\), saved as (\S+)$",
        str(pushed["content"]),
    )
    assert told is not None
    assert await asyncio.to_thread(Path(told[1]).read_bytes) == drawing


async def test_what_a_hook_confirmed_does_not_come_again(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, session(port, tmp_path) as program:
        await program.shake_hands()
        await relay.until(lambda: relay.streams)
        relay.write("only once more", "text-1")
        params_of(await program.hear(), PUSH)
        # A hook takes it in the bridge's name and confirms it.
        relay.texts.clear()
        relay._count()
        assert (await program.call("check_messages", {})).startswith("No messages")


async def test_a_text_from_before_the_session_is_pushed_too(tmp_path: Path) -> None:
    relay = FakeRelay()
    relay.write("good morning", "text-1")
    async with serving(relay) as port, session(port, tmp_path) as program:
        await program.shake_hands()
        assert str(params_of(await program.hear(), PUSH)["content"]).endswith("good morning")


async def test_nothing_is_pushed_before_the_handshake_is_done(tmp_path: Path) -> None:
    relay = FakeRelay()
    relay.write("good morning", "text-1")
    async with serving(relay) as port, session(port, tmp_path) as program:
        await program.ask("initialize", HELLO)
        assert "result" in await program.ask("ping", {})
        await relay.until(lambda: relay.streams)
        # An answer to a later request comes first.
        assert "result" in await program.ask("ping", {})
        await program.tell("notifications/initialized")
        params_of(await program.hear(), PUSH)


async def test_hooks_of_the_session_know_how_much_waits(tmp_path: Path) -> None:
    relay = FakeRelay()

    async def noted(waiting: int) -> None:
        async def says_so() -> sessions.SessionNote | None:
            told = sessions.noted("the-session")
            return told if told is not None and told.waiting == waiting else None

        told = await poll(says_so)
        assert told is not None
        assert told.pid == os.getpid()
        assert told.agent_id == relay.named("Attach")[0].agent.agent_id

    async with serving(relay) as port, session(port, tmp_path) as program:
        await program.shake_hands()
        await relay.until(lambda: relay.streams)
        await noted(0)
        relay.write("one", "text-1")
        await noted(1)
        await program.hear()
        await program.call("check_messages", {})
        await relay.until(lambda: relay.acknowledged)
        relay._count()
        await noted(0)


async def test_a_late_answer_is_pushed(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, session(port, tmp_path) as program:
        await program.shake_hands()
        shown = await program.call("work_report", {"summary": "All done", "wait": False})
        assert shown.startswith("The report is shown")
        request_id = await relay.asked()
        await relay.until(lambda: relay.named("SetWaiting"))
        relay.answer(request_id, "now the docs")
        pushed = params_of(await program.hear(), PUSH)
        assert str(pushed["content"]).endswith("now the docs")
        assert pushed["meta"] == {"kind": "request", "request_id": request_id}


def permission(request_id: str = "abcde", **more: object) -> Message:
    return {
        "request_id": request_id,
        "tool_name": "Bash",
        "description": "Clean up",
        "input_preview": '{"command": "rm -r build"}',
        **more,
    }


@pytest.mark.requirement("B74")
@pytest.mark.parametrize(("label", "behavior"), [("allow_once", "allow"), ("deny", "deny")])
async def test_a_permission_is_asked_on_all_devices_and_answered(
    tmp_path: Path, label: str, behavior: str
) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, session(port, tmp_path) as program:
        await program.shake_hands()
        await program.tell(f"{PUSH}/permission_request", permission())
        # Asked again, it is the same card.
        await program.tell(f"{PUSH}/permission_request", permission())
        request_id = await relay.asked()
        answer = request_pb2.Answer(index=0, labels=[label])
        relay.answer(request_id, "", answers=[answer])
        told = params_of(await program.hear(), f"{PUSH}/permission")
        assert told == {"request_id": "abcde", "behavior": behavior}
        assert len(relay.opened) == 1
        # A decision is no mail.
        assert (await program.call("check_messages", {})).startswith("No messages")
    approval = relay.opened[request_id].question.Request.approval
    assert (approval.tool, approval.command, approval.cwd) == ("Bash", "rm -r build", "/project")
    # The program takes no edit, and keeps no permission of ours.
    assert not approval.can_edit
    assert not approval.can_allow_session


async def test_a_permission_that_nobody_answers_is_left_to_the_terminal(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, session(port, tmp_path) as program:
        await program.shake_hands()
        asking = permission(input_preview="file_path: /a, content: x…", tool_name="Write")
        await program.tell(f"{PUSH}/permission_request", asking)
        request_id = await relay.asked()
        relay.end(request_id, request_pb2.REQUEST_STATE_EXPIRED)
        await relay.until(lambda: relay.named("AckMessages") or request_id not in relay.waiting)
        assert "result" in await program.ask("ping", {})
    approval = relay.opened[request_id].question.Request.approval
    assert approval.description == "Clean up\n\nfile_path: /a, content: x…"


async def test_more_questions_than_anybody_can_answer_are_left_to_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lineup_srv.contract.limits.OPEN_PERMISSIONS", 2)
    relay = FakeRelay()
    async with serving(relay) as port, session(port, tmp_path) as program:
        await program.shake_hands()
        for number in range(6):
            await program.tell(f"{PUSH}/permission_request", permission(f"r{number}"))
        hostiles: list[Message] = [{}, {"request_id": 7}]
        for hostile in hostiles:
            await program.tell(f"{PUSH}/permission_request", hostile)
        await relay.asked(2)
        assert "result" in await program.ask("ping", {})
        assert len(relay.opened) == 2
