"""The relay's configuration: one frozen record, decided once at the start.

`lineup_server_host` is only the bridge's target; the relay binds `[srv] bind` = `--host` =
LINEUP_HOST. See `lineup_srv.settings` for where values come from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.settings.addresses import is_loopback
from lineup_srv.settings.files import data_directory, own_token
from lineup_srv.settings.keys import ANY, HIGHEST_PORT, RELAY_KEYS
from lineup_srv.settings.read import read_settings
from lineup_srv.settings.resolve import Settings, SettingsError
from lineup_srv.settings.show import show
from lineup_srv.settings.strength import is_weak

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SEED_TOKEN", "SrvConfig", "data_directory_of", "describe", "load"]

SEED_TOKEN: Final = "test-token"
"""The example token of the program LineUp grew from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SrvConfig:
    """What the relay runs with.

    Args:
        bind: the address both listeners bind.
        port: the HTTP port; 0 = any free one.
        grpc_port: the gRPC port; 0 = any free one.
        tokens: tokens that always open their room; no `repr` shows them.
        open_mode: any token for which `opens_room` holds opens a room, listed or not.
        data_dir: where log, blobs and lock live; absolute.
        log_level: "debug", "info", "warning" or "error".
        allowed_hosts: further names accepted in `Host`.
        allowed_origins: further origins accepted at the upgrade.
        trusted_proxies: addresses whose forwarding headers count.
        public_url: the address of the page as others reach it; empty if only by bind and port.
        tls_cert: certificate chain, PEM; None without TLS.
        tls_key: its key, PEM; None if it is in `tls_cert`.
        keep_days: facts that nobody needs leave the log after so many days; 0 = never.
        keep_bytes: above this size the oldest of them leave earlier; 0 = no limit.
        miniapps: a folder of MiniApps besides `data_dir/miniapps`, absolute; None: no other.
        idle_exit_seconds: end after so long without member, open request or unread item; 0 = never.
    """

    bind: str
    port: int
    grpc_port: int
    tokens: tuple[str, ...] = field(repr=False)
    open_mode: bool
    data_dir: Path
    log_level: str
    allowed_hosts: tuple[str, ...]
    allowed_origins: tuple[str, ...]
    trusted_proxies: tuple[str, ...]
    public_url: str
    tls_cert: Path | None
    tls_key: Path | None
    keep_days: int
    keep_bytes: int
    miniapps: Path | None
    idle_exit_seconds: float

    def opens_room(self, token: str) -> bool:
        """Whether open mode lets a token in that is not listed."""
        return self.open_mode and (
            len(token) >= limits.OPEN_MODE_TOKEN_CHARACTERS or token == SEED_TOKEN
        )


def load(
    flags: Mapping[str, object],
    *,
    environ: Mapping[str, str] | None = None,
    working_directory: Path | None = None,
) -> SrvConfig:
    """Decide the configuration; makes the user's token at the first start.

    Args:
        flags: what the command line gave, by key name (`config` and `host` too); None = not given.
        environ: the environment; None = this process's.
        working_directory: None = this process's.

    Raises:
        SettingsError: a file or value cannot be used, or the tokens are too weak for the address.
    """
    settings = _settings(flags, environ, working_directory)
    bind = settings.text("bind")
    tokens = _listed(settings)
    open_mode = not tokens and is_loopback(bind)
    if not tokens:
        tokens = _own(settings)
    if not is_loopback(bind):
        _refuse_weak(bind, tokens)
    port = settings.number("port") or ANY
    return SrvConfig(
        bind=bind,
        port=port,
        grpc_port=_grpc_port(port, settings.number("grpc_port")),
        tokens=tokens,
        open_mode=open_mode,
        data_dir=_path(settings, "data_dir") or data_directory(),
        log_level=settings.text("log_level"),
        allowed_hosts=settings.texts("allowed_hosts"),
        allowed_origins=settings.texts("allowed_origins"),
        trusted_proxies=settings.texts("trusted_proxies"),
        public_url=settings.text("public_url").rstrip("/"),
        tls_cert=_path(settings, "tls_cert"),
        tls_key=_path(settings, "tls_key"),
        keep_days=settings.number("keep_days") or 0,
        keep_bytes=settings.number("keep_bytes") or 0,
        miniapps=_path(settings, "miniapps"),
        idle_exit_seconds=settings.seconds("idle_exit") or 0.0,
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
    return show(RELAY_KEYS, _settings(flags, environ, working_directory))


def data_directory_of(
    flags: Mapping[str, object],
    *,
    environ: Mapping[str, str] | None = None,
    working_directory: Path | None = None,
) -> Path:
    """The relay's data directory, for commands that need nothing else. Creates nothing.

    Raises:
        SettingsError: a file or value cannot be used.
    """
    settings = _settings(flags, environ, working_directory)
    return _path(settings, "data_dir") or data_directory()


def _settings(
    flags: Mapping[str, object],
    environ: Mapping[str, str] | None,
    working_directory: Path | None,
) -> Settings:
    named = {("bind" if name == "host" else name): value for name, value in flags.items()}
    return read_settings(RELAY_KEYS, named, environ=environ, working_directory=working_directory)


def _listed(settings: Settings) -> tuple[str, ...]:
    """Tokens that were given as a list: they leave open mode."""
    tokens = settings.texts("tokens")
    if settings.source("token") in ("--token", "LINEUP_TOKEN"):
        tokens = (settings.text("token"), *tokens)
    return tuple(dict.fromkeys(token for token in tokens if token))


def _own(settings: Settings) -> tuple[str, ...]:
    """The token of this user, which its own bridges and pages use."""
    if token := settings.text("token"):
        return (token,)
    if settings.token_withheld:
        return ()
    created = own_token(create=True)
    return (created[0],) if created else ()


def _refuse_weak(bind: str, tokens: tuple[str, ...]) -> None:
    """Beyond loopback only listed tokens that cannot be guessed are let in (design, Security)."""
    if not tokens:
        msg = f"binding {bind} needs a token: set [srv] tokens, LINEUP_TOKEN or --token"
        raise SettingsError(msg)
    for token in tokens:
        if is_weak(token):
            msg = (
                f"a token is too weak for binding {bind}: take at least "
                f"{limits.OPEN_MODE_TOKEN_CHARACTERS} random characters"
            )
            raise SettingsError(msg)


def _grpc_port(port: int, grpc_port: int | None) -> int:
    """The given port, else HTTP port + 1; any free one when the HTTP port is any."""
    if grpc_port is not None or port == ANY:
        return grpc_port or ANY
    if port == HIGHEST_PORT:
        msg = f"port {port} leaves none for gRPC (port + 1): set lineup_server_grpc_port"
        raise SettingsError(msg)
    return port + 1


def _path(settings: Settings, name: str) -> Path | None:
    text = settings.text(name)
    return Path(text).expanduser().absolute() if text else None
