"""Starts a relay on this machine when none answers, and finds one that listens elsewhere.

Ten bridges that find no relay start one: whoever holds `autostart.lock` in the data directory
starts it and holds on until it listens. A relay that is reached over a network is never started.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import subprocess
import sys
import time
from typing import IO, TYPE_CHECKING, Final

from lineup_mcp.whereabouts import Who, address, holder_of, who_answers
from lineup_srv.contract import limits
from lineup_srv.settings.addresses import is_loopback
from lineup_srv.settings.files import state_directory

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from lineup_mcp.config import BridgeConfig
    from lineup_mcp.whereabouts import Holder

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

__all__ = ["IDLE_EXIT_SECONDS", "Starter", "listens"]

_log = logging.getLogger(__name__)

IDLE_EXIT_SECONDS: Final = 12 * 3600
"""A relay that a bridge started ends after so long without device, request or unread item."""
_START_SECONDS: Final = 10.0
_POLL_SECONDS: Final = 0.05
_PROBE_SECONDS: Final = 0.3


class Starter:
    """Starts the relay of one configuration, at most one at a time.

    Args:
        config: says which address, and whether to start anything.
        environ: what the relay inherits; the bridge's own token and address do not go along.
    """

    def __init__(self, config: BridgeConfig, *, environ: Mapping[str, str]) -> None:
        self._config = config
        self._environ = environ
        self._child: subprocess.Popen[bytes] | None = None
        self._said: set[str] = set()

    async def start(self) -> int:
        """Start a relay if it is our business and none listens; returns when it listens.

        Returns:
            the gRPC port of a relay of this data directory that listens on another than the
            configured one; 0 if the configured one is right, or nothing could be done.
        """
        return await asyncio.to_thread(self.start_now)

    def start_now(self) -> int:
        """As `start`, for a program without event loop."""
        config = self._config
        if not is_loopback(config.host) or listens(config.host, config.grpc_port):
            return 0
        holder = holder_of(config)
        if holder is not None and config.port_is_default:
            return holder.grpc_port
        if not config.autostart or self._in_vain(holder):
            return 0
        try:
            config.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            with _only_one(config.data_dir / "autostart.lock") as alone:
                if alone and not listens(config.host, config.grpc_port):
                    self._spawn_and_wait()
        except OSError as error:
            self._warn(f"cannot start a relay: {error}")
        return 0

    def _in_vain(self, holder: Holder | None) -> bool:
        """Whether a relay could not start: its directory or its port is taken."""
        config = self._config
        if holder is not None:
            where = address(holder.host, holder.http_port)
            self._warn(f"a relay of yours already runs on {where} (process {holder.pid})")
            return True
        match who_answers(config):
            case Who.OTHER:
                self._warn(f"port {config.port} is used by another program")
                return True
            case Who.SILENT:
                self._warn(f"port {config.port} is used by a program that does not answer")
                return True
        return False

    def _warn(self, message: str) -> None:
        """Say it once; a call that looks for a relay comes here many times."""
        if message not in self._said:
            self._said.add(message)
            _log.warning("%s", message)

    def _spawn_and_wait(self) -> None:
        child = self._child = self._spawn()
        give_up = time.monotonic() + _START_SECONDS
        while time.monotonic() < give_up and child.poll() is None:
            if listens(self._config.host, self._config.grpc_port):
                _log.info("started a relay, process %d", child.pid)
                # It outlives this process; without this, Popen would warn that nobody waits for it.
                child.returncode = 0
                return
            time.sleep(_POLL_SECONDS)
        self._warn(f"the relay did not start; see {_log_path()}")

    def _spawn(self) -> subprocess.Popen[bytes]:
        config = self._config
        path = _log_path()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        too_long = path.exists() and path.stat().st_size > limits.RELAY_LOG_BYTES
        with path.open("wb" if too_long else "ab") as log:
            return subprocess.Popen(
                # -P: nothing is imported from the working directory.
                [sys.executable, "-P", "-m", "lineup_srv"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # A directory of ours: a repository's own lineup-mcp.toml must not configure it.
                cwd=config.data_dir,
                env=self._environment(),
                # It outlives this process and its terminal.
                start_new_session=True,
                creationflags=_CREATION_FLAGS,
            )

    def _environment(self) -> dict[str, str]:
        config = self._config
        environment = {
            name: value
            for name, value in self._environ.items()
            if name not in ("LINEUP_TOKEN", "LINEUP_AGENT", "LINEUP_LOG_LEVEL")
        }
        host = "127.0.0.1" if config.host == "localhost" else config.host
        environment |= {
            "LINEUP_HOST": host,
            "LINEUP_PORT": str(config.port),
            "LINEUP_GRPC_PORT": str(config.grpc_port),
            "LINEUP_DATA_DIR": str(config.data_dir),
            "LINEUP_IDLE_EXIT": str(IDLE_EXIT_SECONDS),
        }
        if config.config_file:
            environment["LINEUP_CONFIG"] = config.config_file
        return environment


def listens(host: str, port: int) -> bool:
    """Whether something accepts connections there. Blocks for at most 0.3 s."""
    try:
        with socket.create_connection((host, port), timeout=_PROBE_SECONDS):
            return True
    except OSError:
        return False


def _log_path() -> Path:
    return state_directory() / "lineup-srv.log"


@contextlib.contextmanager
def _only_one(path: Path) -> Iterator[bool]:
    """Hold a lock file; yields whether it was free. It vanishes with the process that holds it."""
    with path.open("ab") as file:
        alone = _lock(file)
        try:
            yield alone
        finally:
            if alone:
                _unlock(file)


if sys.platform == "win32":

    def _lock(file: IO[bytes]) -> bool:
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(file: IO[bytes]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

    _CREATION_FLAGS = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP

else:

    def _lock(file: IO[bytes]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _unlock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)

    _CREATION_FLAGS = 0
