"""What the built-in tools of one bridge have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineup_mcp.identity import project_directory
from lineup_mcp.tools.files import roots

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from lineup_mcp.lease import Lease
    from lineup_mcp.whereabouts import Sight

__all__ = ["Surroundings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Where the tools of one bridge work.

    Args:
        lease: running, or about to.
        look: tells what is where the relay should be; blocks.
        environ: the environment, for the project directory.
        working_directory: likewise.
        private_urls: pictures may be fetched from private networks.
    """

    lease: Lease
    look: Callable[[], Sight]
    environ: Mapping[str, str]
    working_directory: Path
    private_urls: bool

    def project(self, named: str = "") -> str:
        """The absolute path of the project, as the agent or its program names it; may be empty."""
        return project_directory(
            named, environ=self.environ, working_directory=self.working_directory
        )

    def picture_roots(self, named: str) -> tuple[Path, ...]:
        """The directories whose pictures may be shown.

        Args:
            named: the project as the agent names it; may be empty.
        """
        return roots(self.project(), named)
