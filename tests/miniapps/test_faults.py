"""What authors get wrong with a manifest, and the words and the place that they are told."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.miniapps import MANIFEST, examine
from tests.miniapps.making import make, make_raw

if TYPE_CHECKING:
    from pathlib import Path


QUOTES = 'texts and names stand in straight double quotes: "…"'
ONE_LINE = r"a text stands on one line: write \n for a new line, \t for a tab"
COMMA = "a comma is missing before it, or a quotation mark at the end of its text"


def faults_of(folder: Path) -> list[str]:
    """All that is wrong with a MiniApp that cannot be used."""
    found = examine(folder)
    assert found.apps == {}
    (refused,) = found.refused
    return [str(fault) for fault in refused.faults]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{\n  "id": "a",\n}', ":3:1: is not JSON: take away the comma before this bracket"),
        ('{"tools": [1,]}', ":1:14: is not JSON: take away the comma before this bracket"),
        ('{"a": [1,,2]}', ":1:10: is not JSON: something else has to stand here"),
        ('{"a": 1,,}', ":1:9: is not JSON: take away this comma: nothing comes after it"),
        ('{\n  // words\n  "id": 1}', ":2:3: is not JSON: JSON has no comments"),
        ("{'id': 1}", f":1:2: is not JSON: {QUOTES}"),
        ("{id: 1}", ':1:2: is not JSON: a name stands in double quotes: "…"'),
        ('{"id": “a”}', f":1:8: is not JSON: {QUOTES}"),
        ('{"id": "a"\n "title": "b"}', f":2:2: is not JSON: {COMMA}"),
        ('{"id": "a", "title', f":1:13: is not JSON: {COMMA}"),
        (
            '{"id": {"a": 1}',
            ":1:16: is not JSON: it ends too early: a bracket or a quotation mark is not closed",
        ),
        ("", ":1:1: is not JSON: it ends too early: a bracket or a quotation mark is not closed"),
        ('{"id": "a"} x', ":1:13: is not JSON: something else has to stand here"),
        ('{"id": "a\nb"}', f":1:10: is not JSON: {ONE_LINE}"),
        ("[]", ": must be a JSON object"),
        ("[" * 5_000, ": is nested deeper than 32 levels"),
        (" " * (limits.MANIFEST_BYTES + 1), ": has more than 1048576 bytes"),
    ],
)  # fmt: skip
def test_what_is_no_json_is_told_with_its_place(tmp_path: Path, text: str, told: str) -> None:
    assert faults_of(make_raw(tmp_path, text.encode())) == [f"manifest.json{told}"]


def test_a_mark_at_the_beginning_is_no_fault(tmp_path: Path) -> None:
    folder = make(tmp_path)
    text = (folder / MANIFEST).read_bytes()
    make_raw(folder, b"\xef\xbb\xbf" + text)

    assert list(examine(folder).apps) == ["hello"]


def test_another_encoding_is_told(tmp_path: Path) -> None:
    text = '{"id": "a",\n "title": "caf\u00e9"}'

    told = faults_of(make_raw(tmp_path, text.encode("latin-1")))
    wide = faults_of(make_raw(tmp_path, text.encode("utf-16")))

    assert told == ["manifest.json:2:15: is not UTF-8: save it in that encoding"]
    assert wide == ["manifest.json:1:1: is not UTF-8: save it in that encoding"]


def test_a_name_that_steers_terminals_is_told_as_text(tmp_path: Path) -> None:
    told = faults_of(make_raw(tmp_path, b'{"a\\u001b[2J\\n": 1, "a\\u001b[2J\\n": 2}'))

    assert told[-1] == "manifest.json:1:21: a\\x1b[2J\\n: stands there twice"


def test_a_name_that_stands_there_twice_hides_nothing_else(tmp_path: Path) -> None:
    told = faults_of(make_raw(tmp_path, b'{"id": "x",\n "id": "Y", "version": 1}'))

    assert told.pop(3).startswith("manifest.json:2:2: id: must be 1 to 64")
    assert told == [
        "manifest.json:1:1: title: is missing",
        "manifest.json:1:1: entry: is missing",
        "manifest.json:2:2: id: stands there twice",
        "manifest.json:2:13: version: must be a string",
    ]


def test_a_start_page_that_is_not_there_is_told(tmp_path: Path) -> None:
    outside = tmp_path / "outside.html"
    outside.write_text("secret")
    folder = make(tmp_path / "app")
    entry = folder / "index.html"

    entry.unlink()
    entry.symlink_to(outside)
    (leads_out,) = faults_of(folder)
    entry.unlink()
    entry.symlink_to(entry)
    (leads_round,) = faults_of(folder)
    entry.unlink()
    entry.mkdir()
    (is_folder,) = faults_of(folder)

    assert leads_out == leads_round
    assert leads_out == (
        "manifest.json:5:3: entry: index.html leads out of the folder, or nowhere: "
        "put a copy of the file in its place"
    )
    assert is_folder == "manifest.json:5:3: entry: index.html is a folder: name a file"


def test_a_manifest_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / MANIFEST)

    assert faults_of(tmp_path) == ["manifest.json: cannot be read: it is no file"]


@pytest.mark.requirement("design:tools:miniapps-are-told-all-faults")
def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    told = faults_of(make(tmp_path, id="A B", title=7, entry="/x.html", tools=[{"type": "x"}, 3]))

    assert [fault.partition(": ")[2].partition(":")[0] for fault in told] == [
        "id",
        "title",
        "entry",
        "tools[0].name",
        "tools[0].description",
        "tools[0].type",
        "tools[1]",
    ]
