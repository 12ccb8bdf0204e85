"""Names for MCP: short, plain, different, and stable while others come and go."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineup_srv.contract import limits
from lineup_srv.contract.tool_names import ActionKey, action_keys, mcp_names
from tests.contract.definitions import action, offer, single, toolset


def key(tool: str, action: str = "", application: str = "") -> ActionKey:
    return ActionKey(application=application, tool=tool, action=action or tool, single=not action)


@pytest.mark.requirement("seed000:tools:names")
@pytest.mark.parametrize(
    ("told", "name"),
    [
        (key("canvas", "draw"), "canvas_draw"),
        (key("choice"), "choice"),
        (key("Multi-Choice"), "multi_choice"),
        (key("a.b.c", "d e"), "a_b_c_d_e"),
        (key("画板", "打开"), "tool"),
        (key("画板", "open"), "open"),
        (key("7zip", "pack"), "tool_7zip_pack"),
        (key("timer", "start", "pomodoro"), "timer_start"),
    ],
)
def test_a_name_is_made_of_tool_and_action(told: ActionKey, name: str) -> None:
    assert mcp_names([told], ()) == {name: told}


@pytest.mark.requirement("seed000:tools:names")
def test_two_that_would_be_named_alike_differ_by_a_hash_and_the_first_keeps_its_name() -> None:
    first, second, third = key("a_b", "c"), key("a", "b_c"), key("a", "b_c", "app")

    names = mcp_names([first, second, third], ["a_x"])

    assert list(names.values()) == [first, second, third]
    assert names["a_b_c"] == first
    assert all(re.fullmatch(r"a_b_c(_[0-9a-f]{6})?", name) for name in names)
    assert mcp_names([first, second], ()).items() <= names.items()


def test_a_name_in_use_is_not_taken() -> None:
    (name,) = mcp_names([key("ask", "question")], ["ask_question"])

    assert re.fullmatch(r"ask_question_[0-9a-f]{6}", name)


def test_a_hash_in_use_is_not_taken() -> None:
    told = key("ask", "question")
    (first,) = mcp_names([told], ["ask_question"])
    (second,) = mcp_names([told], ["ask_question", first])

    assert second != first
    assert re.fullmatch(r"ask_question_[0-9a-f]{6}", second)


def test_a_long_name_is_cut() -> None:
    (name,) = mcp_names([key("x" * 100, "y")], ())

    assert len(name) == limits.MCP_NAME_CHARACTERS


@given(
    st.lists(
        st.builds(key, st.text(max_size=60), st.text(max_size=60), st.sampled_from(["", "app"])),
        max_size=20,
        unique=True,
    )
)
@pytest.mark.requirement("seed000:tools:names")
def test_every_action_has_one_plain_name(keys: list[ActionKey]) -> None:
    names = mcp_names(keys, ["tool"])

    assert list(names.values()) == keys
    assert all(re.fullmatch("[a-z][a-z0-9_]{0,39}", name) for name in names)
    assert "tool" not in names


def test_every_action_of_a_catalog_has_a_key() -> None:
    read = offer(
        toolset("calculator", actions=[action("add"), action("divide")]),
        single("choice"),
        applications=[{"id": "pomodoro", "tools": [single("status")]}],
    )

    assert list(action_keys(read.tools, read.applications)) == [
        key("calculator", "add"),
        key("calculator", "divide"),
        key("choice"),
        key("status", "", "pomodoro"),
    ]
