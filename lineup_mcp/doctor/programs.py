"""Whether the agent programs of this machine know the bridge, and give it the time it needs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from lineup_mcp.doctor.findings import Finding, Level
from lineup_mcp.installer.places import Scope
from lineup_mcp.installer.plan import read_document
from lineup_mcp.installer.programs import PROGRAMS
from lineup_mcp.installer.wishes import Entry
from lineup_mcp.installer.writing import CannotRead

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineup_mcp.installer.formats import Document
    from lineup_mcp.installer.places import Place
    from lineup_mcp.installer.program import ConfigFile, Program, Server

__all__ = ["check_programs"]


def check_programs(place: Place, server: Server) -> Iterator[Finding]:
    """Look at every program that is found, in both scopes.

    Args:
        place: where to look.
        server: how this bridge is started.
    """
    for program in PROGRAMS.values():
        findings: list[Finding] = []
        for scope in Scope:
            findings += _of_scope(program, scope, program.files(place, scope, server))
        if not findings and _is_here(program, place, server):
            text, mend = "LineUp is not installed in it", f"lineup-mcp install {program.name}"
            findings.append(Finding(Level.NOTE, program.title, text, mend))
        yield from findings


def _of_scope(program: Program, scope: Scope, files: list[ConfigFile]) -> Iterator[Finding]:
    """What is wrong in one scope that has our entry, and every file that cannot be read."""
    suffix = " --scope project" if scope is Scope.PROJECT else ""
    mend = f"lineup-mcp install {program.name}{suffix}"
    documents: list[tuple[ConfigFile, Document]] = []
    broken: list[CannotRead] = []
    for file in files:
        try:
            documents.append((file, read_document(file)))
        except CannotRead as error:
            broken.append(error)
    commands = [command for file, document in documents for command in _commands(file, document)]
    if broken:
        ours = bool(commands) or any(_names_ours(one.text, files) for one in broken)
        for one in broken:
            yield _broken(program, one, mend, ours=ours)
    elif commands:
        yield _installed(program, scope, documents, commands, mend)


def _broken(program: Program, error: CannotRead, mend: str, *, ours: bool) -> Finding:
    """A file that its program cannot use either."""
    which = "LineUp is entered in it, and" if ours else "LineUp is not installed in it;"
    text = f"{which} {error.path} cannot be used: {error.problem}"
    level = Level.ERROR if ours else Level.WARNING
    return Finding(level, program.title, text, f"correct the file, then: {mend}")


def _installed(
    program: Program,
    scope: Scope,
    documents: list[tuple[ConfigFile, Document]],
    commands: list[str],
    mend: str,
) -> Finding:
    """What is wrong with our entry, if anything is."""
    gone = next((command for command in commands if shutil.which(command) is None), None)
    if gone is not None:
        text = f"its entry starts {gone}, which is not there"
        return Finding(Level.ERROR, program.title, text, mend)
    missing = [
        name
        for file, document in documents
        for wish in file.wishes
        for name in wish.lacks(document)
    ]
    if missing:
        text = f"a waiting question may be cut off; missing: {', '.join(missing)}"
        return Finding(Level.WARNING, program.title, text, mend)
    where = "this project" if scope is Scope.PROJECT else str(documents[0][0].path)
    return Finding(Level.OK, program.title, f"installed in {where}")


def _entries(file: ConfigFile) -> list[Entry]:
    return [wish for wish in file.wishes if isinstance(wish, Entry)]


def _commands(file: ConfigFile, document: Document) -> Iterator[str]:
    """What our entries in a file start."""
    for wish in _entries(file):
        entry = document.get(wish.path)
        if isinstance(entry, dict):
            command = entry.get("command")
            yield str(command[0] if isinstance(command, list) and command else command)


def _names_ours(text: str, files: list[ConfigFile]) -> bool:
    """Whether a text that cannot be read seems to have one of our entries."""
    return any(wish.path[-1] in text for file in files for wish in _entries(file))


def _is_here(program: Program, place: Place, server: Server) -> bool:
    """Whether the program seems to be on this machine."""
    files = program.files(place, Scope.USER, server)
    folders = {file.path.parent for file in files} - {place.home, Path()}
    return shutil.which(program.binary) is not None or any(map(Path.is_dir, folders))
