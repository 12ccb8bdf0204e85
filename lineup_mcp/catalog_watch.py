"""Follows what the room's devices offer: asks the relay when it changed, renews the listing and the
file. A room that fills up at once is asked for a few times, not for each device.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING, Final

from lineup_mcp.catalog import Catalog, read_catalog
from lineup_mcp.relay_client import RelayUnreachable
from lineup_mcp.tools.listing import RESERVED
from lineup_srv.contract.errors import LineUpError
from lineup_srv.contract.tool_names import mcp_names

if TYPE_CHECKING:
    from lineup_mcp.catalog_file import CatalogFile
    from lineup_mcp.lease import Lease
    from lineup_mcp.tools.listing import Listing
    from lineup_srv.contract.tool_names import ActionKey

__all__ = ["CatalogWatch"]

_log = logging.getLogger(__name__)

QUIET_SECONDS: Final = 0.25
"""Nothing may have changed for so long before the relay is asked."""
LONGEST_SECONDS: Final = 2.0
"""It is asked after so long whatever happens."""


class CatalogWatch:
    """The catalog of one bridge.

    Args:
        lease: running; its `on_catalog` is set to `told`.
        listing: is renewed.
        file: what is remembered.
    """

    def __init__(self, lease: Lease, listing: Listing, file: CatalogFile) -> None:
        self._lease = lease
        self._listing = listing
        self._file = file
        self.revision = 0
        """Of the catalog that is known; 0 = none, or perhaps of another relay."""
        self._schemas: dict[ActionKey, str] = {}
        self._news = asyncio.Event()
        self._asking = asyncio.Lock()

    def told(self, revision: int) -> None:
        """The relay says that the catalog has this revision; 0 = it may be any other."""
        if revision == 0:
            self.revision = 0
        if revision == 0 or revision != self.revision:
            self._news.set()

    def schema_of(self, key: ActionKey) -> str:
        """The schema of an action's arguments as its author wrote it; empty if nobody offers it."""
        return self._schemas.get(key, "")

    async def run(self) -> None:
        """Follow until cancelled."""
        while True:
            await self._news.wait()
            await self._settle()
            try:
                await self.ask()
            except Exception:
                # Strangers wrote what is read here; whatever they found must not end the bridge.
                _log.exception("the catalog was not read")

    async def ask(self) -> None:
        """Ask the relay now. Never raises: what is known stays."""
        async with self._asking:
            try:
                told = await self._lease.client.list_tools(self.revision)
            except (RelayUnreachable, LineUpError) as error:
                # The next Attach says that there may be news.
                _log.debug("catalog not read: %s", error)
                return
            if told.revision == self.revision and told.revision:
                return
            self._take(await asyncio.to_thread(read_catalog, told))
            self.revision = told.revision
            listing = self._listing
            known, now = dict(listing.known), self._lease.relay_now_ms()
            await asyncio.to_thread(self._file.save, known, listing.current, now)

    async def _settle(self) -> None:
        """Wait until nothing has changed for a moment."""
        clock = asyncio.get_running_loop().time
        until = clock() + LONGEST_SECONDS
        while self._news.is_set():
            self._news.clear()
            pause = min(QUIET_SECONDS, until - clock())
            if pause <= 0:
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._news.wait()

    def _take(self, catalog: Catalog) -> None:
        listing = self._listing
        keys = listing.unnamed(action.key for action in catalog.actions)
        names = mcp_names(keys, RESERVED | listing.known.keys())
        self._schemas = catalog.schemas
        listing.replace(catalog.actions, catalog.refused, names)
