"""The protocol as JSON envelopes in text frames (seed 000, wire contract §5).

`parse` and `encode` are the codec; `messages` has a frozen dataclass for every type.
"""

from __future__ import annotations

from lineup_srv.wire.envelope.error import EnvelopeError
from lineup_srv.wire.envelope.messages import TYPES, Envelope, Payload
from lineup_srv.wire.envelope.reading import parse
from lineup_srv.wire.envelope.writing import encode

__all__ = ["TYPES", "Envelope", "EnvelopeError", "Payload", "encode", "parse"]
