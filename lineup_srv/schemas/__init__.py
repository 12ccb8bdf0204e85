"""Checks values against tools' JSON Schemas, in bounded time; shared with the bridge.

Beside the contract, which stays in the standard library: jsonschema and RE2 take a tenth of a
second to import, so the bridge imports this package with the first call and no sooner.
"""

from __future__ import annotations

from lineup_srv.schemas.checking import Schema
from lineup_srv.schemas.kept import KeptSchemas
from lineup_srv.schemas.patterns import can_match

__all__ = ["KeptSchemas", "Schema", "can_match"]
