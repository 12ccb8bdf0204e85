"""Messages → JSON text. What stands at its default is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract.json_form import json_form
from lineup_srv.contract.json_text import print_json

if TYPE_CHECKING:
    from lineup_srv.wire.envelope.messages import Envelope

__all__ = ["encode"]


def encode(envelope: Envelope) -> str:
    """Write one text frame; the order of its fields is always the same."""
    payload = envelope.payload
    return print_json(
        {"v": 1, "id": envelope.id, "type": payload.TYPE, "payload": json_form(payload)}
    )
