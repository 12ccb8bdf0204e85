"""An argument or tool under a wrong name is refused with the name that may be meant."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
from mcp.shared.exceptions import MCPError

from lineup_mcp.hosts import HOST_ARGUMENTS
from lineup_mcp.tools.app_definitions import APP_TOOLS
from lineup_mcp.tools.arguments import read_ask
from lineup_mcp.tools.definitions import PERMISSION_PROMPT, TOOLS, argument_names
from lineup_mcp.tools.reading import ArgumentError, only_known
from tests.mcp.fake_relay import FakeRelay, serving
from tests.mcp.harness import bridge_config, bridged, text_of
from tests.mcp.tools import CALCULATOR, action, toolset

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from lineup_mcp.tools.definitions import Definition

OWN = {str(tool["name"]): tool for tool in (*TOOLS, *APP_TOOLS)}
CLOSED = sorted(OWN.keys() - {PERMISSION_PROMPT})
FITTING: Mapping[str, object] = {
    "ask_question": {"question": "Which?"},
    "work_report": {"summary": "Done.", "wait": False},
    "send_message": {"message": "Half done."},
    "show_image": {"path": "none.png"},
    "check_messages": {},
    "lineup_list_tools": {},
    "lineup_call_tool": {"name": "calculator", "action": "add", "arguments": {"a": 1, "b": 2}},
}


def schema_of(name: str) -> Definition:
    """The input schema of one of our own tools."""
    schema = OWN[name]["inputSchema"]
    assert isinstance(schema, dict)
    return schema


async def test_every_own_tool_refuses_a_name_it_does_not_know(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        for name in CLOSED:
            fitting = FITTING[name]
            assert isinstance(fitting, dict)
            result = await client.call_tool(name, {**fitting, "timout": 600})
            text = text_of(result)
            assert text.startswith("invalid_argument: timout is not known"), name
            known = ", ".join(argument_names(schema_of(name)))
            assert f"; this tool takes {known}. Nothing was shown" in text
            assert text.endswith("Next step: call again with these names only.")
            assert result.is_error is False
    assert not relay.opened
    assert not relay.called
    assert not relay.named("SendText")


async def test_what_programs_add_on_their_own_is_no_mistake(tmp_path: Path) -> None:
    relay = FakeRelay()
    relay.offer(CALCULATOR)
    added = dict.fromkeys(HOST_ARGUMENTS, True)
    who = {"project_directory": "/project", "agent_name": "a", "reasoning_model_name": "m"}
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        text = text_of(await client.call_tool("send_message", {"message": "Hi", **added, **who}))
        assert text.startswith("The text is shown")
        # The relay has told its tools by then.
        await client.call_tool("lineup_list_tools", {})
        async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
            asked = client.call_tool("calculator_add", {"a": 1, "b": 2, **added})
            tasks.create_task(asked)
            call = await relay.call()
            relay.finish(call, '{"message": "3"}')
    assert json.loads(call.arguments_json) == {"a": 1, "b": 2}


@pytest.mark.parametrize("by_name", [True, False])
async def test_a_device_gets_what_its_own_schema_names(tmp_path: Path, by_name: bool) -> None:
    relay = FakeRelay()
    given = {min(HOST_ARGUMENTS): True}
    schema = {"type": "object", "properties": {key: {"type": "boolean"} for key in given}}
    relay.offer(toolset("queue", action("next", schema)))
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        await client.call_tool("lineup_list_tools", {})
        async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
            wrapped = {"name": "queue", "action": "next", "arguments": given}
            name = "queue_next" if by_name else "lineup_call_tool"
            tasks.create_task(client.call_tool(name, given if by_name else wrapped))
            call = await relay.call()
            relay.finish(call, "{}")
    assert json.loads(call.arguments_json) == given


async def test_an_unknown_tool_is_told_the_nearest_one(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        with pytest.raises(
            MCPError, match=r"Unknown tool: askQuestion\. Did you mean ask_question\?"
        ):
            await client.call_tool("askQuestion", {})
        with pytest.raises(MCPError, match=r"^Unknown tool: x\.$"):
            await client.call_tool("x", {})
        with pytest.raises(MCPError) as long:
            await client.call_tool("ask_question\n" * 1_000, {})
    assert len(str(long.value)) < 300
    assert "\n" not in str(long.value)


@pytest.mark.parametrize(
    ("raw", "field", "problem"),
    [
        (
            {"questions": [{"question": "?", "option": ["a"]}]},
            "questions[0].option",
            "is not known (did you mean options?); questions[0] takes question, header, options, "
            "multiple, custom",
        ),
        (
            {"questions": [{"text": "?", "choices": ["a"], "multi": True}]},
            "questions[0].choices, questions[0].multi",
            "are not known (did you mean multiple?); questions[0] takes question, header, options, "
            "multiple, custom",
        ),
        (
            {"question": "?", "options": [{"label": "a", "descripton": "b"}]},
            "options[0].descripton",
            "is not known (did you mean description?); options[0] takes label, description",
        ),
    ],
)
def test_names_inside_lists_are_looked_at_too(
    raw: Mapping[str, object], field: str, problem: str
) -> None:
    with pytest.raises(ArgumentError) as error:
        read_ask(raw)
    assert (error.value.field, error.value.problem) == (field, problem)


def test_hostile_names_stay_short_and_in_one_line() -> None:
    with pytest.raises(ArgumentError) as error:
        only_known(["a\nb", "x" * 10_000, *map(str, range(1_000))], ["known"])
    assert len(str(error.value)) < 200
    assert "\n" not in str(error.value)
    assert "997 more are not known" in str(error.value)


@pytest.mark.parametrize("name", sorted(OWN))
def test_a_schema_says_what_is_required_and_whether_it_is_all(name: str) -> None:
    required = {
        "work_report": ["summary"],
        "send_message": ["message"],
        PERMISSION_PROMPT: ["tool_name"],
    }
    assert schema_of(name).get("required") == required.get(name)
    assert schema_of(name)["additionalProperties"] is (name == PERMISSION_PROMPT)
