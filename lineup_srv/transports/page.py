"""The page's files, with the headers that keep it to itself (design §10)."""

from __future__ import annotations

import mimetypes
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from starlette.responses import FileResponse, PlainTextResponse, Response

from lineup_srv.settings.addresses import is_loopback

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ["PAGE_FOLDER", "Page"]

PAGE_FOLDER: Final = Path(__file__).resolve().parent.parent / "page"

_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "media-src 'self' data: blob:",
        "font-src 'self'",
        "connect-src 'self' ws: wss:",
        "manifest-src 'self'",
        "worker-src 'self'",
        # For MiniApps. 'self' takes no path, and below a proxy's prefix the relay does not know its
        # own; what else it serves refuses to be framed, or is a file in a sandbox.
        "frame-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    )
)
_HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "geolocation=(), usb=(), payment=()",
}
_OPENER: Final = {"Cross-Origin-Opener-Policy": "same-origin"}
_NEVER: Final = re.compile(r"q=0(\.0*)?")
_ENCODINGS: Final = (("br", ".br"), ("gzip", ".gz"))


class Page:
    """Serves the built page. Files with a hash in their name are kept for ever by browsers."""

    def __init__(self, folder: Path) -> None:
        """Serve `folder`; only what was built into it can be asked for."""
        self._folder = folder
        self._looked_at: tuple[int, int] | None = None
        self._files: dict[str, Path] = {}
        self._look()

    def _look(self) -> None:
        """Find the files, if the folder is another one: a build puts a new one in its place."""
        try:
            seen = self._folder.stat()
            folder = (seen.st_ino, seen.st_mtime_ns)
            if folder == self._looked_at:
                return
            self._files = {
                path.relative_to(self._folder).as_posix(): path
                for path in self._folder.rglob("*")
                if path.is_file()
            }
        except FileNotFoundError:
            # Never built, or it is being replaced right now: the next request looks again.
            return
        self._looked_at = folder

    async def __call__(self, request: Request) -> Response:
        """One file, in the best encoding the browser takes."""
        self._look()
        name = request.path_params.get("path", "") or "index.html"
        if not self._files:
            return PlainTextResponse(
                "The page is not built. Run `make page` in the source tree, or install a release.",
                status_code=503,
                headers=_HEADERS,
            )
        if name not in self._files or name.endswith((".br", ".gz")):
            return PlainTextResponse("Not found.", status_code=404, headers=_HEADERS)
        headers = _HEADERS | (_OPENER if _is_trustworthy(request) else {})
        hashed = name.startswith("assets/")
        headers["Cache-Control"] = "public, max-age=31536000, immutable" if hashed else "no-cache"
        media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
        packed = {
            encoding: self._files[name + ending]
            for encoding, ending in _ENCODINGS
            if name + ending in self._files
        }
        if packed:
            headers["Vary"] = "Accept-Encoding"
        accepted = _accepted(request.headers.get("accept-encoding", ""))
        for encoding, path in packed.items():
            if encoding in accepted:
                headers["Content-Encoding"] = encoding
                return FileResponse(path, headers=headers, media_type=media_type)
        return FileResponse(self._files[name], headers=headers, media_type=media_type)


def _is_trustworthy(request: Request) -> bool:
    """Browsers ignore the opener policy elsewhere, and call it an error on the console (B62)."""
    host = request.url.hostname or ""
    return request.url.scheme == "https" or is_loopback(host)


def _accepted(header: str) -> set[str]:
    """The encodings in an Accept-Encoding header, without those of weight 0."""
    offers = (part.replace(" ", "").lower().partition(";") for part in header.split(","))
    return {name for name, _, weight in offers if not _NEVER.fullmatch(weight)}
