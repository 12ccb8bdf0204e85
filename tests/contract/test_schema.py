"""Which schemas are taken: what jsonschema would take too, and nothing that leads elsewhere."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.schema import check_schema, follow
from lineup_srv.schemas import can_match

EVERYTHING: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "https://example.test/tool",
    "$comment": "all there is",
    "title": "A tool",
    "type": "object",
    "$defs": {"a/b~c": {"type": ["string", "null"]}, "yes": True},
    "properties": {
        "text": {"type": "string", "minLength": 1, "maxLength": 5, "pattern": "^[a-z]+$"},
        "number": {"exclusiveMinimum": 0, "multipleOf": 0.5, "maximum": 1e3, "default": None},
        "list": {"items": {"$ref": "#/$defs/a~1b~0c"}, "prefixItems": [True], "uniqueItems": True},
        "odd": {"not": {"enum": [1, None]}, "if": {"const": 2}, "then": True, "else": False},
        "sub": {"oneOf": [{"$ref": "#/$defs/yes"}, {"$ref": "#/properties/odd"}], "examples": []},
        "self": {"$ref": "#"},
    },
    "patternProperties": {"^x-": {"readOnly": True}},
    "additionalProperties": {"format": "date"},
    "propertyNames": {"maxLength": 20.0},
    "required": ["text"],
    "dependentRequired": {"a": ["b"]},
    "dependentSchemas": {"a": {"minProperties": 2}},
    "x-unknown": {"type": "nonsense"},
}


def refusal(schema: dict[str, Any]) -> LineUpError:
    with pytest.raises(LineUpError) as caught:
        check_schema(schema, "s", can_match)
    return caught.value


def test_a_schema_may_use_everything() -> None:
    check_schema(EVERYTHING, "s", can_match)
    Draft202012Validator.check_schema(EVERYTHING)


@pytest.mark.requirement("design:tools:hostile-definitions")
@pytest.mark.parametrize(
    ("schema", "code", "field"),
    [
        ({"type": "array"}, ErrorCode.INVALID_ARGUMENT, "s.type"),
        ({"type": ["object"]}, ErrorCode.INVALID_ARGUMENT, "s.type"),
        ({"properties": {"x": {"type": []}}}, ErrorCode.INVALID_ARGUMENT, "s.properties.x.type"),
        ({"items": {"type": ["null", "null"]}}, ErrorCode.INVALID_ARGUMENT, "s.items.type"),
        ({"items": {"type": {}}}, ErrorCode.INVALID_ARGUMENT, "s.items.type"),
        ({"properties": []}, ErrorCode.INVALID_ARGUMENT, "s.properties"),
        ({"properties": {"x": 1}}, ErrorCode.INVALID_ARGUMENT, "s.properties.x"),
        ({"anyOf": []}, ErrorCode.INVALID_ARGUMENT, "s.anyOf"),
        ({"anyOf": {}}, ErrorCode.INVALID_ARGUMENT, "s.anyOf"),
        ({"items": [{}]}, ErrorCode.INVALID_ARGUMENT, "s.items"),
        ({"required": ["a", "a"]}, ErrorCode.INVALID_ARGUMENT, "s.required"),
        ({"required": "a"}, ErrorCode.INVALID_ARGUMENT, "s.required"),
        ({"dependentRequired": {"a": "b"}}, ErrorCode.INVALID_ARGUMENT, "s.dependentRequired"),
        ({"minLength": -1}, ErrorCode.INVALID_ARGUMENT, "s.minLength"),
        ({"maxItems": 1.5}, ErrorCode.INVALID_ARGUMENT, "s.maxItems"),
        ({"minimum": True}, ErrorCode.INVALID_ARGUMENT, "s.minimum"),
        ({"multipleOf": 0}, ErrorCode.INVALID_ARGUMENT, "s.multipleOf"),
        ({"enum": "abc"}, ErrorCode.INVALID_ARGUMENT, "s.enum"),
        ({"title": 1}, ErrorCode.INVALID_ARGUMENT, "s.title"),
        ({"uniqueItems": 1}, ErrorCode.INVALID_ARGUMENT, "s.uniqueItems"),
        ({"pattern": 1}, ErrorCode.INVALID_ARGUMENT, "s.pattern"),
        ({"pattern": "("}, ErrorCode.NOT_SUPPORTED, "s.pattern"),
        ({"pattern": "(?=a)"}, ErrorCode.NOT_SUPPORTED, "s.pattern"),
        ({"pattern": "a" * 1_001}, ErrorCode.TOO_LARGE, "s.pattern"),
        ({"patternProperties": {"(": {}}}, ErrorCode.NOT_SUPPORTED, "s.patternProperties.("),
        (
            {"patternProperties": {"a": {}}, "allOf": [{"unevaluatedProperties": False}]},
            ErrorCode.NOT_SUPPORTED,
            "s.patternProperties",
        ),
        ({"$id": 1}, ErrorCode.INVALID_ARGUMENT, "s.$id"),
        ({"items": {"$id": "a"}}, ErrorCode.NOT_SUPPORTED, "s.items.$id"),
        ({"$anchor": "a"}, ErrorCode.NOT_SUPPORTED, "s.$anchor"),
        ({"$dynamicRef": "#a"}, ErrorCode.NOT_SUPPORTED, "s.$dynamicRef"),
        ({"$ref": 1}, ErrorCode.NOT_SUPPORTED, "s.$ref"),
        ({"$ref": "#name"}, ErrorCode.NOT_SUPPORTED, "s.$ref"),
        ({"$ref": "https://example.test/x"}, ErrorCode.NOT_SUPPORTED, "s.$ref"),
        ({"$ref": "file:///etc/passwd#/"}, ErrorCode.NOT_SUPPORTED, "s.$ref"),
        ({"$ref": "#/$defs/none"}, ErrorCode.INVALID_ARGUMENT, "s.$ref"),
        ({"$ref": "#/x", "x": {"type": 1}}, ErrorCode.INVALID_ARGUMENT, "s.$ref"),
        ({"$ref": "#/title/0", "title": "t"}, ErrorCode.INVALID_ARGUMENT, "s.$ref"),
    ],
)
def test_what_is_wrong_is_named_by_its_path(
    schema: dict[str, Any], code: ErrorCode, field: str
) -> None:
    error = refusal(schema)

    assert (error.code, error.field) == (code, field)


def test_a_reference_may_lead_into_a_list() -> None:
    schema = {"anyOf": [{"title": "first"}], "items": {"$ref": "#/anyOf/0"}}

    check_schema(schema, "s", can_match)
    assert follow(schema, "#/anyOf/0") == {"title": "first"}
    assert follow(schema, "#/anyOf/1") is follow(schema, "#/anyOf/x") is None


def test_too_deep_and_too_large_are_refused() -> None:
    deep: dict[str, Any] = {}
    for _ in range(limits.SCHEMA_DEPTH):
        deep = {"not": deep}

    assert refusal(deep).code is ErrorCode.TOO_LARGE
    assert refusal({"title": "x" * limits.SCHEMA_CHARACTERS}).code is ErrorCode.TOO_LARGE


values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["object", "", "#", "a("]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "type", "items", "$ref"]), inner, max_size=2)
    ),
    max_leaves=5,
)
schemas = st.dictionaries(
    st.sampled_from([*Draft202012Validator.VALIDATORS, "title", "default", "examples", "$id"]),
    values,
    max_size=4,
)


@settings(max_examples=300)
@given(schemas)
@pytest.mark.requirement("design:tools:hostile-definitions")
def test_what_is_taken_is_a_schema_for_the_checker_too(schema: dict[str, Any]) -> None:
    with contextlib.suppress(LineUpError):
        check_schema(schema, "s", can_match)
        Draft202012Validator.check_schema(schema)
