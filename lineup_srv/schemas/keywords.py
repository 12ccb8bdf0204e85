"""Keywords that jsonschema checks by `re`, in quadratic time, or without naming what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from jsonschema.exceptions import ValidationError

from lineup_srv.contract.json_text import print_json
from lineup_srv.schemas.patterns import matches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jsonschema.protocols import Validator

__all__ = ["KEYWORDS"]


def _pattern(_: Validator, pattern: str, value: object, __: object) -> Iterator[ValidationError]:
    if isinstance(value, str) and not matches(pattern, value):
        yield ValidationError("does not match")


def _properties(
    validator: Any, named: dict[str, Any], value: object, _: object
) -> Iterator[ValidationError]:
    if not isinstance(value, dict):
        return
    for name, schema in named.items():
        if name in value:
            yield from _member(validator, name, value[name], schema)


def _pattern_properties(
    validator: Any, named: dict[str, Any], value: object, _: object
) -> Iterator[ValidationError]:
    if not isinstance(value, dict):
        return
    for pattern, schema in named.items():
        for name, item in value.items():
            if matches(pattern, name):
                yield from _member(validator, name, item, schema)


def _additional_properties(
    validator: Any, rest: Any, value: object, schema: dict[str, Any]
) -> Iterator[ValidationError]:
    if not isinstance(value, dict):
        return
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    for name, item in value.items():
        if name not in known and not any(matches(pattern, name) for pattern in patterns):
            yield from _member(validator, name, item, rest)


def _member(validator: Any, name: str, item: object, schema: Any) -> Iterator[ValidationError]:
    """A field against its schema; jsonschema leaves out the name where nothing may stand."""
    if schema is False:
        yield ValidationError("may not be there", path=[name])
    else:
        yield from validator.descend(item, schema, path=name)


def _unique_items(
    _: Validator, unique: bool, value: object, __: object
) -> Iterator[ValidationError]:
    if unique and isinstance(value, list) and len({*map(_identity, value)}) < len(value):
        yield ValidationError("has an item twice")


def _identity(value: object) -> str:
    """Equal for what JSON Schema calls equal: 1 and 1.0, objects in any order."""
    return print_json(_normal(value))


def _normal(value: object) -> object:
    match value:
        case float() if value.is_integer():
            return int(value)
        case list():
            return [_normal(item) for item in value]
        case dict():
            return {name: _normal(value[name]) for name in sorted(value)}
        case _:
            return value


KEYWORDS: Final[dict[str, Callable[..., Iterator[ValidationError]]]] = {
    "additionalProperties": _additional_properties,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "properties": _properties,
    "uniqueItems": _unique_items,
}
