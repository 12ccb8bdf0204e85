"""Texts between humans and agents ↔ `lineup.v1.Text`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.domain.contents import Content, ContentKind
from lineup_srv.transports.mapping.checks import checked
from lineup_srv.transports.mapping.contents import contents_from_wire, contents_to_wire, text_of
from lineup_srv.wire._gen.lineup.v1 import agent_pb2

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineup_srv.domain.facts import TextSaid
    from lineup_srv.domain.state import KeptText
    from lineup_srv.service.bodies import Intake
    from lineup_srv.transports.mapping.contents import Links

__all__ = ["said_to_wire", "text_from_wire", "text_to_wire"]


def text_from_wire(text: agent_pb2.Text, intake: Intake) -> tuple[Content, ...]:
    """What a text says: its words, then what is attached; the rest of it is left to the caller.

    Raises:
        LineUpError: INVALID_ARGUMENT or TOO_LARGE, naming the field.
    """
    words = checked(text.content, "text.content", limits.QUESTION_CHARACTERS)
    attached = contents_from_wire(text.contents, intake, field="text.contents")
    if words.strip():
        return (Content(ContentKind.TEXT, intake.text(words), ""), *attached)
    if not attached:
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, "is empty", field="text.content")
    return attached


def text_to_wire(
    text: KeptText, bodies: Mapping[str, bytes], links: Links | None = None, *, received: bool
) -> agent_pb2.Text:
    """A human's text; see `contents_to_wire` for `links`."""
    message = _said(text.contents, bodies, links, text.by.nickname)
    message.message_id = text.text_id
    message.agent_id = text.agent_id
    message.sent_unix_ms = text.at_unix_ms
    message.received = received
    return message


def said_to_wire(
    said: TextSaid, bodies: Mapping[str, bytes], links: Links | None
) -> agent_pb2.Text:
    """An agent's text; see `contents_to_wire` for `links`."""
    message = _said(said.contents, bodies, links, said.agent_name or said.agent.client)
    message.message_id = said.text_id
    message.agent_id = said.agent.agent_id
    message.sent_unix_ms = said.at_unix_ms
    message.received = True
    return message


def _said(
    contents: tuple[Content, ...], bodies: Mapping[str, bytes], links: Links | None, who: str
) -> agent_pb2.Text:
    words = [text_of(c.ref, bodies) for c in contents if c.kind is ContentKind.TEXT]
    attached = [c for c in contents if c.kind is not ContentKind.TEXT]
    message = agent_pb2.Text(
        content="\n".join(words), contents=contents_to_wire(attached, bodies, links)
    )
    # `from` is a keyword of Python.
    setattr(message, "from", who)
    return message
