"""The folders of MiniApps: which count, which files are theirs, and what is said of the others."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

import pytest

from lineup_srv.app.chores import tell_of_miniapps
from lineup_srv.miniapps import MANIFEST, TOLD, MiniApp, MiniAppFolders, examine
from tests.contract.definitions import toolset
from tests.miniapps.making import make

if TYPE_CHECKING:
    from pathlib import Path


def the_one(folder: Path) -> MiniApp:
    """The only MiniApp of a folder."""
    (app,) = examine(folder).apps.values()
    return app


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "miniapps"
    root.mkdir()
    return root


def test_every_folder_with_a_manifest_is_a_miniapp(root: Path, tmp_path: Path) -> None:
    make(root / "one", id="one")
    make(tmp_path / "other" / "two", id="two")
    (root / "notes").mkdir()
    (root / "file").write_text("")

    found = MiniAppFolders([root, tmp_path / "other", tmp_path / "none"]).read()

    assert list(found.apps) == ["one", "two"]


def test_a_folder_may_be_the_miniapp_itself(tmp_path: Path) -> None:
    make(tmp_path, id="own")
    make(tmp_path / "inside", id="inside")

    assert list(MiniAppFolders([tmp_path]).read().apps) == ["own", "inside"]


def test_the_first_of_two_with_one_id_counts_and_the_other_is_told(
    root: Path, tmp_path: Path
) -> None:
    make(tmp_path / "own" / "z", title="Mine")
    make(root / "a", title="Theirs")

    found = MiniAppFolders([tmp_path / "own", root]).read()

    assert found.apps["hello"].manifest.application.title == "Mine"
    (refused,) = found.refused
    assert (refused.folder, refused.app_id) == (root / "a", "")
    assert [str(fault) for fault in refused.faults] == [
        "manifest.json:2:3: id: hello is the id of the MiniApp in z too: choose another"
    ]


def test_a_folder_that_is_reached_twice_counts_once(root: Path) -> None:
    make(root / "hello")
    (root / "link").symlink_to(root / "hello")

    found = MiniAppFolders([root, root]).read()

    assert (list(found.apps), found.refused) == (["hello"], ())


def test_what_cannot_be_used_is_left_out_and_said_once(
    root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    make(root / "good", id="good", tools=[toolset("fine"), {"name": "bad"}])
    make(root / "wrong", id="Wrong", version="")
    (make(root / "bare", id="bare") / "index.html").unlink()
    folders = MiniAppFolders([root])

    with caplog.at_level(logging.WARNING):
        first, second = folders.read(), folders.read()

    assert list(first.apps) == list(second.apps) == ["good"]
    assert [(told.folder.name, told.app_id) for told in second.refused] == [
        ("bare", ""),
        ("good", "good"),
        ("wrong", ""),
    ]
    said = [record.getMessage().removeprefix(f"MiniApp {root}/") for record in caplog.records]
    assert said == [
        "bare is left out: manifest.json:5:3: entry: there is no file index.html in the folder: "
        "write it, or correct the name",
        "good goes without a tool: manifest.json:33:5: tools[1].type: is missing",
        "good goes without a tool: manifest.json:33:5: tools[1].description: is missing",
        "wrong is left out: manifest.json:2:3: id: must be 1 to 64 of a-z, 0-9, dot, - and _, "
        "with a letter or digit at each end",
        "wrong is left out: manifest.json:3:3: version: is empty",
    ]


def test_the_log_is_told_of_so_many_faults(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    make(root / "bad", tools=[{}] * TOLD)

    MiniAppFolders([root]).read()

    assert len(caplog.records) == TOLD + 1
    more = 2 * TOLD
    assert f"{more} more faults, see `lineup-mcp miniapp check`" in caplog.messages[-1]


def test_what_was_mended_is_there(root: Path) -> None:
    entry = make(root / "hello") / "index.html"
    entry.unlink()
    folders = MiniAppFolders([root])
    assert folders.read().apps == {}

    entry.write_text("<!doctype html>")
    assert list(folders.read().apps) == ["hello"]
    make(root / "hello", title="Hello again", version="1.0.1")
    os.utime(root / "hello" / MANIFEST, ns=(1, 1))
    assert folders.read().apps["hello"].manifest.application.title == "Hello again"


def test_a_start_page_that_is_taken_away_takes_the_miniapp_with_it(root: Path) -> None:
    entry = make(root / "hello") / "index.html"
    folders = MiniAppFolders([root])
    assert list(folders.read().apps) == ["hello"]

    entry.unlink()

    assert folders.read().apps == {}


def test_more_than_a_page_may_announce_are_not_read(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lineup_srv.miniapps.folders._MOST", 2)
    for name in ("a1", "a2", "a3", "a4"):
        make(root / name, id=name)

    for found in (MiniAppFolders([root]).read(), examine(root)):
        assert list(found.apps) == ["a1", "a2"]
        (refused,) = found.refused
        assert refused.folder == root / "a3"
        assert "at most 2 MiniApps" in str(refused.faults[0])


@pytest.mark.requirement("design:security:miniapps-are-sandboxed")
def test_files_outside_of_the_folder_are_not_its_own(root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    folder = make(root / "hello")
    (folder / "own.js").write_text("own")
    (folder / ".hidden").write_text("hidden")
    (folder / "inner").mkdir()
    (folder / "inner" / "deep.js").write_text("deep")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "up").symlink_to(tmp_path)
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "alias.js").symlink_to(folder / "own.js")
    app = the_one(folder)

    assert app.file("own.js") == folder / "own.js"
    assert app.file("inner/deep.js") == folder / "inner" / "deep.js"
    assert app.file("alias.js") == folder / "own.js"
    for name in (
        "none.js", ".hidden", "inner", "link.txt", "up/secret.txt", "loop", "../secret.txt",
        "inner/../own.js", "/etc/passwd", "", "own.js\0",
    ):  # fmt: skip
        assert app.file(name) is None, name


def test_a_linked_folder_is_one(root: Path, tmp_path: Path) -> None:
    (root / "linked").symlink_to(make(tmp_path / "elsewhere"))

    app = the_one(root)

    assert app.file("index.html") == tmp_path / "elsewhere" / "index.html"


@pytest.mark.parametrize("name", ["empty", "missing", "hello"])
async def test_a_start_tells_of_a_folder_without_any(
    root: Path, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    (root / "empty").mkdir()
    make(root / "hello", tools=[{}])
    given = root / name

    await tell_of_miniapps(MiniAppFolders([given]), given)
    await tell_of_miniapps(MiniAppFolders([]), None)

    told = [message.split(":")[0] for message in caplog.messages]
    if name == "hello":
        assert told == [f"MiniApp {given} goes without a tool"] * 3
    else:
        assert told == ["no MiniApp"]
        assert str(given) in caplog.text
