"""`lineup-srv stop` ends a relay, says so only when it has, and touches no other process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from typing import TYPE_CHECKING

import pytest

from lineup_srv.cli import stop as stop_module
from lineup_srv.logs.lock import DirectoryLock, holder_of, is_locked
from tests.cli.commands import refused, said
from tests.system.processes import relay

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The signals that were sent; none reaches a process."""
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: sent.append((pid, number)))
    return sent


async def test_a_running_relay_has_ended_when_the_command_returns(tmp_path: Path) -> None:
    async with relay(tmp_path / "data"):
        pid = holder_of(tmp_path / "data")
        words = await asyncio.to_thread(said, tmp_path / "data", "stop")
        assert words == f"The relay, process {pid}, has ended.\n"
        assert not is_locked(tmp_path / "data")


def test_without_a_relay_nothing_is_to_be_done(tmp_path: Path, told: list[tuple[int, int]]) -> None:
    assert said(tmp_path, "stop") == f"No relay runs on {tmp_path}.\n"
    # One that was killed leaves its id behind, which may be any process's by now.
    (tmp_path / "lock").write_text(json.dumps({"pid": os.getpid()}))
    assert said(tmp_path, "stop") == f"No relay runs on {tmp_path}.\n"
    assert told == []


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"pid": "1"}', '{"pid": 1}', '{"pid": -1}'])
def test_a_relay_that_has_not_said_who_it_is_is_not_guessed(
    tmp_path: Path, told: list[tuple[int, int]], text: str
) -> None:
    lock = DirectoryLock(tmp_path)
    (tmp_path / "lock").write_text(text)
    assert "just starting or ending: try again" in refused(tmp_path, "stop")
    assert told == []
    lock.release()


def test_one_that_does_not_end_is_said_to_run(
    tmp_path: Path, told: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stop_module, "_PATIENCE_SECONDS", 0.0)
    lock = DirectoryLock(tmp_path)
    lock.announce(version="1", http=1, grpc=2)
    assert "was told to end and runs after 0 s" in refused(tmp_path, "stop")
    assert told == [(os.getpid(), signal.SIGTERM)]
    lock.release()


def test_one_that_another_followed_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = DirectoryLock(tmp_path)
    lock.announce(version="1", http=1, grpc=2)
    # It ends before the signal comes, and another relay takes the directory.
    followed = json.dumps({"pid": os.getpid() + 1})

    def gone(_pid: int, _number: int) -> None:
        (tmp_path / "lock").write_text(followed)
        raise ProcessLookupError

    monkeypatch.setattr(os, "kill", gone)
    assert said(tmp_path, "stop") == f"The relay, process {os.getpid()}, has ended.\n"
    lock.release()


def test_another_user_s_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = DirectoryLock(tmp_path)
    lock.announce(version="1", http=1, grpc=2)

    def forbidden(_pid: int, _number: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", forbidden)
    assert f"process {os.getpid()}, is another user's" in refused(tmp_path, "stop")
    lock.release()
