"""What an address says about who can reach it; pure."""

from __future__ import annotations

import ipaddress
from typing import Final

__all__ = ["EVERYWHERE", "LOOPBACK", "is_loopback"]

EVERYWHERE: Final = ("0.0.0.0", "::", "")
"""What binds all addresses of a machine; none of them can be connected to."""
LOOPBACK: Final = ("127.0.0.1", "::1")
"""Where programs on this machine come from."""


def is_loopback(host: str) -> bool:
    """Whether an address is reached from its own machine only."""
    name = host.strip().strip("[]").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
