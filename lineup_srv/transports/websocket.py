"""The devices' WebSocket: what its connections share, and which form each one speaks."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.transports.device_session import DeviceSession
from lineup_srv.transports.envelope_acks import SaidBefore
from lineup_srv.transports.envelope_session import EnvelopeSession
from lineup_srv.transports.frames import FirstFrame

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from lineup_srv.service.pairing import Pairings
    from lineup_srv.service.ports import Clock, Ids, Tasks
    from lineup_srv.service.relay import Relay
    from lineup_srv.transports.devices import Devices
    from lineup_srv.transports.mapping.messages import RelayFacts
    from lineup_srv.transports.metrics import PrometheusMetrics

__all__ = ["DeviceSocket", "WebSocketParts"]


_TOO_MANY = b"Too many logins from this address at a time. Try again in 10 seconds."


@dataclass(frozen=True, slots=True)
class WebSocketParts:
    """What every connection shares.

    Args:
        base_url: where others reach the page, with "/" at its end; empty: only this machine does.
        trusted: addresses that stand for many devices: this machine's, and those of proxies.
    """

    relay: Relay
    devices: Devices
    facts: RelayFacts
    clock: Clock
    ids: Ids
    tasks: Tasks
    metrics: PrometheusMetrics
    pairings: Pairings
    base_url: str
    trusted: frozenset[str]
    waiting: Counter[str] = field(default_factory=Counter)
    """Sockets that are not logged in yet, by address."""
    said: SaidBefore = field(default_factory=SaidBefore)


class DeviceSocket:
    """The ASGI application behind `/ws`."""

    def __init__(self, parts: WebSocketParts) -> None:
        """Serve with these parts."""
        self._parts = parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection from its upgrade to its end."""
        address = scope["client"][0] if scope.get("client") else ""
        trusted = address in self._parts.trusted
        most = (
            limits.LOGINS_PENDING_PER_TRUSTED_ADDRESS
            if trusted
            else limits.LOGINS_PENDING_PER_ADDRESS
        )
        waiting = self._parts.waiting
        if waiting[address] >= most:
            await send({"type": "websocket.http.response.start", "status": 503, "headers": []})
            await send({"type": "websocket.http.response.body", "body": _TOO_MANY})
            return
        waiting[address] += 1
        first = FirstFrame(receive)
        session: DeviceSession | EnvelopeSession = DeviceSession(self._parts, first.receive, send)
        try:
            try:
                await receive()
                await send({"type": "websocket.accept"})
                until = asyncio.get_running_loop().time() + limits.LOGIN_SECONDS
                if await first.is_text(until):
                    session = EnvelopeSession(self._parts, first.receive, send)
                await session.log_in(until)
            finally:
                waiting[address] -= 1
                if not waiting[address]:
                    del waiting[address]
            await session.serve()
        finally:
            await session.leave()
