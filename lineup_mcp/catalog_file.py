"""The actions that were known last, on disk: the first `tools/list` needs no relay.

One file for each relay and token, which only its user can read; the token is not in it. Nothing in
it is believed without a look: what has not its form is left out, and agents see one tool less.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import stat
from typing import TYPE_CHECKING, Final

from lineup_mcp.tools.apps import AppAction
from lineup_srv.contract import limits
from lineup_srv.contract.tool_names import ActionKey
from lineup_srv.settings.files import replace_private

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

__all__ = ["CatalogFile"]

_FORMAT: Final = 1
_NAME: Final = re.compile(f"[a-z0-9_]{{1,{limits.MCP_NAME_CHARACTERS}}}")
_KEPT_MS: Final = limits.CATALOG_KEPT_DAYS * 86_400_000
_TEXTS: Final = {
    "application": limits.ID_CHARACTERS,
    "tool": limits.NAME_CHARACTERS,
    "action": limits.NAME_CHARACTERS,
    "title": limits.NAME_CHARACTERS,
    "description": limits.TOOL_DESCRIPTION_CHARACTERS,
}
_FLAGS: Final = ("single", "read_only", "destructive", "idempotent", "interactive")


class CatalogFile:
    """The file of one relay and token.

    Args:
        directory: where such files are.
        relay: the relay's address.
        token: the room's token.
    """

    def __init__(self, directory: Path, relay: str, token: str) -> None:
        room = hashlib.sha256(f"{relay}\n{token}".encode()).hexdigest()
        self.path = directory / f"{room[:32]}.json"
        self._seen: dict[str, int] = {}

    def load(self, reserved: Collection[str], now_unix_ms: int) -> dict[str, AppAction]:
        """The actions by name that were seen within CATALOG_KEPT_DAYS; none without a file.

        Args:
            reserved: names that no action can have.
            now_unix_ms: the time.
        """
        found: dict[str, AppAction] = {}
        keys: set[ActionKey] = set()
        for entry in self._read():
            name, seen, action = entry.get("name"), entry.get("seen"), _action(entry)
            if action is None or not isinstance(name, str) or not isinstance(seen, int):
                continue
            if name in reserved or name in found or not _NAME.fullmatch(name):
                continue
            if action.key in keys or seen < now_unix_ms - _KEPT_MS:
                continue
            found[name] = action
            keys.add(action.key)
            self._seen[name] = seen
        return found

    def save(
        self, known: Mapping[str, AppAction], current: Iterable[str], now_unix_ms: int
    ) -> None:
        """Write the actions that were seen within CATALOG_KEPT_DAYS. Does file I/O; never raises.

        Args:
            known: every action by name.
            current: names of those that are offered now.
            now_unix_ms: the time.
        """
        self._seen |= dict.fromkeys(current, now_unix_ms)
        oldest = now_unix_ms - _KEPT_MS
        self._seen = {
            name: seen for name, seen in self._seen.items() if name in known and seen >= oldest
        }
        # The latest first: if there are too many, the oldest are left out.
        names = sorted(self._seen, key=lambda name: -self._seen[name])
        lines: list[str] = []
        room = limits.CATALOG_FILE_BYTES - 100
        for name in names:
            line = json.dumps(_entry(name, known[name], self._seen[name]), ensure_ascii=True)
            room -= len(line) + 2
            if room < 0:
                break
            lines.append(line)
        text = f'{{"format": {_FORMAT}, "actions": [\n' + ",\n".join(lines) + "\n]}\n"
        with contextlib.suppress(OSError):
            replace_private(self.path, text)

    def _read(self) -> list[dict[str, object]]:
        try:
            # A pipe of this name must not block the start.
            handle = os.open(self.path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
            with os.fdopen(handle, "rb") as file:
                if not stat.S_ISREG(os.fstat(handle).st_mode):
                    return []
                data = file.read(limits.CATALOG_FILE_BYTES + 1)
            if len(data) > limits.CATALOG_FILE_BYTES:
                return []
            read = json.loads(data)
        except (OSError, ValueError, RecursionError):
            return []
        if not isinstance(read, dict) or read.get("format") != _FORMAT:
            return []
        actions = read.get("actions")
        if not isinstance(actions, list):
            return []
        return [entry for entry in actions if isinstance(entry, dict)]


def _entry(name: str, action: AppAction, seen: int) -> dict[str, object]:
    key = action.key
    return {
        "name": name,
        "seen": seen,
        "application": key.application,
        "tool": key.tool,
        "action": key.action,
        "single": key.single,
        "title": action.title,
        "description": action.description,
        "schema": action.schema,
        "read_only": action.read_only,
        "destructive": action.destructive,
        "idempotent": action.idempotent,
        "interactive": action.interactive,
    }


def _action(entry: Mapping[str, object]) -> AppAction | None:
    """The action of an entry; None if it has not the form that `_entry` gives it."""
    texts = {name: entry.get(name) for name in _TEXTS}
    flags = {name: entry.get(name) for name in _FLAGS}
    schema = entry.get("schema")
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return None
    if not all(isinstance(text, str) and len(text) <= _TEXTS[name] for name, text in texts.items()):
        return None
    if not all(isinstance(flag, bool) for flag in flags.values()) or not texts["tool"]:
        return None
    key = ActionKey(
        application=str(texts["application"]),
        tool=str(texts["tool"]),
        action=str(texts["action"]),
        single=bool(flags["single"]),
    )
    return AppAction(
        key=key,
        title=str(texts["title"]),
        description=str(texts["description"]),
        schema=schema,
        read_only=bool(flags["read_only"]),
        destructive=bool(flags["destructive"]),
        idempotent=bool(flags["idempotent"]),
        interactive=bool(flags["interactive"]),
    )
