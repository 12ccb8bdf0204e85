"""What is known about agent programs: how long one call may wait, and what they call themselves.

Measured by running each program. One that is not listed gets the careful values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["HOST_ARGUMENTS", "HostProfile", "profile_of", "session_id", "use_id"]


@dataclass(frozen=True, slots=True)
class HostProfile:
    """One agent program.

    Args:
        name: for people.
        wait_slice_seconds: how long a call waits before it hands back; None = its whole timeout.
        pictures: it shows its model the pictures of a result; others drop them or pass their base64
            on as text.
    """

    name: str
    wait_slice_seconds: float | None
    pictures: bool = True


_UNKNOWN: Final = HostProfile("", 50.0)
_CODEX: Final = HostProfile("Codex", 280.0)
_HERMES: Final = HostProfile("Hermes", 280.0)
_GEMINI: Final = HostProfile("Gemini CLI", 570.0)

# By the start of clientInfo.name in lower case, the longest match wins. Codex and Hermes give a
# call 300 s, Gemini 600 s, Cursor and Cline 60 s; Claude Code and VS Code have no limit, and
# progress extends opencode's.
_PROFILES: Final[Mapping[str, HostProfile]] = {
    "claude-code": HostProfile("Claude Code", None),
    "claude code": HostProfile("Claude Code", None),
    "visual studio code": HostProfile("VS Code", None),
    "vscode": HostProfile("VS Code", None),
    "opencode": HostProfile("opencode", None),
    "codex": _CODEX,
    "hermes": _HERMES,
    "gemini": _GEMINI,
    "cursor": HostProfile("Cursor", 50.0),
    "@cline": HostProfile("Cline", 50.0, pictures=False),
    "cline": HostProfile("Cline", 50.0, pictures=False),
    "qwen": HostProfile("Qwen Code", 50.0, pictures=False),
}
# Hermes introduces itself with the SDK's own name.
_EXACT: Final[Mapping[str, HostProfile]] = {"mcp": _HERMES}

HOST_ARGUMENTS: Final = frozenset({"wait_for_previous", "toolCallId"})
"""What agent programs add to the arguments of every tool and pass on: Gemini CLI for its scheduler
(google-gemini/gemini-cli#27403), n8n its id of the call (n8n-io/n8n#21500)."""

# Of Claude Code; of Codex.
_USE_IDS: Final = ("claudecode/toolUseId", "callId")
_SESSION_VARIABLES: Final = ("CLAUDE_CODE_SESSION_ID",)


def profile_of(client_name: str, agent_name: str = "") -> HostProfile:
    """The profile of the program that calls itself so, else of the configured name, else careful.

    Args:
        client_name: clientInfo.name; empty if none was given.
        agent_name: the name from the configuration (`--agent`); may be empty.
    """
    for name in (client_name.lower(), agent_name.lower()):
        if name in _EXACT:
            return _EXACT[name]
        matches = [start for start in _PROFILES if name.startswith(start)]
        if matches:
            return _PROFILES[max(matches, key=len)]
    return _UNKNOWN


def use_id(meta: Mapping[str, object]) -> str:
    """What the agent program calls one call of a tool, the same when it repeats it.

    Args:
        meta: the `_meta` of the call.

    Returns:
        empty if it does not say.
    """
    found = (meta.get(name) for name in _USE_IDS)
    return next((name for name in found if isinstance(name, str)), "")


def session_id(environ: Mapping[str, str]) -> str:
    """The agent program's own session id; empty if it gives none."""
    return next((environ[name] for name in _SESSION_VARIABLES if environ.get(name)), "")
