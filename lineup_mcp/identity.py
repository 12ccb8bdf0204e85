"""Who this bridge is to the relay: one agent process on one machine in one project."""

from __future__ import annotations

import hashlib
import secrets
import socket
import uuid
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lineup_mcp.hosts import session_id
from lineup_srv.contract import limits

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Identity", "clean_name", "make_identity", "project_directory"]

_MACHINE_FILES: Final = ("/etc/machine-id", "/var/lib/dbus/machine-id")
_HASH_CHARACTERS: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What every request carries about its agent.

    Args:
        agent_id: random, of this process.
        client: the agent program's name; empty until it introduced itself.
        client_version: its version; may be empty.
        machine: the hashed machine id.
        machine_name: for people.
        session: the agent program's session id; empty if it gives none.
        directory: the absolute path of the project; empty if unknown.
    """

    agent_id: str
    client: str
    client_version: str
    machine: str
    machine_name: str
    session: str
    directory: str

    def introduced(self, client: str, version: str) -> Identity:
        """The same agent once its program has said its name."""
        return replace(self, client=clean_name(client), client_version=clean_name(version))


def make_identity(*, agent_name: str, environ: Mapping[str, str], directory: Path) -> Identity:
    """The identity of this process.

    Args:
        agent_name: the configured name; may be empty.
        environ: the environment.
        directory: the working directory.
    """
    return Identity(
        agent_id=secrets.token_urlsafe(18),
        client=clean_name(agent_name),
        client_version="",
        machine=_machine_hash(),
        machine_name=clean_name(socket.gethostname()),
        session=clean_name(session_id(environ)),
        directory=project_directory("", environ=environ, working_directory=directory),
    )


def project_directory(argument: str, *, environ: Mapping[str, str], working_directory: Path) -> str:
    """The project's absolute path: the argument, else what the agent program says, else the cwd.

    A working directory of `/` or the home directory says nothing about the project: empty then.
    """
    for name in (argument, environ.get("CLAUDE_PROJECT_DIR", "")):
        if name.strip():
            path = Path(name.strip()).expanduser()
            return str(working_directory / path)[: limits.PATH_CHARACTERS]
    if working_directory in (Path(working_directory.anchor), Path.home()):
        return ""
    return str(working_directory)


def clean_name(name: str) -> str:
    """A name as it may be shown in one line."""
    line = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    return line[: limits.NAME_CHARACTERS]


def _machine_hash() -> str:
    """The same on every start of this machine, and it cannot be traced back to its id."""
    own = next((text for name in _MACHINE_FILES if (text := _read(Path(name)))), "")
    own = own or f"{uuid.getnode():x} {socket.gethostname()}"
    return hashlib.sha256(f"lineup machine {own}".encode()).hexdigest()[:_HASH_CHARACTERS]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
