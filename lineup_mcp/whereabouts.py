"""Who answers where the relay should be: a relay, another program, nobody; asked by `/health`.

Plain sockets, so that nothing is imported for it and no proxy is asked. No token is sent: whoever
is there may be anybody.
"""

from __future__ import annotations

import enum
import json
import socket
import ssl
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lineup_srv.settings.addresses import is_loopback

if TYPE_CHECKING:
    from pathlib import Path

    from lineup_mcp.config import BridgeConfig

__all__ = ["Holder", "Sight", "Who", "address", "holder_of", "look", "running_relay", "who_answers"]

_CONNECT_SECONDS: Final = 1.0
_ANSWER_SECONDS: Final = 2.0
_MOST_BYTES: Final = 16_384


class Who(enum.Enum):
    """What is at an address."""

    NOBODY = "nobody"
    RELAY = "relay"
    OTHER = "other"
    """A program that answers otherwise than a relay."""
    SILENT = "silent"
    """Connections are taken and nothing is said: another program, or a relay that starts."""


@dataclass(frozen=True, slots=True)
class Holder:
    """The running relay of a data directory. All are as it told; that it runs was checked."""

    pid: int
    host: str
    http_port: int
    grpc_host: str
    grpc_port: int


@dataclass(frozen=True, slots=True)
class Sight:
    """What is found when no call gets through.

    Args:
        target: the configured host and HTTP port, for people.
        who: answers there.
        grpc_port: where the calls go.
        holder: the relay of the data directory, if it runs on other ports.
    """

    target: str
    who: Who
    grpc_port: int
    holder: Holder | None = None


def look(config: BridgeConfig) -> Sight:
    """See what is where the relay should be. Blocks for at most a few seconds."""
    return Sight(
        address(config.host, config.port),
        who_answers(config),
        config.grpc_port,
        holder_of(config) if is_loopback(config.host) else None,
    )


def address(host: str, port: int) -> str:
    """Host and port as addresses have them, an IPv6 host in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def who_answers(config: BridgeConfig, *, within_seconds: float = _ANSWER_SECONDS) -> Who:
    """Ask whoever is at the configured address.

    Args:
        config: host, port and how TLS is done.
        within_seconds: how long an answer may take.
    """
    return _ask(config, config.host, config.port, within_seconds)[0]


def holder_of(config: BridgeConfig) -> Holder | None:
    """The relay of the data directory, if it runs on this machine on other than these ports.

    Its file stays when it is killed, and another program may have its port by now: it is asked.
    """
    found = running_relay(config.data_dir)
    if found is None:
        return None
    host, port = found["http"]
    grpc_host, grpc_port = found["grpc"]
    if (port, grpc_port) == (config.port, config.grpc_port):
        return None
    if not (is_loopback(host) and is_loopback(grpc_host)):
        return None
    who, pid = _ask(config, host, port)
    return Holder(pid, host, port, grpc_host, grpc_port) if who is Who.RELAY else None


def running_relay(data_dir: Path) -> dict[str, tuple[str, int]] | None:
    """Where the relay of a data directory says it listens: "http" and "grpc" as (host, port).

    The file stays when a relay is killed: try the address before you believe it.
    """
    try:
        told = json.loads((data_dir / "lock").read_text(encoding="utf-8"))
        return {name: _address(told[name]) for name in ("http", "grpc")}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _address(told: object) -> tuple[str, int]:
    """A port, or host and port as text."""
    host, _, port = str(told).rpartition(":")
    return host.strip("[]") or "127.0.0.1", int(port)


def _ask(
    config: BridgeConfig, host: str, port: int, within_seconds: float = _ANSWER_SECONDS
) -> tuple[Who, int]:
    """Who is there, and the process if it is a relay that tells (else 0)."""
    try:
        connection = socket.create_connection((host, port), timeout=_CONNECT_SECONDS)
    except (OSError, UnicodeError):
        # A name that cannot be one is nobody's.
        return Who.NOBODY, 0
    until = time.monotonic() + within_seconds
    try:
        with connection:
            if not config.tls:
                return _read(connection, host, port, until)
            context = ssl.create_default_context(cafile=config.ca)
            connection.settimeout(within_seconds)
            with context.wrap_socket(connection, server_hostname=config.host) as secured:
                return _read(secured, host, port, until)
    except TimeoutError:
        return Who.SILENT, 0
    except (OSError, ValueError, RecursionError):
        # It breaks off, speaks no TLS, or says what is no answer to this.
        return Who.OTHER, 0


def _read(connection: socket.socket, host: str, port: int, until: float) -> tuple[Who, int]:
    """Ask, and read what is answered.

    Raises:
        OSError: it breaks off or takes too long.
        ValueError: it is no JSON.
    """
    # HTTP/1.0: the answer comes in one piece and ends with the connection.
    request = f"GET /health HTTP/1.0\r\nHost: {address(host, port)}\r\nConnection: close\r\n\r\n"
    connection.sendall(request.encode())
    answer = b""
    while len(answer) < _MOST_BYTES:
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        connection.settimeout(left)
        part = connection.recv(_MOST_BYTES)
        if not part:
            break
        answer += part
    head, _, body = answer.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.") or head[9:12] != b"200":
        return Who.OTHER, 0
    told = json.loads(body)
    if not isinstance(told, dict) or told.get("name") != "LineUp":
        return Who.OTHER, 0
    pid = told.get("pid")
    return Who.RELAY, pid if isinstance(pid, int) else 0
