from __future__ import annotations

import asyncio
import json
import stat
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from tests.cli.commands import LONG, fill, refused, said
from tests.logs.sample import NOW, TOKEN
from tests.logs.stores import Clock, opened_store, token_room

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    path = tmp_path / "data"
    fill(path)
    return path


def test_a_person_reads_questions_with_their_answers_and_texts(data_dir: Path) -> None:
    text = said(data_dir, "export")

    question = text[text.index("Question 2?") :]
    question = question[: question.index("\n## ")]
    assert "- yes: do it" in question
    assert "**Answered** by Äpfel 🍎 (ios), 2023-11-14 22:13:20 UTC:" in question
    assert "> as you like" in question
    assert "**Dismissed** by Äpfel" in text
    assert "**Answered too late for the call** by Äpfel" in text
    assert "**Cancelled**: the session ended" in text
    assert "Bash: `rm -rf build`" in text
    assert "[image: image/png, 5 bytes]" in text
    assert "Äpfel 🍎 to all agents" in text
    assert LONG.strip() in text
    assert "Claude wrote" in text


def test_a_program_reads_the_same_as_json(data_dir: Path) -> None:
    [room] = json.loads(said(data_dir, "export", "--format", "json"))["rooms"]

    entries = {entry.get("request_id", entry["type"]): entry for entry in room["entries"]}
    assert [i for i in entries if i.startswith("request")] == [f"request{n}" for n in range(1, 7)]
    answered = entries["request2"]
    assert answered["type"] == "question"
    assert (answered["state"], answered["received"], answered["late"]) == ("answered", True, False)
    assert answered["reply"]["action"] == "correct"
    assert answered["reply"]["answers"][0] == {
        "index": 0,
        "labels": ["yes"],
        "text": "but\nslowly",
    }
    assert entries["request3"]["type"] == "approval"
    assert entries["request4"]["reply"] is None
    texts = [entry for entry in room["entries"] if entry["type"] == "text_to_agent"]
    assert [text["received"] for text in texts] == [False, True, False]


def test_a_text_that_is_too_long_is_not_said_to_be_lost(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "EXPORTED_TEXT_BYTES", len(LONG) - 1)

    text = said(data_dir, "export")

    assert f"(a text of {len(LONG)} bytes, too long" in text
    assert "disk" not in text


def test_calls_are_told_with_their_arguments_and_results(data_dir: Path) -> None:
    text = said(data_dir, "export")
    assert '· Claude called canvas.open\n\n`{"size":1.50}`\n\n**Succeeded** by Äpfel' in text
    assert 'as it is\n\n`{"instance_id":"i1"}`' in text
    assert "`(secret)`" in text
    assert "**Cancelled**\n\nas it is\n" in text

    [room] = json.loads(said(data_dir, "export", "--format", "json"))["rooms"]
    calls = {entry["call_id"]: entry for entry in room["entries"] if entry["type"] == "tool_call"}
    assert [(i, c["state"], c["result"]) for i, c in calls.items()] == [
        ("call1", "succeeded", '{"instance_id":"i1"}'),
        ("call2", "cancelled", ""),
        ("call3", "succeeded", "(secret)"),
        ("call4", "offered", ""),
    ]
    assert calls["call1"]["arguments"] == '{"size":1.50}'
    assert calls["call1"]["by"] == "Äpfel 🍎"


@pytest.mark.parametrize("form", ["md", "json"])
def test_no_token_is_ever_exported(data_dir: Path, form: str) -> None:
    issued = said(data_dir, "token", "new", "--name", "phone").strip()
    text = said(data_dir, "export", "--format", form)
    assert "phone" in text
    assert TOKEN not in text
    assert issued not in text


def test_a_room_is_named_by_a_token_by_its_id_or_its_beginning(data_dir: Path) -> None:
    said(data_dir, "token", "new", "--name", "phone")
    said(data_dir, "token", "new", "--name", "other", "--kind", "room")
    [room] = json.loads(said(data_dir, "export", "--format", "json"))["rooms"]
    room_id = room["room_id"]
    for which in ("phone", room_id, room_id[:8]):
        [found] = json.loads(said(data_dir, "export", "--format", "json", "--room", which))["rooms"]
        assert found == room
    [empty] = json.loads(said(data_dir, "export", "--format", "json", "--room", "other"))["rooms"]
    assert empty["entries"] == []
    assert "no room is called 'nobody'" in refused(data_dir, "export", "--room", "nobody")
    # Too short a beginning could mean any room.
    refused(data_dir, "export", "--room", room_id[:7])


def test_a_file_is_for_its_owner_and_replaces_nothing(data_dir: Path, tmp_path: Path) -> None:
    output = tmp_path / "export.md"
    assert said(data_dir, "export", "--output", str(output)) == ""
    assert stat.S_IMODE(output.stat().st_mode) == 0o600
    assert output.read_text("utf-8") == said(data_dir, "export")
    assert "exists" in refused(data_dir, "export", "--output", str(output))
    said(data_dir, "export", "--output", str(output), "--force", "--format", "json")
    assert json.loads(output.read_text("utf-8"))


async def test_the_relay_may_run_meanwhile(data_dir: Path) -> None:
    async with opened_store(data_dir, Clock(NOW)) as store:
        await token_room(store, TOKEN)
        assert "Question 1?" in await asyncio.to_thread(said, data_dir, "export")


def test_what_was_compacted_away_is_left_out_and_the_rest_is_told(data_dir: Path) -> None:
    async def compact() -> None:
        async with opened_store(data_dir, Clock(NOW + 30 * 86_400_000)) as store:
            room = await token_room(store, TOKEN)
            await store.log.compact(room, 1_000)

    asyncio.run(compact())
    [room] = json.loads(said(data_dir, "export", "--format", "json"))["rooms"]
    requests = [entry["request_id"] for entry in room["entries"] if "request_id" in entry]
    assert requests == ["request1", "request3", "request5", "request6"]


def test_an_empty_log_says_so(tmp_path: Path) -> None:
    said(tmp_path / "new", "token", "new", "--name", "a", "--kind", "room")
    assert said(tmp_path / "new", "export") == "Nothing was asked or said.\n"
