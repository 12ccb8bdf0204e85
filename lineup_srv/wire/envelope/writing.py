"""Messages → JSON text. What stands at its default is left out."""

from __future__ import annotations

import base64
import json
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import Field

    from lineup_srv.wire.envelope.messages import Envelope

__all__ = ["encode"]


def encode(envelope: Envelope) -> str:
    """Write one text frame; the order of its fields is always the same."""
    payload = envelope.payload
    tree = {"v": 1, "id": envelope.id, "type": payload.TYPE, "payload": _plain(payload)}
    return json.dumps(tree, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _plain(value: object) -> object:
    match value:
        case Enum():
            return value.value
        case bytes():
            return base64.b64encode(value).decode("ascii")
        case tuple():
            return [_plain(item) for item in value]
        case _ if is_dataclass(value):
            told = ((item, getattr(value, item.name)) for item in fields(value))
            return {
                _name(item): _plain(content) for item, content in told if content != _default(item)
            }
        case _:
            return value


def _name(item: Field[object]) -> str:
    return str(item.metadata.get("name", item.name))


def _default(item: Field[object]) -> object:
    """What may be left out; MISSING, which equals nothing, for what must be there."""
    return MISSING if item.default is MISSING else item.default
