"""Values against schemas: the first thing that is wrong, named by its path.

A check takes a bounded processor time, so that no schema and no value holds up the event loop:
schemas whose work multiplies are found by the clock, not by looking at them. Nothing is fetched:
`check_schema` refused what leads out of a schema, and the registry is empty.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, Final

from jsonschema import Draft202012Validator
from jsonschema.validators import extend
from referencing import Registry

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.json_text import below, print_json
from lineup_srv.schemas.keywords import KEYWORDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

    Rule = Callable[[Validator, Any, Any, Any], Any]

__all__ = ["Schema"]

_NOTHING: Final[Registry[Any]] = Registry()


class Schema:
    """A schema that `check_schema` took, ready to check values; not for several threads."""

    def __init__(self, schema_json: str) -> None:
        """Read the schema; nothing is checked yet."""
        self._until = 0.0
        rules = {**Draft202012Validator.VALIDATORS, **KEYWORDS}
        timed = {name: self._timed(rule) for name, rule in rules.items()}
        schema = json.loads(schema_json)
        schema.pop("$id", None)  # all references are local
        # Its stubs leave it untyped.
        kind = extend(Draft202012Validator, timed)  # type: ignore[no-untyped-call]
        self._validator = kind(schema, registry=_NOTHING)

    def check(self, value: object, path: str) -> None:
        """Refuse a value that does not fit.

        Args:
            value: as `json.loads` gives it.
            path: where it stands, for the error.

        Raises:
            LineUpError: INVALID_ARGUMENT, naming the path of the first thing that is wrong and the
                rule it breaks, but not the value; TOO_LARGE: checking it would take too long.
        """
        self._until = time.thread_time() + limits.SCHEMA_CHECK_MS / 1_000
        try:
            error = next(self._validator.iter_errors(value), None)
        except (TimeoutError, RecursionError):
            message = "takes too long to be checked against the schema"
            raise LineUpError(ErrorCode.TOO_LARGE, message, field=path) from None
        if error is not None:
            raise _told(error, path)

    def _timed(self, rule: Rule) -> Rule:
        def timed(validator: Validator, rules: Any, instance: Any, schema: Any) -> Any:
            if time.thread_time() > self._until:
                raise TimeoutError
            return rule(validator, rules, instance, schema)

        return timed


def _told(error: ValidationError, path: str) -> LineUpError:
    for part in error.absolute_path:
        path = f"{path}[{part}]" if isinstance(part, int) else below(path, part)
    rule = print_json(error.validator_value)
    told = f"does not fit the schema: {error.validator}"
    if len(rule) <= limits.NAME_CHARACTERS:
        told = f"{told} {rule}"
    return LineUpError(ErrorCode.INVALID_ARGUMENT, told, field=path)
