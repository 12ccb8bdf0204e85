"""The keywords that jsonschema checks by `re` or in quadratic time, checked here in linear time."""

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


def _pattern_properties(
    validator: Any, named: dict[str, Any], value: object, _: object
) -> Iterator[ValidationError]:
    for pattern, schema in named.items():
        for name, item in value.items() if isinstance(value, dict) else ():
            if matches(pattern, name):
                yield from validator.descend(item, schema, path=name, schema_path=pattern)


def _additional_properties(
    validator: Any, rest: Any, value: object, schema: dict[str, Any]
) -> Iterator[ValidationError]:
    if not isinstance(value, dict):
        return
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    for name, item in value.items():
        if name not in known and not any(matches(pattern, name) for pattern in patterns):
            if rest is False:
                yield ValidationError("is not known", path=[name])
            else:
                yield from validator.descend(item, rest, path=name)


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
    "uniqueItems": _unique_items,
}
