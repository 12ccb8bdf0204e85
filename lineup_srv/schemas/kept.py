"""Schemas kept ready between checks: building one takes longer than most checks."""

from __future__ import annotations

from collections import OrderedDict

from lineup_srv.contract import limits
from lineup_srv.contract.errors import LineUpError
from lineup_srv.schemas.checking import Schema

__all__ = ["KeptSchemas"]


class KeptSchemas:
    """Checks values and keeps the schemas that were used last; not for several threads."""

    def __init__(self, *, kept: int = limits.SCHEMAS_READY) -> None:
        """Keep at most so many schemas."""
        self._kept = kept
        self._schemas: OrderedDict[str, Schema] = OrderedDict()

    def misfit(self, schema_json: str, value: object, path: str) -> str:
        """What is wrong with a value, naming its path but not the value; empty: it fits.

        Args:
            schema_json: a schema that `check_schema` took.
            value: as `json.loads` gives it.
            path: where it stands.
        """
        schema = self._schemas.pop(schema_json, None) or Schema(schema_json)
        self._schemas[schema_json] = schema
        if len(self._schemas) > self._kept:
            self._schemas.popitem(last=False)
        try:
            schema.check(value, path)
        except LineUpError as error:
            return error.in_full
        return ""
