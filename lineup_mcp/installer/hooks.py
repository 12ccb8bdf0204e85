"""Claude Code's hooks, as entries of its settings."""

from __future__ import annotations

import shlex
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from lineup_mcp.installer.wishes import Member

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineup_mcp.installer.program import ConfigFile, Server

__all__ = ["HOOK_EVENTS", "with_hooks"]

HOOK_EVENTS: Final[Mapping[str, int]] = {
    "PermissionRequest": 3_600,
    "Notification": 30,
    "UserPromptSubmit": 30,
    "PostToolUse": 30,
    "Stop": 30,
}
"""Claude Code's hooks that LineUp answers, and the seconds each may take."""


def with_hooks(files: Sequence[ConfigFile], server: Server, *, platform: str) -> list[ConfigFile]:
    """The files of Claude Code, with one entry for each hook that LineUp answers.

    Args:
        files: without; the last one is its settings.
        server: how the bridge is started; the hook is the same program.
        platform: as `sys.platform`: its shell decides how the line is quoted.
    """
    words = [server.command, *server.args(), "hook"]
    line = subprocess.list2cmdline(words) if platform == "win32" else shlex.join(words)
    entries = [
        Member(
            ("hooks", event),
            {"hooks": [{"type": "command", "command": line, "timeout": seconds}]},
            _is_ours,
        )
        for event, seconds in HOOK_EVENTS.items()
    ]
    *others, settings = files
    return [*others, replace(settings, wishes=[*settings.wishes, *entries])]


def _is_ours(group: object) -> bool:
    """Whether a group of hooks runs `lineup-mcp … hook` and nothing else."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(hooks, list) or len(hooks) != 1 or not isinstance(hooks[0], dict):
        return False
    line = str(hooks[0].get("command", ""))
    return line.endswith(" hook") and ("lineup-mcp" in line or "lineup_mcp" in line)
