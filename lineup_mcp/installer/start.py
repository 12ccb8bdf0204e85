"""How an agent program is to start the bridge: this program, with what it was told just now."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lineup_mcp.installer.places import Scope
from lineup_mcp.installer.program import Server

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineup_mcp.installer.places import Place

__all__ = ["make_server"]

_PROGRAM: Final = "lineup-mcp"
_SHARED: Final[Mapping[str, str]] = {
    "host": "LINEUP_HOST",
    "port": "LINEUP_PORT",
    "grpc_port": "LINEUP_GRPC_PORT",
}
_PERSONAL: Final = (
    "LINEUP_CONFIG",
    "LINEUP_DATA_DIR",
    "LINEUP_LOG_LEVEL",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
)
"""Where the bridge finds its files; some agent programs hand none of these on."""


def make_server(
    flags: Mapping[str, object], place: Place, scope: Scope, *, channels: bool = False
) -> tuple[Server, list[str]]:
    """How to start the bridge, and what a person should know about it.

    Args:
        flags: what was given before the command, by key.
        place: whose environment counts.
        scope: a project's file gets nothing personal, and never the token.
        channels: offer Claude Code channels.
    """
    notes: list[str] = []
    command, before = _command(scope, notes)
    env = _environment(flags, place, scope, notes)
    refers = bool(place.environ.get("LINEUP_TOKEN")) and "LINEUP_TOKEN" not in env
    if refers:
        notes.append("The entry refers to LINEUP_TOKEN: start the agent program with it set.")
    server = Server(
        command=command,
        before=before,
        arguments=_arguments(flags, channels),
        env=env,
        token_from_env=refers,
    )
    return server, notes


def _environment(
    flags: Mapping[str, object], place: Place, scope: Scope, notes: list[str]
) -> dict[str, str]:
    """What the bridge is told of the relay and of its files."""
    environ = place.environ
    env = {
        name: str(flags.get(key) or environ[name])
        for key, name in _SHARED.items()
        if flags.get(key) or environ.get(name)
    }
    token = flags.get("token")
    if scope is Scope.USER:
        env |= {name: environ[name] for name in _PERSONAL if environ.get(name)}
        if config := flags.get("config"):
            env["LINEUP_CONFIG"] = str(Path(str(config)).expanduser().absolute())
        if token:
            env["LINEUP_TOKEN"] = str(token)
    elif token:
        notes.append(
            "The token was not written: a project's file is seen by others. Set LINEUP_TOKEN "
            "where the agent program starts, or put it into your own lineup-mcp.toml."
        )
    return env


def _arguments(flags: Mapping[str, object], channels: bool) -> list[str]:
    """The options that are no setting of a relay."""
    arguments = []
    for key, flag in (("agent", "--agent"), ("tools", "--tools"), ("wait_slice", "--wait-slice")):
        if value := flags.get(key):
            arguments += [flag, str(value)]
    if flags.get("autostart") is False:
        arguments.append("--no-autostart")
    if channels or flags.get("channels"):
        arguments.append("--channels")
    return arguments


def _command(scope: Scope, notes: list[str]) -> tuple[str, list[str]]:
    """The program and its first arguments."""
    found = shutil.which(_PROGRAM)
    if scope is Scope.PROJECT:
        if found is None:
            notes.append("Everybody in the project needs lineup-mcp on the PATH; you have not.")
        return _PROGRAM, []
    # The one that runs now, not any that is first on the PATH.
    name = f"{_PROGRAM}.exe" if sys.platform == "win32" else _PROGRAM
    beside = Path(sys.executable).with_name(name)
    if beside.is_file():
        return str(beside), []
    if found is not None:
        return str(Path(found).absolute()), []
    return sys.executable, ["-P", "-m", "lineup_mcp"]
