"""Claude Code's hooks, as entries of its settings."""

from __future__ import annotations

import shlex
import subprocess
from typing import TYPE_CHECKING

from lineup_mcp.installer.programs import HOOK_EVENTS
from lineup_mcp.installer.wishes import Member

if TYPE_CHECKING:
    from lineup_mcp.installer.programs import Server
    from lineup_mcp.installer.wishes import Wish

__all__ = ["hook_wishes"]


def hook_wishes(server: Server, *, platform: str) -> list[Wish]:
    """One entry for each hook that LineUp answers.

    Args:
        server: how the bridge is started; the hook is the same program.
        platform: as `sys.platform`: its shell decides how the line is quoted.
    """
    words = [server.command, *server.args(), "hook"]
    line = subprocess.list2cmdline(words) if platform == "win32" else shlex.join(words)
    wishes: list[Wish] = []
    for event, seconds in HOOK_EVENTS.items():
        hook = {"type": "command", "command": line, "timeout": seconds}
        wishes.append(Member(("hooks", event), {"hooks": [hook]}, _is_ours))
    return wishes


def _is_ours(group: object) -> bool:
    """Whether a group of hooks runs `lineup-mcp … hook` and nothing else."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(hooks, list) or len(hooks) != 1 or not isinstance(hooks[0], dict):
        return False
    line = str(hooks[0].get("command", ""))
    return line.endswith(" hook") and ("lineup-mcp" in line or "lineup_mcp" in line)
