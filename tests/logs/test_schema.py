from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from lineup_srv.logs.errors import LogUnusable
from lineup_srv.logs.sqlite import open_store
from lineup_srv.logs.sqlite.schema import FILE_NAME, MIGRATIONS, connect, migrate, read_log_id

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

STEPS = ("CREATE TABLE a (x); CREATE TABLE b (y)", "ALTER TABLE a ADD COLUMN z DEFAULT 7")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / FILE_NAME


@pytest.fixture
def db(path: Path) -> Iterator[sqlite3.Connection]:
    opened = connect(path, writes=True)
    yield opened
    opened.close()


def version(db: sqlite3.Connection) -> object:
    return db.execute("SELECT value FROM meta WHERE key = 'schema_version'").fetchone()[0]


def test_each_migration_is_done_once(db: sqlite3.Connection, path: Path) -> None:
    migrate(db, path, STEPS[:1])
    assert version(db) == 1
    db.execute("INSERT INTO a VALUES (1)")
    log_id = read_log_id(db)
    migrate(db, path, STEPS)
    migrate(db, path, STEPS)
    assert version(db) == 2
    assert db.execute("SELECT x, z FROM a").fetchall() == [(1, 7)]
    assert read_log_id(db) == log_id


def test_a_migration_is_all_or_nothing(db: sqlite3.Connection, path: Path) -> None:
    migrate(db, path, STEPS[:1])
    with pytest.raises(sqlite3.OperationalError):
        migrate(db, path, (STEPS[0], "CREATE TABLE c (x); CREATE TABLE a (x)"))
    assert version(db) == 1
    assert not db.in_transaction
    migrate(db, path, (STEPS[0], "CREATE TABLE c (x)"))
    assert version(db) == 2


def test_the_connection_keeps_what_it_commits(db: sqlite3.Connection, path: Path) -> None:
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert db.execute("PRAGMA synchronous").fetchone() == (2,)
    assert db.execute("PRAGMA foreign_keys").fetchone() == (1,)
    migrate(db, path, MIGRATIONS)
    with pytest.raises(sqlite3.IntegrityError):
        db.execute("INSERT INTO facts VALUES ('r', 1, 'f', 'k', 's', 1, '{}')")


def test_a_reading_connection_writes_nothing(db: sqlite3.Connection, path: Path) -> None:
    migrate(db, path, MIGRATIONS)
    reader = connect(path, writes=False)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader.execute("DELETE FROM rooms")
    reader.close()


async def test_a_file_of_a_newer_release_is_left_alone(db: sqlite3.Connection, path: Path) -> None:
    migrate(db, path, (*MIGRATIONS, "CREATE TABLE later (x)"))
    with pytest.raises(LogUnusable) as caught:
        await open_store(path.parent)
    newer = len(MIGRATIONS) + 1
    assert str(caught.value) == f"{path}: schema version {newer} is from a newer LineUp"
    assert version(db) == newer


async def test_a_file_that_is_no_database_is_named(path: Path) -> None:
    path.write_bytes(b"not a database, but long enough to have a header" * 10)  # noqa: ASYNC240
    with pytest.raises(LogUnusable, match="file is not a database"):
        await open_store(path.parent)


async def test_a_place_that_is_no_directory_is_named(path: Path) -> None:
    path.write_text("a file")  # noqa: ASYNC240
    with pytest.raises(LogUnusable, match="exists"):
        await open_store(path)
