"""What an agent program is to the installer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from lineup_mcp.installer.formats import Format
    from lineup_mcp.installer.places import Place, Scope
    from lineup_mcp.installer.wishes import Wish

__all__ = ["ConfigFile", "Program", "RulesFile", "Server"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """How the bridge is started.

    Args:
        command: the program.
        before: what makes the program the bridge, when it is Python itself.
        arguments: the user's own; they stand last and win.
        env: its environment; some programs pass on nothing else.
        token_from_env: LINEUP_TOKEN is set where the agent program starts, and is referred to.
    """

    command: str
    before: Sequence[str] = ()
    arguments: Sequence[str] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    token_from_env: bool = False

    def args(self, *more: str) -> list[str]:
        """All arguments, with the program's own in the middle."""
        return [*self.before, *more, *self.arguments]

    def environment(self, reference: str) -> dict[str, object]:
        """The environment, with the program's way to refer to a variable of its own."""
        more = {"LINEUP_TOKEN": reference} if self.token_from_env else {}
        return {**self.env, **more}


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A file, and what must hold in it."""

    path: Path
    form: Format
    wishes: Sequence[Wish]


@dataclass(frozen=True, slots=True)
class RulesFile:
    """Where instructions go.

    Args:
        path: the file.
        front_matter: None if others write in it too; else it is ours and begins with this.
    """

    path: Path
    front_matter: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """One agent program.

    Args:
        name: as it is typed.
        title: for people.
        binary: what it is called on the PATH.
        files: its configuration files in a scope; empty where it has none.
        rules: its file of instructions in a scope; None where it has none.
        extras: whether it has channels and hooks.
        next_step: what to do after the installation.
    """

    name: str
    title: str
    binary: str
    files: Callable[[Place, Scope, Server], list[ConfigFile]]
    rules: Callable[[Place, Scope], RulesFile | None]
    extras: bool = False
    next_step: str = "Start it anew; its tools then have ask_question."
