"""What a human sent back, as an agent program can take it: text first, then pictures and sounds.

Text that is too long for a result goes to a file that only its owner can read; its start stays.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from lineup_mcp.kept import keep

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineup_srv.wire._gen.lineup.v1 import content_pb2, request_pb2

__all__ = ["INLINE_BYTES", "Answer", "Media", "render", "shortened"]

INLINE_BYTES: Final = 8 * 1024
"""A longer text goes to a file."""
_START_CHARACTERS: Final = 2_000
_TEXT, _IMAGE, _AUDIO, _RESOURCE = 1, 2, 3, 4
_MIME: Final = re.compile(r"[a-z0-9.+-]+/[a-z0-9.+-]+")


@dataclass(frozen=True, slots=True)
class Media:
    """A picture or sound: base64 and its media type."""

    data: str
    mime_type: str


@dataclass(slots=True)
class Answer:
    """The parts of an answer."""

    texts: list[str] = field(default_factory=list)
    media: list[Media] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text in one."""
        return "\n\n".join(text for text in self.texts if text.strip())


def render(
    contents: Iterable[content_pb2.McpResultContent], answers: Iterable[request_pb2.Answer]
) -> Answer:
    """Sort the contents of a reply; `answers` only fill in when there is no text."""
    answer = Answer()
    for content in contents:
        if content.type == _TEXT:
            answer.texts.append(content.text.text)
        elif content.type == _IMAGE:
            _add_media(answer, content.image.data, content.image.mime_type or "image/png")
        elif content.type == _AUDIO:
            _add_media(answer, content.audio.data, content.audio.mime_type or "audio/webm")
        elif content.type == _RESOURCE:
            _add_resource(answer, content.embedded_resource)
    if not answer.text:
        chosen = [
            (item.index + 1, ", ".join([*item.labels, *([item.text] if item.text else [])]))
            for item in answers
        ]
        several = len(chosen) > 1
        answer.texts += [f"{number}. {text}" if several else text for number, text in chosen]
    return answer


def shortened(text: str) -> str:
    """The text, or its start and the path of a file with all of it. Does file I/O when long."""
    data = text.encode("utf-8", "replace")
    if len(data) <= INLINE_BYTES:
        return text
    path = keep(data, "text.md")
    if path is None:
        return text
    start = text[:_START_CHARACTERS]
    return f"{start}\n[… cut here. All of it ({len(data)} bytes) is in this file, read it: {path}]"


def _add_media(answer: Answer, data: str, mime_type: str) -> None:
    """Add a picture or sound, unless an agent program would choke on it."""
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        answer.texts.append("[An attachment is missing here: its data was damaged.]")
        return
    kind = mime_type.strip().lower()
    if not data or not _MIME.fullmatch(kind):
        answer.texts.append("[An empty attachment is left out here.]")
        return
    answer.media.append(Media(data, kind))


def _add_resource(answer: Answer, resource: content_pb2.EmbeddedResource) -> None:
    """A file: text inline, pictures and sounds as such, everything else as a file of ours."""
    kind = resource.mime_type.lower()
    if kind.startswith(("image/", "audio/")) and resource.data:
        _add_media(answer, base64.b64encode(resource.data).decode("ascii"), kind)
        return
    name = resource.uri.rsplit("/", 1)[-1] or "file"
    if not resource.data:
        answer.texts.append(f"[Attached file: {resource.uri}]")
        return
    try:
        answer.texts.append(f"[Attached file {name}:]\n{resource.data.decode('utf-8')}")
    except UnicodeDecodeError:
        answer.texts.append(f"[Attached file {name}: {_saved(name, resource.data)}]")


def _saved(name: str, data: bytes) -> str:
    path = keep(data, name)
    return "it could not be saved" if path is None else f"saved as {path}"
