"""Files: which are read, how they are created, who wins a race."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lineup_srv.settings import files
from lineup_srv.settings.resolve import SettingsError


@pytest.fixture
def own() -> Path:
    directory = files.user_config_directory()
    directory.mkdir(parents=True)
    return directory / files.FILE_NAME


def test_a_named_file_is_the_only_one(tmp_path: Path, own: Path) -> None:
    own.write_text("lineup_server_port = 1")
    (tmp_path / files.FILE_NAME).write_text("lineup_server_port = 2")
    named = tmp_path / "named.toml"
    named.write_text("lineup_server_port = 3")
    for config, environ in ((str(named), {}), (None, {"LINEUP_CONFIG": str(named)})):
        (found,) = files.find_files(config, environ=environ, working_directory=tmp_path)
        assert (found.path, found.trusted) == (str(named), True)
        assert found.table == {"lineup_server_port": 3}


def test_the_working_directory_comes_first_and_is_not_trusted(tmp_path: Path, own: Path) -> None:
    own.write_text("lineup_server_port = 1")
    (tmp_path / files.FILE_NAME).write_text("lineup_server_port = 2")
    found = files.find_files(None, environ={}, working_directory=tmp_path)
    assert [file.trusted for file in found] == [False, True]
    found = files.find_files(None, environ={}, working_directory=own.parent)
    assert [file.trusted for file in found] == [True]


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"a = ", "not TOML"), (b"\xff", "not UTF-8"), (b"#" * 1_100_000, "ordinary file")],
)
def test_an_unusable_file_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / files.FILE_NAME
    path.write_bytes(content)
    with pytest.raises(SettingsError, match=said) as error:
        files.find_files(None, environ={}, working_directory=tmp_path)
    assert str(path) in str(error.value)


def test_a_pipe_of_that_name_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / files.FILE_NAME)
    with pytest.raises(SettingsError, match="ordinary file"):
        files.find_files(None, environ={}, working_directory=tmp_path)


def test_a_missing_named_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no configuration file"):
        files.find_files(str(tmp_path / "none"), environ={}, working_directory=tmp_path)


def test_the_first_start_makes_a_random_token_that_only_the_owner_reads() -> None:
    assert files.own_token(create=False) is None
    made = files.own_token(create=True)
    assert made is not None
    token, path = made
    assert len(token) >= 43
    assert Path(path).stat().st_mode & 0o777 == 0o600
    (found,) = files.find_files(None, environ={}, working_directory=Path("/"))
    assert found.table == {"lineup_server_token": token}


def test_a_file_of_the_user_is_not_rewritten(own: Path) -> None:
    own.write_text("lineup_server_port = 5\n")
    made = files.own_token(create=True)
    assert made is not None
    assert own.read_text() == "lineup_server_port = 5\n"
    assert Path(made[1]) == own.parent / "token"
    assert Path(made[1]).stat().st_mode & 0o777 == 0o600
    assert files.own_token(create=True) == made


def test_whoever_loses_the_race_reads_the_winners_token() -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: files.own_token(create=True), range(32)))
    assert len(set(made)) == 1
    assert not list(files.user_config_directory().glob(".*"))


def test_a_directory_that_cannot_be_written_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "/dev/null")
    with pytest.raises(SettingsError, match="/dev/null"):
        files.own_token(create=True)


def test_a_file_system_without_hard_links_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object, **_kwargs: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    path = tmp_path / "new"
    assert files.create_private(path, "one")
    assert not files.create_private(path, "two")
    assert path.read_text() == "one"
    assert path.stat().st_mode & 0o777 == 0o600
