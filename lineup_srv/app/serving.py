"""From a configuration to a relay that serves, and to its end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import signal
import sys
from typing import TYPE_CHECKING

from lineup_srv import __version__
from lineup_srv.app import chores
from lineup_srv.app.listeners import (
    CertificateUnusable,
    Listening,
    PortTaken,
    address_of,
    bind_grpc,
    bind_http,
    http_server,
)
from lineup_srv.app.system import GroupTasks, RandomIds, SystemClock
from lineup_srv.contract import limits
from lineup_srv.logs.errors import DirectoryTaken, LogUnusable
from lineup_srv.logs.lock import DirectoryLock
from lineup_srv.logs.sqlite import Retention, open_store
from lineup_srv.miniapps import MiniAppFolders
from lineup_srv.schemas import KeptSchemas
from lineup_srv.service.bodies import Bodies
from lineup_srv.service.pairing import Pairings
from lineup_srv.service.ports import LogRefused
from lineup_srv.service.relay import Relay
from lineup_srv.service.rooms import Outside
from lineup_srv.settings.addresses import LOOPBACK
from lineup_srv.transports.address import base_url
from lineup_srv.transports.auth import Border
from lineup_srv.transports.devices import Devices
from lineup_srv.transports.files import FileLinks, Files
from lineup_srv.transports.grpc_server import build_grpc_server
from lineup_srv.transports.http import build_http_app
from lineup_srv.transports.mapping.messages import RelayFacts
from lineup_srv.transports.metrics import PrometheusMetrics
from lineup_srv.transports.operation import Operation
from lineup_srv.transports.websocket import WebSocketParts

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from lineup_srv.config import SrvConfig
    from lineup_srv.logs.sqlite import SqliteStore
    from lineup_srv.transports.auth import GuardedApp

__all__ = ["run", "serve"]

logger = logging.getLogger(__name__)


def run(config: SrvConfig) -> int:
    """Run the relay until SIGINT or SIGTERM; returns the exit status."""
    logging.basicConfig(
        stream=sys.stderr,
        level=config.log_level.upper(),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(_run(config))
    except DirectoryTaken as error:
        return _fail(f"{error}. Stop it, or give another --data-dir.")
    except (CertificateUnusable, LogRefused, LogUnusable, PortTaken) as error:
        return _fail(str(error))
    return 0


def _fail(message: str) -> int:
    sys.stderr.write(f"lineup-srv: {message}\n")
    return 1


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if sys.platform == "win32":
        return None
    import uvloop

    return uvloop.new_event_loop


async def _run(config: SrvConfig) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)

    def announce(listening: Listening) -> None:
        line = {
            "event": "listening",
            "http": listening.http,
            "grpc": listening.grpc,
            "version": __version__,
        }
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()

    await serve(config, announce=announce, stop=stop)


async def serve(
    config: SrvConfig, *, announce: Callable[[Listening], None], stop: asyncio.Event
) -> None:
    """Serve until `stop` is set.

    Args:
        config: what to serve.
        announce: called once when connections are accepted.
        stop: ends it.

    Raises:
        DirectoryTaken: another relay has the data directory.
        LogUnusable: the log cannot be opened.
        LogRefused: the log cannot be written.
        PortTaken: a port cannot be bound.
        CertificateUnusable: as it says.
    """
    with contextlib.ExitStack() as stack:
        lock = DirectoryLock(config.data_dir)
        stack.callback(lock.release)
        listener = stack.enter_context(await bind_http(config.bind, config.port))
        store = await open_store(
            config.data_dir,
            listed_tokens=() if config.open_mode else config.tokens,
            open_mode=config.open_mode,
            retention=Retention(config.keep_days, config.keep_bytes),
        )
        try:
            await _serve_store(config, store, listener, lock, announce, stop)
        finally:
            await store.close()


async def _serve_store(
    config: SrvConfig,
    store: SqliteStore,
    listener: socket.socket,
    lock: DirectoryLock,
    announce: Callable[[Listening], None],
    stop: asyncio.Event,
) -> None:
    await store.tokens.ensure_listed()
    http_port = listener.getsockname()[1]
    group = asyncio.TaskGroup()
    sending = GroupTasks(group)
    links = FileLinks(await store.secret("files_key"))
    parts = _parts(config, store, links, http_port, tasks=GroupTasks(group), sending=sending)
    relay = parts.relay
    miniapps = _miniapps(config)
    http = http_server(_http_app(config, store, links, parts, miniapps, stop), config)
    grpc_server = build_grpc_server(relay, parts.clock, parts.ids, __version__)
    # Not inside the group, which would wrap what goes wrong.
    grpc_port = await bind_grpc(grpc_server, config)
    async with group:
        await grpc_server.start()
        serving = group.create_task(http.serve([listener]))
        await http.ready.wait()
        lock.announce(version=__version__, http=http_port, grpc=grpc_port)
        announce(Listening(address_of(config.bind, http_port), address_of(config.bind, grpc_port)))
        background = [
            group.create_task(chores.wake_rooms(relay)),
            group.create_task(chores.sweep(store, relay)),
            group.create_task(chores.watch_tokens(store, relay)),
            group.create_task(chores.watch_clock(parts.clock, relay)),
            group.create_task(chores.tell_of_miniapps(miniapps, config.miniapps)),
            group.create_task(chores.end_when_idle(config.idle_exit_seconds, relay, stop)),
        ]
        await stop.wait()
        logger.info("stopping")
        relay.stopping = True
        for task in background:
            task.cancel()
        parts.devices.close_all()
        http.should_exit = True
        await grpc_server.stop(limits.SHUTDOWN_SECONDS / 4)
        await asyncio.wait([serving], timeout=limits.SHUTDOWN_SECONDS / 2)
        http.force_exit = True
        # A device that reads nothing would hold its task, and the relay, for ever.
        sending.cancel()
        relay.rooms.close()


def _parts(
    config: SrvConfig,
    store: SqliteStore,
    links: FileLinks,
    http_port: int,
    *,
    tasks: GroupTasks,
    sending: GroupTasks,
) -> WebSocketParts:
    """The relay on its store, with what its connections share.

    Tasks that send to devices are apart: only they are cut off when the relay ends.
    """
    clock, ids, metrics = SystemClock(), RandomIds(), PrometheusMetrics()
    facts = RelayFacts(version=__version__, log_id=store.log.log_id)
    devices = Devices(facts, clock, links)
    metrics.connections.set_function(lambda: devices.count)
    outside = Outside(
        log=store.log,
        bodies=Bodies(store.blobs),
        devices=devices,
        clock=clock,
        ids=ids,
        tasks=tasks,
        metrics=metrics,
        settings=store.settings,
        known=store.known,
        secrets=store.secrets,
        schemas=KeptSchemas(),
    )
    return WebSocketParts(
        relay=Relay(outside, store.tokens),
        devices=devices,
        facts=facts,
        clock=clock,
        ids=ids,
        tasks=sending,
        metrics=metrics,
        pairings=Pairings(store.tokens, clock, ids),
        base_url=base_url(
            config.bind, http_port, tls=config.tls_cert is not None, public_url=config.public_url
        ),
        trusted=frozenset((*LOOPBACK, *config.trusted_proxies)),
    )


def _http_app(
    config: SrvConfig,
    store: SqliteStore,
    links: FileLinks,
    parts: WebSocketParts,
    miniapps: MiniAppFolders,
    stop: asyncio.Event,
) -> GuardedApp:
    border = Border(
        allowed_hosts=tuple(host.lower() for host in config.allowed_hosts),
        allowed_origins=tuple(origin.lower() for origin in config.allowed_origins),
    )
    operation = Operation(parts.relay, store.log.healthy, parts.metrics, __version__)
    files = Files(store.blobs, links)
    return build_http_app(parts, border, files, operation, miniapps, stopping=stop)


def _miniapps(config: SrvConfig) -> MiniAppFolders:
    roots = (config.miniapps, config.data_dir / "miniapps")
    return MiniAppFolders([root for root in roots if root is not None])
