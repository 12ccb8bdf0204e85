"""The bridge's configuration: one frozen record, decided once at the start."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.settings.files import data_directory, own_token
from lineup_srv.settings.keys import BRIDGE_KEYS
from lineup_srv.settings.read import read_settings
from lineup_srv.settings.resolve import Settings, SettingsError
from lineup_srv.settings.show import show

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BridgeConfig", "describe", "load"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgeConfig:
    """What the bridge runs with.

    Args:
        host: the relay's host.
        port: the relay's HTTP port.
        grpc_port: the relay's gRPC port.
        port_is_default: nobody named a port, so a relay found in the data directory may differ.
        token: the room's token; no `repr` shows it.
        tls: talk TLS to the relay.
        ca: certificates to trust, PEM; None = the system's.
        agent: a name for an agent program that gives none; may be empty.
        tools: names of the tools and groups ("questions", "apps") that are offered; empty = all.
        wait_slice_seconds: how long a call waits at most; None = by the agent program.
        heartbeat_seconds: between two progress notifications.
        max_tools: how many app tools are offered at most.
        autostart: start a relay on this machine if none answers.
        channels: offer Claude Code channels.
        audio: results carry sounds besides the files they are kept in.
        private_urls: pictures may be fetched from private networks.
        log_level: "debug", "info", "warning" or "error".
        data_dir: where a relay on this machine keeps its data; absolute.
        public_url: the page's address as others reach it; may be empty.
        config_file: the file named by a flag or LINEUP_CONFIG; empty if none.
    """

    host: str
    port: int
    grpc_port: int
    port_is_default: bool
    token: str = field(repr=False)
    tls: bool = False
    ca: Path | None = None
    agent: str = ""
    tools: tuple[str, ...] = ()
    wait_slice_seconds: float | None = None
    heartbeat_seconds: float = limits.HEARTBEAT_SECONDS
    max_tools: int = 32
    autostart: bool = True
    channels: bool = False
    audio: bool = False
    private_urls: bool = False
    log_level: str = "warning"
    data_dir: Path
    public_url: str = ""
    config_file: str = ""


def load(
    flags: Mapping[str, object],
    *,
    environ: Mapping[str, str] | None = None,
    working_directory: Path | None = None,
) -> BridgeConfig:
    """Decide the configuration; makes the user's token at the first start.

    Args:
        flags: what the command line gave, by key name; None = not given.
        environ: the environment; None = this process's.
        working_directory: None = this process's.

    Raises:
        SettingsError: a file or value cannot be used, or there is no token for the named relay.
    """
    environ = os.environ if environ is None else environ
    settings = read_settings(
        BRIDGE_KEYS, flags, environ=environ, working_directory=working_directory
    )
    port = _port(settings)
    data_dir = settings.text("data_dir")
    return BridgeConfig(
        host=settings.text("host").strip("[]"),
        port=port,
        grpc_port=settings.number("grpc_port") or port + 1,
        port_is_default=settings.source("port") == settings.source("grpc_port") == "default",
        token=_token(settings),
        tls=settings.switch("tls"),
        ca=_certificates(settings),
        agent=settings.text("agent"),
        tools=settings.texts("tools"),
        wait_slice_seconds=settings.seconds("wait_slice") or None,
        heartbeat_seconds=max(settings.seconds("heartbeat") or limits.HEARTBEAT_SECONDS, 0.05),
        max_tools=settings.number("max_tools") or 0,
        autostart=settings.switch("autostart"),
        channels=settings.switch("channels"),
        audio=settings.switch("audio"),
        private_urls=settings.switch("private_urls"),
        log_level=settings.text("log_level"),
        data_dir=Path(data_dir).expanduser().absolute() if data_dir else data_directory(),
        public_url=settings.text("public_url").rstrip("/"),
        config_file=str(flags.get("config") or environ.get("LINEUP_CONFIG", "")),
    )


def describe(
    flags: Mapping[str, object],
    *,
    environ: Mapping[str, str] | None = None,
    working_directory: Path | None = None,
) -> str:
    """What `--print-config` prints: every value and its source, tokens masked. Creates nothing.

    Raises:
        SettingsError: a file or value cannot be used.
    """
    settings = read_settings(
        BRIDGE_KEYS, flags, environ=environ, working_directory=working_directory
    )
    text = show(BRIDGE_KEYS, settings)
    if settings.source("token") == "default" and not settings.token_withheld:
        known = own_token(create=False)
        text += f"\n# token: {known[1] if known else 'made at the first start'}"
    return text


def _port(settings: Settings) -> int:
    """The relay's HTTP port.

    Raises:
        SettingsError: it is 0, by which a relay takes any.
    """
    port = settings.number("port")
    if not port:
        msg = f"port ({settings.source('port')}) must be the relay's port, not 0"
        raise SettingsError(msg)
    return port


def _certificates(settings: Settings) -> Path | None:
    """The file of certificates to trust; None = the system's.

    Raises:
        SettingsError: it is not there.
    """
    ca = settings.text("ca")
    if not ca:
        return None
    path = Path(ca).expanduser()
    if not path.is_file():
        msg = f"ca ({settings.source('ca')}): there is no file {ca}"
        raise SettingsError(msg)
    return path.absolute()


def _token(settings: Settings) -> str:
    """The named token, else the user's own, which the first start makes.

    Raises:
        SettingsError: a file of the working directory names a relay but no token for it.
    """
    if token := settings.text("token"):
        return token
    if settings.token_withheld:
        msg = (
            f"{settings.files[0]} names a host or port, so the token of your own file is not used: "
            "put lineup_server_token into it, or give --token or LINEUP_TOKEN"
        )
        raise SettingsError(msg)
    created = own_token(create=True)
    if created is None:
        msg = "there is no token"
        raise SettingsError(msg)
    return created[0]
