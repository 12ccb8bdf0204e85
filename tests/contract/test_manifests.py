"""A MiniApp's manifest: what it must say, and what it may not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.faults import Faults
from lineup_srv.contract.json_text import NotJsonError
from lineup_srv.contract.manifests import Manifest, is_file_name, read_manifest
from lineup_srv.schemas import can_match
from tests.contract.definitions import toolset

GOOD: dict[str, Any] = {
    "id": "pomodoro",
    "version": "1.0.0",
    "title": "番茄钟",
    "entry": "index.html",
    "tools": [toolset("timer")],
}


def read(manifest: object) -> tuple[Manifest, list[LineUpError]]:
    """A manifest that can be used, and what is wrong with it all the same."""
    faults = Faults()
    told = read_manifest(json.dumps(manifest), can_match, faults)
    assert told is not None
    return told, list(faults)


def refusals(text: str) -> list[LineUpError]:
    """All for which a manifest cannot be used."""
    faults = Faults()
    assert read_manifest(text, can_match, faults) is None
    return list(faults)


@pytest.mark.requirement("seed004:applications")
def test_a_manifest_says_what_a_miniapp_is_and_offers() -> None:
    told, faults = read({**GOOD, "author": "Ada"})

    application = told.application
    assert (application.id, application.version, application.title) == (
        "pomodoro",
        "1.0.0",
        "番茄钟",
    )
    assert [tool.name for tool in application.tools] == ["timer"]
    assert (told.entry, faults) == ("index.html", [])


def test_a_miniapp_may_offer_nothing() -> None:
    bare = {name: value for name, value in GOOD.items() if name != "tools"}

    assert read(bare)[0].application.tools == ()


def test_a_bad_tool_is_refused_alone() -> None:
    manifest = {**GOOD, "tools": [toolset("timer"), toolset("clock", type="watch")]}

    told, faults = read(manifest)

    assert [tool.name for tool in told.application.tools] == ["timer"]
    assert [fault.field for fault in faults] == ["tools[1].type"]


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
    (error,) = refusals(json.dumps({**GOOD, **changes}))

    assert (error.code, error.field) == (ErrorCode.INVALID_ARGUMENT, field)


def test_all_that_is_wrong_is_named_at_once() -> None:
    schema = {
        "type": "array",
        "properties": {"a": {"type": "text", "minLength": "1"}, "b": 1, "c": {"anyOf": []}},
        "required": "a",
    }
    action = {"name": "go", "inputSchema": schema, "hints": {"read_only": 1, "destructive": 1}}
    timer = {"name": "", "type": "app", "actions": [action, action, 7, {}], "interactive": "yes"}
    bad = {"id": "A", "version": 1, "entry": "x.js", "tools": [timer, {"type": "action"}]}

    assert [fault.field for fault in refusals(json.dumps(bad))] == [
        "id",
        "version",
        "title",
        "entry",
        "tools[0].name",
        "tools[0].actions[0].description",
        "tools[0].actions[0].inputSchema.type",
        "tools[0].actions[0].inputSchema.required",
        "tools[0].actions[0].inputSchema.properties.a.type",
        "tools[0].actions[0].inputSchema.properties.a.minLength",
        "tools[0].actions[0].inputSchema.properties.b",
        "tools[0].actions[0].inputSchema.properties.c.anyOf",
        "tools[0].actions[0].hints.read_only",
        "tools[0].actions[0].hints.destructive",
        "tools[0].actions[1].name",
        *(f"tools[0].actions[1].{rest}" for rest in (
            "description", "inputSchema.type", "inputSchema.required",
            "inputSchema.properties.a.type", "inputSchema.properties.a.minLength",
            "inputSchema.properties.b", "inputSchema.properties.c.anyOf", "hints.read_only",
            "hints.destructive",
        )),
        "tools[0].actions[2]",
        "tools[0].actions[3].name",
        "tools[0].actions[3].description",
        "tools[0].actions[3].inputSchema",
        "tools[0].description",
        "tools[0].interactive",
        "tools[1].name",
        "tools[1].description",
        "tools[1].inputSchema",
    ]  # fmt: skip


def test_a_name_of_a_bad_tool_is_told_and_still_free() -> None:
    bad = toolset("timer", type="watch")

    told, faults = read({**GOOD, "tools": [bad, bad, toolset("timer"), {}, {}]})

    assert [tool.name for tool in told.application.tools] == ["timer"]
    assert [fault.field for fault in faults if fault.message == "stands there twice"] == [
        "tools[1].name",
        "tools[2].name",
    ]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"id": 1, "id": 2}', "[" * 5_000])
def test_what_is_no_json_object_is_refused(text: str) -> None:
    assert all(fault.message for fault in refusals(text))


def test_a_text_that_is_no_json_is_told_by_its_place_alone() -> None:
    (fault,) = refusals('{\n  "id": "secret",\n  id: 2}')

    assert isinstance(fault, NotJsonError)
    assert (fault.line, fault.column) == (3, 3)
    assert str(fault) == "is not JSON at line 3, column 3"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (" " * (limits.MANIFEST_BYTES + 1), ErrorCode.TOO_LARGE),
        ('{"id":' + "[" * 40 + "]" * 40 + "}", ErrorCode.TOO_LARGE),
        (f'{{"id":{"9" * 5_000}}}', ErrorCode.INVALID_ARGUMENT),
    ],
    ids=["long", "deep", "number"],
)
def test_a_large_manifest_is_refused(text: str, code: ErrorCode) -> None:
    assert [fault.code for fault in refusals(text)] == [code]


def test_names_of_files_lead_nowhere_else() -> None:
    for name in ("index.html", "a/b/c-d_e.min.js", "1.png"):
        assert is_file_name(name)
    for name in ("", ".", "..", ".git/config", "a/../b", "a//b", "/a", "a/", "a\\b", "a%2e", "é"):
        assert not is_file_name(name)
    assert not is_file_name("x" * 5_000)
