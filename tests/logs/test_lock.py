from __future__ import annotations

import errno
import json
import os
import stat
from typing import TYPE_CHECKING

import pytest

from lineup_srv.logs.errors import DirectoryTaken
from lineup_srv.logs.lock import DirectoryLock

if TYPE_CHECKING:
    from pathlib import Path


def test_the_second_relay_is_told_who_holds_the_directory(data_dir: Path) -> None:
    lock = DirectoryLock(data_dir)
    lock.announce(version="1.2.3", http=22080, grpc=22081)
    with pytest.raises(DirectoryTaken) as caught:
        DirectoryLock(data_dir)
    holder = {"pid": os.getpid(), "version": "1.2.3", "http": 22080, "grpc": 22081}
    assert json.loads(caught.value.holder) == holder
    assert "is used by another relay" in str(caught.value)
    assert json.loads((data_dir / "lock").read_text()) == holder
    lock.release()


def test_a_shorter_announcement_leaves_nothing_of_the_longer(data_dir: Path) -> None:
    lock = DirectoryLock(data_dir)
    lock.announce(version="1.2.3.dev4+long", http=22080, grpc=22081)
    lock.announce(version="1", http=1, grpc=2)
    assert json.loads((data_dir / "lock").read_text())["version"] == "1"
    lock.release()


def test_a_released_directory_can_be_taken_and_says_nothing_old(data_dir: Path) -> None:
    first = DirectoryLock(data_dir)
    first.announce(version="1", http=1, grpc=2)
    first.release()
    first.release()
    second = DirectoryLock(data_dir)
    assert (data_dir / "lock").read_text() == ""
    second.release()


def test_a_holder_that_has_not_announced_itself_is_still_a_holder(data_dir: Path) -> None:
    lock = DirectoryLock(data_dir)
    with pytest.raises(DirectoryTaken, match="it does not say which"):
        DirectoryLock(data_dir)
    lock.release()


def test_only_the_owner_may_look(data_dir: Path) -> None:
    lock = DirectoryLock(data_dir)
    assert stat.S_IMODE(data_dir.stat().st_mode) == 0o700
    assert stat.S_IMODE((data_dir / "lock").stat().st_mode) == 0o600
    lock.release()


def test_a_full_disk_takes_the_announcement_but_not_the_claim(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(_file: int, _text: bytes, _offset: int) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    lock = DirectoryLock(data_dir)
    lock.announce(version="1.2.3", http=22080, grpc=22081)
    assert os.strerror(errno.ENOSPC) in caplog.text
    with pytest.raises(DirectoryTaken):
        DirectoryLock(data_dir)
    lock.release()
