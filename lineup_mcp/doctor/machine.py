"""What this machine does to the bridge: token, proxies, and how fast it starts."""

from __future__ import annotations

import json
import subprocess
import time
from typing import TYPE_CHECKING, Final

from lineup_mcp.doctor.findings import Finding, Level
from lineup_srv.settings.addresses import is_loopback
from lineup_srv.settings.strength import is_weak

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lineup_mcp.config import BridgeConfig
    from lineup_srv.settings.resolve import Settings

__all__ = ["check_files", "check_proxies", "check_start", "check_token"]

_PROXIES: Final = ("grpc_proxy", "https_proxy", "http_proxy", "all_proxy")
_EXCEPTIONS: Final = ("no_grpc_proxy", "no_proxy")
_SLOW_SECONDS: Final = 1.0
"""Codex goes on without the tools of a server that is not there after a second."""
_START_SECONDS: Final = 20.0
_HELLO: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "lineup-mcp doctor", "version": "1"},
    },
}


def check_files(settings: Settings) -> Iterator[Finding]:
    """Which configuration files count, and what in them does not."""
    for path in settings.files:
        yield Finding(Level.OK, "settings", path)
    if not settings.files:
        yield Finding(Level.OK, "settings", "no file: everything has its default")
    for note in settings.notes:
        yield Finding(Level.WARNING, "settings", note)


def check_token(config: BridgeConfig, source: str) -> Finding:
    """Whether the token can be guessed. Its value is never shown."""
    where = "your own file" if source == "default" else source
    if not is_weak(config.token):
        return Finding(Level.OK, "token", f"from {where}, {len(config.token)} characters")
    level = Level.WARNING if is_loopback(config.host) else Level.ERROR
    text = f"from {where}: it can be guessed, and whoever has it answers for you"
    return Finding(level, "token", text, "take a long random one, or none: then one is made")


def check_proxies(config: BridgeConfig, environ: Mapping[str, str]) -> Finding:
    """Whether the way to the relay leads through a proxy."""
    found = [name for name in _variables(_PROXIES) if environ.get(name)]
    if not found:
        return Finding(Level.OK, "proxy", "none is set")
    names = ", ".join(found)
    if is_loopback(config.host):
        return Finding(Level.OK, "proxy", f"{names}: not used on this machine")
    excepted = ",".join(environ.get(name, "") for name in _variables(_EXCEPTIONS)).split(",")
    host = config.host.lower()
    if any(_covers(one.strip().lower(), host) for one in excepted):
        return Finding(Level.OK, "proxy", f"{names}: not used for {config.host}")
    text = f"{names}: calls to {config.host} go through it, and it may cut them off"
    return Finding(Level.WARNING, "proxy", text, f"add {config.host} to NO_PROXY")


def check_start(command: Sequence[str], environ: Mapping[str, str]) -> Finding:
    """How long the bridge takes until its first answer.

    Args:
        command: starts it.
        environ: its environment.
    """
    begun = time.monotonic()
    try:
        done = subprocess.run(
            [*command, "--no-autostart"],
            input=json.dumps(_HELLO).encode() + b"\n",
            capture_output=True,
            timeout=_START_SECONDS,
            check=False,
            env=dict(environ),
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        text = f"{command[0]} does not start: {type(error).__name__}"
        return Finding(Level.ERROR, "start", text, "install LineUp anew")
    seconds = time.monotonic() - begun
    if b'"serverInfo"' not in done.stdout:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        text = f"the bridge gives no answer: {lines[-1] if lines else 'it says nothing'}"
        return Finding(Level.ERROR, "start", text, f"{command[0]} --print-config")
    if seconds > _SLOW_SECONDS:
        text = f"{seconds:.1f} s until it has answered and ended: some programs go on without it"
        return Finding(Level.WARNING, "start", text, "a second run is faster; look at the load")
    return Finding(Level.OK, "start", f"{seconds:.2f} s until it has answered and ended")


def _variables(names: Sequence[str]) -> list[str]:
    return [spelling for name in names for spelling in (name, name.upper())]


def _covers(entry: str, host: str) -> bool:
    """Whether an entry of NO_PROXY is for a host."""
    name = entry.lstrip("*").lstrip(".")
    return entry == "*" or (bool(name) and (host == name or host.endswith(f".{name}")))
