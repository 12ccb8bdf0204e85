"""Arguments and results of calls: read once, checked against their schemas in bounded time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import LineUpError
from lineup_srv.contract.ids import InstanceId
from lineup_srv.contract.json_text import check, load_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineup_srv.contract.tools import ActionDefinition
    from lineup_srv.service.ports import Schemas

__all__ = ["instance_of", "is_secret", "misfit_of", "result_misfit"]

ARGUMENTS = "arguments"
RESULT = "result"


def instance_of(values: Mapping[str, object]) -> InstanceId:
    """The instance that arguments or a result name; empty: none, or no text that could be an id."""
    named = values.get("instance_id")
    fits = isinstance(named, str) and len(named) <= limits.ID_CHARACTERS
    return InstanceId(str(named) if fits else "")


def is_secret(arguments: Mapping[str, object], action: ActionDefinition) -> bool:
    """Whether the answer must not be logged: the arguments say so, or the schema's default does."""
    if not action.interactive:
        return False
    properties = json.loads(action.input_schema_json).get("properties", {})
    named = properties.get("secret")
    default = named.get("default") if isinstance(named, dict) else None
    return arguments.get("secret", default) is True


def misfit_of(schemas: Schemas, schema_json: str, text: str) -> str:
    """Why a call's arguments do not fit a schema; empty: they do, or there is no schema."""
    if not schema_json:
        return ""
    return schemas.misfit(schema_json, json.loads(text), ARGUMENTS)


def result_misfit(
    schemas: Schemas, action: ActionDefinition, text: str
) -> tuple[str, Mapping[str, object] | None]:
    """Why a result does not fit the schema as called, and the result as read; None: it is no JSON.

    A result without JSON is taken for an empty one: pictures or words may be all there is.
    """
    try:
        read = load_object(text or "{}", RESULT, most_bytes=limits.RESULT_BYTES)
        check(read, RESULT, limits.JSON_DEPTH)
    except LineUpError as error:
        return error.in_full, None
    if not action.result_schema_json:
        return "", read
    return schemas.misfit(action.result_schema_json, read, RESULT), read
