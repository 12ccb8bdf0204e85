"""Conversations: a question goes to the relay, its end comes back as a result."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from google.protobuf.json_format import MessageToDict

from lineup_srv.wire._gen.lineup.v1 import request_pb2
from tests.mcp.fake_relay import FakeRelay, serving
from tests.mcp.harness import bridge_config, bridged, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from mcp.client.client import ConnectMode


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_an_answer_stands_alone_in_both_eras(tmp_path: Path, mode: ConnectMode) -> None:
    relay = FakeRelay()
    async with (
        serving(relay) as port,
        bridged(bridge_config(port, tmp_path), mode=mode) as client,
        asyncio.TaskGroup() as tasks,
    ):
        call = tasks.create_task(
            client.call_tool(
                "ask_question",
                {"question": "Which database?", "options": ["SQLite", "PostgreSQL"]},
            )
        )
        request_id = await relay.asked()
        relay.answer(request_id, "PostgreSQL")
        result = await call
        await relay.until(lambda: request_id in relay.acknowledged)
    text = text_of(result)
    assert text.startswith("Answered by Ann on Android at 2027-01-15 ")
    assert "Question: Which database?" in text
    assert "Answer:\nPostgreSQL" in text
    assert result.is_error is False
    asked = relay.opened[request_id].question.Request
    (question,) = MessageToDict(asked)["Questions"]
    assert question["options"] == [{"label": "SQLite"}, {"label": "PostgreSQL"}]
    assert asked.Timeout == 600
    assert asked.McpClientName == "claude-code"
    assert asked.ProjectDirectory == "/project"
    assert relay.named("Attach")[0].agent.agent_id == asked.agent_id


@pytest.mark.requirement("B05", "B16")
async def test_no_answer_in_time_says_so_and_what_is_next(tmp_path: Path) -> None:
    relay = FakeRelay()
    texts = []
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        for number in range(3):
            async with asyncio.TaskGroup() as tasks:
                call = tasks.create_task(client.call_tool("ask_question", {"question": "Go on?"}))
                relay.end(await relay.asked(number + 1), request_pb2.REQUEST_STATE_EXPIRED)
                result = await call
            assert result.is_error is False
            texts.append(text_of(result))
    for text in texts:
        assert text.startswith("No answer: the question was not answered within 600 s (timed out)")
        assert "Do not assume consent" in text
        assert "Next step:" in text
    assert "the user is away" not in texts[1]
    assert "the user is away" in texts[2]


@pytest.mark.requirement("B17")
@pytest.mark.parametrize(
    ("bad", "named"),
    [
        ({"on_timeout": "maybe"}, 'on_timeout must be "continue" or "abort"'),
        ({"timeout": "abc"}, "timeout must be a number of seconds"),
        ({"options": "nonsense"}, 'options must be a list, such as ["first", "second"]'),
        ({"options": ["same"] * 40}, "options[1] has the label of another option"),
    ],
)
async def test_what_cannot_be_understood_is_a_normal_result_and_nothing_is_shown(
    tmp_path: Path, bad: dict[str, object], named: str
) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        result = await client.call_tool("ask_question", {"question": "Go on?", **bad})
    assert result.is_error is False
    text = text_of(result)
    assert text.startswith(f"invalid_argument: {named}")
    assert "Nothing was shown to the human." in text
    assert not relay.opened
