"""What agent programs are shown of a schema: typed, flat at its root, without references, small."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.host_schema import host_schema
from lineup_srv.contract.schema import check_schema, children
from lineup_srv.schemas import can_match

ANY = {"type": ["string", "number", "boolean"]}
STRING = {"type": "string"}


def shown(schema: dict[str, Any]) -> dict[str, object]:
    check_schema(schema, "", can_match)
    return host_schema(json.dumps(schema))


def prop(schema: Any, **more: Any) -> Any:
    """What becomes of one property."""
    root = shown({"properties": {"x": schema}, **more})
    assert root["type"] == "object"
    return root["properties"]["x"]  # type: ignore[index]


def refusal(schema: dict[str, Any]) -> LineUpError:
    with pytest.raises(LineUpError) as caught:
        shown(schema)
    return caught.value


def test_a_plain_schema_stays_as_it_is() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "number", "description": "one"}},
        "required": ["a"],
        "additionalProperties": False,
    }

    assert shown(schema) == schema
    assert shown({}) == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("schema", "typed"),
    [
        (True, ANY),
        ({}, ANY),
        ({"description": "d"}, {"description": "d", **ANY}),
        ({"enum": ["a", "b"]}, {"enum": ["a", "b"], **STRING}),
        ({"enum": ["a", 1]}, {"enum": ["a", 1], "type": ["integer", "string"]}),
        ({"const": None}, {"const": None, "type": "null"}),
        ({"const": 1.5}, {"const": 1.5, "type": "number"}),
        ({"minimum": 1}, {"minimum": 1, "type": "number"}),
        ({"pattern": "a"}, {"pattern": "a", **STRING}),
        ({"items": {}}, {"items": ANY, "type": "array"}),
        ({"type": "array"}, {"type": "array", "items": ANY}),
        (
            {"type": "array", "prefixItems": [{}]},
            {"type": "array", "prefixItems": [ANY]},
        ),
        (
            {"properties": {"y": {}}},
            {"properties": {"y": ANY}, "type": "object"},
        ),
        (
            {"type": "object", "additionalProperties": {"$comment": "any"}},
            {"type": "object", "additionalProperties": ANY},
        ),
        (
            {"patternProperties": {"a": True}, "type": "object"},
            {"patternProperties": {"a": ANY}, "type": "object"},
        ),
        (
            {"anyOf": [STRING, {"minimum": 1}]},
            {"anyOf": [STRING, {"minimum": 1, "type": "number"}]},
        ),
        (
            {"type": "integer", "anyOf": [{"not": {"const": 1}}, True]},
            {
                "type": "integer",
                "anyOf": [{"not": {"const": 1}, "type": "integer"}, {"type": "integer"}],
            },
        ),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"anyOf": [False, STRING]}, {"anyOf": [False, STRING]}),
    ],
)
def test_every_value_says_its_type(schema: Any, typed: dict[str, Any]) -> None:
    assert prop(schema) == typed


def test_a_property_that_may_not_be_there_is_not_shown() -> None:
    assert shown({"properties": {"x": False, "y": STRING}})["properties"] == {"y": STRING}


def test_references_are_replaced_by_what_they_lead_to() -> None:
    defs = {"a": {"$ref": "#/$defs/b"}, "b": {**STRING, "description": "from b"}, "no": False}

    assert prop({"$ref": "#/$defs/a"}, **{"$defs": defs}) == defs["b"]
    worded = prop({"$ref": "#/$defs/a", "description": "mine"}, **{"$defs": defs})
    assert worded == {**STRING, "description": "mine"}
    ruled = prop({"$ref": "#/$defs/a", "minLength": 2}, **{"$defs": defs})
    assert ruled == {"allOf": [defs["b"], {"minLength": 2, **STRING}]}
    assert prop({"$ref": "#/$defs/no"}, **{"$defs": defs})["not"] == {}
    assert "$defs" not in shown({"$defs": defs})


def test_the_root_has_no_combination() -> None:
    by_kind = {
        "$comment": "either",
        "required": ["id"],
        "properties": {"id": STRING, "n": {"type": "integer"}},
        "allOf": [{"properties": {"all": STRING}, "required": ["all", "id"]}],
        "oneOf": [
            {
                "properties": {"kind": {"const": "a"}, "n": {"type": "integer"}},
                "required": ["kind"],
            },
            {"properties": {"kind": {"const": "b"}}},
            True,
        ],
        "not": {"required": ["z"]},
        "if": {},
        "then": {"required": ["id"]},
    }

    assert shown(by_kind) == {
        "type": "object",
        "properties": {
            "id": STRING,
            "n": {"type": "integer"},
            "all": STRING,
            "kind": {"anyOf": [{"const": "a", **STRING}, {"const": "b", **STRING}]},
        },
        "required": ["id", "all"],
    }


def test_a_recursive_schema_cannot_be_shown() -> None:
    tree = {"properties": {"child": {"$ref": "#/$defs/node"}}}

    for schema in (
        {"properties": {"x": {"$ref": "#"}}},
        {"$defs": {"node": tree}, **tree},
    ):
        error = refusal(schema)
        assert (error.code, error.field[-4:]) == (ErrorCode.NOT_SUPPORTED, "$ref")


def test_references_that_multiply_are_too_large() -> None:
    defs: dict[str, Any] = {
        f"d{level}": {"anyOf": [{"$ref": f"#/$defs/d{level + 1}"}] * 4} for level in range(30)
    }
    defs["d30"] = STRING

    assert refusal({"$defs": defs, "items": {"$ref": "#/$defs/d0"}}).code is ErrorCode.TOO_LARGE


def test_what_is_too_large_or_too_deep_inlined_is_refused() -> None:
    large = {"description": "x" * limits.HOST_SCHEMA_CHARACTERS}
    deep: dict[str, Any] = {"$ref": "#/$defs/inner"}
    inner: dict[str, Any] = STRING
    for _ in range(limits.SCHEMA_DEPTH // 2 - 2):
        deep, inner = {"items": deep}, {"items": inner}
    nested = {"properties": {"x": deep}, "$defs": {"inner": {"items": {"items": inner}}}}

    assert refusal(large).code is ErrorCode.TOO_LARGE
    assert refusal({"properties": {"x": large}}).code is ErrorCode.TOO_LARGE
    assert refusal(nested).code is ErrorCode.TOO_LARGE


leaves = st.sampled_from(
    [True, {}, STRING, {"enum": [1, "a"]}, {"$ref": "#/$defs/d"}, {"type": "array"}]
)
schemas = st.recursive(
    leaves,
    lambda inner: (
        st.builds(lambda one: {"items": one}, inner)
        | st.builds(lambda some: {"anyOf": some}, st.lists(inner, min_size=1, max_size=2))
        | st.builds(lambda some: {"allOf": some}, st.lists(inner, min_size=1, max_size=2))
        | st.builds(lambda one, two: {"properties": {"a": one, "b": two}}, inner, inner)
    ),
    max_leaves=6,
)


@given(schemas, leaves)
def test_whatever_is_shown_follows_the_rules(schema: Any, target: Any) -> None:
    root = {"properties": {"x": schema}, "$defs": {"d": target}, "anyOf": [{}, schema]}
    try:
        told = shown(root)
    except LineUpError:
        return

    assert told["type"] == "object"
    assert not {"anyOf", "allOf", "oneOf", "not", "$defs"} & told.keys()
    assert "$ref" not in json.dumps(told)
    check_schema(told, "", can_match)
    todo = [child for child, _ in children(told, "")]
    while todo:
        child = todo.pop()
        assert isinstance(child, dict)
        assert {"type", "anyOf", "allOf"} & child.keys()
        todo += [deeper for deeper, _ in children(child, "")]
