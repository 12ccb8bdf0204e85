"""Dataclasses → JSON form: what stands at its default is left out, the order is always the same.

`name` in a field's metadata is its name in JSON where Python cannot have it; `json` marks a field
that keeps JSON as text, empty for none.
"""

from __future__ import annotations

import base64
import json
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import Field

__all__ = ["json_form", "json_name"]


def json_form(value: object) -> object:
    """What `json.dumps` takes for an enum, bytes (base64), a tuple or a dataclass of such."""
    match value:
        case Enum():
            return value.value
        case bytes():
            return base64.b64encode(value).decode("ascii")
        case tuple():
            return [json_form(item) for item in value]
        case _ if is_dataclass(value):
            told = ((item, getattr(value, item.name)) for item in fields(value))
            return {
                json_name(item): _content(item, content)
                for item, content in told
                if content != _default(item)
            }
        case _:
            return value


def json_name(item: Field[object]) -> str:
    """A field's name in JSON."""
    return str(item.metadata.get("name", item.name))


def _content(item: Field[object], content: object) -> object:
    return json.loads(str(content)) if item.metadata.get("json") else json_form(content)


def _default(item: Field[object]) -> object:
    """What may be left out; MISSING, which equals nothing, for what must be there."""
    return MISSING if item.default is MISSING else item.default
