"""Where agent programs keep their configuration, on Linux, macOS and Windows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Place", "Scope"]


class Scope(Enum):
    """Whose configuration."""

    USER = "user"
    PROJECT = "project"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One user on one machine, in one project.

    Args:
        home: the home directory.
        project: the project's directory.
        platform: as `sys.platform`.
        environ: the environment.
    """

    home: Path
    project: Path
    platform: str
    environ: Mapping[str, str]

    def named(self, variable: str, otherwise: Path) -> Path:
        """The directory that a variable names, else another."""
        value = self.environ.get(variable, "")
        return Path(value).expanduser() if value else otherwise

    @property
    def xdg_config(self) -> Path:
        """Where programs look that follow XDG on every system."""
        return self.named("XDG_CONFIG_HOME", self.home / ".config")

    @property
    def applications(self) -> Path:
        """Where desktop programs keep their settings."""
        if self.platform == "win32":
            return self.named("APPDATA", self.home / "AppData" / "Roaming")
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        return self.xdg_config
