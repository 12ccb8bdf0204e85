"""Tokens while no relay runs: issued once, kept as hashes, renewed and revoked."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.logs.lock import DirectoryLock
from lineup_srv.logs.sqlite.schema import FILE_NAME, MIGRATIONS, connect, migrate
from lineup_srv.logs.sqlite.token_admin import TokenAdmin
from tests.cli.commands import fill, lineup_srv, refused, said
from tests.logs.sample import TOKEN
from tests.logs.stores import Clock, opened_store

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


def now() -> int:
    return time.time_ns() // 1_000_000


def rooms_of(
    data_dir: Path,
    *tokens: str,
    listed: tuple[str, ...] = ("the-list-of-one",),
    at: int | None = None,
    open_mode: bool = False,
) -> list[str | None]:
    """The room of each token as a relay that starts now sees it."""

    async def ask() -> list[str | None]:
        clock = Clock(at or now())
        async with opened_store(
            data_dir, clock, listed_tokens=listed, open_mode=open_mode
        ) as store:
            return [await store.tokens.room_of(token) for token in tokens]

    return asyncio.run(ask())


def listed(data_dir: Path) -> list[list[str]]:
    """The cells of the list without its header; columns are two spaces apart."""
    lines = said(data_dir, "token", "list").splitlines()
    return [[cell for cell in line.split("  ") if cell.strip()] for line in lines[1:]]


def state(data_dir: Path, name: str) -> list[str]:
    return [row[-1].strip() for row in listed(data_dir) if row[1].strip() == name]


def issue(data_dir: Path, name: str, *more: str) -> str:
    return said(data_dir, "token", "new", "--name", name, *more).strip()


def test_a_new_token_opens_a_room_and_lies_nowhere(data_dir: Path) -> None:
    token = issue(data_dir, "home", "--kind", "room")
    assert len(token) == 43
    [room] = rooms_of(data_dir, token)
    assert room is not None
    for path in data_dir.iterdir():
        assert token.encode() not in path.read_bytes()
    assert token not in said(data_dir, "token", "list")
    assert state(data_dir, "home") == ["issued"]


def test_tokens_for_devices_and_agents_open_the_same_room(data_dir: Path) -> None:
    room = issue(data_dir, "home", "--kind", "room")
    phone, bridge = issue(data_dir, "phone"), issue(data_dir, "bridge", "--kind", "agent")
    assert len(set(rooms_of(data_dir, room, phone, bridge))) == 1
    kinds = {row[1].strip(): row[2].strip() for row in listed(data_dir)}
    assert kinds == {"home": "room", "phone": "device", "bridge": "agent", "-": "room"}


def test_with_several_rooms_it_must_be_said_which(data_dir: Path) -> None:
    one = issue(data_dir, "one", "--kind", "room")
    issue(data_dir, "two", "--kind", "room")
    assert "there are 2 rooms" in refused(data_dir, "token", "new", "--name", "phone")
    phone = issue(data_dir, "phone", "--room", "one")
    other = issue(data_dir, "other", "--kind", "room", "--room", "one")
    assert len(set(rooms_of(data_dir, one, phone, other))) == 1


def test_a_name_belongs_to_one_good_token(data_dir: Path) -> None:
    issue(data_dir, "home", "--kind", "room")
    assert "rotate or revoke" in refused(data_dir, "token", "new", "--name", "home")
    said(data_dir, "token", "revoke", "home")
    issue(data_dir, "home")
    assert state(data_dir, "home") == ["revoked", "issued"]


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * (limits.NAME_CHARACTERS + 1)])
def test_a_name_is_short_and_printable(data_dir: Path, name: str) -> None:
    assert lineup_srv(data_dir, "token", "new", "--name", name).exit_code == 2
    assert not data_dir.exists()


@pytest.mark.parametrize(("span", "seconds"), [("2m", 120), ("3h", 10_800), ("30d", 2_592_000)])
def test_a_token_is_good_for_its_span(data_dir: Path, span: str, seconds: int) -> None:
    before = now()
    token = issue(data_dir, "home", "--kind", "room", "--expires", span)
    after = now()
    assert rooms_of(data_dir, token, at=before + seconds * 1000 - 1) != [None]
    assert rooms_of(data_dir, token, at=after + seconds * 1000) == [None]


@pytest.mark.parametrize("span", ["0d", "30", "-1d", "1w", "1.5h"])
def test_a_span_that_is_none_is_a_wrong_command_line(data_dir: Path, span: str) -> None:
    result = lineup_srv(data_dir, "token", "new", "--name", "a", "--expires", span)
    assert result.exit_code == 2
    assert "as in 30d" in result.stderr


def test_rotation_keeps_the_room_the_name_and_the_expiry(data_dir: Path) -> None:
    old = issue(data_dir, "home", "--kind", "room", "--expires", "1d")
    [room] = rooms_of(data_dir, old)
    new = said(data_dir, "token", "rotate", "home").strip()
    assert rooms_of(data_dir, old, new) == [None, room]
    assert rooms_of(data_dir, new, at=now() + 86_400_000) == [None]
    assert state(data_dir, "home") == ["revoked", "issued"]


def test_a_revoked_token_opens_nothing_also_if_it_is_listed_or_long(data_dir: Path) -> None:
    fill(data_dir)
    [row] = listed(data_dir)
    token_id = row[0].strip()
    assert row[-1].strip() == "listed"
    assert rooms_of(data_dir, TOKEN, listed=(TOKEN,)) != [None]

    said(data_dir, "token", "revoke", token_id)

    assert rooms_of(data_dir, TOKEN, listed=(TOKEN,)) == [None]
    assert rooms_of(data_dir, TOKEN, listed=(), open_mode=True) == [None]


def test_a_token_of_open_mode_can_be_replaced_by_an_issued_one(data_dir: Path) -> None:
    fill(data_dir)
    [room] = rooms_of(data_dir, TOKEN, listed=(), open_mode=True)
    [row] = listed(data_dir)
    token = said(data_dir, "token", "rotate", row[0].strip()).strip()
    assert rooms_of(data_dir, TOKEN, token, listed=(), open_mode=True) == [None, room]


@pytest.mark.parametrize("command", ["rotate", "revoke"])
def test_who_is_not_known_cannot_be_changed(data_dir: Path, command: str) -> None:
    issue(data_dir, "home", "--kind", "room")
    assert "no good token is called 'nobody'" in refused(data_dir, "token", command, "nobody")
    # Too short a beginning of an id could mean any token.
    refused(data_dir, "token", command, listed(data_dir)[0][0][:4])
    assert state(data_dir, "home") == ["issued"]


@pytest.mark.parametrize("command", [("list",), ("rotate", "a"), ("revoke", "a")])
def test_without_a_log_there_is_no_token(data_dir: Path, command: tuple[str, ...]) -> None:
    assert "there is no log" in refused(data_dir, "token", *command)
    assert not data_dir.exists()


def test_a_log_of_an_older_release_is_brought_up_to_date_unless_its_relay_runs(
    data_dir: Path,
) -> None:
    path = data_dir / FILE_NAME
    data_dir.mkdir()
    with closing(connect(path, writes=True)) as db:
        migrate(db, path, MIGRATIONS[:1])
        db.execute("INSERT INTO rooms VALUES ('room', 1, 0)")
        db.execute("INSERT INTO tokens VALUES (x'ab', 'room', 'agent', 'old', 1, NULL, 1)")
    lock = DirectoryLock(data_dir)
    assert "a relay of another version runs" in refused(data_dir, "token", "list")
    lock.release()
    assert state(data_dir, "old") == ["issued"]


def test_a_log_of_a_newer_release_is_left_alone(data_dir: Path) -> None:
    issue(data_dir, "home", "--kind", "room")
    with closing(sqlite3.connect(data_dir / FILE_NAME)) as db, db:
        db.execute("UPDATE meta SET value = 99 WHERE key = 'schema_version'")
    assert "newer LineUp" in refused(data_dir, "token", "list")


def test_a_relay_that_does_not_confirm_is_told_of(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    issue(data_dir, "home", "--kind", "room")
    monkeypatch.setattr(TokenAdmin.relay_confirms, "__defaults__", (0.0,))
    lock = DirectoryLock(data_dir)
    assert "has not confirmed it" in refused(data_dir, "token", "revoke", "home")
    lock.release()
    assert state(data_dir, "home") == ["revoked"]


@pytest.mark.parametrize(
    "command",
    [("--help",), ("backup", "--help"), ("export", "--help"), ("token", "--help")]
    + [("token", name, "--help") for name in ("list", "new", "rotate", "revoke")],
)
def test_every_command_says_what_it_does(data_dir: Path, command: tuple[str, ...]) -> None:
    assert len(said(data_dir, *command).splitlines()) > 5
