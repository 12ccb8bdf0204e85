"""Whether the agent programs of this machine know the bridge, and give it the time it needs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from lineup_mcp.doctor.findings import Finding, Level
from lineup_mcp.installer.places import Scope
from lineup_mcp.installer.plan import lacking, read_document
from lineup_mcp.installer.programs import PROGRAMS
from lineup_mcp.installer.wishes import Entry
from lineup_mcp.installer.writing import CannotWrite

if TYPE_CHECKING:
    from collections.abc import Iterator

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
            files = program.files(place, scope, server)
            try:
                findings += _of_scope(program, scope, files)
            except CannotWrite as error:
                findings.append(Finding(Level.ERROR, program.title, str(error)))
        if not findings and _is_here(program, place, server):
            text, mend = "LineUp is not installed in it", f"lineup-mcp install {program.name}"
            findings.append(Finding(Level.NOTE, program.title, text, mend))
        yield from findings


def _of_scope(program: Program, scope: Scope, files: list[ConfigFile]) -> Iterator[Finding]:
    """What is wrong in one scope that has our entry; nothing if it has none."""
    commands = [command for file in files for command in _commands(file)]
    if not commands:
        return
    suffix = " --scope project" if scope is Scope.PROJECT else ""
    mend = f"lineup-mcp install {program.name}{suffix}"
    for command in commands:
        if shutil.which(command) is None:
            text = f"its entry starts {command}, which is not there"
            yield Finding(Level.ERROR, program.title, text, mend)
            return
    missing = [name for file in files for name in lacking(file)]
    if missing:
        text = f"a waiting question may be cut off; missing: {', '.join(missing)}"
        yield Finding(Level.WARNING, program.title, text, mend)
    else:
        where = "this project" if scope is Scope.PROJECT else str(files[0].path)
        yield Finding(Level.OK, program.title, f"installed in {where}")


def _commands(file: ConfigFile) -> Iterator[str]:
    """What our entries in a file start."""
    document = read_document(file)
    for wish in file.wishes:
        entry = document.get(wish.path) if isinstance(wish, Entry) else None
        if isinstance(entry, dict):
            command = entry.get("command")
            yield str(command[0] if isinstance(command, list) and command else command)


def _is_here(program: Program, place: Place, server: Server) -> bool:
    """Whether the program seems to be on this machine."""
    files = program.files(place, Scope.USER, server)
    folders = {file.path.parent for file in files} - {place.home, Path()}
    return shutil.which(program.binary) is not None or any(map(Path.is_dir, folders))
