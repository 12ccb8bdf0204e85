"""The ports that the relay listens on, and the server behind the one for HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING

import uvicorn
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from lineup_srv.contract import limits
from lineup_srv.transports.holder import describe_holder

if TYPE_CHECKING:
    from collections.abc import Iterator

    import grpc

    from lineup_srv.config import SrvConfig
    from lineup_srv.transports.auth import GuardedApp

__all__ = [
    "CertificateUnusable",
    "HttpServer",
    "Listening",
    "PortTaken",
    "address_of",
    "bind_grpc",
    "bind_http",
    "http_server",
]


class PortTaken(Exception):
    """A port cannot be bound; `str()` says which and, if it answers, who has it."""


class CertificateUnusable(Exception):
    """The certificate or its key cannot be used; `str()` says why."""


@dataclass(frozen=True, slots=True)
class Listening:
    """Where the relay listens, as `host:port`, IPv6 hosts in brackets."""

    http: str
    grpc: str


class PatientProtocol(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket, whose patience with a peer that is gone has an end."""

    def keepalive_timeout(self) -> None:
        """Close, and cut what the peer does not read."""
        super().keepalive_timeout()
        if self.transport.get_write_buffer_size():
            # Closing would wait until the peer has read everything, for as long as TCP likes.
            self.transport.abort()


class HttpServer(uvicorn.Server):
    """uvicorn without its own signal handling, and with an event for its start."""

    def __init__(self, config: uvicorn.Config) -> None:
        """Serve by this configuration; see `http_server`."""
        super().__init__(config)
        self.ready = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none: the relay has its own."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        self.ready.set()


def http_server(app: GuardedApp, config: SrvConfig) -> HttpServer:
    """The server of the application.

    Raises:
        CertificateUnusable: as it says.
    """
    # Its lines carry the query, which may hold a token, and at debug every frame.
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    settings = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="off",
        ws=PatientProtocol,
        ws_max_size=limits.FRAME_BYTES,
        ws_ping_interval=limits.WEBSOCKET_PING_SECONDS,
        ws_ping_timeout=limits.WEBSOCKET_DEAD_SECONDS,
        ws_per_message_deflate=False,
        server_header=False,
        proxy_headers=bool(config.trusted_proxies),
        forwarded_allow_ips=list(config.trusted_proxies),
        timeout_graceful_shutdown=1,
        ssl_certfile=None if config.tls_cert is None else str(config.tls_cert),
        ssl_keyfile=None if config.tls_key is None else str(config.tls_key),
    )
    try:
        settings.load()
    except OSError as error:
        raise CertificateUnusable(f"the certificate {config.tls_cert}: {error}") from error
    return HttpServer(settings)


async def bind_http(host: str, port: int) -> socket.socket:
    """A listening socket for HTTP, bound before the log is opened.

    Raises:
        PortTaken: it cannot be bound.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(2048)
    except OSError as error:
        listener.close()
        holder = await describe_holder(host, port)
        reason = f"port {port} on {host} cannot be bound: {error.strerror}"
        raise PortTaken(f"{reason}. {holder}".rstrip()) from error
    return listener


async def bind_grpc(server: grpc.aio.Server, config: SrvConfig) -> int:
    """Bind the gRPC port and return it; a taken one is an error, never silently another.

    Raises:
        PortTaken: it cannot be bound.
    """
    address = address_of(config.bind, config.grpc_port)
    try:
        if config.tls_cert is None:
            port = server.add_insecure_port(address)
        else:
            port = server.add_secure_port(address, _credentials(config))
    except RuntimeError:
        port = 0
    if port == 0:
        holder = await describe_holder(config.bind, config.grpc_port)
        reason = f"gRPC port {config.grpc_port} on {config.bind} cannot be bound"
        raise PortTaken(f"{reason}. {holder}".rstrip())
    return port


def _credentials(config: SrvConfig) -> grpc.ServerCredentials:
    import grpc

    assert config.tls_cert is not None
    chain = config.tls_cert.read_bytes()
    key = (config.tls_key or config.tls_cert).read_bytes()
    return grpc.ssl_server_credentials([(key, chain)])


def address_of(host: str, port: int) -> str:
    """`host:port`, an IPv6 host in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
