"""A tool's schema → what every agent program and model takes (design: hosts).

One schema that a program dislikes makes it refuse a whole list of tools, so: the root is an object
without combinations, local references are inlined, every property says its type, size and depth
are bounded. What is shown may allow more at its root than the schema does (`not`, `if`, the
alternatives of `anyOf`) and less where the schema allows anything; the schema itself is checked
before a call leaves.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.json_text import below, check, print_json
from lineup_srv.contract.schema import follow

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["host_schema"]

_LEFT_OUT: Final = ("$comment", "$defs", "$id", "$ref", "$schema", "definitions")
_ROOT_LEFT_OUT: Final = (
    "allOf", "anyOf", "const", "else", "enum", "if", "not", "oneOf", "then",
)  # fmt: skip
_ANNOTATIONS: Final = ("default", "deprecated", "description", "examples", "title")
_HELD: Final = ("additionalProperties", "contains", "items", "unevaluatedProperties")
_SEVERAL: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED: Final = ("dependentSchemas", "patternProperties", "properties")
_BRANCHES: Final = ("allOf", "anyOf", "oneOf")
_NODES: Final = limits.HOST_SCHEMA_CHARACTERS // 2
"""No schema with more of them fits; counted while references multiply."""
_ANY: Final = ("string", "number", "boolean")
"""What is asked for where a schema allows anything: models need a type, and these always fit."""
_SIGNS: Final[dict[str, tuple[str, ...]]] = {
    "object": ("properties", "required", "additionalProperties", "maxProperties", "minProperties"),
    "array": ("items", "prefixItems", "maxItems", "minItems", "uniqueItems"),
    "string": ("maxLength", "minLength", "pattern", "format"),
    "number": ("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"),
}
_TYPE_OF: Final[dict[type, str]] = {
    str: "string", bool: "boolean", int: "integer", float: "number",
    dict: "object", list: "array", type(None): "null",
}  # fmt: skip


def host_schema(schema_json: str) -> dict[str, object]:
    """What agent programs are shown of a schema that `check_schema` took.

    Args:
        schema_json: the schema as JSON text.

    Raises:
        LineUpError: NOT_SUPPORTED or TOO_LARGE: it cannot be shown, and why; the path in `field`
            begins at the schema's root.
    """
    root: dict[str, object] = json.loads(schema_json)
    inlined = _Inlining(root).inline(root, "", ())
    shown = _flat_root(inlined) if isinstance(inlined, dict) else {}
    _type_all(shown)
    check(shown, "", limits.SCHEMA_DEPTH)
    if len(print_json(shown)) > limits.HOST_SCHEMA_CHARACTERS:
        raise _too_large()
    return shown


def _too_large() -> LineUpError:
    most = limits.HOST_SCHEMA_CHARACTERS
    message = f"has more than {most} characters with its references inlined"
    return LineUpError(ErrorCode.TOO_LARGE, message)


class _Inlining:
    """Replaces references by what they lead to."""

    def __init__(self, root: Mapping[str, object]) -> None:
        self._root = root
        self._nodes = 0

    def inline(self, schema: object, path: str, inside: tuple[str, ...]) -> object:
        if not isinstance(schema, dict):
            return schema
        self._nodes += 1
        if self._nodes > _NODES:
            raise _too_large()
        own = {
            keyword: self._value(keyword, value, below(path, keyword), inside)
            for keyword, value in schema.items()
            if keyword not in _LEFT_OUT
        }
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return own
        if reference in inside or reference == "#":
            raise LineUpError(
                ErrorCode.NOT_SUPPORTED,
                "refers to itself: agent programs take no recursive schema",
                field=below(path, "$ref"),
            )
        target = self.inline(follow(self._root, reference), path, (*inside, reference))
        return _both(target, own)

    def _value(self, keyword: str, value: object, path: str, inside: tuple[str, ...]) -> object:
        if keyword in _SEVERAL and isinstance(value, list):
            return [
                self.inline(item, f"{path}[{index}]", inside) for index, item in enumerate(value)
            ]
        if keyword in _NAMED and isinstance(value, dict):
            return {
                name: self.inline(item, below(path, name), inside) for name, item in value.items()
            }
        return self.inline(value, path, inside) if keyword in _INLINED else value


_INLINED: Final = (
    *_HELD, "contentSchema", "else", "if", "not", "propertyNames", "then", "unevaluatedItems",
)  # fmt: skip


def _both(target: object, own: dict[str, object]) -> object:
    """What holds beside a reference: words about it replace the target's, rules are added."""
    if not isinstance(target, dict):
        return {**own, "not": {}} if target is False else own
    if all(keyword in _ANNOTATIONS for keyword in own):
        return {**target, **own}
    return {"allOf": [target, own]}


