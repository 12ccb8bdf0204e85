"""The contents of a message: texts, pictures, sounds, files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.wire.envelope import messages as m

if TYPE_CHECKING:
    from lineup_srv.contract.fields import Fields

__all__ = ["read_contents"]


def read_contents(item: Fields) -> tuple[m.Content, ...]:
    """The field `contents`; none by default."""
    return item.each("contents", _content, limits.CONTENTS_PER_MESSAGE)


def _content(item: Fields) -> m.Content:
    kind = item.choice("type", m.ContentType)
    if kind is m.ContentType.TEXT:
        return m.Content(type=kind, text=item.text("text", limits.QUESTION_CHARACTERS, default=""))
    content = m.Content(
        type=kind,
        data=item.data("data"),
        mime_type=item.text("mime_type", default=""),
        uri=item.text("uri", limits.PATH_CHARACTERS, default=""),
    )
    if not content.data and not content.uri:
        raise item.wrong("data", "is missing")
    return content
