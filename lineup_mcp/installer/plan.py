"""What would change in which file: computed, shown, and then written by others."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lineup_mcp.installer.formats import Document, Unreadable, Unwritable
from lineup_mcp.installer.places import Scope
from lineup_mcp.installer.rules import own_page, with_rules, without_rules
from lineup_mcp.installer.writing import CannotRead, CannotWrite, read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from lineup_mcp.installer.program import ConfigFile, RulesFile

__all__ = ["Change", "added", "difference", "read_document", "removed"]

_SECRET: Final = re.compile(
    r"""((?:token|secret|password|passwd|api_?key|authorization|credential)["']?\s*[:=]\s*)(\S.*)""",
    re.IGNORECASE,
)
_REFERENCE: Final = re.compile(r"""["']?(\$\{|\{env:)""")


@dataclass(frozen=True, slots=True)
class Change:
    """A file's text before and after; None = no file.

    Args:
        path: the file.
        before: what it says.
        after: what it is to say.
        private: a new one is for its owner only.
    """

    path: Path
    before: str | None
    after: str | None
    private: bool


def added(files: Sequence[ConfigFile], rules: RulesFile | None, scope: Scope) -> list[Change]:
    """What an installation changes; nothing that holds already.

    Raises:
        CannotRead: a file cannot be read, or is not of its format.
        CannotWrite: a file cannot be edited safely.
    """
    changes = [_changed(file, scope, granted=True) for file in files]
    if rules is not None:
        before = read_text(rules.path)
        if rules.front_matter is None:
            after = with_rules(before or "")
        else:
            after = own_page(rules.front_matter)
        changes.append(Change(rules.path, before, after, scope is Scope.USER))
    return _real(changes)


def removed(
    files: Sequence[ConfigFile], rules: Iterable[RulesFile | None], scope: Scope
) -> list[Change]:
    """What taking LineUp out changes; a file that says nothing else then goes as well.

    Raises:
        CannotWrite: as above.
    """
    changes = [_changed(file, scope, granted=False) for file in files]
    for file in rules:
        before = None if file is None else read_text(file.path)
        if file is not None and before is not None:
            ours = file.front_matter is not None
            after = None if ours else without_rules(before) or None
            changes.append(Change(file.path, before, after, scope is Scope.USER))
    return _real(changes)


def read_document(file: ConfigFile) -> Document:
    """What a file says now.

    Raises:
        CannotRead: it cannot be read, or is not of its format.
    """
    return _document(file, read_text(file.path) or "")


def difference(change: Change) -> str:
    """A unified diff for a person; values that look like secrets are not shown."""
    before = (change.before or "").replace("\r\n", "\n").splitlines()
    after = (change.after or "").replace("\r\n", "\n").splitlines()
    name = str(change.path)
    old = name if change.before is not None else "/dev/null"
    new = name if change.after is not None else "/dev/null"
    lines = difflib.unified_diff(before, after, old, new, lineterm="", n=2)
    return "\n".join(_SECRET.sub(_hidden, line) for line in lines)


def _hidden(match: re.Match[str]) -> str:
    return match[0] if _REFERENCE.match(match[2]) else f"{match[1]}<hidden>"


def _changed(file: ConfigFile, scope: Scope, *, granted: bool) -> Change:
    before = read_text(file.path)
    document = _document(file, before or "")
    try:
        for wish in file.wishes:
            (wish.grant if granted else wish.withdraw)(document)
    except Unwritable as error:
        msg = (
            f"{file.path} cannot be edited safely at {error}: it is written in an unusual way. "
            "Nothing was changed; docs/hosts.md shows what to enter by hand"
        )
        raise CannotWrite(msg) from error
    # An emptied file goes; one that was empty before stays as it was.
    text: str | None = document.text
    if text is not None and not text.strip():
        text = None if (before or "").strip() else before
    return Change(file.path, before, text, scope is Scope.USER)


def _document(file: ConfigFile, text: str) -> Document:
    try:
        return Document(file.form, text)
    except Unreadable as error:
        raise CannotRead(file.path, str(error), text=text) from error


def _real(changes: Iterable[Change]) -> list[Change]:
    return [change for change in changes if change.before != change.after]
