"""What is wrong with a MiniApp, in words for its author."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lineup_srv.contract.json_places import Place, places
from lineup_srv.contract.json_text import NotJsonError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineup_srv.contract.errors import LineUpError

__all__ = ["Fault", "faults_in", "printable"]

_WHOLE: Final = Place(0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        file: where, relative to the MiniApp's folder.
        place: where in the file; None: the file as a whole.
        path: what, as a dotted path into its JSON; empty for none.
        message: what is wrong with it, and what to do.
    """

    file: str
    place: Place | None = None
    path: str = ""
    message: str

    def __str__(self) -> str:
        """As compilers say it: file, line and column, path, words; on one line."""
        at = f":{self.place.line}:{self.place.column}" if self.place else ""
        what = f"{self.path}: " if self.path else ""
        return printable(f"{self.file}{at}: {what}{self.message}")


def faults_in(file: str, text: str, errors: Sequence[LineUpError]) -> tuple[Fault, ...]:
    """The faults of a file in JSON, each with its place, from its beginning to its end.

    Args:
        file: its name.
        text: what it holds.
        errors: what was found wrong with it.
    """
    named = {error.field for error in errors if error.field}
    # Without a field it is the whole text that could not be read.
    where = places(text, named) if named else {}
    faults = (
        _syntax_fault(file, text, error)
        if isinstance(error, NotJsonError)
        else Fault(file=file, place=where.get(error.field), path=error.field, message=error.message)
        for error in errors
    )
    return tuple(sorted(faults, key=lambda fault: fault.place or _WHOLE))


def _syntax_fault(file: str, text: str, error: NotJsonError) -> Fault:
    """What is wrong there, by the sign that stands there: authors know it from JavaScript."""
    lines = text.split("\n")
    rest = "\n".join(lines[error.line - 1 :])[error.column - 1 :]
    before = text[: len(text) - len(rest)].rstrip()
    sign = rest[:1]
    if not rest.strip():
        hint = "it ends too early: a bracket or a quotation mark is not closed"
    elif sign in "}]" and before.endswith(","):
        hint = "take away the comma before this bracket"
    elif sign == "," and rest[1:].lstrip()[:1] in ("}", "]"):
        hint = "take away this comma: nothing comes after it"
    elif sign in "/#":
        hint = "JSON has no comments"
    elif sign in "'`‘’“”":
        hint = 'texts and names stand in straight double quotes: "…"'
    elif before.endswith((",", "{")) and (sign.isalpha() or sign in "_$"):
        hint = 'a name stands in double quotes: "…"'
    elif sign.isspace():
        hint = "a text stands on one line: write \\n for a new line, \\t for a tab"
    elif sign == '"':
        hint = "a comma is missing before it, or a quotation mark at the end of its text"
    else:
        hint = "something else has to stand here"
    return Fault(file=file, place=Place(error.line, error.column), message=f"is not JSON: {hint}")


def printable(text: str) -> str:
    """A text without what would steer a terminal or begin another line of a log."""
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text
    )
