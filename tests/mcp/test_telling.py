"""Conversations that wait for nobody: texts, pictures, and asking for messages."""

from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING

import grpc
import pytest

from lineup_srv.wire._gen.lineup.v1 import content_pb2, error_pb2, request_pb2
from tests.mcp.fake_relay import FakeRelay, serving
from tests.mcp.harness import bridge_config, bridged, text_of
from tests.mcp.test_pictures import drawn

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from lineup_srv.wire._gen.lineup.v1 import relay_pb2

PNG = drawn("PNG")


async def test_a_message_is_shown_in_the_agents_name(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        result = await client.call_tool("send_message", {"message": "halfway there"})
        empty = await client.call_tool("send_message", {"message": " "})
    (sent,) = relay.named("SendText")
    assert sent.text.content == "halfway there"
    assert sent.text.agent_id == relay.named("Attach")[0].agent.agent_id
    assert text_of(result).startswith("The text is shown on ")
    assert text_of(empty).startswith("invalid_argument: message is missing")
    assert result.is_error is False


@pytest.mark.parametrize("source", ["path", "base64", "data"])
async def test_a_picture_is_shown(tmp_path: Path, source: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.png").write_bytes(PNG)
    encoded = base64.b64encode(PNG).decode()
    given = {
        "path": {"path": "a.png"},
        "base64": {"base64": encoded},
        "data": {"base64": f"data:image/jpeg;base64,{encoded}"},
    }[source]
    relay = FakeRelay()
    async with (
        serving(relay) as port,
        bridged(
            bridge_config(port, tmp_path), environ={"CLAUDE_PROJECT_DIR": str(project)}
        ) as client,
    ):
        shown = await client.call_tool("show_image", {**given, "alt": "a dot", "caption": "Look"})
    (sent,) = relay.named("SendImage")
    assert sent.image.data == PNG
    assert (sent.image.mime_type, sent.image.alt) == ("image/png", "a dot")
    assert sent.image.caption == "Look"
    assert text_of(shown).startswith("The picture is shown on ")


@pytest.mark.parametrize(
    ("given", "start"),
    [
        ({}, "invalid_argument: path or url or base64 must be given, one of them."),
        ({"path": "a", "url": "b"}, "invalid_argument: path or url or base64 must be given"),
        ({"path": "/etc/hostname"}, "invalid_argument: path must lie inside /project or "),
        ({"url": "http://127.0.0.1:1/a.png"}, "invalid_argument: url leads to a private network"),
        ({"base64": "%%%"}, "invalid_argument: base64 is no valid base64"),
        ({"base64": "aGVsbG8="}, "invalid_argument: base64 must be a PNG, JPEG, GIF or WebP"),
    ],
)
async def test_what_is_no_picture_is_not_shown(
    tmp_path: Path, given: dict[str, str], start: str
) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        result = await client.call_tool("show_image", given)
    assert text_of(result).startswith(start)
    assert relay.named("SendImage") == []


async def test_pictures_go_with_questions_and_reports(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.png").write_bytes(PNG)
    relay = FakeRelay()
    async with (
        serving(relay) as port,
        bridged(
            bridge_config(port, tmp_path), environ={"CLAUDE_PROJECT_DIR": str(project)}
        ) as client,
    ):
        for number, (tool, arguments) in enumerate(
            (("ask_question", {"question": "This?"}), ("work_report", {"summary": "Done"})), 1
        ):
            async with asyncio.TaskGroup() as tasks:
                images = {"images": ["a.png", str(project / "a.png")]}
                call = tasks.create_task(client.call_tool(tool, {**arguments, **images}))
                relay.answer(await relay.asked(number))
                await call
        refused = await client.call_tool("ask_question", {"question": "?", "images": ["b.png"]})
        many = await client.call_tool("work_report", {"summary": "?", "images": ["a.png"] * 11})
    question, report = relay.opened.values()
    for shown in (question.question.Request.contents, report.report.Request.contents):
        assert [content.type for content in shown] == [2, 2]
        assert base64.b64decode(shown[0].image.data) == PNG
        assert shown[0].image.mime_type == "image/png"
    assert text_of(refused).startswith("invalid_argument: images[0] names no file")
    assert text_of(many).startswith("invalid_argument: images must be at most 10 paths")
    assert len(relay.opened) == 2


async def test_without_a_relay_nothing_was_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lineup_srv.contract.limits.UNREACHABLE_SECONDS", 0.2)
    async with serving(FakeRelay()) as port:
        pass
    async with bridged(bridge_config(port, tmp_path)) as client:
        for tool, arguments in (("send_message", {"message": "hello"}), ("check_messages", {})):
            text = text_of(await client.call_tool(tool, arguments))
            assert text.startswith("relay_unreachable: no LineUp relay answers")
            assert "Question:" not in text


async def test_a_relay_that_goes_away_may_have_shown_it(tmp_path: Path) -> None:
    class Leaving(FakeRelay):
        async def SendText(self, request: Any, context: Any) -> Any:
            await super().SendText(request, context)
            await context.abort(grpc.StatusCode.UNAVAILABLE, "gone")

    relay = Leaving()
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        result = await client.call_tool("send_message", {"message": "once"})
    assert "it may have been shown" in text_of(result)
    assert len(relay.named("SendText")) == 1


async def test_a_refusal_is_a_normal_result(tmp_path: Path) -> None:
    class Refusing(FakeRelay):
        async def SendText(self, request: Any, context: Any) -> Any:
            await self._refuse(
                context,
                grpc.StatusCode.RESOURCE_EXHAUSTED,
                error_pb2.ERROR_CODE_RATE_LIMITED,
            )

    async with serving(Refusing()) as port, bridged(bridge_config(port, tmp_path)) as client:
        result = await client.call_tool("send_message", {"message": "hello"})
    assert text_of(result).startswith("rate_limited: refused by the test")
    assert result.is_error is False


# ---- check_messages -----------------------------------------------------------------------------


async def test_messages_come_when_asked_for_or_none_is_said(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        nothing = text_of(await client.call_tool("check_messages", {}))
        relay.write("use the other branch", "text-1")
        await relay.until(lambda: True)
        found = text_of(await client.call_tool("check_messages", {"wait": 60}))
        await relay.until(lambda: relay.acknowledged == ["text-1"])
        relay._count()
        again = text_of(await client.call_tool("check_messages", {"wait": 0.05}))
    assert nothing.startswith("No messages: the human wrote nothing since your last call")
    assert found.startswith("Messages: the human wrote or answered something; it follows.")
    assert found.endswith("use the other branch")
    assert again.startswith("No messages: the human wrote nothing within 0.05 s")


async def test_a_wait_ends_with_the_first_message(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with (
        serving(relay) as port,
        bridged(bridge_config(port, tmp_path)) as client,
        asyncio.TaskGroup() as tasks,
    ):
        call = tasks.create_task(client.call_tool("check_messages", {"wait": "10 min"}))
        await relay.until(lambda: relay.streams)
        relay.write("here I am", "text-1")
        assert text_of(await call).endswith("here I am")


async def test_a_wait_is_cut_into_slices_and_gives_signs_of_life(tmp_path: Path) -> None:
    relay = FakeRelay()
    seen: list[str] = []

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        seen.append(message or "")

    async with serving(relay) as port:
        config = bridge_config(port, tmp_path, wait_slice_seconds=0.3, heartbeat_seconds=0.05)
        async with bridged(config) as client:
            result = await client.call_tool(
                "check_messages", {"wait": 600}, progress_callback=progress
            )
    assert "call check_messages with wait=599.7 to go on waiting" in text_of(result)
    assert seen
    assert seen[-1] == "Waiting for a message: no device is online."


@pytest.mark.parametrize(
    ("wait", "start"),
    [("soon", "invalid_argument: wait must be a number"), ([], "invalid_argument: wait must")],
)
async def test_a_wait_that_is_no_number_is_refused(
    tmp_path: Path, wait: object, start: str
) -> None:
    async with serving(FakeRelay()) as port, bridged(bridge_config(port, tmp_path)) as client:
        assert text_of(await client.call_tool("check_messages", {"wait": wait})).startswith(start)


async def test_a_picture_in_the_mail_comes_along(tmp_path: Path) -> None:
    image = content_pb2.ImageContent(
        type="image", data=base64.b64encode(PNG).decode(), mime_type="image/png"
    )
    relay = FakeRelay()
    relay.outcomes["old"] = relay._outcome(
        "old",
        request_pb2.REQUEST_STATE_ANSWERED,
        replied_unix_ms=1,
        contents=[content_pb2.McpResultContent(type=2, image=image)],
    )
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        result = await client.call_tool("check_messages", {"wait": 10})
        await relay.until(lambda: relay.acknowledged)
    assert [block.type for block in result.content] == ["text", "image"]
    assert result.structured_content is None
    assert text_of(result).endswith("Attachment 1: picture (PNG, 4×3 pixels)")


async def test_a_program_that_shows_no_pictures_gets_files(tmp_path: Path) -> None:
    image = content_pb2.ImageContent(
        type="image", data=base64.b64encode(PNG).decode(), mime_type="image/png"
    )
    relay = FakeRelay()
    async with (
        serving(relay) as port,
        bridged(bridge_config(port, tmp_path), client_name="@cline/core") as client,
        asyncio.TaskGroup() as tasks,
    ):
        call = tasks.create_task(client.call_tool("ask_question", {"question": "Which?"}))
        contents = [content_pb2.McpResultContent(type=2, image=image)]
        relay.answer(await relay.asked(), "", contents=contents)
        result = await call
    assert [block.type for block in result.content] == ["text"]
    assert "Attachment 1: picture (PNG, 4×3 pixels), saved as " in text_of(result)


# ---- permission_prompt --------------------------------------------------------------------------


def step(**more: object) -> dict[str, object]:
    return {"tool_name": "Bash", "input": {"command": "make"}, "tool_use_id": "toolu_1", **more}


@pytest.mark.requirement("B74")
@pytest.mark.parametrize(
    ("label", "note", "edited", "wanted"),
    [
        ("allow_once", "", "", '{"behavior": "allow", "updatedInput": {"command": "make"}}'),
        ("allow_session", "", "", '{"behavior": "allow", "updatedInput": {"command": "make"}}'),
        (
            "allow_once",
            "",
            '{"command": "make test"}',
            '{"behavior": "allow", "updatedInput": {"command": "make test"}}',
        ),
        (
            "deny",
            "not now",
            "",
            '{"behavior": "deny", "message": "Not allowed by Ann on Android: not now"}',
        ),
    ],
)
async def test_a_permission_is_answered_as_the_program_reads_it(
    tmp_path: Path, label: str, note: str, edited: str, wanted: str
) -> None:
    relay = FakeRelay()
    relay.write("a text that must not get in", "text-1")
    async with (
        serving(relay) as port,
        bridged(bridge_config(port, tmp_path)) as client,
        asyncio.TaskGroup() as tasks,
    ):
        call = tasks.create_task(client.call_tool("permission_prompt", step()))
        request_id = await relay.asked()
        answer = request_pb2.Answer(index=0, labels=[label], text=note)
        relay.answer(request_id, "", answers=[answer], input_json=edited)
        result = await call
        assert text_of(result) == wanted
        assert len(result.content) == 1
        await relay.until(lambda: request_id in relay.acknowledged)
    opened: relay_pb2.OpenRequestRequest = relay.opened[request_id]
    assert opened.question.Request.approval.command == "make"
    assert opened.question.Request.Timeout == 3_600
    assert opened.question.Request.on_timeout == request_pb2.ON_TIMEOUT_ABORT


async def test_silence_and_nonsense_are_denials(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        async with asyncio.TaskGroup() as tasks:
            call = tasks.create_task(client.call_tool("permission_prompt", step()))
            relay.end(await relay.asked(), request_pb2.REQUEST_STATE_EXPIRED)
            silent = text_of(await call)
        nameless = text_of(await client.call_tool("permission_prompt", {"input": {}}))
        shapeless = text_of(await client.call_tool("permission_prompt", step(input="rm")))
    assert silent.startswith('{"behavior": "deny", "message": "Nobody answered in time.')
    assert nameless.startswith('{"behavior": "deny", "message": "invalid_argument: tool_name')
    assert shapeless.startswith('{"behavior": "deny", "message": "invalid_argument: input must')
    monkeypatch.setattr("lineup_srv.contract.limits.UNREACHABLE_SECONDS", 0.2)
    async with bridged(bridge_config(port, tmp_path)) as client:
        absent = text_of(await client.call_tool("permission_prompt", step()))
    assert absent.startswith('{"behavior": "deny", "message": "relay_unreachable:')


async def test_a_permission_that_is_asked_again_is_the_same_card(tmp_path: Path) -> None:
    relay = FakeRelay()
    environ = {"CLAUDE_CODE_SESSION_ID": "the-session"}
    async with (
        serving(relay) as port,
        bridged(bridge_config(port, tmp_path), environ=environ) as client,
        asyncio.TaskGroup() as tasks,
    ):
        calls = [
            tasks.create_task(client.call_tool("permission_prompt", step(tool_use_id=name)))
            for name in ("toolu_1", "toolu_1", "toolu_2")
        ]
        await relay.until(lambda: len(relay.named("OpenRequest")) == 3)
        assert len(relay.opened) == 2
        for request_id in list(relay.opened):
            answer = request_pb2.Answer(index=0, labels=["allow_once"])
            relay.answer(request_id, "", answers=[answer])
        for call in calls:
            assert text_of(await call).startswith('{"behavior": "allow"')
