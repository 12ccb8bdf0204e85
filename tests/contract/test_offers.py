"""What an app offers: read completely, or each bad tool refused alone with its path."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.json_form import json_form
from lineup_srv.contract.offers import read_offer
from lineup_srv.contract.tools import Hints, ToolType, same_definition
from lineup_srv.schemas import can_match
from tests.contract.definitions import SCHEMA, action, offer, refusal, single, toolset

FULL = single(
    interactive=True,
    resultSchema={"type": "object", "properties": {"message": {"type": "string"}}},
    version="1.2.0",
    hints={"read_only": True, "idempotent": True},
)
APP = {
    "name": "canvas",
    "type": "app",
    "description": "画板应用",
    "actions": [action("open"), action("clear", hints={"destructive": True}, interactive=True)],
}


@pytest.mark.requirement("seed000:tools:definitions")
@pytest.mark.parametrize("tool", [APP, toolset(), single(), FULL], ids=lambda tool: tool["name"])
def test_a_definition_is_read_and_printed_as_it_was(tool: dict[str, Any]) -> None:
    (read,) = offer(tool).tools

    assert json_form(read) == tool
    assert read.type is ToolType(tool["type"])


@pytest.mark.requirement("seed000:tools:definitions")
def test_the_actions_of_a_tool_are_told_alike_whatever_its_type() -> None:
    app, choice, untouched = offer(APP, FULL, toolset(interactive=True)).tools

    assert [(told.name, told.interactive) for told in app.operations()] == [
        ("open", False),
        ("clear", True),
    ]
    (told,) = choice.operations()
    assert (told.name, told.interactive) == ("choice", True)
    assert told.hints == Hints(read_only=True, idempotent=True)
    assert told.result_schema_json == choice.result_schema_json
    assert all(told.interactive for told in untouched.operations())
    assert choice.operation("whatever") == told
    assert app.operation("clear") == app.operations()[1]
    assert app.operation("juggle") is None


def test_the_same_definition_may_be_written_in_another_order() -> None:
    one, other = offer(FULL).tools[0], offer(dict(reversed(FULL.items()))).tools[0]
    turned = {"properties": SCHEMA["properties"], "required": ["a", "b"], "type": "object"}
    flag = {"type": "object", "properties": {"a": {"const": True}}}
    number = {"type": "object", "properties": {"a": {"const": 1}}}

    assert same_definition(one, other)
    assert same_definition(one, offer({**FULL, "inputSchema": turned}).tools[0])
    assert not same_definition(one, replace(one, version="1.3.0"))
    assert not same_definition(
        *(offer(single(inputSchema=schema)).tools[0] for schema in (flag, number))
    )


@pytest.mark.requirement("design:tools:hostile-definitions")
@pytest.mark.parametrize(
    ("tool", "code", "field"),
    [
        ("canvas", "invalid_argument", ""),
        (None, "invalid_argument", ""),
        ({}, "invalid_argument", ".name"),
        (toolset(""), "invalid_argument", ".name"),
        (toolset("x" * 200), "too_large", ".name"),
        (toolset(" x"), "invalid_argument", ".name"),
        (toolset("a\x1b[2Jb"), "invalid_argument", ".name"),
        (toolset(type="robot"), "invalid_argument", ".type"),
        (toolset(type=3), "invalid_argument", ".type"),
        (toolset(description=None), "invalid_argument", ".description"),
        (toolset(description="x" * 2_001), "too_large", ".description"),
        (toolset(version=2), "invalid_argument", ".version"),
        (toolset(interactive="yes"), "invalid_argument", ".interactive"),
        (toolset(actions=[]), "invalid_argument", ".actions"),
        (toolset(actions={}), "invalid_argument", ".actions"),
        (toolset(actions=["add"]), "invalid_argument", ".actions[0]"),
        (toolset(actions=[action(), action()]), "name_conflict", ".actions[1].name"),
        (toolset(actions=[action(name=7)]), "invalid_argument", ".actions[0].name"),
        (
            toolset(actions=[action(inputSchema=None)]),
            "invalid_argument",
            ".actions[0].inputSchema",
        ),
        (toolset(actions=[action(hints=[])]), "invalid_argument", ".actions[0].hints"),
        (
            toolset(actions=[action(hints={"read_only": 1})]),
            "invalid_argument",
            ".actions[0].hints.read_only",
        ),
        (
            toolset(actions=[action(resultSchema={"type": "string"})]),
            "invalid_argument",
            ".actions[0].resultSchema.type",
        ),
        (single(actions=[action()]), "invalid_argument", ".actions"),
        (single(inputSchema=[]), "invalid_argument", ".inputSchema"),
        (
            single(inputSchema={"properties": {"x": {"type": "text"}}}),
            "invalid_argument",
            ".inputSchema.properties.x.type",
        ),
    ],
)
def test_a_bad_tool_is_refused_alone_and_named_by_its_path(
    tool: Any, code: str, field: str
) -> None:
    read = offer(APP, toolset("before"), tool, single("after"))

    (refused,) = read.refused
    assert [told.name for told in read.tools] == ["canvas", "before", "after"]
    assert (refused.code.value, refused.field) == (code, f"tools[2]{field}")
    assert refused.message


@pytest.mark.requirement("design:tools:hostile-definitions")
def test_names_may_be_of_any_script() -> None:
    names = ["画板", "a.b.c", "Ünïcode", "x" * limits.ID_CHARACTERS]

    assert [tool.name for tool in offer(*map(toolset, names)).tools] == names


@pytest.mark.requirement("design:tools:hostile-definitions")
def test_a_name_stands_once_and_the_first_keeps_it() -> None:
    read = offer(single("canvas"), toolset("canvas"))

    assert [tool.type for tool in read.tools] == [ToolType.ACTION]
    (refused,) = read.refused
    assert (refused.name, refused.code) == ("canvas", ErrorCode.NAME_CONFLICT)
    assert refused.field == "tools[1].name"


@pytest.mark.requirement("design:tools:hostile-definitions")
def test_ten_thousand_actions_are_one_refusal() -> None:
    many = [action(f"a{number}") for number in range(10_000)]

    refused = refusal(toolset(actions=many))

    assert (refused.code, refused.field) == (ErrorCode.TOO_LARGE, "tools[0].actions")


@pytest.mark.requirement("design:tools:hostile-definitions")
def test_ten_thousand_tools_are_read_up_to_the_limit() -> None:
    read = offer(*(toolset(f"t{number}") for number in range(10_000)))

    assert len(read.tools) == limits.TOOLS_PER_LIST
    (refused,) = read.refused
    assert (refused.code, refused.field) == (ErrorCode.TOO_LARGE, "tools")


@pytest.mark.requirement("design:tools:hostile-definitions")
def test_ten_thousand_bad_tools_are_told_up_to_the_limit() -> None:
    applications = [{"id": f"app{number}", "tools": [{}] * 1_000} for number in range(10)]

    read = read_offer({"applications": applications}, "", can_match)

    assert len(read.refused) == limits.REFUSALS_PER_LIST


@pytest.mark.requirement("design:tools:hostile-definitions")
def test_a_schema_of_a_megabyte_is_refused() -> None:
    schema = {"properties": {f"p{number}": {"type": "string"} for number in range(50_000)}}
    assert len(json.dumps(schema)) > 1_000_000

    refused = refusal(single(inputSchema=schema))

    assert (refused.code, refused.field) == (ErrorCode.TOO_LARGE, "tools[0].inputSchema")


@pytest.mark.requirement("design:tools:hostile-definitions")
def test_a_schema_of_a_thousand_levels_is_refused() -> None:
    schema: dict[str, Any] = {}
    for _ in range(900):
        schema = {"items": schema}

    refused = refusal(single(inputSchema=schema))

    assert refused.code is ErrorCode.TOO_LARGE
    assert refused.field.startswith("tools[0].inputSchema.items.items")
    assert len(refused.field) < 300


@pytest.mark.requirement("design:tools:hostile-definitions")
def test_all_definitions_of_a_list_together_have_a_limit() -> None:
    large = {"description": "x" * 60_000}
    read = offer(*(single(f"t{number}", inputSchema=large) for number in range(30)))

    assert 10 < len(read.tools) < 20
    assert {refused.code for refused in read.refused} == {ErrorCode.TOO_LARGE}
    assert len(read.tools) + len(read.refused) == 30


@pytest.mark.requirement("design:tools:hostile-definitions")
def test_all_patterns_of_a_list_together_have_a_limit() -> None:
    heavy = {"properties": {f"p{n}": {"pattern": f"^a{{1,900}}{n}$"} for n in range(100)}}

    read = offer(*(single(f"t{number}", inputSchema=heavy) for number in range(50)))

    assert [tool.name for tool in read.tools] == ["t0", "t1"]
    assert {(told.code, told.field) for told in read.refused} == {(ErrorCode.TOO_LARGE, "tools")}


@pytest.mark.requirement("design:tools:hostile-definitions")
def test_markup_in_a_description_stays_text() -> None:
    markup = "<img src=x onerror=alert(1)><script>alert(1)</script>"

    assert offer(single(description=markup)).tools[0].description == markup


@pytest.mark.requirement("seed004:applications")
def test_the_tools_of_a_miniapp_are_read_with_it() -> None:
    timer = {"id": "pomodoro", "version": "2", "title": "Pomodoro", "tools": [toolset("timer")]}
    bare = {"id": "bare"}

    read = offer(applications=[timer, bare])

    assert [json_form(application) for application in read.applications] == [timer, bare]
    assert read.refused == ()


@pytest.mark.requirement("seed004:applications")
@pytest.mark.parametrize(
    ("application", "name", "field"),
    [
        ("pomodoro", "", "applications[1]"),
        ({}, "", "applications[1].id"),
        ({"id": "first"}, "first", "applications[1].id"),
        ({"id": "x", "title": 1}, "x", "applications[1].title"),
        ({"id": "x", "tools": {}}, "x", "applications[1].tools"),
        ({"id": "x", "tools": [toolset(type="")]}, "x", "applications[1].tools[0].type"),
    ],
)
def test_a_bad_miniapp_is_refused_with_its_path(application: Any, name: str, field: str) -> None:
    read = offer(applications=[{"id": "first"}, application, {"id": "last"}])

    (refused,) = read.refused
    assert (refused.application, refused.field) == (name, field)
    assert {"first", "last"} <= {told.id for told in read.applications}


def test_lists_that_are_none_are_refused_as_a_whole() -> None:
    for name in ("tools", "applications"):
        with pytest.raises(LineUpError) as caught:
            read_offer({name: {}}, "payload", can_match)
        assert caught.value.field == f"payload.{name}"


FIELDS = (
    "name", "type", "description", "actions", "inputSchema", "resultSchema", "hints", "version",
    "properties", "items", "required", "enum", "pattern", "$ref", "anyOf",
)  # fmt: skip
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=6)
    ),
    max_leaves=20,
)


@given(st.lists(json_values, max_size=3))
@pytest.mark.requirement("design:tools:hostile-definitions")
def test_anything_is_a_tool_or_refused(tools: list[Any]) -> None:
    read = offer(*tools)

    assert len(read.tools) + len(read.refused) == len(tools)
    assert all(refused.field.startswith("tools[") for refused in read.refused)
