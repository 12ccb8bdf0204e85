"""Fetches a picture from the web, from public addresses only unless the user allows others.

What an agent is told to fetch may come from anybody, and this machine reaches more than its sender
does. So a name is resolved here, every address it has is checked, and the connection goes to an
address that was checked, for each redirect anew; no proxy and no other program is asked. Blocks:
call it in a thread.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import time
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, urljoin, urlsplit

from lineup_mcp import __version__
from lineup_mcp.tools.reading import ArgumentError
from lineup_srv.contract import limits

if TYPE_CHECKING:
    from collections.abc import Callable

    Address = ipaddress.IPv4Address | ipaddress.IPv6Address

__all__ = ["fetch"]

_FIELD: Final = "url"
_CHUNK_BYTES: Final = 64 * 1024
_REDIRECTING: Final = frozenset({301, 302, 303, 307, 308})
_PORTS: Final = {"http": 80, "https": 443}
# Addresses of these IPv6 networks lead to the IPv4 address in their last 32 bits.
_TRANSLATED: Final = (
    ipaddress.IPv6Network("64:ff9b::/96"),
    ipaddress.IPv6Network("::ffff:0:0/96"),
    ipaddress.IPv6Network("::/96"),
)


def fetch(url: str, *, private: bool, tls: ssl.SSLContext | None = None) -> bytes:
    """The bytes behind an address.

    Args:
        url: http or https.
        private: addresses of private networks and of this machine are allowed.
        tls: how certificates are checked; None = as the system does.

    Raises:
        ArgumentError: it is no such address, is not allowed, cannot be fetched or is too large.
    """
    until = time.monotonic() + limits.FETCH_SECONDS
    secure = False
    for _ in range(limits.FETCH_REDIRECTS + 1):
        target = _parsed(url)
        if secure and target.scheme != "https":
            raise ArgumentError(_FIELD, "leads from https to http")
        secure = target.scheme == "https"
        try:
            answer = _get(target, private, tls, until)
        except (OSError, http.client.HTTPException, UnicodeError) as error:
            # Not its text: it may quote the address with a secret in its query.
            why = type(error).__name__
            raise ArgumentError(_FIELD, f"could not be fetched ({why})") from None
        if isinstance(answer, bytes):
            return answer
        url = urljoin(url, answer)
    raise ArgumentError(_FIELD, "leads to too many other addresses")


def _parsed(url: str) -> SplitResult:
    try:
        target = urlsplit(url)
        port = target.port
    except ValueError:
        raise ArgumentError(_FIELD, "is no address") from None
    if target.scheme not in _PORTS or not target.hostname or port == 0:
        raise ArgumentError(_FIELD, "must be an http or https address")
    if target.username is not None or target.password is not None:
        raise ArgumentError(_FIELD, "must not carry a name or password")
    if not url.isascii() or not url.isprintable() or " " in url:
        raise ArgumentError(_FIELD, "must be written in ASCII, other characters as %XX")
    return target


def _get(
    target: SplitResult, private: bool, tls: ssl.SSLContext | None, until: float
) -> bytes | str:
    """The body, or where it leads.

    Raises:
        ArgumentError: refused.
        OSError: as sockets do.
        HTTPException: it speaks no HTTP.
    """
    host, port = target.hostname or "", target.port or _PORTS[target.scheme]
    connection = http.client.HTTPConnection(host, port)
    # http.client would resolve the name again, and another answer may come then.
    connection.sock = sock = _connected(host, port, private, until)
    try:
        if target.scheme == "https":
            context = tls or ssl.create_default_context()
            connection.sock = sock = context.wrap_socket(sock, server_hostname=host)
        path = target.path or "/"
        connection.request(
            "GET",
            f"{path}?{target.query}" if target.query else path,
            headers={"User-Agent": f"LineUp/{__version__}", "Accept": "image/*"},
        )
        # It keeps the connection open by itself.
        with connection.getresponse() as response:
            if response.status in _REDIRECTING and (leads := response.getheader("Location")):
                return leads
            if response.status != http.HTTPStatus.OK:
                raise ArgumentError(_FIELD, f"answers {response.status}")
            return _body(response.read1, sock, until)
    finally:
        connection.close()


def _body(read: Callable[[int], bytes], sock: socket.socket, until: float) -> bytes:
    data = bytearray()
    while chunk := read(_CHUNK_BYTES):
        data += chunk
        if len(data) > limits.PICTURE_BYTES:
            most = limits.PICTURE_BYTES // 1024**2
            raise ArgumentError(_FIELD, f"has more than {most} MB")
        sock.settimeout(_left(until))
    return bytes(data)


def _connected(host: str, port: int, private: bool, until: float) -> socket.socket:
    """A connection to the first address of a name that takes one; all must be allowed."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    if not private and not all(_is_public(ipaddress.ip_address(a[4][0])) for a in found):
        raise ArgumentError(
            _FIELD,
            "leads to a private network or to this machine, which is not allowed (the user can "
            "set private_urls in [mcp])",
        )
    failed: OSError = OSError("the name has no address")
    for family, kind, protocol, _, address in found:
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(min(limits.FETCH_CONNECT_SECONDS, _left(until)))
            sock.connect(address)
            sock.settimeout(_left(until))
        except OSError as error:
            sock.close()
            failed = error
        else:
            return sock
    raise failed


def _is_public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address):
        # With a scope it is an address of one network card.
        if address.scope_id or address.sixtofour or address.teredo:
            return False
        if any(address in network for network in _TRANSLATED):
            return _is_public(ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF))
    return address.is_global and not address.is_multicast


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
