"""Tells the agent program that its list of tools has changed, in the way of its protocol era.

Up to 2025-11-25 a notification comes unasked on the connection; since 2026-07-28 only streams that
the program opened for it carry one.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import anyio
from mcp.server.subscriptions import ToolsListChanged

from lineup_mcp.early import HANDSHAKE_VERSIONS

if TYPE_CHECKING:
    from mcp.server.session import ServerSession
    from mcp.server.subscriptions import SubscriptionBus

    from lineup_mcp.tools.listing import Listing

__all__ = ["ListNotices"]


class ListNotices:
    """The notices of one connection.

    Args:
        bus: leads to the streams of the 2026 era.
    """

    def __init__(self, bus: SubscriptionBus) -> None:
        self.bus = bus
        self._session: ServerSession | None = None

    def met(self, session: ServerSession) -> None:
        """A request came in; its session may be one that takes notifications unasked."""
        if self._session is None and session.protocol_version in HANDSHAKE_VERSIONS:
            self._session = session

    async def run(self, listing: Listing) -> None:
        """Tell of every change until cancelled."""
        with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            while True:
                await listing.changed()
                await self.bus.publish(ToolsListChanged())
                if self._session is not None:
                    await self._session.send_tool_list_changed()
