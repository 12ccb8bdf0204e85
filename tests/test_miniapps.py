"""The folders of MiniApps: which count, which files are theirs, and what is said of the others."""

from __future__ import annotations

import json
import logging
import os
from typing import TYPE_CHECKING, Any

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import LineUpError
from lineup_srv.miniapps import MANIFEST, MiniAppFolders, complaint, read_folder
from tests.contract.definitions import toolset

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST_OF: dict[str, Any] = {
    "id": "hello",
    "version": "1",
    "title": "Hello",
    "entry": "index.html",
    "tools": [toolset("greeter")],
}


def make(folder: Path, **changes: Any) -> Path:
    """A MiniApp."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MANIFEST).write_text(json.dumps({**MANIFEST_OF, **changes}), "utf-8")
    (folder / "index.html").write_text("<!doctype html>")
    return folder


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

    apps = MiniAppFolders([root, tmp_path / "other", tmp_path / "none"]).read()

    assert list(apps) == ["one", "two"]


def test_the_first_of_two_with_one_id_counts(root: Path, tmp_path: Path) -> None:
    make(tmp_path / "own" / "z", title="Mine")
    make(root / "a", title="Theirs")

    apps = MiniAppFolders([tmp_path / "own", root]).read()

    assert apps["hello"].manifest.application.title == "Mine"


def test_what_cannot_be_used_is_left_out_and_said_once(
    root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    make(root / "good", id="good", tools=[toolset("fine"), {"name": "bad"}])
    make(root / "wrong", id="Wrong")
    (make(root / "bare", id="bare") / "index.html").unlink()
    folders = MiniAppFolders([root])

    with caplog.at_level(logging.WARNING):
        first, second = folders.read(), folders.read()

    assert list(first) == list(second) == ["good"]
    said = sorted(record.getMessage().partition(": ")[2] for record in caplog.records)
    assert said[0] == "entry: there is no file index.html in the folder"
    assert said[1].startswith("id: must be ")
    assert said[2].startswith("tools[1].type: ")
    assert len(said) == 3


def test_what_was_mended_is_there(root: Path) -> None:
    entry = make(root / "hello") / "index.html"
    entry.unlink()
    folders = MiniAppFolders([root])
    assert folders.read() == {}

    entry.write_text("<!doctype html>")
    assert list(folders.read()) == ["hello"]
    make(root / "hello", title="Hello again", version="1.0.1")
    os.utime(root / "hello" / MANIFEST, ns=(1, 1))
    assert folders.read()["hello"].manifest.application.title == "Hello again"


def test_more_than_a_page_may_announce_are_not_read(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "APPLICATIONS_PER_LIST", 2)
    for name in ("a1", "a2", "a3"):
        make(root / name, id=name)

    assert list(MiniAppFolders([root]).read()) == ["a1", "a2"]


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
    app = read_folder(folder)

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

    app = MiniAppFolders([root]).read()["hello"]

    assert app.file("index.html") == tmp_path / "elsewhere" / "index.html"


@pytest.mark.parametrize("content", [None, b"\xff", b"{}", b" " * (limits.MANIFEST_BYTES + 1)])
def test_what_is_no_miniapp_is_said(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / MANIFEST).write_bytes(content)

    with pytest.raises(LineUpError) as caught:
        read_folder(tmp_path)
    assert complaint(caught.value)
