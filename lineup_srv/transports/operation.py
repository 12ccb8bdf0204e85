"""`/health`, `/ready` and `/metrics`: what an operator and a monitor ask."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from lineup_srv.contract.errors import ERRORS, ErrorCode
from lineup_srv.settings.addresses import LOOPBACK
from lineup_srv.transports.tokens import bearer_token

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request

    from lineup_srv.service.relay import Relay
    from lineup_srv.transports.metrics import PrometheusMetrics

__all__ = ["Operation"]

_OWN_NAMES: Final = (*LOOPBACK, "localhost")
_UNCACHED: Final = {"Cache-Control": "no-store"}
_TOKEN_NEEDED: Final = "From elsewhere a token is needed here: Authorization: Bearer <token>"


class Operation:
    """The operation pages."""

    def __init__(
        self,
        relay: Relay,
        healthy: Callable[[], Awaitable[bool]],
        metrics: PrometheusMetrics,
        version: str,
    ) -> None:
        """Tell of `relay`; `healthy` says whether its log can be written."""
        self._relay = relay
        self._healthy = healthy
        self._metrics = metrics
        self._version = version

    @property
    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route("/health", self._health, methods=["GET"]),
            Route("/ready", self._ready, methods=["GET"]),
            Route("/metrics", self._expose, methods=["GET"]),
        ]

    async def _health(self, request: Request) -> Response:
        """That a relay is here; to its own machine also which process."""
        body: dict[str, object] = {"name": "LineUp", "version": self._version, "protocol": 1}
        if _from_here(request):
            body["pid"] = os.getpid()
        return JSONResponse(body, headers=_UNCACHED)

    async def _ready(self, _request: Request) -> Response:
        """Whether questions and answers can be taken: the log can be written."""
        if await self._healthy():
            return JSONResponse({"ready": True}, headers=_UNCACHED)
        code = ErrorCode.LOG_UNAVAILABLE
        body = {
            "ready": False,
            "code": code.value,
            "message": "the log cannot be written",
            "next_step": ERRORS[code].next_step,
        }
        return JSONResponse(body, status_code=503, headers=_UNCACHED)

    async def _expose(self, request: Request) -> Response:
        """The metrics, for this machine or with a token."""
        if not (_from_here(request) or await self._may(request)):
            return PlainTextResponse(_TOKEN_NEEDED, status_code=401, headers=_UNCACHED)
        body, media_type = self._metrics.exposition()
        return Response(body, headers={**_UNCACHED, "Content-Type": media_type})

    async def _may(self, request: Request) -> bool:
        """Whether the request carries a token that opens a room."""
        token = bearer_token(request.headers.get("authorization", ""))
        return bool(token) and await self._relay.authenticate(token) is not None


def _from_here(request: Request) -> bool:
    """Whether a program on this machine asks, and not for others as a proxy does."""
    client = request.client
    return client is not None and client.host in LOOPBACK and request.url.hostname in _OWN_NAMES
