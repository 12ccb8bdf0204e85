"""Texts, pictures, permissions and hooks, from a device through the relay to real processes."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import signal
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from lineup_srv.wire._gen.lineup.v1 import request_pb2
from tests.system.agents import agent
from tests.system.devices import device
from tests.system.processes import PATIENCE_SECONDS, bound, own_home, poll, program

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from tests.system.conftest import Shared
    from tests.system.devices import Device

pytestmark = [pytest.mark.system, pytest.mark.timeout(60)]

SESSION = "the-session"


def drawn(size: tuple[int, int] = (8, 6), *, noise: bool = False) -> bytes:
    """A PNG."""
    image = Image.effect_noise(size, 90) if noise else Image.new("RGB", size, "teal")
    written = io.BytesIO()
    image.save(written, "PNG")
    return written.getvalue()


def event(name: str, **more: object) -> dict[str, object]:
    return {"hook_event_name": name, "session_id": SESSION, "cwd": "/project", **more}


BASH = event("PermissionRequest", tool_name="Bash", tool_input={"command": "rm -r build"})


@asynccontextmanager
async def hook(
    shared: Shared, token: str, home: Path, told: Mapping[str, object], *options: str
) -> AsyncIterator[Process]:
    """A hook that has been told something."""
    process = await asyncio.create_subprocess_exec(
        *program("lineup_mcp", {}),
        "--port",
        str(shared.http),
        "--grpc-port",
        str(shared.grpc),
        "hook",
        *options,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**own_home(home), "LINEUP_TOKEN": token},
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(told).encode())
    process.stdin.close()
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def output(process: Process) -> Mapping[str, object] | None:
    """What a hook said; it ends well."""
    async with asyncio.timeout(bound(PATIENCE_SECONDS)):
        out, errors = await process.communicate()
    assert process.returncode == 0, errors
    assert errors == b""
    return json.loads(out) if out else None


async def said(
    shared: Shared, token: str, home: Path, told: Mapping[str, object]
) -> Mapping[str, object] | None:
    async with hook(shared, token, home, told) as process:
        return await output(process)


async def approval(ann: Device) -> str:
    """The id of the permission that is asked for."""
    shown = await ann.sees(
        "AskQuestion",
        lambda m: m.AskQuestionRequest.Request.kind == request_pb2.REQUEST_KIND_APPROVAL,
    )
    await ann.state(
        shown.AskQuestionRequest.ID, lambda s: s.state == request_pb2.REQUEST_STATE_PENDING
    )
    return shown.AskQuestionRequest.ID


@pytest.mark.requirement("B39")
async def test_pictures_go_both_ways_and_arrive_once(
    shared: Shared, token: str, tmp_path: Path
) -> None:
    async with (
        agent(shared.http, shared.grpc, token, tmp_path / "a") as one,
        device(shared.http, token) as ann,
    ):
        picture = drawn()
        (tmp_path / "a" / "project" / "shot.png").write_bytes(picture)
        shown = await one.call("show_image", path="shot.png", caption="The login page").text()
        assert shown.startswith("The picture is shown on 1 device")
        seen = (await ann.sees("Image", lambda m: True)).image
        assert (seen.caption, seen.mime_type) == ("The login page", "image/png")

        call = one.ask("Like this?", images=["shot.png"])
        asked = await ann.kept_card("Like this?")
        (content,) = asked.Request.contents
        assert base64.b64decode(content.image.data) == picture
        photo = drawn((1700, 900), noise=True)
        await ann.send_picture(asked.ID, photo, "image/png")
        result = await call.result()
    assert [block.type for block in result.content] == ["text", "image"]
    text, image = result.content
    assert text.type == "text"
    assert image.type == "image"
    assert text.text.splitlines()[0].startswith("Answered by Ann on web at ")
    assert "The answer is in the attachments." in text.text
    assert "Attachment 1: picture (JPEG, " in text.text
    assert "reduced; the original is saved as" in text.text
    assert image.mime_type == "image/jpeg"
    assert len(image.data) < 500_000
    assert result.structured_content is None


async def test_words_go_both_ways_without_a_question(
    shared: Shared, token: str, tmp_path: Path
) -> None:
    async with (
        agent(shared.http, shared.grpc, token, tmp_path / "a") as one,
        device(shared.http, token) as ann,
    ):
        assert (await one.call("check_messages").text()).startswith("No messages")
        told = await one.call("send_message", message="Halfway there").text()
        assert told.startswith("The text is shown on 1 device")
        await ann.sees("Text", lambda m: m.text.content == "Halfway there")
        call = one.call("check_messages", wait=60)
        assert (await ann.write("Use the other branch")).accepted
        assert (await call.text()).endswith("Use the other branch")
        await ann.sees("Text", lambda m: m.text.received)
        assert (await one.call("check_messages").text()).startswith("No messages")


async def test_a_report_is_confirmed_and_a_question_of_another_agent_is_awaited(
    shared: Shared, token: str, tmp_path: Path
) -> None:
    async with (
        agent(shared.http, shared.grpc, token, tmp_path / "a") as one,
        agent(shared.http, shared.grpc, token, tmp_path / "b") as two,
        device(shared.http, token) as ann,
    ):
        call = one.report("All done")
        report = await ann.report("All done")
        await ann.state(report.ID, lambda s: s.state == request_pb2.REQUEST_STATE_PENDING)
        theirs = two.call("ask_question", question_id=report.ID)
        await ann.confirm(report.ID, "Confirmed\nNow the docs")
        text = await call.text()
        foreign = await theirs.text()
        unknown = await two.call("ask_question", question_id="no-such-question").text()
    assert text.startswith("Confirmed by Ann on web at ")
    assert text.endswith("Reply:\nNow the docs")
    assert "Report: All done" in foreign
    assert "Note: this was asked by another agent" in foreign
    assert unknown.startswith("unknown_request:")


@pytest.mark.requirement("B74")
async def test_the_permission_tool_answers_what_the_human_decided(
    shared: Shared, token: str, tmp_path: Path
) -> None:
    step = {"tool_name": "Bash", "input": {"command": "rm -r build"}, "tool_use_id": "toolu_1"}
    async with (
        agent(shared.http, shared.grpc, token, tmp_path / "a", session=SESSION) as one,
        device(shared.http, token) as ann,
    ):
        call = one.call("permission_prompt", **step)
        request_id = await approval(ann)
        await ann.decide(request_id, "allow_once", input_json='{"command": "ls build"}')
        assert json.loads(await call.text()) == {
            "behavior": "allow",
            "updatedInput": {"command": "ls build"},
        }
        await ann.state(request_id, lambda s: s.received)
        assert await ann.pending() == []


@pytest.mark.requirement("B74")
async def test_a_hook_has_a_step_decided_on_a_device(
    shared: Shared, token: str, tmp_path: Path
) -> None:
    home = tmp_path / "a"
    async with device(shared.http, token) as ann:
        async with hook(shared, token, home, BASH) as process:
            request_id = await approval(ann)
            await ann.decide(request_id, "deny", "use make clean")
            denied = await output(process)
        await ann.no_agent_left()
        assert await ann.pending() == []
    assert denied == {
        "hookSpecificOutput": {
            "hookEventName": "PermissionRequest",
            "decision": {
                "behavior": "deny",
                "message": "Not allowed by Ann on web: use make clean",
            },
        }
    }


async def test_a_hook_that_its_program_ends_takes_its_card_along(
    shared: Shared, token: str, tmp_path: Path
) -> None:
    async with device(shared.http, token) as ann:
        async with hook(shared, token, tmp_path / "a", BASH) as process:
            request_id = await approval(ann)
            process.send_signal(signal.SIGTERM)
            assert await output(process) is None
        await ann.state(request_id, lambda s: s.state == request_pb2.REQUEST_STATE_CANCELLED)


@pytest.mark.parametrize(
    ("options", "behavior"),
    [(["--without-answer", "deny"], "deny"), (["--without-answer", "allow"], "allow"), ([], None)],
)
async def test_a_hook_ends_in_time_as_it_was_set(
    shared: Shared, token: str, tmp_path: Path, options: list[str], behavior: str | None
) -> None:
    async with (
        device(shared.http, token) as ann,
        hook(shared, token, tmp_path / "a", BASH, "--timeout", "1", *options) as process,
    ):
        request_id = await approval(ann)
        await ann.state(request_id, lambda s: s.state == request_pb2.REQUEST_STATE_EXPIRED)
        answer = await output(process)
    if behavior is None:
        assert answer is None
    else:
        assert answer is not None
        specific = answer["hookSpecificOutput"]
        assert isinstance(specific, dict)
        assert specific["decision"]["behavior"] == behavior


async def test_hooks_bring_the_humans_words_into_the_session_of_their_bridge(
    shared: Shared, token: str, tmp_path: Path
) -> None:
    home = tmp_path / "a"
    async with (
        agent(shared.http, shared.grpc, token, home, session=SESSION) as one,
        device(shared.http, token) as ann,
    ):
        await one.call("check_messages").text()
        note = next((home).rglob("sessions/*.json"))
        assert await said(shared, token, home, event("PostToolUse", tool_name="Read")) is None

        await ann.write("First, the tests")
        await noted(note, 1)
        context = await said(shared, token, home, event("PostToolUse", tool_name="Read"))
        await ann.sees("Text", lambda m: m.text.received)
        await noted(note, 0)
        assert context is not None
        assert str(context["hookSpecificOutput"]).count("First, the tests") == 1

        await ann.write("Then the docs")
        await noted(note, 1)
        stop = await said(shared, token, home, event("Stop", stop_hook_active=False))
        assert stop is not None
        assert stop["decision"] == "block"
        assert str(stop["reason"]).endswith("Then the docs")
        await noted(note, 0)
        assert await said(shared, token, home, event("Stop", stop_hook_active=True)) is None
        assert (await one.call("check_messages").text()).startswith("No messages")


async def test_channels_push_words_and_ask_for_permission(
    shared: Shared, token: str, tmp_path: Path
) -> None:
    push = "notifications/claude/channel"
    process = await asyncio.create_subprocess_exec(
        *program("lineup_mcp", {}),
        *("--port", str(shared.http), "--grpc-port", str(shared.grpc)),
        *("--channels", "--no-autostart"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**own_home(tmp_path / "a"), "LINEUP_TOKEN": token},
    )

    def say(**message: object) -> None:
        assert process.stdin is not None
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    async def hear() -> Mapping[str, object]:
        assert process.stdout is not None
        async with asyncio.timeout(bound(PATIENCE_SECONDS)):
            line = await process.stdout.readline()
        told = json.loads(line)
        assert isinstance(told, dict)
        return told

    async with device(shared.http, token) as ann:
        say(id=1, method="server/discover", params={})
        assert "error" in await hear()
        client = {"name": "claude-code", "version": "2"}
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        say(id=2, method="initialize", params=hello)
        assert "claude/channel" in str(await hear())
        say(method="notifications/initialized")

        await ann.write("Stop, please")
        pushed = await hear()
        assert pushed["method"] == push
        assert "Stop, please" in str(pushed["params"])

        asked = {"tool_name": "Bash", "description": "", "input_preview": '{"command": "make"}'}
        say(method=f"{push}/permission_request", params={"request_id": "abcde", **asked})
        await ann.decide(await approval(ann), "allow_once")
        assert await hear() == {
            "jsonrpc": "2.0",
            "method": f"{push}/permission",
            "params": {"request_id": "abcde", "behavior": "allow"},
        }

        assert not [m for m in ann.received if m.Cmd == "Text" and m.text.received]
        say(id=3, method="tools/call", params={"name": "check_messages", "arguments": {}})
        told = str(await hear())
        assert "[may have reached you before] Message from Ann" in told
        await ann.sees("Text", lambda m: m.text.received)
        say(id=4, method="ping")
        # Nothing was pushed twice.
        assert (await hear())["id"] == 4
        assert process.stdin is not None
        process.stdin.close()
        await process.wait()
        await ann.no_agent_left()


async def test_a_notice_reaches_the_devices(shared: Shared, token: str, tmp_path: Path) -> None:
    notice = event("Notification", message="Claude is waiting for you")
    async with device(shared.http, token) as ann:
        assert await said(shared, token, tmp_path / "a", notice) is None
        await ann.sees("Text", lambda m: m.text.content == "Claude is waiting for you")


async def test_what_is_no_hook_is_said_and_stops_nothing(
    shared: Shared, token: str, tmp_path: Path
) -> None:
    async with hook(shared, token, tmp_path / "a", BASH) as process:
        process.kill()
    home = tmp_path / "b"
    for raw, environ in ((b"{", {}), (b'{"hook_event_name": "Stop"}', {"LINEUP_PORT": "no"})):
        process = await asyncio.create_subprocess_exec(
            *program("lineup_mcp", {}),
            "hook",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**own_home(home), "LINEUP_TOKEN": token, **environ},
        )
        async with asyncio.timeout(bound(PATIENCE_SECONDS)):
            out, errors = await process.communicate(raw)
        # Not 2: by that a hook would stop its program.
        assert (process.returncode, out) == (1, b"")
        assert errors.startswith(b"Error: ")


async def noted(note: Path, waiting: int) -> None:
    """The bridge has told its hooks how much waits."""

    async def says_so() -> bool:
        return _waiting(note) == waiting

    await poll(says_so)


def _waiting(note: Path) -> int:
    return int(json.loads(note.read_text())["waiting"])
