"""Where a hook finds the bridge of its session: a small file that the bridge keeps.

A hook is a process of its own that ends at once, and runs after every tool. From the file it knows
without asking anybody whether something waits, and in whose name to take it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from lineup_srv.settings.files import replace_private, state_directory

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["SessionNote", "forget", "note", "noted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionNote:
    """What a bridge tells the hooks of its session.

    Args:
        agent_id: the bridge's.
        pid: its process.
        waiting: how many messages wait for the agent.
    """

    agent_id: str
    pid: int
    waiting: int


def note(session: str, told: SessionNote) -> None:
    """Write the file, whole or not at all. Does file I/O.

    Raises:
        OSError: it cannot be written.
    """
    replace_private(_path(session), json.dumps(asdict(told)))


def noted(session: str) -> SessionNote | None:
    """What the bridge of a session told; None if none runs. Does file I/O."""
    if not session:
        return None
    try:
        told = SessionNote(**json.loads(_path(session).read_text(encoding="utf-8")))
        # Only asks whether the process is there; a bridge that was killed left its file.
        os.kill(told.pid, 0)
    except (OSError, ValueError, TypeError, OverflowError):
        return None
    return told


def forget(session: str) -> None:
    """Remove the file of this process, if there is one. Does file I/O."""
    told = noted(session)
    if told is not None and told.pid == os.getpid():
        with contextlib.suppress(OSError):
            _path(session).unlink(missing_ok=True)


def _path(session: str) -> Path:
    name = hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()[:32]
    return state_directory() / "sessions" / f"{name}.json"