def _flat_root(schema: dict[str, object]) -> dict[str, object]:
    """The root without combinations: the properties of all branches stand in it."""
    properties = dict(_properties(schema))
    required = _names(schema.get("required"))
    for keyword in _BRANCHES:
        branches = schema.get(keyword)
        for branch in branches if isinstance(branches, list) else []:
            if not isinstance(branch, dict):
                continue
            flat = _flat_root(branch)
            for name, item in _properties(flat).items():
                known = properties.setdefault(name, item)
                if known != item:
                    properties[name] = {"anyOf": [known, item]}
            if keyword == "allOf":
                required += [name for name in _names(flat.get("required")) if name not in required]
    kept = {keyword: value for keyword, value in schema.items() if keyword not in _ROOT_LEFT_OUT}
    kept |= {"type": "object", "properties": properties}
    return {**kept, "required": required} if required else kept


def _properties(schema: Mapping[str, object]) -> dict[str, object]:
    found = schema.get("properties")
    return found if isinstance(found, dict) else {}


def _names(found: object) -> list[str]:
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def _type_all(schema: dict[str, object]) -> None:
    """Give a type to every value that a schema describes, wherever it stands."""
    for keyword in _HELD:
        # `additionalProperties: true` is what every program knows.
        if isinstance(schema.get(keyword), dict) or (keyword == "items" and schema.get(keyword)):
            schema[keyword] = _typed(schema[keyword])
    properties = _properties(schema)
    for name in [name for name, item in properties.items() if item is False]:
        del properties[name]
    for keyword in ("properties", "patternProperties"):
        named = schema.get(keyword)
        if isinstance(named, dict):
            for name in named:
                named[name] = _typed(named[name])
    for keyword in _SEVERAL:
        items = schema.get(keyword)
        if isinstance(items, list):
            # A branch that says nothing of the type is about values of the type that stands above.
            above = schema.get("type", _ANY) if keyword in _BRANCHES else _ANY
            schema[keyword] = [_typed(item, above) for item in items]
    if schema.get("type") == "array" and "items" not in schema and "prefixItems" not in schema:
        schema["items"] = {"type": list(_ANY)}


def _typed(schema: object, above: object = _ANY) -> object:
    if schema is True:
        return {"type": _plain(above)}
    if not isinstance(schema, dict):
        return schema
    branches = [schema[keyword] for keyword in ("anyOf", "oneOf", "allOf") if keyword in schema]
    if "type" not in schema and not branches:
        schema["type"] = _guessed(schema) or _plain(above)
    _type_all(schema)
    return schema


def _plain(types: object) -> object:
    return list(types) if isinstance(types, tuple) else types


def _guessed(schema: Mapping[str, object]) -> str | list[str]:
    """The type that its other keywords speak of; empty if they speak of none."""
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if isinstance(values, list) and values:
        types = sorted({_TYPE_OF[type(value)] for value in values})
        return types[0] if len(types) == 1 else types
    for name, signs in _SIGNS.items():
        if any(sign in schema for sign in signs):
            return name
    return ""
