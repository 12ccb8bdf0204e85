"""`/miniapps/…`: the list of MiniApps and their files, kept away from the page (design §10).

A MiniApp's files are the author's program. Whatever opens them, a frame or a tab, gets them with a
sandbox policy: they run scripts and have no origin, no storage and no way up. Having no origin,
they may fetch only what every origin may, so this, and only this, is open to all.
"""

from __future__ import annotations

import asyncio
import mimetypes
from typing import TYPE_CHECKING, Final

from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from lineup_srv.contract.json_form import json_form
from lineup_srv.miniapps import TOLD

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.requests import Request

    from lineup_srv.miniapps import MiniApp, MiniAppFolders, Refused

__all__ = ["MINIAPPS_PATH", "MiniAppRoutes"]

MINIAPPS_PATH: Final = "/miniapps/"
_HEADERS: Final = {
    "Content-Security-Policy": "sandbox allow-scripts",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": "no-cache",
}
_TYPES: Final = {".js": "text/javascript", ".mjs": "text/javascript", ".json": "application/json"}
"""Those that machines are known to get wrong, and browsers are strict about."""


class MiniAppRoutes:
    """The list, and every file of every MiniApp."""

    def __init__(self, folders: MiniAppFolders) -> None:
        """Serve what is in `folders` at that moment."""
        self._folders = folders

    @property
    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route(MINIAPPS_PATH, self._list, methods=["GET"]),
            Route(f"{MINIAPPS_PATH}{{application}}/{{name:path}}", self._file, methods=["GET"]),
        ]

    async def _list(self, request: Request) -> Response:
        found = await asyncio.to_thread(self._folders.read)
        told: dict[str, object] = {"miniapps": [_line(app) for app in found.apps.values()]}
        if found.refused and "origin" not in request.headers:
            # For the page, which is of the same origin; names of folders are not for all others.
            told["refused"] = [_refused(refused) for refused in found.refused]
        return JSONResponse(told, headers=_HEADERS)

    async def _file(self, request: Request) -> Response:
        path = await asyncio.to_thread(self._find, **request.path_params)
        if path is None:
            return PlainTextResponse("Not found.", status_code=404, headers=_HEADERS)
        media_type = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0]
        return FileResponse(
            path, headers=_HEADERS, media_type=media_type or "application/octet-stream"
        )

    def _find(self, application: str, name: str) -> Path | None:
        app = self._folders.read().apps.get(application)
        return None if app is None else app.file(name)


def _line(app: MiniApp) -> dict[str, object]:
    application = app.manifest.application
    return {
        "id": application.id,
        "version": application.version,
        "title": application.title,
        "entry": app.manifest.entry,
        "tools": json_form(application.tools),
    }


def _refused(refused: Refused) -> dict[str, object]:
    return {
        "folder": refused.folder.name,
        "id": refused.app_id,
        "faults": [str(fault) for fault in refused.faults[:TOLD]],
        "more": max(len(refused.faults) - TOLD, 0),
    }
