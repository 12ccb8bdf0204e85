"""A MiniApp's manifest: what it must say, and what it may not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.manifests import is_file_name, read_manifest
from lineup_srv.schemas import can_match
from tests.contract.definitions import toolset

GOOD: dict[str, Any] = {
    "id": "pomodoro",
    "version": "1.0.0",
    "title": "番茄钟",
    "entry": "index.html",
    "tools": [toolset("timer")],
}


def refusal(text: str) -> LineUpError:
    with pytest.raises(LineUpError) as caught:
        read_manifest(text, can_match)
    return caught.value


@pytest.mark.requirement("seed004:applications")
def test_a_manifest_says_what_a_miniapp_is_and_offers() -> None:
    read = read_manifest(json.dumps({**GOOD, "author": "Ada"}), can_match)

    application = read.application
    assert (application.id, application.version, application.title) == (
        "pomodoro",
        "1.0.0",
        "番茄钟",
    )
    assert [tool.name for tool in application.tools] == ["timer"]
    assert (read.entry, read.refused) == ("index.html", ())


def test_a_miniapp_may_offer_nothing() -> None:
    bare = {name: value for name, value in GOOD.items() if name != "tools"}

    assert read_manifest(json.dumps(bare), can_match).application.tools == ()


def test_a_bad_tool_is_refused_alone() -> None:
    manifest = {**GOOD, "tools": [toolset("timer"), toolset("clock", type="watch")]}

    read = read_manifest(json.dumps(manifest), can_match)

    assert [tool.name for tool in read.application.tools] == ["timer"]
    assert [(told.name, told.field) for told in read.refused] == [("clock", "tools[1].type")]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"id": None}, "id"),
        ({"id": ""}, "id"),
        ({"id": "Pomodoro"}, "id"),
        ({"id": ".."}, "id"),
        ({"id": "a/b"}, "id"),
        ({"id": "x" * 65}, "id"),
        ({"version": None}, "version"),
        ({"version": " "}, "version"),
        ({"title": 3}, "title"),
        ({"title": ""}, "title"),
        ({"entry": None}, "entry"),
        ({"entry": "../index.html"}, "entry"),
        ({"entry": "/index.html"}, "entry"),
        ({"entry": "https://example.test/index.html"}, "entry"),
        ({"entry": "script.js"}, "entry"),
        ({"tools": {}}, "tools"),
    ],
)
def test_what_is_wrong_is_named(changes: dict[str, Any], field: str) -> None:
    error = refusal(json.dumps({**GOOD, **changes}))

    assert (error.code, error.field) == (ErrorCode.INVALID_ARGUMENT, field)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"id": 1, "id": 2}', "[" * 5_000])
def test_what_is_no_json_object_is_refused(text: str) -> None:
    assert refusal(text).message


def test_a_large_manifest_is_refused() -> None:
    assert refusal(" " * (limits.MANIFEST_BYTES + 1)).code is ErrorCode.TOO_LARGE


def test_names_of_files_lead_nowhere_else() -> None:
    for name in ("index.html", "a/b/c-d_e.min.js", "1.png"):
        assert is_file_name(name)
    for name in ("", ".", "..", ".git/config", "a/../b", "a//b", "/a", "a/", "a\\b", "a%2e", "é"):
        assert not is_file_name(name)
    assert not is_file_name("x" * 5_000)
