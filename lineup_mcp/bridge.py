"""Between the agent program and the relay: one lease, the tools, and the mail of every call.

The relay's side is imported and started when the agent program has introduced itself, off the
event loop, so that listing tools never waits for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import os
import time
from functools import partial
from typing import TYPE_CHECKING, Final

from lineup_mcp.autostart import Starter
from lineup_mcp.catalog_file import CatalogFile
from lineup_mcp.hosts import profile_of
from lineup_mcp.identity import make_identity
from lineup_mcp.sessions import SessionNote, forget, note
from lineup_mcp.tools.listing import RESERVED, Listing
from lineup_mcp.whereabouts import look
from lineup_srv.settings.files import state_directory

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from lineup_mcp.catalog_watch import CatalogWatch
    from lineup_mcp.channels import ChannelPort, Pushes
    from lineup_mcp.config import BridgeConfig
    from lineup_mcp.lease import Lease
    from lineup_mcp.mailbox import Item
    from lineup_mcp.replies import Replies, RequestKey
    from lineup_mcp.results import Result
    from lineup_mcp.tools.call import Reply
    from lineup_mcp.tools.toolbox import Toolbox
    from lineup_mcp.tools.waiting import Progress

__all__ = ["Bridge"]

_log = logging.getLogger(__name__)

_GOODBYE_SECONDS: Final = 0.08
_MAIL_SECONDS: Final = 2.0
_RELAY_MODULES: Final = (
    "lineup_mcp.relay_client",
    "lineup_mcp.lease",
    "lineup_mcp.tools.builtin",
    "lineup_mcp.tools.app_tools",
    "lineup_mcp.catalog_watch",
)


class Bridge:
    """One agent program's bridge.

    Args:
        config: the configuration.
        replies: the calls of the connection.
        tasks: owns what runs in the background.
        environ: the environment.
        working_directory: where the process was started.
        port: the connection, if it is one with channels.
    """

    def __init__(
        self,
        config: BridgeConfig,
        replies: Replies,
        tasks: asyncio.TaskGroup,
        *,
        environ: Mapping[str, str],
        working_directory: Path,
        port: ChannelPort | None = None,
    ) -> None:
        self.port = port
        self._config = config
        self._replies = replies
        self._tasks = tasks
        self._environ = environ
        self._working_directory = working_directory
        self._identity = make_identity(
            agent_name=config.agent, environ=environ, directory=working_directory
        )
        self._client_name = ""
        self._starting = asyncio.Lock()
        self._lease: Lease | None = None
        self._tools: Toolbox | None = None
        self._introduced = False
        self._file = CatalogFile(
            state_directory() / "catalogs", f"{config.host}:{config.port}", config.token
        )
        self.listing = Listing(
            config.tools, config.max_tools, self._file.load(RESERVED, _unix_ms())
        )
        """What the agent program is told of tools."""

    def introduced(self, name: str, version: str) -> None:
        """The agent program said who it is: take the lease in its name."""
        if self._introduced:
            return
        self._introduced = True
        self._client_name = name
        self._identity = self._identity.introduced(self._config.agent or name, version)
        self._tasks.create_task(self._start_quietly())

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, object],
        *,
        request: RequestKey | None,
        progress: Progress | None,
        use_id: str = "",
    ) -> Result:
        """Run a tool; its result carries what waited for the agent besides.

        Args:
            name: of one of the bridge's tools.
            arguments: as the agent program sent them.
            request: the id of the call, to know when its result has left.
            progress: gives a sign of life; None when none was asked for.
            use_id: what the agent program calls this very call; may be empty.

        Raises:
            KeyError: there is no such tool.
        """
        lease, tools = await self._started()
        from lineup_mcp.tools.call import Call

        profile = profile_of(self._client_name, self._config.agent)
        call = Call(
            slice_seconds=self._config.wait_slice_seconds or profile.wait_slice_seconds,
            heartbeat_seconds=self._config.heartbeat_seconds,
            progress=progress,
            use_id=use_id,
        )
        reply = await tools.call(name, arguments, call)
        if reply.machine_read:
            return reply.result
        result = await self._with_mail(reply, lease, request)
        if not result.media:
            return result
        from lineup_mcp.attachments import attached

        return await asyncio.to_thread(
            partial(attached, result, pictures=profile.pictures, sounds=self._config.audio)
        )

    async def _with_mail(self, reply: Reply, lease: Lease, request: RequestKey | None) -> Result:
        """A reply with all that waited for the agent, which is confirmed once it has left."""
        from lineup_mcp.handover import with_mail

        # Claimed before anything is awaited: the relay sees that nobody waits for it any more, and
        # what it then hands out again must not leave with another call's result.
        items = lease.mailbox.leave_with(reply.outcome)
        try:
            await lease.fetch_mail(within_seconds=_MAIL_SECONDS)
        except asyncio.CancelledError:
            lease.mailbox.settled(items, delivered=False)
            raise
        # From here to the promise nothing is awaited: what leaves the box is in the result.
        items += lease.mailbox.leave_with(None)
        self._replies.when_settled(request, partial(self._settled, lease, items, reply.call_id))
        if not items and reply.without_mail is not None:
            return reply.without_mail
        return with_mail(reply.result, items[1:] if reply.outcome is not None else items)

    async def goodbye(self) -> None:
        """Tell the relay that the agent ends, if it knows it; at most 80 ms."""
        if self._lease is not None and self._lease.ever_used:
            await self._lease.goodbye(within_seconds=_GOODBYE_SECONDS)
        forget(self._identity.session)

    def _settled(self, lease: Lease, items: list[Item], call_id: str, delivered: bool) -> None:
        lease.mailbox.settled(items, delivered=delivered)
        if delivered and items:
            lease.delivered()
        if delivered and call_id:
            lease.call_received(call_id)

    async def _start_quietly(self) -> None:
        await self._started()

    async def _started(self) -> tuple[Lease, Toolbox]:
        """The lease and the tools; starts them the first time."""
        async with self._starting:
            if self._lease is None or self._tools is None:
                for module in _RELAY_MODULES:
                    await asyncio.to_thread(importlib.import_module, module)
                self._lease, self._tools, catalog = self._make()
                self._tasks.create_task(self._lease.run())
                self._tasks.create_task(catalog.run())
                self._tasks.create_task(self._keep_noted(self._lease))
                if self.port is not None:
                    self._tasks.create_task(self._pushes(self.port, self._lease).run())
            return self._lease, self._tools

    async def _keep_noted(self, lease: Lease) -> None:
        """Tell the hooks of the session how much waits, until cancelled."""
        identity = lease.identity
        told = None
        while identity.session:
            rung = lease.mailbox.rung
            new = SessionNote(
                agent_id=identity.agent_id, pid=os.getpid(), waiting=lease.mailbox.count
            )
            if new != told:
                # Without it, hooks ask the relay themselves.
                with contextlib.suppress(OSError):
                    await asyncio.to_thread(note, identity.session, new)
                told = new
            await rung.wait()

    def _pushes(self, port: ChannelPort, lease: Lease) -> Pushes:
        from lineup_mcp.channels import Pushes
        from lineup_mcp.deciding import Deciding

        deciding = Deciding(lease, lease.identity.session)
        return Pushes(port, lease, deciding, lease.identity.directory)

    def _make(self) -> tuple[Lease, Toolbox, CatalogWatch]:
        from lineup_mcp.catalog_watch import CatalogWatch
        from lineup_mcp.lease import Lease
        from lineup_mcp.relay_client import RelayClient
        from lineup_mcp.tools.app_tools import AppTools
        from lineup_mcp.tools.builtin import BuiltinTools
        from lineup_mcp.tools.surroundings import Surroundings
        from lineup_mcp.tools.toolbox import Toolbox

        config = self._config
        starter = Starter(config, environ=self._environ)
        lease = Lease(
            self._identity,
            lambda port: RelayClient(config, grpc_port=port),
            starter.start,
        )
        catalog = CatalogWatch(lease, self.listing, self._file)
        lease.on_catalog = catalog.told
        around = Surroundings(
            lease=lease,
            look=partial(look, config),
            environ=self._environ,
            working_directory=self._working_directory,
            private_urls=config.private_urls,
        )
        apps = AppTools(lease, self.listing, catalog, around.look)
        return lease, Toolbox(BuiltinTools(around), apps), catalog


def _unix_ms() -> int:
    """The wall clock, for ages in days; everything else goes by the relay's."""
    return int(time.time() * 1000)  # noqa: TID251 - there is no relay yet
