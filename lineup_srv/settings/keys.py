"""Every key of `lineup-mcp.toml`: its place in the file, its variable, its default, its rules.

Flags > environment > file > default. Units stand in the names. Spellings of the program that
LineUp grew from (`agentassistant_server_*`) are aliases of the top-level keys.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from lineup_srv.contract import limits

__all__ = ["ANY", "BRIDGE_KEYS", "CLOSED_LEVELS", "HIGHEST_PORT", "RELAY_KEYS", "Key", "Kind"]

ANY: Final = 0
"""As a port: any free one."""

HIGHEST_PORT: Final = 65_535

CLOSED_LEVELS: Final = ("debug", "info", "warning", "error")
"""What `log_level` may be."""


class Kind(Enum):
    """What a value is, hence how it is parsed from a flag, a variable or TOML."""

    TEXT = "text"
    PORT = "port"
    SECONDS = "seconds"
    COUNT = "count"
    BYTES = "bytes"
    SWITCH = "switch"
    TEXTS = "texts"
    SECRET = "secret"
    SECRETS = "secrets"
    PATH = "path"
    LEVEL = "level"


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One setting.

    Args:
        name: the name in the program and, with `-` for `_`, of the flag.
        path: where it stands in the file; a section and a key, or one key on top.
        kind: how it is parsed and shown.
        default: the value when nothing names it; None where it depends on others.
        env: its environment variable; empty if it has none.
        aliases: other spellings of a top-level key.
        names_target: it says which relay is talked to, hence who gets the token.
        trusted_only: a file of the working directory cannot set it.
    """

    name: str
    path: tuple[str, ...]
    kind: Kind
    default: object = None
    env: str = ""
    aliases: tuple[str, ...] = ()
    names_target: bool = False
    trusted_only: bool = False

    @property
    def is_secret(self) -> bool:
        """Its value is never printed."""
        return self.kind in (Kind.SECRET, Kind.SECRETS)


def _server(name: str, suffix: str, kind: Kind, default: object, env: str = "") -> Key:
    """A top-level key `lineup_server_<suffix>` with its older spelling."""
    return Key(
        name=name,
        path=(f"lineup_server_{suffix}",),
        kind=kind,
        default=default,
        env=env,
        aliases=(f"agentassistant_server_{suffix}",),
        names_target=kind not in (Kind.SECRET, Kind.PATH),
    )


_TOKEN: Final = _server("token", "token", Kind.SECRET, None, "LINEUP_TOKEN")
_PORT: Final = _server("port", "port", Kind.PORT, 22080, "LINEUP_PORT")
_GRPC_PORT: Final = _server("grpc_port", "grpc_port", Kind.PORT, None, "LINEUP_GRPC_PORT")


def _mcp(
    name: str, kind: Kind, default: object, env: str = "", *, trusted_only: bool = False
) -> Key:
    return Key(
        name=name,
        path=("mcp", name),
        kind=kind,
        default=default,
        env=env,
        trusted_only=trusted_only,
    )


def _srv(name: str, kind: Kind, default: object, env: str = "", *, target: bool = False) -> Key:
    return Key(
        name=name, path=("srv", name), kind=kind, default=default, env=env, names_target=target
    )


_DATA_DIR: Final = _srv("data_dir", Kind.PATH, None, "LINEUP_DATA_DIR")
_PUBLIC_URL: Final = _srv("public_url", Kind.TEXT, "", target=True)

BRIDGE_KEYS: Final[tuple[Key, ...]] = (
    _server("host", "host", Kind.TEXT, "127.0.0.1", "LINEUP_HOST"),
    _PORT,
    _GRPC_PORT,
    _TOKEN,
    _server("tls", "tls", Kind.SWITCH, False),
    _server("ca", "ca", Kind.PATH, None),
    _mcp("agent", Kind.TEXT, "", "LINEUP_AGENT"),
    _mcp("tools", Kind.TEXTS, ()),
    _mcp("wait_slice", Kind.SECONDS, None),
    _mcp("heartbeat", Kind.SECONDS, limits.HEARTBEAT_SECONDS),
    _mcp("max_tools", Kind.COUNT, 32),
    _mcp("autostart", Kind.SWITCH, True),
    _mcp("channels", Kind.SWITCH, False),
    _mcp("audio", Kind.SWITCH, False),
    _mcp("private_urls", Kind.SWITCH, False, trusted_only=True),
    _mcp("log_level", Kind.LEVEL, "warning", "LINEUP_LOG_LEVEL"),
    _DATA_DIR,
    _PUBLIC_URL,
)
"""What the bridge reads. `[srv]` keys among them tell it where a relay on this machine is."""

RELAY_KEYS: Final[tuple[Key, ...]] = (
    _srv("bind", Kind.TEXT, "127.0.0.1", "LINEUP_HOST", target=True),
    _PORT,
    _GRPC_PORT,
    _TOKEN,
    _srv("tokens", Kind.SECRETS, ()),
    _PUBLIC_URL,
    _srv("allowed_hosts", Kind.TEXTS, ()),
    _srv("allowed_origins", Kind.TEXTS, ()),
    _srv("trusted_proxies", Kind.TEXTS, ()),
    _srv("tls_cert", Kind.PATH, None),
    _srv("tls_key", Kind.PATH, None),
    _srv("keep_days", Kind.COUNT, limits.KEEP_DAYS),
    _srv("keep_bytes", Kind.BYTES, limits.KEEP_BYTES),
    _srv("miniapps", Kind.PATH, None, "LINEUP_MINIAPPS"),
    _srv("idle_exit", Kind.SECONDS, 0.0, "LINEUP_IDLE_EXIT"),
    _srv("log_level", Kind.LEVEL, "info", "LINEUP_LOG_LEVEL"),
    _DATA_DIR,
)
"""What the relay reads. Port and token stand on top because both programs share them."""
