from __future__ import annotations

import asyncio
import shutil
import sqlite3
import stat
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from lineup_srv.cli import main
from lineup_srv.logs.sqlite.schema import FILE_NAME
from tests.cli.commands import LONG, LONG_SHA, fill, lineup_srv, refused, said, written
from tests.logs.sample import NOW, TOKEN, opened
from tests.logs.stores import Clock, folded, loaded, opened_store, same_order, token_room

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    path = tmp_path / "data"
    fill(path)
    return path


def restored(backup: Path, tmp_path: Path) -> Path:
    """A data directory with the copy in place of the log."""
    path = tmp_path / "restored"
    path.mkdir()
    shutil.copy(backup, path / FILE_NAME)
    return path


def test_a_backup_is_the_whole_log_under_another_id(data_dir: Path, tmp_path: Path) -> None:
    backup = tmp_path / "copy.db"
    assert said(data_dir, "backup", str(backup)) == ""
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600

    async def check() -> None:
        async with (
            opened_store(data_dir, Clock(NOW)) as original,
            opened_store(restored(backup, tmp_path), Clock(NOW)) as store,
        ):
            room = await token_room(store, TOKEN)
            assert room == await token_room(original, TOKEN)
            assert same_order(await loaded(store, room), folded(written()))
            assert await store.blobs.get(room, LONG_SHA) == LONG.encode()
            assert store.log.log_id != original.log.log_id

    asyncio.run(check())


@pytest.mark.parametrize("table", [True, False])
def test_a_backup_has_no_secrets(data_dir: Path, tmp_path: Path, table: bool) -> None:
    async def keep() -> None:
        async with opened_store(data_dir, Clock(NOW)) as store:
            room = await token_room(store, TOKEN)
            await store.secrets.keep(room, "s1", "correct horse")

    asyncio.run(keep())
    if not table:  # an older release wrote the log
        with closing(sqlite3.connect(data_dir / FILE_NAME)) as db:
            db.execute("DROP TABLE secrets")
    backup = tmp_path / "copy.db"
    said(data_dir, "backup", str(backup))
    if table:
        with closing(sqlite3.connect(backup)) as db:
            assert db.execute("SELECT count(*) FROM secrets").fetchone() == (0,)
        assert b"correct horse" not in backup.read_bytes()


async def test_a_backup_beside_a_relay_that_writes_is_one_moment_of_it(
    data_dir: Path, tmp_path: Path
) -> None:
    backup = tmp_path / "copy.db"
    async with opened_store(data_dir, Clock(NOW)) as store:
        room = await token_room(store, TOKEN)
        before = seq = len(written())
        copying = asyncio.ensure_future(asyncio.to_thread(said, data_dir, "backup", str(backup)))
        while not copying.done():
            seq = await store.log.append(room, seq, [opened(1_000 + seq), opened(5_000 + seq)])
        await copying
    async with opened_store(restored(backup, tmp_path), Clock(NOW)) as copy:
        lines = await copy.log.read(room, 0, 100_000)
        assert before <= len(lines) <= seq
        # Whole appends only.
        assert (len(lines) - before) % 2 == 0
        assert same_order(await loaded(copy, room), folded(line.fact for line in lines))


def test_a_file_that_is_there_is_kept_unless_forced(data_dir: Path, tmp_path: Path) -> None:
    backup = tmp_path / "copy.db"
    backup.write_text("mine")
    assert "exists; --force" in refused(data_dir, "backup", str(backup))
    assert backup.read_text() == "mine"
    said(data_dir, "backup", str(backup), "--force")
    assert backup.read_bytes().startswith(b"SQLite format 3")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.db", "data", "home"]


def test_a_damaged_log_gives_no_backup_and_a_status(data_dir: Path, tmp_path: Path) -> None:
    path = data_dir / FILE_NAME
    damaged = bytearray(path.read_bytes())
    with closing(sqlite3.connect(path)) as db:
        (page,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'facts'").fetchone()
    damaged[(page - 1) * 4_096 + 8 : page * 4_096] = b"\xff" * (4_096 - 8)
    path.write_bytes(damaged)
    assert "damaged" in refused(data_dir, "backup", str(tmp_path / "copy.db"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "home"]


def test_without_a_log_there_is_nothing_to_copy(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    assert "there is no log" in refused(empty, "backup", str(tmp_path / "copy.db"))
    assert not empty.exists()


def test_a_place_that_cannot_be_written_is_named(data_dir: Path, tmp_path: Path) -> None:
    assert "No such file" in refused(data_dir, "backup", str(tmp_path / "nowhere" / "copy.db"))


@pytest.mark.parametrize("where", ["before", "after", "file"])
def test_the_directory_may_be_named_in_three_places(
    data_dir: Path, tmp_path: Path, where: str
) -> None:
    backup = str(tmp_path / "copy.db")
    config = tmp_path / "named.toml"
    config.write_text(f'[srv]\ndata_dir = "{data_dir}"\n')
    arguments = {
        "before": ["--data-dir", str(data_dir), "backup", backup],
        "after": ["backup", backup, "--data-dir", str(data_dir)],
        "file": ["backup", "--config", str(config), backup],
    }[where]
    assert CliRunner().invoke(main, arguments).exit_code == 0


def test_a_configuration_that_cannot_be_read_has_its_own_status(data_dir: Path) -> None:
    result = lineup_srv(data_dir, "export", "--config", "/nowhere.toml")
    assert result.exit_code == 2
    assert "no configuration file" in result.stderr
