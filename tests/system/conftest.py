"""What system tests share: a relay for those that do not end it, a room for each, no leftovers."""

from __future__ import annotations

import contextlib
import json
import secrets
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psutil
import pytest

from tests.system.processes import own_home, program

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Shared:
    """A relay in open mode, so that every test has a room of its own in it."""

    http: int
    grpc: int


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    """A relay that no test may end."""
    directory = tmp_path_factory.mktemp("shared")
    with (
        (directory / "relay.log").open("wb") as log,
        subprocess.Popen(
            [*program("lineup_srv", {}), "--port", "0", "--data-dir", str(directory / "data")],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            env=own_home(directory / "home"),
        ) as process,
    ):
        try:
            assert process.stdout is not None
            told = json.loads(process.stdout.readline())
            ports = (int(told[name].rpartition(":")[2]) for name in ("http", "grpc"))
            yield Shared(*ports)
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


@pytest.fixture
def token() -> str:
    """Opens a room that nobody else is in."""
    return secrets.token_hex(16)


@pytest.fixture(autouse=True)
def _no_leftovers(tmp_path: Path) -> Iterator[None]:
    """No test may leave a process: every one that it starts lives below its directory."""
    yield
    left = [process for process in psutil.process_iter() if _lives_in(process, tmp_path)]
    for process in left:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    assert not left


def _lives_in(process: psutil.Process, directory: Path) -> bool:
    with contextlib.suppress(psutil.Error, OSError):
        home = process.environ().get("HOME", "")
        return home.startswith(str(directory)) and process.status() != psutil.STATUS_ZOMBIE
    return False
