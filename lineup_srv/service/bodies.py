"""The bytes behind content references: into blobs before a command, back for a message.

Only what is larger than `limits.INLINE_BYTES`, or is not text, becomes a blob; a bounded cache
keeps what was used last, so that a card is shown without reading the disk. A blob that is gone
holds nothing up: words stand in its place.
"""

from __future__ import annotations

import hashlib
import logging
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.domain.call import refs_of_result
from lineup_srv.domain.call_effects import ShowCall, ShowCallUpdate
from lineup_srv.domain.contents import Content, ContentKind, ContentRef
from lineup_srv.domain.effects import (
    SendPending,
    ShowPictureShown,
    ShowReply,
    ShowRequest,
    ShowSaid,
    ShowText,
)
from lineup_srv.service.ports import LogRefused

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.domain.request import Request
    from lineup_srv.service.ports import Blobs

__all__ = [
    "MISSING",
    "Bodies",
    "Intake",
    "readable",
    "readable_request",
    "refs_of_message",
    "refs_of_outcome",
    "refs_of_request",
]

logger = logging.getLogger(__name__)

MISSING: Final = b"(This part was lost: it is not on the relay's disk any more.)"
"""Stands in for bytes that the log names and the blobs do not have."""


@dataclass(slots=True)
class Intake:
    """Collects the bytes of one incoming message while it is translated.

    `text` and `data` give the references that go into the command; `Bodies.keep` makes the bytes
    durable before the command is submitted.
    """

    blobs: dict[str, bytes] = field(default_factory=dict)

    def text(self, text: str, *, mime: str = "text/markdown") -> ContentRef:
        """A reference to a text; small ones stand inline."""
        data = text.encode("utf-8", "surrogatepass")
        if len(data) <= limits.INLINE_BYTES:
            return ContentRef(_sha256(data), len(data), mime, text)
        return self.data(data, mime=mime)

    def data(self, data: bytes, *, mime: str) -> ContentRef:
        """A reference to bytes."""
        sha256 = _sha256(data)
        self.blobs[sha256] = data
        return ContentRef(sha256, len(data), mime, None)


class Bodies:
    """Keeps and finds bytes; one for the whole relay."""

    def __init__(self, blobs: Blobs, *, cache_bytes: int = limits.BLOB_CACHE_BYTES) -> None:
        """Use `blobs` as the durable store and keep at most `cache_bytes` in memory."""
        self._blobs = blobs
        self._capacity = cache_bytes
        self._cache: OrderedDict[tuple[RoomId, str], bytes] = OrderedDict()
        self._size = 0

    async def keep(self, room_id: RoomId, intake: Intake) -> None:
        """Make the bytes of an incoming message durable.

        What is known is put again: unless a fact names it, it may be swept away before this one's.

        Raises:
            LogRefused: they cannot be written.
            LogUnknown: it is not known whether they were.
        """
        for sha256, data in intake.blobs.items():
            await self._blobs.put(room_id, sha256, data)
            self._remember((room_id, sha256), data)

    def at_hand(self, room_id: RoomId, refs: Iterable[ContentRef]) -> Mapping[str, bytes] | None:
        """The bytes of all references that are not inline, if none must be read from disk."""
        found: dict[str, bytes] = {}
        for ref in refs:
            if ref.inline is None:
                key = (room_id, ref.sha256)
                data = self._cache.get(key)
                if data is None:
                    return None
                self._cache.move_to_end(key)
                found[ref.sha256] = data
        return found

    async def gather(self, room_id: RoomId, refs: Iterable[ContentRef]) -> Mapping[str, bytes]:
        """The bytes of all references that are not inline; `MISSING` for those that are gone.

        Raises:
            LineUpError: LOG_UNAVAILABLE, they cannot be read now.
        """
        found: dict[str, bytes] = {}
        for ref in refs:
            if ref.inline is None and ref.sha256 not in found:
                try:
                    found[ref.sha256] = await self._find(room_id, ref.sha256)
                except LogRefused as error:
                    raise LineUpError(ErrorCode.LOG_UNAVAILABLE, str(error)) from error
        return found

    async def gather_at_any_price(
        self, room_id: RoomId, refs: Iterable[ContentRef]
    ) -> Mapping[str, bytes]:
        """As `gather`, with `MISSING` for what cannot be read: others wait behind this."""
        found: dict[str, bytes] = {}
        for ref in refs:
            try:
                found |= await self.gather(room_id, [ref])
            except LineUpError as error:
                logger.error("room %s: blob %s cannot be read: %s", room_id, ref.sha256, error)
                found[ref.sha256] = MISSING
        return found

    async def _find(self, room_id: RoomId, sha256: str) -> bytes:
        key = (room_id, sha256)
        data = self._cache.get(key)
        if data is not None:
            self._cache.move_to_end(key)
            return data
        data = await self._blobs.get(room_id, sha256)
        if data is None:
            logger.error("room %s: blob %s is missing", room_id, sha256)
            return MISSING
        self._remember(key, data)
        return data

    def _remember(self, key: tuple[RoomId, str], data: bytes) -> None:
        old = self._cache.pop(key, None)
        self._size += len(data) - (0 if old is None else len(old))
        self._cache[key] = data
        while self._size > self._capacity and len(self._cache) > 1:
            _, dropped = self._cache.popitem(last=False)
            self._size -= len(dropped)


def refs_of_request(request: Request) -> Iterator[ContentRef]:
    """All references of what was asked."""
    asked = request.asked
    yield asked.text
    for question in asked.questions:
        yield question.text
    yield from _refs(asked.contents)


def refs_of_message(  # noqa: C901 - one case for each kind
    message: object,
) -> Iterator[ContentRef]:
    """All references whose bytes a message shows; none for other effects."""
    match message:
        case ShowRequest():
            yield from refs_of_request(message.request)
        case ShowReply():
            yield from refs_of_request(message.request)
            yield from _refs(message.reply.contents)
        case ShowText():
            yield from _refs(message.text.contents)
        case ShowSaid():
            yield from _refs(message.said.contents)
        case ShowPictureShown():
            if message.shown.picture.ref is not None:
                yield message.shown.picture.ref
        case ShowCall():
            yield message.call.called.arguments
        case ShowCallUpdate():
            if message.with_call:
                yield message.call.called.arguments
            if message.answer is not None:
                yield from refs_of_result(message.answer)
        case SendPending():
            for request in message.requests:
                yield from refs_of_request(request)
        case _:
            return


def refs_of_outcome(request: Request) -> Iterator[ContentRef]:
    """All references that an outcome carries to the agent."""
    yield request.asked.text
    if request.reply is not None:
        yield from _refs(request.reply.contents)


def readable_request(request: Request, bodies: Mapping[str, bytes]) -> Request:
    """The request with an answer that an agent program can read; see `readable`."""
    if request.reply is None or MISSING not in bodies.values():
        return request
    contents = readable(request.reply.contents, bodies)
    return replace(request, reply=replace(request.reply, contents=contents))


def readable(contents: tuple[Content, ...], bodies: Mapping[str, bytes]) -> tuple[Content, ...]:
    """The contents, with words in place of lost pictures: agent programs choke on broken ones."""
    if MISSING not in bodies.values():
        return contents
    words = ContentRef(_sha256(MISSING), len(MISSING), "text/markdown", MISSING.decode())
    lost = Content(ContentKind.TEXT, words, "")
    return tuple(lost if bodies.get(c.ref.sha256) == MISSING else c for c in contents)


def _refs(contents: tuple[Content, ...]) -> Iterator[ContentRef]:
    return (content.ref for content in contents)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
