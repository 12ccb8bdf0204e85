"""McpResultContent ↔ content references and their bytes."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Protocol

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.domain.contents import Content, ContentKind
from lineup_srv.transports.mapping.checks import checked
from lineup_srv.wire._gen.lineup.v1 import content_pb2

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lineup_srv.domain.contents import ContentRef
    from lineup_srv.service.bodies import Intake

__all__ = ["Links", "contents_from_wire", "contents_to_wire", "text_of"]

_TEXT, _IMAGE, _AUDIO, _RESOURCE = 1, 2, 3, 4


class Links(Protocol):
    """Makes the relative link to the bytes behind a reference."""

    def __call__(self, ref: ContentRef, /) -> str:
        """The link."""
        ...


def contents_from_wire(
    items: Iterable[content_pb2.McpResultContent], intake: Intake, *, field: str
) -> tuple[Content, ...]:
    """Translate the contents of a message.

    Args:
        items: as they came.
        intake: collects their bytes.
        field: their path, for errors.

    Raises:
        LineUpError: INVALID_ARGUMENT or TOO_LARGE, naming the item.
    """
    contents = tuple(
        _from_wire(item, intake, f"{field}[{index}]") for index, item in enumerate(items)
    )
    if len(contents) > limits.CONTENTS_PER_MESSAGE:
        raise LineUpError(
            ErrorCode.TOO_LARGE,
            f"at most {limits.CONTENTS_PER_MESSAGE} contents in one message",
            field=field,
        )
    return contents


def _from_wire(item: content_pb2.McpResultContent, intake: Intake, field: str) -> Content:
    match item.type:
        case 1:
            return Content(ContentKind.TEXT, intake.text(item.text.text), "")
        case 2:
            data = _decoded(item.image.data, f"{field}.image.data")
            mime = _mime(item.image.mime_type, f"{field}.image")
            return Content(ContentKind.IMAGE, intake.data(data, mime=mime), "")
        case 3:
            data = _decoded(item.audio.data, f"{field}.audio.data")
            mime = _mime(item.audio.mime_type, f"{field}.audio")
            return Content(ContentKind.AUDIO, intake.data(data, mime=mime), "")
        case 4:
            resource = item.embedded_resource
            mime = _mime(resource.mime_type, f"{field}.embedded_resource")
            uri = checked(resource.uri, f"{field}.embedded_resource.uri", limits.PATH_CHARACTERS)
            return Content(ContentKind.RESOURCE, intake.data(resource.data, mime=mime), uri)
        case _:
            raise LineUpError(
                ErrorCode.INVALID_ARGUMENT, f"unknown content type {item.type}", field=field
            )


def _mime(mime: str, field: str) -> str:
    return checked(mime, f"{field}.mime_type") or "application/octet-stream"


def _decoded(data: str, field: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except ValueError:
        raise LineUpError(ErrorCode.INVALID_ARGUMENT, "not base64", field=field) from None


def contents_to_wire(
    contents: Iterable[Content], bodies: Mapping[str, bytes], links: Links | None = None
) -> list[content_pb2.McpResultContent]:
    """Translate contents back.

    Args:
        contents: what to translate.
        bodies: the bytes of those that are not inline.
        links: where given, what is larger than `limits.LINKED_BYTES` goes as a link (wire §4).
    """
    return [_to_wire(content, bodies, links) for content in contents]


def _to_wire(
    content: Content, bodies: Mapping[str, bytes], links: Links | None
) -> content_pb2.McpResultContent:
    ref = content.ref
    if (
        links is not None
        and ref.size > limits.LINKED_BYTES
        and content.kind is not ContentKind.TEXT
    ):
        link = content_pb2.EmbeddedResource(
            type="embedded_resource", uri=links(ref), mime_type=ref.mime
        )
        return content_pb2.McpResultContent(type=_RESOURCE, embedded_resource=link)
    match content.kind:
        case ContentKind.TEXT:
            return content_pb2.McpResultContent(
                type=_TEXT, text=content_pb2.TextContent(type="text", text=text_of(ref, bodies))
            )
        case ContentKind.IMAGE:
            return content_pb2.McpResultContent(
                type=_IMAGE,
                image=content_pb2.ImageContent(
                    type="image", data=_encoded(ref, bodies), mime_type=ref.mime
                ),
            )
        case ContentKind.AUDIO:
            return content_pb2.McpResultContent(
                type=_AUDIO,
                audio=content_pb2.AudioContent(
                    type="audio", data=_encoded(ref, bodies), mime_type=ref.mime
                ),
            )
        case ContentKind.RESOURCE:
            return content_pb2.McpResultContent(
                type=_RESOURCE,
                embedded_resource=content_pb2.EmbeddedResource(
                    type="embedded_resource",
                    uri=content.uri,
                    mime_type=ref.mime,
                    data=bodies[ref.sha256],
                ),
            )


def text_of(ref: ContentRef, bodies: Mapping[str, bytes]) -> str:
    """The text behind a reference."""
    if ref.inline is not None:
        return ref.inline
    return bodies[ref.sha256].decode("utf-8", "replace")


def _encoded(ref: ContentRef, bodies: Mapping[str, bytes]) -> str:
    return base64.b64encode(bodies[ref.sha256]).decode("ascii")
