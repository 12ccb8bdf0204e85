"""Which files an agent may have shown, and what is no picture whatever it is called."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from lineup_mcp.tools.files import read_picture, read_pictures, roots
from lineup_mcp.tools.reading import ArgumentError
from lineup_srv.contract import limits
from tests.mcp.test_pictures import drawn

PNG = drawn("PNG")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a picture; a temporary directory beside it."""
    made = tmp_path / "project"
    made.mkdir()
    (made / "a.png").write_bytes(PNG)
    (tmp_path / "secret.png").write_bytes(PNG)
    (tmp_path / "temporary").mkdir()
    (tmp_path / "temporary" / "t.txt").write_bytes(PNG)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return made


def shown(path: str, project: Path) -> bytes:
    return read_picture(path, roots(str(project), ""), field="path")[0]


def refused(path: str, project: Path) -> ArgumentError:
    with pytest.raises(ArgumentError) as caught:
        shown(path, project)
    assert caught.value.field == "path"
    return caught.value


def refusal(path: str, project: Path) -> str:
    return refused(path, project).problem


def test_files_of_the_project_and_the_temporary_directory_are_shown(project: Path) -> None:
    assert shown("a.png", project) == PNG
    assert shown(str(project / "." / "a.png"), project) == PNG
    assert shown(str(project.parent / "temporary" / "t.txt"), project) == PNG


@pytest.mark.parametrize("path", ["../secret.png", "~/../secret.png", "link.png", "sub/secret.png"])
def test_whatever_leads_out_is_refused(project: Path, path: str) -> None:
    (project / "link.png").symlink_to(project.parent / "secret.png")
    (project / "sub").symlink_to(project.parent)
    assert refusal(path, project).startswith("must lie inside ")
    assert refusal(str(project.parent / "secret.png"), project).startswith("must lie inside ")


def test_a_refusal_names_the_directories_and_what_to_do(project: Path) -> None:
    temporary = project.parent / "temporary"
    error = refused("/etc/hostname", project)
    assert error.problem == f"must lie inside {project} or {temporary}"
    assert error.next_step.startswith("copy the picture into one of these directories")
    missing = refused("none.png", project)
    assert missing.problem.endswith(f"; relative paths begin at {project}")
    assert "begin at" not in refused("/none.png", project).problem


def test_a_link_inside_is_followed(project: Path) -> None:
    (project / "link.png").symlink_to(project / "a.png")
    assert shown("link.png", project) == PNG


@pytest.mark.parametrize("path", ["none.png", "a\0b", "", "loop"])
def test_what_cannot_be_read_is_said(project: Path, path: str) -> None:
    (project / "loop").symlink_to(project / "loop")
    assert refusal(path, project).startswith(("names no file that can be read", "must be a file"))


def test_a_pipe_and_a_directory_are_no_files(project: Path) -> None:
    os.mkfifo(project / "pipe.png")
    assert refusal("pipe.png", project) == "must be a file"
    assert refusal(".", project) == "names no file that can be read"


def test_bytes_decide_and_size_is_bounded(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "keys.png").write_text("-----BEGIN PRIVATE KEY-----")
    assert refusal("keys.png", project) == "must be a PNG, JPEG, GIF or WebP"
    monkeypatch.setattr(limits, "PICTURE_BYTES", len(PNG) - 1)
    assert refusal("a.png", project).startswith("must have at most")


def test_pictures_of_a_card_are_bounded_together(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed = roots(str(project), "")
    contents = read_pictures(["a.png", "a.png"], allowed)
    assert [content.image.mime_type for content in contents] == ["image/png"] * 2
    monkeypatch.setattr(limits, "PICTURES_BYTES", len(PNG) + 1)
    with pytest.raises(ArgumentError) as caught:
        read_pictures(["a.png", "a.png"], allowed)
    assert caught.value.field == "images"
    with pytest.raises(ArgumentError) as caught:
        read_pictures(["a.png", "../secret.png"], allowed)
    assert caught.value.field == "images[1]"


def test_no_project_contains_the_home_directory(tmp_path: Path, project: Path) -> None:
    temporary = (tmp_path / "temporary").resolve()
    home = Path.home()
    assert roots("", "") == (temporary,)
    assert roots(str(home), "/") == (temporary,)
    assert roots("", str(home.parent)) == (temporary,)
    assert roots("", "relative") == (temporary,)
    assert roots(str(project), str(home / "work")) == (project, home / "work", temporary)
