"""`/files/…`: the bytes behind a message, by links that only the relay can make (design §10).

A link names room, hash and media type and is signed; it carries no token, and works as long as the
blob is kept. Whatever the bytes are, the browser shows them without script and without access to
the page's storage, or saves them.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlencode

from starlette.responses import PlainTextResponse, Response

from lineup_srv.contract.ids import RoomId
from lineup_srv.service.ports import LogRefused

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from lineup_srv.domain.contents import ContentRef
    from lineup_srv.service.ports import Blobs

__all__ = ["FileLinks", "Files"]

_SHOWN: Final = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp")
_HEADERS: Final = {
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_KEPT: Final = {**_HEADERS, "Cache-Control": "private, max-age=31536000, immutable"}
_UNCACHED: Final = {**_HEADERS, "Cache-Control": "no-store"}


class FileLinks:
    """Makes and checks links.

    Args:
        key: a secret of this relay; the links of another key are worth nothing.
    """

    def __init__(self, key: bytes) -> None:
        """Sign with `key`."""
        self._key = key

    def of_room(self, room_id: RoomId) -> Callable[[ContentRef], str]:
        """The maker of relative links to a room's bytes."""

        def link(ref: ContentRef) -> str:
            query = urlencode({"type": ref.mime, "sig": self._sign(room_id, ref.sha256, ref.mime)})
            return f"files/{quote(room_id, safe='')}/{ref.sha256}?{query}"

        return link

    def valid(self, room_id: RoomId, sha256: str, mime: str, signature: str) -> bool:
        """Whether this relay made the link."""
        expected = self._sign(room_id, sha256, mime)
        return hmac.compare_digest(expected.encode(), signature.encode())

    def _sign(self, room_id: RoomId, sha256: str, mime: str) -> str:
        message = "\n".join((room_id, sha256, mime)).encode()
        return hmac.new(self._key, message, hashlib.sha256).hexdigest()


class Files:
    """Serves blobs to those who have a link."""

    def __init__(self, blobs: Blobs, links: FileLinks) -> None:
        """Serve `blobs` by `links`."""
        self._blobs = blobs
        self._links = links

    async def __call__(self, request: Request) -> Response:
        """One file; everything that is wrong looks the same."""
        room_id = RoomId(request.path_params["room_id"])
        sha256 = request.path_params["sha256"]
        mime = request.query_params.get("type", "")
        if not self._links.valid(room_id, sha256, mime, request.query_params.get("sig", "")):
            return PlainTextResponse("Not found.", status_code=404, headers=_UNCACHED)
        try:
            data = await self._blobs.get(room_id, sha256)
        except LogRefused:
            return PlainTextResponse(
                "The relay cannot read its log now. Try again later.",
                status_code=503,
                headers=_UNCACHED,
            )
        if data is None:
            return PlainTextResponse("No longer kept.", status_code=410, headers=_UNCACHED)
        headers = dict(_KEPT)
        if mime not in _SHOWN and not mime.startswith("audio/"):
            headers["Content-Disposition"] = f'attachment; filename="{sha256[:12]}"'
            mime = "application/octet-stream"
        return Response(data, media_type=mime, headers=headers)
