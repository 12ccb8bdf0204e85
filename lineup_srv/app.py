"""Builds the relay and owns its start and its end. The only place with a real clock and chance."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
import signal
import socket
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import uvicorn
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from lineup_srv import __version__
from lineup_srv.contract import limits
from lineup_srv.logs.errors import DirectoryTaken, LogUnusable
from lineup_srv.logs.lock import DirectoryLock
from lineup_srv.logs.sqlite import Retention, open_store
from lineup_srv.miniapps import MiniAppFolders
from lineup_srv.schemas import KeptSchemas
from lineup_srv.service.bodies import Bodies
from lineup_srv.service.clock_watch import ClockWatch
from lineup_srv.service.pairing import Pairings
from lineup_srv.service.ports import LogRefused, LogUnknown
from lineup_srv.service.relay import Relay
from lineup_srv.service.rooms import Outside
from lineup_srv.transports.address import base_url
from lineup_srv.transports.auth import Border
from lineup_srv.transports.devices import Devices
from lineup_srv.transports.files import FileLinks, Files
from lineup_srv.transports.grpc_server import build_grpc_server
from lineup_srv.transports.holder import describe_holder
from lineup_srv.transports.http import build_http_app
from lineup_srv.transports.mapping.messages import RelayFacts
from lineup_srv.transports.metrics import PrometheusMetrics
from lineup_srv.transports.operation import Operation
from lineup_srv.transports.websocket import WebSocketParts

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

    import grpc

    from lineup_srv.config import SrvConfig
    from lineup_srv.logs.sqlite import SqliteStore
    from lineup_srv.transports.auth import GuardedApp

__all__ = ["PortTaken", "run", "serve"]

logger = logging.getLogger(__name__)

_SWEEP_SECONDS = 600
_TOKENS_SECONDS = 1
_CLOCK_SECONDS = 1
_IDLE_LOOK_SECONDS = 30
_TRUSTED = ("127.0.0.1", "::1")


class PortTaken(Exception):
    """A port cannot be bound; `str()` says which and, if it answers, who has it."""


class CertificateUnusable(Exception):
    """The certificate or its key cannot be used; `str()` says why."""


class SystemClock:
    """The Clock port: the wall clock, and timers on the event loop's monotonic one."""

    def unix_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def call_at(self, unix_ms: int, callback: Callable[[], None]) -> asyncio.TimerHandle:
        delay_seconds = max(0, unix_ms - self.unix_ms()) / 1000
        return asyncio.get_running_loop().call_later(delay_seconds, callback)


class RandomIds:
    """The Ids port."""

    def new(self) -> str:
        return secrets.token_hex(16)


class GroupTasks:
    """The Tasks port over a task group: a failure there ends the relay loudly."""

    def __init__(self, group: asyncio.TaskGroup) -> None:
        self._group = group
        self._running: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[object, object, None]) -> None:
        task = self._group.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def cancel(self) -> None:
        """End what still runs."""
        for task in self._running:
            task.cancel()


