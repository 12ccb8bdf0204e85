"""What a question or answer carries, by reference: the bytes live in blobs, not in facts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["Content", "ContentKind", "ContentRef", "Picture"]


class ContentKind(Enum):
    """The kinds of an MCP tool result's content."""

    TEXT = "text"
    IMAGE = "image"
    AUDIO = "audio"
    RESOURCE = "resource"


@dataclass(frozen=True, slots=True)
class ContentRef:
    """Names bytes by their hash.

    Attributes:
        sha256: lower-case hex of the bytes.
        size: number of bytes.
        mime: media type, e.g. `text/markdown`.
        inline: the text itself if it is text of at most `limits.INLINE_BYTES`; None: in a blob.
    """

    sha256: str
    size: int
    mime: str
    inline: str | None


@dataclass(frozen=True, slots=True)
class Content:
    """One item of a message. `uri` is empty except for resources."""

    kind: ContentKind
    ref: ContentRef
    uri: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that an agent shows (seed 000, `image`).

    Attributes:
        ref: its bytes; None when it is named by `url`.
        url: where it is; empty when `ref` is set.
        alt: what it shows, for those who cannot see it.
        caption: the line below it.
    """

    ref: ContentRef | None
    url: str
    alt: str
    caption: str
