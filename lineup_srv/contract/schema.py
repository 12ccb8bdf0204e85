"""Which JSON Schemas a tool may have: 2020-12, complete in itself, and safe to check against.

Only the schema is judged here; `lineup_srv.schemas` checks values against it. A schema is read as
2020-12 whatever its `$schema` says. Refused are references out of the schema and everything that
makes "where does this lead" hard to answer (`$dynamicRef`, `$anchor`, an inner `$id`): nothing
is ever fetched. So are unevaluated properties beside patterns for names, which jsonschema matches
by `re`, in no bounded time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.faults import Faults
from lineup_srv.contract.json_text import below, check, print_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["TYPES", "check_schema", "children", "follow", "judge_schema"]

TYPES: Final = ("string", "number", "integer", "boolean", "object", "array", "null")
_ONE: Final = (
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_SEVERAL: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED: Final = (
    "$defs",
    "definitions",
    "dependentSchemas",
    "patternProperties",
    "properties",
)
_TEXTS: Final = (
    "$comment",
    "$schema",
    "contentEncoding",
    "contentMediaType",
    "description",
    "format",
    "title",
)
_FLAGS: Final = ("deprecated", "readOnly", "uniqueItems", "writeOnly")
_NUMBERS: Final = ("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf")
_COUNTS: Final = (
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
)
_LISTS: Final = ("enum", "examples")
_UNSUPPORTED: Final = ("$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$vocabulary")


def check_schema(schema: Mapping[str, object], path: str, can_match: Callable[[str], bool]) -> None:
    """Refuse what is no schema of an object that can be checked safely; as `judge_schema`.

    Raises:
        LineUpError: INVALID_ARGUMENT, NOT_SUPPORTED or TOO_LARGE: the first that is wrong.
    """
    faults = Faults()
    judge_schema(schema, path, can_match, faults)
    faults.raise_first()


def judge_schema(
    schema: Mapping[str, object], path: str, can_match: Callable[[str], bool], faults: Faults
) -> None:
    """Note all for which a schema is none of an object that can be checked safely.

    Args:
        schema: the schema, as `json.loads` gives it.
        path: where it stands, for errors.
        can_match: whether a pattern can be matched, and in a time that is linear in the text;
            `lineup_srv.schemas.can_match` is the real one.
        faults: where they are noted, each naming its path.

    Raises:
        LineUpError: INVALID_ARGUMENT or TOO_LARGE: more of it than this cannot be judged.
    """
    check(schema, path, limits.SCHEMA_DEPTH)
    if len(print_json(schema)) > limits.SCHEMA_CHARACTERS:
        most = limits.SCHEMA_CHARACTERS
        raise LineUpError(ErrorCode.TOO_LARGE, f"has more than {most} characters", field=path)
    if schema.get("type", "object") != "object":
        message = "must be object: arguments and results are objects"
        faults.note(_wrong(below(path, "type"), message))
    judge = _Judge(can_match, faults)
    judge.look_at(schema, path)
    for reference, where in judge.references:
        target = follow(schema, reference)
        if not isinstance(target, bool) and id(target) not in judge.seen:
            faults.note(_wrong(where, "leads to no schema in this schema"))


def follow(root: Mapping[str, object], reference: str) -> object:
    """What a reference such as `#/$defs/x` leads to; None if it leads nowhere."""
    target: object = root
    for token in reference.removeprefix("#").split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        if isinstance(target, dict):
            target = target.get(name)
        elif isinstance(target, list) and name.isdecimal() and int(name) < len(target):
            target = target[int(name)]
        else:
            return None
    return target


def children(schema: Mapping[str, object], path: str) -> Iterator[tuple[object, str]]:
    """The schemas right inside a schema, with their paths.

    Raises:
        LineUpError: INVALID_ARGUMENT: a keyword that holds schemas has another form.
    """
    for held, value, where in _holding(schema, path):
        yield from held(value, where)


def _holding(
    schema: Mapping[str, object], path: str
) -> Iterator[tuple[Callable[[object, str], list[tuple[object, str]]], object, str]]:
    """The keywords of a schema that hold others: how, their value, and its path."""
    for keywords, held in (
        (_ONE, lambda one, where: [(one, where)]),
        (_SEVERAL, _items),
        (_NAMED, _members),
    ):
        for keyword in keywords:
            if keyword in schema:
                yield held, schema[keyword], below(path, keyword)


def _items(schemas: object, path: str) -> list[tuple[object, str]]:
    if not isinstance(schemas, list) or not schemas:
        raise _wrong(path, "must be an array with at least one schema")
    return [(item, f"{path}[{index}]") for index, item in enumerate(schemas)]


def _members(schemas: object, path: str) -> list[tuple[object, str]]:
    if not isinstance(schemas, dict):
        raise _wrong(path, "must be an object of schemas")
    return [(item, below(path, name)) for name, item in schemas.items()]


class _Judge:
    """Looks at a schema and all that stand in it, and notes what is wrong."""

    def __init__(self, can_match: Callable[[str], bool], faults: Faults) -> None:
        self._can_match = can_match
        self._faults = faults
        self.seen: set[int] = set()
        self.references: list[tuple[str, str]] = []
        self._named_by_pattern = ""
        self._unevaluated = False

    def look_at(self, schema: object, path: str) -> None:
        if isinstance(schema, bool):
            return
        if not isinstance(schema, dict):
            self._faults.note(_wrong(path, "must be a schema: an object, true or false"))
            return
        root = not self.seen
        self.seen.add(id(schema))
        for judge in (_types, _forms, _names, self._pair):
            self._faults.note(*judge(schema, path))
        self._faults.note(*self._references(schema, path, root=root))
        for pattern, where in _patterns(schema, path):
            self._faults.read(None, self._check_pattern, pattern, where)
        for held, value, where in _holding(schema, path):
            for child, inner in self._faults.read([], held, value, where):
                self.look_at(child, inner)

    def _references(
        self, schema: Mapping[str, object], path: str, *, root: bool
    ) -> Iterator[LineUpError]:
        for keyword in _UNSUPPORTED if root else (*_UNSUPPORTED, "$id"):
            if keyword in schema:
                yield _unsupported(below(path, keyword), "is not supported here")
        if root and not isinstance(schema.get("$id", ""), str):
            yield _wrong(below(path, "$id"), "must be a string")
        if "$ref" in schema:
            reference, where = schema["$ref"], below(path, "$ref")
            if isinstance(reference, str) and (reference == "#" or reference.startswith("#/")):
                self.references.append((reference, where))
            else:
                yield _unsupported(
                    where, "must lead into this schema, as #/$defs/name does: nothing is fetched"
                )

    def _check_pattern(self, pattern: object, path: str) -> None:
        if not isinstance(pattern, str):
            raise _wrong(path, "must be a string")
        if len(pattern) > limits.PATTERN_CHARACTERS:
            most = limits.PATTERN_CHARACTERS
            raise LineUpError(ErrorCode.TOO_LARGE, f"has more than {most} characters", field=path)
        if not self._can_match(pattern):
            raise _unsupported(
                path,
                "is no pattern that can be matched in bounded time: look-around, "
                "back references and repetitions over 1,000 are not",
            )

    def _pair(self, schema: Mapping[str, object], path: str) -> Iterator[LineUpError]:
        if "patternProperties" in schema:
            self._named_by_pattern = below(path, "patternProperties")
        self._unevaluated = self._unevaluated or "unevaluatedProperties" in schema
        if self._named_by_pattern and self._unevaluated:
            yield _unsupported(
                self._named_by_pattern, "is not supported together with unevaluatedProperties"
            )


def _patterns(schema: Mapping[str, object], path: str) -> list[tuple[object, str]]:
    patterns = [(schema["pattern"], below(path, "pattern"))] if "pattern" in schema else []
    named = schema.get("patternProperties")
    if isinstance(named, dict):
        where = below(path, "patternProperties")
        patterns += [(pattern, below(where, pattern)) for pattern in named]
    return patterns


def _types(schema: Mapping[str, object], path: str) -> Iterator[LineUpError]:
    if "type" not in schema:
        return
    told = schema["type"]
    names = told if isinstance(told, list) else [told]
    known = all(isinstance(name, str) and name in TYPES for name in names)
    if not known or not names or len(set(names)) < len(names):
        yield _wrong(below(path, "type"), f"must be one or more of {', '.join(TYPES)}")


def _forms(schema: Mapping[str, object], path: str) -> Iterator[LineUpError]:
    for keywords, fits, form in _FORMS:
        for keyword in keywords:
            if keyword in schema and not fits(schema[keyword]):
                yield _wrong(below(path, keyword), f"must be {form}")
    if "multipleOf" in schema:
        step = schema["multipleOf"]
        if isinstance(step, int | float) and step <= 0:
            yield _wrong(below(path, "multipleOf"), "must be more than 0")


def _names(schema: Mapping[str, object], path: str) -> Iterator[LineUpError]:
    if "required" in schema and not _is_names(schema["required"]):
        yield _wrong(below(path, "required"), "must be an array of different names")
    if "dependentRequired" in schema:
        named = schema["dependentRequired"]
        if not isinstance(named, dict) or not all(map(_is_names, named.values())):
            yield _wrong(below(path, "dependentRequired"), "must hold arrays of different names")


def _is_names(value: object) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(name, str) for name in value)
        and len(set(value)) == len(value)
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: object) -> bool:
    return _is_number(value) and isinstance(value, int | float) and value >= 0 and value % 1 == 0


_FORMS: Final[tuple[tuple[tuple[str, ...], Callable[[object], bool], str], ...]] = (
    (_TEXTS, lambda value: isinstance(value, str), "a string"),
    (_FLAGS, lambda value: isinstance(value, bool), "true or false"),
    (_NUMBERS, _is_number, "a number"),
    (_COUNTS, _is_count, "a whole number from 0"),
    (_LISTS, lambda value: isinstance(value, list), "an array"),
)


def _wrong(path: str, message: str) -> LineUpError:
    return LineUpError(ErrorCode.INVALID_ARGUMENT, message, field=path)


def _unsupported(path: str, message: str) -> LineUpError:
    return LineUpError(ErrorCode.NOT_SUPPORTED, message, field=path)
