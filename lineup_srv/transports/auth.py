"""Who may open a connection: the checks of `Host` and `Origin` (design §10).

`Host` must be an IP literal, localhost, the machine's name or listed, against DNS rebinding.
`Origin` must be absent, of the same host, or listed, so that no foreign page can drive the relay.
Both are checked before anything else, also before an upgrade.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lineup_srv.transports.miniapps import MINIAPPS_PATH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["Border", "GuardedApp"]

# Nothing but a name or address and a port: urlsplit would also take users, paths and queries.
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(:[0-9]{1,5})?")
_DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


@dataclass(frozen=True, slots=True)
class Border:
    """The names and origins that are let in besides the obvious ones.

    Args:
        allowed_hosts: further names accepted in `Host`, without port, lower case.
        allowed_origins: further origins, `scheme://host[:port]`, lower case.
    """

    allowed_hosts: tuple[str, ...]
    allowed_origins: tuple[str, ...]

    def host_allowed(self, host: str) -> bool:
        """Whether a request with this `Host` header is for us."""
        name = _split_host(host)[0]
        if name is None:
            return False
        own = ("localhost", socket.gethostname().lower(), *self.allowed_hosts)
        return name in own or _is_address(name)

    def origin_allowed(self, origin: str | None, host: str, scheme: str) -> bool:
        """Whether a page of this origin may talk to us; `null` never may."""
        if origin is None:
            return True
        if origin.lower() in self.allowed_origins:
            return True
        origin_scheme, _, origin_host = origin.lower().partition("://")
        if origin_scheme not in ("http", "https"):
            return False
        name, port = _split_host(host)
        origin_name, origin_port = _split_host(origin_host)
        default = _DEFAULT_PORTS[origin_scheme]
        return (
            origin_name is not None
            and origin_name == name
            and (origin_port or default) in (default, port or _DEFAULT_PORTS[scheme])
        )


class GuardedApp:
    """An ASGI application that answers only what passes the border: 421 and 403 for the rest."""

    def __init__(self, app: ASGIApp, border: Border) -> None:
        """Guard `app` with `border`."""
        self._app = app
        self._border = border

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        hosts = _headers(scope, b"host")
        origins = _headers(scope, b"origin")
        if len(hosts) != 1 or not self._border.host_allowed(hosts[0]):
            await _refuse(scope, send, 421, "unknown Host: see [srv] allowed_hosts")
        elif not _for_everybody(scope) and (
            len(origins) > 1
            or not self._border.origin_allowed(
                origins[0] if origins else None, hosts[0], scope["scheme"]
            )
        ):
            await _refuse(scope, send, 403, "foreign Origin: see [srv] allowed_origins")
        else:
            await self._app(scope, receive, send)


def _for_everybody(scope: Scope) -> bool:
    """A MiniApp's sandbox has no origin, so its own files come to every origin, and no others."""
    is_read = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
    return is_read and scope["path"].startswith(MINIAPPS_PATH)


def _headers(scope: Scope, name: bytes) -> Sequence[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


async def _refuse(scope: Scope, send: Send, status: int, reason: str) -> None:
    """Answer without an upgrade; the refusal of a WebSocket is a plain response."""
    prefix = "websocket.http.response" if scope["type"] == "websocket" else "http.response"
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": f"{prefix}.start", "status": status, "headers": headers})
    await send({"type": f"{prefix}.body", "body": reason.encode()})


def _split_host(host: str) -> tuple[str | None, int | None]:
    """Name and port of a Host header, lower case; (None, None) if it is malformed."""
    if not _HOST.fullmatch(host):
        return None, None
    try:
        parts = urlsplit(f"//{host.lower()}")
        return parts.hostname, parts.port
    except ValueError:
        return None, None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
