"""What an agent program tells a hook, and what a hook can answer. Plain data.

A hook runs after every tool, so what has nothing to say knows it here, before anything heavy is
imported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lineup_mcp.identity import clean_name
from lineup_mcp.sessions import noted

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MAIL_EVENTS", "HookEvent", "allow", "deny"]

MAIL_EVENTS: Final = ("UserPromptSubmit", "PostToolUse", "Stop")
"""The hooks that bring the human's words into the session."""


@dataclass(frozen=True, slots=True)
class HookEvent:
    """What an agent program tells a hook, as it came. Nothing in it is believed."""

    raw: Mapping[str, object]

    @property
    def name(self) -> str:
        """Which hook runs."""
        return self.text("hook_event_name")

    @property
    def session(self) -> str:
        """The agent program's session."""
        return clean_name(self.text("session_id"))

    @property
    def is_idle(self) -> bool:
        """Whether it is known without the relay that there is nothing to say. Does file I/O."""
        if self.name not in MAIL_EVENTS:
            return self.name not in ("PermissionRequest", "Notification")
        if self.raw.get("stop_hook_active") is True:
            # It goes on because of this hook already.
            return True
        bridge = noted(self.session)
        if bridge is not None:
            return bridge.waiting == 0
        # After every tool, asking the relay would cost more than it brings.
        return self.name == "PostToolUse"

    def text(self, name: str) -> str:
        """A text; empty if there is none."""
        value = self.raw.get(name)
        return value if isinstance(value, str) else ""


def allow(edited: Mapping[str, object] | None = None) -> Mapping[str, object]:
    """The output that allows a step."""
    # Some programs refuse an answer that only repeats the input.
    changed = {} if edited is None else {"updatedInput": edited}
    return _decision({"behavior": "allow", **changed})


def deny(message: str) -> Mapping[str, object]:
    """The output that denies a step; the agent reads the message."""
    return _decision({"behavior": "deny", "message": message})


def _decision(decision: Mapping[str, object]) -> Mapping[str, object]:
    return {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}
