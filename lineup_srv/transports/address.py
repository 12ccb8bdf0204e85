"""Where other machines reach the page, for what is shown to be scanned (B91)."""

from __future__ import annotations

import socket
from typing import Final

from lineup_srv.settings.addresses import EVERYWHERE, is_loopback

__all__ = ["base_url"]

_SOMEWHERE: Final = ("192.0.2.1", 9)
"""An address of nobody (RFC 5737): the way to it tells which of our addresses others see."""


def base_url(bind: str, port: int, *, tls: bool, public_url: str) -> str:
    """The page's address with "/" at its end; empty if only this machine reaches it.

    Args:
        bind: the address that the relay is bound to.
        port: its HTTP port.
        tls: it speaks https.
        public_url: the address that was configured; empty for none.
    """
    if public_url:
        return f"{public_url}/"
    host = _own_address() if bind in EVERYWHERE else bind
    if not host or is_loopback(host):
        return ""
    host = f"[{host}]" if ":" in host else host
    return f"{'https' if tls else 'http'}://{host}:{port}/"


def _own_address() -> str:
    """The address by which this machine goes out; empty without a network. Sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_SOMEWHERE)
        except OSError:
            return ""
        return str(probe.getsockname()[0])
