"""The HTTP side: the page, the WebSocket, Connect and health; nothing is for foreign hosts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.routing import Route

from lineup_srv.transports.assist_calls import AssistCalls
from lineup_srv.transports.auth import GuardedApp
from lineup_srv.transports.connect import ConnectEndpoint
from lineup_srv.transports.miniapps import MiniAppRoutes
from lineup_srv.transports.page import PAGE_FOLDER, Page
from lineup_srv.transports.pairing import PairingEndpoint
from lineup_srv.transports.relay_calls import RelayCalls
from lineup_srv.transports.websocket import DeviceSocket

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from pathlib import Path

    from starlette.types import ASGIApp, Receive, Scope, Send

    from lineup_srv.miniapps import MiniAppFolders
    from lineup_srv.transports.auth import Border
    from lineup_srv.transports.files import Files
    from lineup_srv.transports.operation import Operation
    from lineup_srv.transports.websocket import WebSocketParts

__all__ = ["build_http_app"]

_SOCKET_PATH = "/ws"


def build_http_app(
    parts: WebSocketParts,
    border: Border,
    files: Files,
    operation: Operation,
    miniapps: MiniAppFolders,
    *,
    page_folder: Path = PAGE_FOLDER,
    stopping: asyncio.Event | None = None,
) -> GuardedApp:
    """The ASGI application; `stopping` ends the calls that are held."""
    version = parts.facts.version
    page = Page(page_folder)
    connect = ConnectEndpoint(
        AssistCalls(parts.relay, parts.ids),
        RelayCalls(parts.relay, parts.clock, version),
        stopping or asyncio.Event(),
    )
    routes = [
        *operation.routes,
        *(Route(path, connect) for path in connect.paths),
        Route("/pair", PairingEndpoint(parts.pairings, parts.clock).__call__, methods=["POST"]),
        Route("/files/{room_id}/{sha256}", files.__call__, methods=["GET"]),
        *MiniAppRoutes(miniapps).routes,
        Route("/", page.__call__, methods=["GET"]),
        Route("/{path:path}", page.__call__, methods=["GET"]),
    ]
    return GuardedApp(_SocketsApart(DeviceSocket(parts), Starlette(routes=routes)), border)


class _SocketsApart:
    """Devices' WebSockets go past Starlette.

    Its layers would cost each idle connection 3 KiB, and wrap each frame that is sent.
    """

    def __init__(self, devices: ASGIApp, others: ASGIApp) -> None:
        self._devices = devices
        self._others = others

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        is_device = scope["type"] == "websocket" and scope["path"] == _SOCKET_PATH
        return (self._devices if is_device else self._others)(scope, receive, send)