class PatientProtocol(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket, whose patience with a peer that is gone has an end."""

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        if self.transport.get_write_buffer_size():
            # Closing would wait until the peer has read everything, for as long as TCP likes.
            self.transport.abort()


class HttpServer(uvicorn.Server):
    """uvicorn without its own signal handling, and with an event for its start."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()


@dataclass(frozen=True, slots=True)
class Listening:
    """Where the relay listens, as `host:port`, IPv6 hosts in brackets."""

    http: str
    grpc: str


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
        listener = stack.enter_context(await _bind(config.bind, config.port))
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
    clock, ids = SystemClock(), RandomIds()
    facts = RelayFacts(version=__version__, log_id=store.log.log_id)
    links = FileLinks(await store.secret("files_key"))
    devices = Devices(facts, clock, links)
    metrics = PrometheusMetrics()
    metrics.connections.set_function(lambda: devices.count)
    await store.tokens.ensure_listed()
    group = asyncio.TaskGroup()
    outside = Outside(
        log=store.log,
        bodies=Bodies(store.blobs),
        devices=devices,
        clock=clock,
        ids=ids,
        tasks=GroupTasks(group),
        metrics=metrics,
        settings=store.settings,
        known=store.known,
        secrets=store.secrets,
        schemas=KeptSchemas(),
    )
    relay = Relay(outside, store.tokens)
    sending = GroupTasks(group)
    parts = WebSocketParts(
        relay=relay,
        devices=devices,
        facts=facts,
        clock=clock,
        ids=ids,
        tasks=sending,
        metrics=metrics,
        pairings=Pairings(store.tokens, clock, ids),
        base_url=base_url(
            config.bind,
            listener.getsockname()[1],
            tls=config.tls_cert is not None,
            public_url=config.public_url,
        ),
        trusted=frozenset((*_TRUSTED, *config.trusted_proxies)),
    )
    border = Border(
        allowed_hosts=tuple(host.lower() for host in config.allowed_hosts),
        allowed_origins=tuple(origin.lower() for origin in config.allowed_origins),
    )
    operation = Operation(relay, store.log.healthy, metrics, __version__)
    roots = (config.miniapps, config.data_dir / "miniapps")
    miniapps = MiniAppFolders([root for root in roots if root is not None])
    files = Files(store.blobs, links)
    http = _http_server(
        build_http_app(parts, border, files, operation, miniapps, stopping=stop), config
    )
    grpc_server = build_grpc_server(relay, clock, ids, __version__)
    http_port = listener.getsockname()[1]
    # Not inside the group, which would wrap what goes wrong.
    grpc_port = await _bind_grpc(grpc_server, config)
    async with group:
        await grpc_server.start()
        serving = group.create_task(http.serve([listener]))
        await http.ready.wait()
        lock.announce(version=__version__, http=http_port, grpc=grpc_port)
        announce(Listening(_address(config.bind, http_port), _address(config.bind, grpc_port)))
        background = [
            group.create_task(relay.rooms.wake_all()),
            group.create_task(_sweep(store, relay)),
            group.create_task(_watch_tokens(store, relay)),
            group.create_task(_watch_clock(clock, relay)),
            group.create_task(_end_when_idle(config.idle_exit_seconds, relay, stop)),
        ]
        await stop.wait()
        logger.info("stopping")
        relay.stopping = True
        for task in background:
            task.cancel()
        devices.close_all()
        http.should_exit = True
        await grpc_server.stop(limits.SHUTDOWN_SECONDS / 4)
        await asyncio.wait([serving], timeout=limits.SHUTDOWN_SECONDS / 2)
        http.force_exit = True
        # A device that reads nothing would hold its task, and the relay, for ever.
        sending.cancel()
        relay.rooms.close()


def _http_server(app: GuardedApp, config: SrvConfig) -> HttpServer:
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


async def _bind(host: str, port: int) -> socket.socket:
    """A listening socket for HTTP, bound before the log is opened."""
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


async def _bind_grpc(server: grpc.aio.Server, config: SrvConfig) -> int:
    """Bind the gRPC port; a taken one is an error, never silently another."""
    address = _address(config.bind, config.grpc_port)
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


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


async def _watch_clock(clock: SystemClock, relay: Relay) -> None:
    """Compare the clocks once a second."""
    watch = ClockWatch(clock, lambda: time.monotonic() * 1000, relay.rooms.clock_jumped)
    while True:
        await asyncio.sleep(_CLOCK_SECONDS)
        watch.check()


async def _end_when_idle(idle_seconds: float, relay: Relay, stop: asyncio.Event) -> None:
    """End a relay that a bridge started and that nobody has needed for long (design §9)."""
    if not idle_seconds:
        return
    idle_since = time.monotonic()
    while time.monotonic() - idle_since < idle_seconds:
        await asyncio.sleep(min(_IDLE_LOOK_SECONDS, idle_seconds))
        if relay.rooms.needed:
            idle_since = time.monotonic()
    logger.info("nobody has needed the relay for %d s, it ends", idle_seconds)
    stop.set()


async def _watch_tokens(store: SqliteStore, relay: Relay) -> None:
    """Act on tokens that another process changed, and on those that expire."""
    while True:
        await asyncio.sleep(_TOKENS_SECONDS)
        try:
            change = await store.tokens.refresh()
            ended = relay.admissions.end(store.tokens.ended)
            if ended:
                logger.info("%d connections and calls ended with their token", ended)
            if change is not None:
                await store.tokens.confirm(change)
        except (LogRefused, LogUnknown) as error:
            logger.warning("the tokens cannot be read; it is tried again: %s", error)


async def _sweep(store: SqliteStore, relay: Relay) -> None:
    """Drop what is too old, now and then."""
    while True:
        await asyncio.sleep(_SWEEP_SECONDS)
        try:
            await store.sweep(relay.rooms.in_use())
        except Exception:
            logger.exception("the sweep failed; it is tried again")
