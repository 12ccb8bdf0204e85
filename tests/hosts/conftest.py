"""Which programs are there. What is missing is installed if that takes no longer than it may."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.hosts.programs import HOST, NAMES
from tests.system.conftest import _no_leftovers, shared, token

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["_no_leftovers", "installed", "shared", "token"]

INSTALL_SECONDS = 240.0
"""For all programs together, where none is there."""
# Before any test has a home of its own.
DIRECTORY = Path(os.environ.get("LINEUP_HOSTS") or Path.home() / ".cache" / "lineup-hosts")


@pytest.fixture(scope="session")
def installed() -> Callable[[str], Path]:
    """Returns where the programs are; skips the test if its own is not there, and says why."""
    begun = time.monotonic()
    problems: dict[str, str] = {}

    def have(name: str) -> Path:
        if name not in problems:
            left = INSTALL_SECONDS - (time.monotonic() - begun)
            problems[name] = _problem(name, left)
        if problems[name]:
            pytest.skip(f"{name}: {problems[name]}")
        return DIRECTORY

    return have


def _problem(name: str, seconds: float) -> str:
    """Why a program is not there; empty if it is."""
    mark = DIRECTORY / name / "installed"
    if mark.is_file() and mark.read_text() == NAMES[name]:
        return ""
    if seconds <= 0:
        return f"not installed, and the {INSTALL_SECONDS:.0f} s for installing are over"
    command = [sys.executable, str(HOST), "install", name]
    environ = {**os.environ, "LINEUP_HOSTS": str(DIRECTORY)}
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=seconds, check=False, env=environ
        )
    except subprocess.TimeoutExpired:
        return f"its installation took longer than the {seconds:.0f} s that were left"
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        return f"it cannot be installed here: {lines[-1] if lines else 'no reason given'}"
    mark.write_text(NAMES[name])
    return ""
