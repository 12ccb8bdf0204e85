"""Values against schemas: the first fault by its path, never its value, in bounded time."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.schema import check_schema
from lineup_srv.schemas import Schema, can_match

SECRET = "a-secret-value"
DRAW: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "pattern": "^M", "maxLength": 20},
        "points": {"type": "array", "items": {"type": "number"}, "uniqueItems": True},
        "never": False,
    },
    "patternProperties": {"^x-": {"type": "string"}},
    "required": ["path"],
    "additionalProperties": False,
}


def schema_of(schema: dict[str, Any]) -> Schema:
    check_schema(schema, "", can_match)
    return Schema(json.dumps(schema))


def refusal(schema: dict[str, Any], value: object) -> LineUpError:
    with pytest.raises(LineUpError) as caught:
        schema_of(schema).check(value, "arguments")
    return caught.value


def test_a_value_that_fits_is_taken_as_often_as_it_comes() -> None:
    schema = schema_of(DRAW)

    for value in ({"path": "M 0 0"}, {"path": "M", "x-y": "z", "points": [1, 2.5]}):
        schema.check(value, "arguments")


@pytest.mark.parametrize(
    ("value", "field", "rule"),
    [
        ([], "arguments", 'type "object"'),
        ({}, "arguments", 'required ["path"]'),
        ({"path": SECRET}, "arguments.path", 'pattern "^M"'),
        ({"path": "M" * 21}, "arguments.path", "maxLength 20"),
        ({"path": "M", "points": [1, SECRET]}, "arguments.points[1]", 'type "number"'),
        ({"path": "M", "points": [1, 1.0]}, "arguments.points", "uniqueItems true"),
        ({"path": "M", "never": SECRET}, "arguments.never", None),
        ({"path": "M", "x-y": 1}, "arguments.x-y", 'type "string"'),
        ({"path": "M", "other": SECRET}, "arguments.other", "additionalProperties false"),
    ],
)
def test_the_first_fault_is_named_by_path_and_rule(
    value: Any, field: str, rule: str | None
) -> None:
    error = refusal(DRAW, value)

    assert (error.code, error.field) == (ErrorCode.INVALID_ARGUMENT, field)
    assert rule is None or error.message == f"does not fit the schema: {rule}"
    assert SECRET not in str(error)


def test_a_rule_that_is_long_is_not_quoted() -> None:
    error = refusal({"properties": {"x": {"enum": ["y" * 300]}}}, {"x": "z"})

    assert error.message == "does not fit the schema: enum"


def test_further_names_may_have_a_schema() -> None:
    schema = {"additionalProperties": {"type": "number"}}

    schema_of(schema).check({"a": 1}, "")
    assert refusal(schema, {"a": "b"}).field == "arguments.a"
    schema_of(schema).check("no object", "")


def test_an_address_in_a_schema_changes_nothing() -> None:
    schema = {
        "$id": "https://example.test/a",
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$defs": {"n": {"type": "number"}},
        "properties": {"x": {"$ref": "#/$defs/n"}},
    }

    assert refusal(schema, {"x": "y"}).field == "arguments.x"


MULTIPLYING: dict[str, Any] = {
    "$defs": {
        **{f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)},
        "d40": {"type": "string"},
    },
    "properties": {"x": {"$ref": "#/$defs/d0"}},
}


@pytest.mark.requirement("design:tools:hostile-definitions")
@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (MULTIPLYING, {"x": 1}),
        ({"$ref": "#"}, {}),
        ({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}, {}),
    ],
    ids=["multiplying", "endless", "endless and multiplying"],
)
def test_a_schema_that_would_take_for_ever_is_given_up(schema: Any, value: Any) -> None:
    began = time.thread_time()
    error = refusal(schema, value)

    assert (error.code, error.field) == (ErrorCode.TOO_LARGE, "arguments")
    assert time.thread_time() - began < 10 * limits.SCHEMA_CHECK_MS / 1_000


@pytest.mark.requirement("design:tools:hostile-definitions")
def test_a_pattern_that_backtracks_and_a_list_of_equals_take_no_time() -> None:
    schema = {
        "properties": {
            "text": {"pattern": "^(a+)+$"},
            "list": {"uniqueItems": True},
        }
    }
    many: list[object] = [{"b": [number], "a": None} for number in range(20_000)]

    schema_of(schema).check({"list": many}, "")
    assert refusal(schema, {"text": "a" * 100_000 + "b"}).field == "arguments.text"
    assert refusal(schema, {"list": [*many, {"a": None, "b": [0.0]}]}).field == "arguments.list"


values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "ab"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["a", "b", "x-a"]), inner, max_size=3)
    ),
    max_leaves=6,
)
RULES: list[dict[str, Any]] = [
    {"pattern": "^a"},
    {"uniqueItems": True},
    {"additionalProperties": False, "properties": {"a": {"type": "number"}}},
    {"additionalProperties": {"type": "string"}, "patternProperties": {"^x": True}},
    {"patternProperties": {"a$": {"uniqueItems": True}}},
    {"unevaluatedProperties": False, "properties": {"a": True}},
]


@given(values, st.sampled_from(RULES))
def test_the_keywords_of_our_own_mean_what_they_mean_elsewhere(
    value: Any, rule: dict[str, Any]
) -> None:
    nested = {"properties": {"a": rule}, "items": rule, **rule}
    expected = Draft202012Validator(nested).is_valid(value)
    try:
        schema_of(nested).check(value, "")
        found = True
    except LineUpError:
        found = False

    assert found == expected
