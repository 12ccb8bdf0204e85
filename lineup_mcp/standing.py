"""Standing permissions: what a human allowed for the rest of a session.

One small file each, so that hooks, which are processes of their own, need no lock: giving is
creating, revoking is removing. Only their owner can read them, and they end after some days.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.settings.files import create_private, state_directory
from lineup_srv.settings.resolve import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Standing", "find", "give", "revoke", "standing"]

_ID_CHARACTERS: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One standing permission.

    Args:
        id: for the command that revokes it.
        session: of the agent program.
        tool: the tool's name there.
        scope: what it covers.
        by: who gave it.
        given_unix_ms: when.
    """

    id: str
    session: str
    tool: str
    scope: str
    by: str
    given_unix_ms: int


def give(session: str, tool: str, scope: str, by: str) -> Standing | None:
    """Remember a permission. Does file I/O.

    Returns:
        None if it cannot be written, or there are too many: then it is for once.
    """
    given = Standing(
        id=_id(session, tool, scope),
        session=session,
        tool=tool,
        scope=scope,
        by=by,
        given_unix_ms=time.time_ns() // 1_000_000,
    )
    if len(standing()) >= limits.STANDING_PERMISSIONS:
        return None
    try:
        create_private(_path(given.id), json.dumps(asdict(given)))
    except SettingsError:
        return None
    return given


def find(session: str, tool: str, scope: str) -> Standing | None:
    """The permission for exactly this, if it was given and not revoked. Does file I/O."""
    found = _read(_path(_id(session, tool, scope)))
    if found is None or (found.session, found.tool, found.scope) != (session, tool, scope):
        return None
    return found


def standing() -> list[Standing]:
    """All that stand, the oldest first. Does file I/O."""
    return sorted(_all(), key=lambda one: one.given_unix_ms)


def revoke(permission_id: str) -> bool:
    """Take one back; False if there is none. Does file I/O."""
    for one in _all():
        if one.id == permission_id:
            _path(one.id).unlink(missing_ok=True)
            return True
    return False


def _all() -> Iterator[Standing]:
    for path in _directory().glob("*.json"):
        if (found := _read(path)) is not None:
            yield found


def _read(path: Path) -> Standing | None:
    """What stands in a file; one that is too old is removed."""
    try:
        found = Standing(**json.loads(path.read_text(encoding="utf-8")))
        age_ms = time.time_ns() // 1_000_000 - found.given_unix_ms
    except (OSError, ValueError, TypeError):
        return None
    if not 0 <= age_ms <= limits.STANDING_PERMISSION_SECONDS * 1000:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
        return None
    return found


def _id(session: str, tool: str, scope: str) -> str:
    data = json.dumps([session, tool, scope]).encode()
    return hashlib.sha256(data).hexdigest()[:_ID_CHARACTERS]


def _path(permission_id: str) -> Path:
    return _directory() / f"{permission_id}.json"


def _directory() -> Path:
    return state_directory() / "permissions"
