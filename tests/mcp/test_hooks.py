"""Conversations of hooks: permission on all devices, mail into the session, no hung program."""

from __future__ import annotations

import asyncio
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lineup_mcp import hooks as module
from lineup_mcp import sessions, standing
from lineup_mcp.hook_events import HookEvent, deny
from lineup_mcp.hooks import Hooks
from lineup_srv.wire._gen.lineup.v1 import request_pb2
from tests.mcp.fake_relay import CLOCK, FakeRelay, picture, serving
from tests.mcp.harness import bridge_config
from tests.mcp.test_pictures import drawn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineup_mcp.config import BridgeConfig
    from lineup_srv.wire._gen.lineup.v1 import relay_pb2

BASH = {
    "hook_event_name": "PermissionRequest",
    "session_id": "the-session",
    "cwd": "/project",
    "tool_name": "Bash",
    "tool_input": {"command": "rm -r build", "description": "Clean up"},
}


async def run(
    config: BridgeConfig, event: Mapping[str, object], *, within_seconds: float = 60
) -> Mapping[str, object] | None:
    """The output of one run."""
    said: list[Mapping[str, object] | None] = []
    hooks = Hooks(config, environ={}, put=said.append, undecided=deny)
    await hooks.run(HookEvent(event), within_seconds=within_seconds)
    assert len(said) == 1
    return said[0]


def decide(relay: FakeRelay, request_id: str, label: str, note: str = "", **more: object) -> None:
    """A human presses a button of the card."""
    relay.answer(
        request_id, "", answers=[request_pb2.Answer(index=0, labels=[label], text=note)], **more
    )


def decision(output: Mapping[str, object] | None) -> Mapping[str, object]:
    assert output is not None
    specific = output["hookSpecificOutput"]
    assert isinstance(specific, dict)
    assert specific["hookEventName"] == "PermissionRequest"
    found = specific["decision"]
    assert isinstance(found, dict)
    return found


def asked(relay: FakeRelay, number: int = 0) -> relay_pb2.OpenRequestRequest:
    return list(relay.opened.values())[number]


@pytest.mark.requirement("B74")
@pytest.mark.parametrize(
    ("label", "note", "more", "wanted"),
    [
        ("allow_once", "", {}, {"behavior": "allow"}),
        ("allow_session", "", {}, {"behavior": "allow"}),
        (
            "allow_once",
            "",
            {"input_json": '{"command": "ls"}'},
            {"behavior": "allow", "updatedInput": {"command": "ls"}},
        ),
        ("deny", "", {}, {"behavior": "deny", "message": "Not allowed by Ann on Android."}),
        (
            "deny",
            "use make clean",
            {},
            {"behavior": "deny", "message": "Not allowed by Ann on Android: use make clean"},
        ),
    ],
)
async def test_each_decision_of_a_human_is_one_answer(
    tmp_path: Path, label: str, note: str, more: dict[str, object], wanted: dict[str, object]
) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, asyncio.TaskGroup() as tasks:
        running = tasks.create_task(run(bridge_config(port, tmp_path), BASH))
        request_id = await relay.asked()
        decide(relay, request_id, label, note, **more)
        assert decision(await running) == wanted
        await relay.until(lambda: relay.named("Goodbye"))
    request = asked(relay).question.Request
    assert request.kind == request_pb2.REQUEST_KIND_APPROVAL
    assert request.session == "the-session"
    assert request.ProjectDirectory == "/project"
    approval = request.approval
    assert (approval.tool, approval.command, approval.cwd) == ("Bash", "rm -r build", "/project")
    assert approval.description.startswith("Clean up")
    assert json.loads(approval.input_json) == BASH["tool_input"]
    assert approval.can_allow_session
    assert approval.can_edit


@pytest.mark.parametrize(
    "answer",
    [
        {"text": "yes, do it"},
        {"answers": [request_pb2.Answer(index=0, labels=["allow"])]},
        {"answers": [request_pb2.Answer(index=0, labels=["allow_once", "deny"])]},
        {"answers": [request_pb2.Answer(index=0, labels=["allow_once"])], "input_json": "[1]"},
        {"answers": [request_pb2.Answer(index=0, labels=["allow_once"])], "input_json": "{"},
        {"answers": [request_pb2.Answer(index=0, labels=["allow_once"])], "action": "decline"},
    ],
)
async def test_what_is_no_clear_permission_is_none(
    tmp_path: Path, answer: dict[str, object]
) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, asyncio.TaskGroup() as tasks:
        running = tasks.create_task(run(bridge_config(port, tmp_path), BASH))
        request_id = await relay.asked()
        text = str(answer.pop("text", ""))
        relay.answer(request_id, text, **answer)
        found = decision(await running)
    assert found["behavior"] == "deny"


