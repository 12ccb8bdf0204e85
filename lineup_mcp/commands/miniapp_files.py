"""Which files a MiniApp's page needs: those that the page, its scripts and its styles name."""

from __future__ import annotations

import posixpath
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from lineup_srv.contract.json_places import Place
from lineup_srv.miniapps import Fault, file_in, lack_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["missing_files"]

_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_IMPORT: Final = re.compile(
    r"""^[ \t]*(?:import|export)\b[^'"`;]*(['"])(?P<name>\.{1,2}/[^'"\n]+)\1""", re.MULTILINE
)
_STYLE: Final = re.compile(
    r"""(?:@import\s+|url\(\s*)(?:(['"])(?P<quoted>[^'"\n]+)\1|(?P<name>[^'"()\s;]+))"""
)
_Named = tuple[str, Place]


def missing_files(folder: Path, entry: str) -> Iterator[Fault]:
    """The files that are named and not there, or not served.

    Not seen are names that a script puts together; not looked at, addresses of other hosts.

    Args:
        folder: of the MiniApp, without symbolic links.
        entry: its start page, which is there.
    """
    todo, seen = [(entry, folder / entry)], {entry}
    while todo:
        file, path = todo.pop()
        for told, place in _named_in(file, path.read_text("utf-8", errors="replace")):
            name, problem = _resolved(file, told)
            found = file_in(folder, name) if name else None
            if name and found is None:
                problem = lack_of(folder, name)
            if problem:
                yield Fault(file=file, place=place, message=problem)
            if found is not None and name not in seen:
                seen.add(name)
                todo.append((name, found))


def _resolved(file: str, told: str) -> tuple[str, str]:
    """The name of a file in the folder, empty for another host's; and what is wrong with it."""
    url = urlsplit(told)
    path = unquote(url.path)
    if url.scheme or url.netloc or not path:
        return "", ""
    if path.startswith("/"):
        return "", f"{told} does not begin in the folder: name it relative to this file"
    name = posixpath.normpath(posixpath.join(posixpath.dirname(file), path))
    if name == ".." or name.startswith("../"):
        return "", f"{told} leads out of the folder: put a copy of it inside"
    return name, ""


def _named_in(file: str, text: str) -> Iterator[_Named]:
    """What a file names, as it is written there."""
    kind = posixpath.splitext(file)[1]
    if kind in (".html", ".htm"):
        page = _Page()
        page.feed(text)
        yield from page.named
    elif kind in (".js", ".mjs", ".css"):
        # As long as before, so that places stay.
        bare = _COMMENT.sub(lambda comment: re.sub(r"\S", " ", comment[0]), text)
        for found in (_STYLE if kind == ".css" else _IMPORT).finditer(bare):
            group = "quoted" if kind == ".css" and found["quoted"] else "name"
            yield found[group], Place.at(text, found.start(group))


class _Page(HTMLParser):
    """The files that a page names."""

    def __init__(self) -> None:
        super().__init__()
        self.named: list[_Named] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line, column = self.getpos()
        for name, value in attrs:
            if value and (name in ("src", "href", "poster") or (tag, name) == ("object", "data")):
                self.named.append((value.strip(), Place(line, column + 1)))
