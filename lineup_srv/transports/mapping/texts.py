"""Texts between humans and agents → `lineup.v1.Text`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.transports.mapping.contents import text_of
from lineup_srv.wire._gen.lineup.v1 import agent_pb2

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineup_srv.domain.state import KeptText

__all__ = ["text_to_wire"]


def text_to_wire(text: KeptText, bodies: Mapping[str, bytes], *, received: bool) -> agent_pb2.Text:
    """A text; its contents that are no text are left to the message's other forms."""
    message = agent_pb2.Text(
        message_id=text.text_id,
        content="\n".join(
            text_of(content.ref, bodies)
            for content in text.contents
            if content.ref.mime.startswith("text/")
        ),
        agent_id=text.agent_id,
        sent_unix_ms=text.at_unix_ms,
        received=received,
    )
    # `from` is a keyword of Python.
    setattr(message, "from", text.by.nickname)
    return message