async def test_a_first_line_of_an_older_program_counts(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, asyncio.TaskGroup() as tasks:
        running = tasks.create_task(run(bridge_config(port, tmp_path), BASH))
        relay.answer(await relay.asked(), "allow_once\ncarefully")
        assert decision(await running) == {"behavior": "allow"}
    assert "Answer allow_once or" in asked(relay).question.Request.Question


async def test_silence_and_an_absent_relay_are_what_the_user_set_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lineup_srv.contract.limits.UNREACHABLE_SECONDS", 0.2)
    relay = FakeRelay()
    async with serving(relay) as port, asyncio.TaskGroup() as tasks:
        config = bridge_config(port, tmp_path)
        running = tasks.create_task(run(config, BASH))
        relay.end(await relay.asked(), request_pb2.REQUEST_STATE_EXPIRED)
        silent = decision(await running)
    absent = decision(await run(config, BASH))
    assert silent == {"behavior": "deny", "message": "Nobody answered in time."}
    assert str(absent["message"]).startswith("relay_unreachable: no relay at")


async def test_a_permission_for_the_session_stands_is_shown_and_can_be_taken_back(
    tmp_path: Path,
) -> None:
    relay = FakeRelay()
    async with serving(relay) as port:
        config = bridge_config(port, tmp_path)
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(run(config, BASH))
            decide(relay, await relay.asked(), "allow_session")
            await running
        assert decision(await run(config, BASH)) == {"behavior": "allow"}
        assert len(relay.opened) == 1
        (shown,) = relay.named("SendText")
        (given,) = standing.standing()
        assert "a standing permission of Ann on Android" in shown.text.content
        assert "    rm -r build" in shown.text.content
        assert f"lineup-mcp permissions revoke {given.id}" in shown.text.content

        for other in (
            {"session_id": "another"},
            {"tool_input": {"command": "rm -r build src"}},
            {"cwd": "/"},
            {"tool_name": "Shell"},
        ):
            async with asyncio.TaskGroup() as tasks:
                running = tasks.create_task(run(config, {**BASH, **other}))
                decide(relay, await relay.asked(len(relay.opened) + 1), "deny")
                assert decision(await running)["behavior"] == "deny"

        assert standing.revoke(given.id)
        assert not standing.revoke(given.id)
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(run(config, BASH))
            decide(relay, await relay.asked(len(relay.opened) + 1), "deny")
            assert decision(await running)["behavior"] == "deny"


async def test_a_changed_command_is_not_allowed_again_unseen(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, asyncio.TaskGroup() as tasks:
        running = tasks.create_task(run(bridge_config(port, tmp_path), BASH))
        decide(relay, await relay.asked(), "allow_session", input_json='{"command": "ls"}')
        await running
    assert standing.standing() == []


async def test_a_hook_that_is_cancelled_takes_its_card_along(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, asyncio.TaskGroup() as tasks:
        running = tasks.create_task(run(bridge_config(port, tmp_path), BASH))
        await relay.asked()
        running.cancel()
        await relay.until(lambda: relay.named("Goodbye"))


@pytest.mark.parametrize(
    ("changed", "output"),
    [
        ({"tool_name": "AskUserQuestion"}, None),
        ({"tool_input": "text"}, deny("The hook's input names no tool.")),
        ({"tool_name": 7}, deny("The hook's input names no tool.")),
        ({"hook_event_name": "SessionStart"}, None),
        ({"hook_event_name": ["Stop"]}, None),
    ],
)
async def test_what_is_no_question_for_permission_asks_nobody(
    tmp_path: Path, changed: dict[str, object], output: Mapping[str, object] | None
) -> None:
    # There is no relay, and nobody looks for one.
    assert await run(bridge_config(1, tmp_path), {**BASH, **changed}) == output


async def test_a_huge_input_is_shown_in_part_and_says_so(tmp_path: Path) -> None:
    relay = FakeRelay()
    written = {"file_path": "/project/a", "content": "x" * 200_000}
    event = {**BASH, "tool_name": "Write", "tool_input": written}
    async with serving(relay) as port, asyncio.TaskGroup() as tasks:
        running = tasks.create_task(run(bridge_config(port, tmp_path), event))
        decide(relay, await relay.asked(), "deny")
        await running
    approval = asked(relay).question.Request.approval
    assert not approval.can_edit
    assert approval.input_json == ""
    assert "Its arguments (200" in approval.description
    assert approval.description.endswith("covers Write: /project/a")


# ---- mail ---------------------------------------------------------------------------------------


def mail_event(name: str, **more: object) -> dict[str, object]:
    return {"hook_event_name": name, "session_id": "the-session", "cwd": "/project", **more}


def note(waiting: int, pid: int | None = None) -> None:
    sessions.note(
        "the-session",
        sessions.SessionNote(agent_id="the-bridge", pid=pid or os.getpid(), waiting=waiting),
    )


@pytest.mark.parametrize("name", ["UserPromptSubmit", "PostToolUse"])
async def test_waiting_texts_go_in_as_context_in_the_name_of_the_bridge(
    tmp_path: Path, name: str
) -> None:
    relay = FakeRelay()
    relay.write("use the other branch", "text-1")
    note(waiting=1)
    async with serving(relay) as port:
        output = await run(bridge_config(port, tmp_path), mail_event(name))
        await relay.until(lambda: relay.acknowledged == ["text-1"])
    assert output is not None
    specific = output["hookSpecificOutput"]
    assert isinstance(specific, dict)
    assert specific["hookEventName"] == name
    context = specific["additionalContext"]
    assert context.startswith("LineUp: the human you work for wrote this.")
    assert context.endswith("use the other branch")
    assert [request.agent_id for request in relay.named("TakeMessages")] == ["the-bridge"]
    assert not relay.named("Attach")


async def test_what_is_attached_to_texts_goes_in_as_files(tmp_path: Path) -> None:
    relay, drawing = FakeRelay(), drawn("PNG")
    relay.write("like this", "text-1", [picture(drawing), picture(drawing)])
    async with serving(relay) as port:
        output = await run(bridge_config(port, tmp_path), mail_event("Stop"))
    assert output is not None
    told = re.search(
        r"like this\n\[With attachments 1 to 2, see below\.\]"
        r"\nAttachment 1: picture \(PNG, 4×3 pixels\), saved as (\S+)"
        r"\nAttachment 2: picture \(PNG, 4×3 pixels\), saved as (\S+)$",
        str(output["reason"]),
    )
    assert told is not None
    for path in told.groups():
        assert await asyncio.to_thread(Path(path).read_bytes) == drawing


async def test_a_waiting_instruction_keeps_the_agent_going_but_never_in_a_loop(
    tmp_path: Path,
) -> None:
    relay = FakeRelay()
    relay.write("now the tests", "text-1")
    async with serving(relay) as port:
        config = bridge_config(port, tmp_path)
        first = await run(config, mail_event("Stop", stop_hook_active=False))
        await relay.until(lambda: relay.acknowledged == ["text-1"])
        relay.write("and more", "text-2")
        again = await run(config, mail_event("Stop", stop_hook_active=True))
        nothing_new = await run(config, mail_event("Stop"))
    assert first is not None
    assert first["decision"] == "block"
    assert str(first["reason"]).endswith("now the tests")
    assert again is None
    assert nothing_new is not None
    assert str(nothing_new["reason"]).endswith("and more")


async def test_a_late_answer_comes_with_a_hook_and_a_late_permission_allows_nothing(
    tmp_path: Path,
) -> None:
    relay = FakeRelay()
    relay.outcomes["old"] = relay._outcome(
        "old",
        request_pb2.REQUEST_STATE_CANCELLED,
        question="Allow Bash?",
        late=True,
        replied_unix_ms=CLOCK,
        answers=[request_pb2.Answer(index=0, labels=["allow_once"])],
    )
    async with serving(relay) as port:
        output = await run(bridge_config(port, tmp_path), mail_event("Stop"))
    assert output is not None
    assert "(late, after the call had ended)" in str(output["reason"])
    assert str(output["reason"]).endswith("it allows nothing now.")


@pytest.mark.parametrize("waiting", [0, None])
async def test_after_a_tool_nobody_is_asked_unless_something_waits(
    tmp_path: Path, waiting: int | None
) -> None:
    if waiting is not None:
        note(waiting=waiting)
    assert await run(bridge_config(1, tmp_path), mail_event("PostToolUse")) is None


async def test_without_a_relay_a_hook_says_nothing_soon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_ATTACH_SECONDS", 0.1)
    async with serving(FakeRelay()) as port:
        pass
    config = bridge_config(port, tmp_path)
    for name in ("UserPromptSubmit", "Stop", "Notification"):
        assert await run(config, mail_event(name, message="Waiting for you")) is None
    note(waiting=1)
    assert await run(config, mail_event("PostToolUse")) is None


@pytest.mark.parametrize("with_bridge", [False, True])
async def test_a_notice_is_shown(tmp_path: Path, with_bridge: bool) -> None:
    if with_bridge:
        note(waiting=0)
    relay = FakeRelay()
    event = mail_event("Notification", title="Claude Code", message="needs your attention")
    async with serving(relay) as port:
        config = bridge_config(port, tmp_path)
        assert await run(config, event) is None
        assert await run(config, mail_event("Notification")) is None
    (shown,) = relay.named("SendText")
    assert shown.text.content == "Claude Code: needs your attention"
    assert (shown.text.agent_id == "the-bridge") is with_bridge


def test_a_note_of_a_dead_bridge_is_none(tmp_path: Path) -> None:
    note(waiting=3, pid=2**22 + 5)
    assert sessions.noted("the-session") is None
    note(waiting=3)
    found = sessions.noted("the-session")
    assert found is not None
    assert found.waiting == 3
    sessions.forget("the-session")
    assert sessions.noted("the-session") is None
    files = list((tmp_path / "home").rglob("*.json"))
    assert files == []
