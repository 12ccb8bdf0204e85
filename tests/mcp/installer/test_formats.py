"""Editing keeps every byte that is not ours, and removing gives back what was there."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineup_mcp.installer.formats import (
    JSON,
    TOML,
    YAML,
    Document,
    Format,
    Unreadable,
    Unwritable,
)

ENTRY: dict[str, object] = {
    "command": "/opt/line up/bin/lineup-mcp",
    "args": ["--agent", "hermes", "中文 ${X}"],
    "env": {"LINEUP_HOST": "127.0.0.1", "PORT": "22080"},
    "timeout": 86400,
    "trust": True,
}

JSON_TEXTS = [
    '{\n  "model": "x"\n}\n',
    '{\n  "model": "x", // mine\n}\n',
    '// top\n{\n    /* a */ "a": {"b": [1, 2.5, null, "\\u00e9\\"{"]},\n    "servers": {\n'
    '        "other": {"command": "x"} // last\n    }\n}',
    '{"servers": {"other": {"command": "x"}}, "z": 1}',
    '{\n\t"servers": {\n\t\t"other": {\n\t\t\t"command": "x",\n\t\t},\n\t},\n}\n',
    '\ufeff{\r\n  "a": 1\r\n}\r\n',
]
TOML_TEXTS = [
    'model = "x"\n',
    '# c\nmodel = "x" # d\n\n[servers.other] # o\nargs = [\n  "b", # c\n]\n\n[tui]\nx = 1\n',
    '[servers]\n\n[servers.other]\ncommand="x"\n',
    '[servers.other]\ncommand = """\n[servers.fake]\n"""\n# trailing\n',
    'model = "x"\r\n[tui]\r\nx=1\r\n',
    'servers = { other = { command = "x" } }\n[tui]\nx=1\n',
]
YAML_TEXTS = [
    "model: x\n",
    '# c\nmodel:   "x"  # d\n\nservers:\n  other:\n    command: x\n    args: [a, "b"]\n\n# end\n'
    "memory: {enabled: false}\n",
    "servers:\n    other:\n        command: |\n            # not a comment\n            x\n",
    "a: 1\r\nservers:\r\n  other: {command: x}\r\nb:\r\n- 1\r\n- 2\r\n",
    "list:\n- a\n-   b\nlong: " + "word " * 60 + "\n",
]
SAMPLES = [
    *((JSON, text) for text in JSON_TEXTS),
    *((TOML, text) for text in TOML_TEXTS),
    *((YAML, text) for text in YAML_TEXTS),
]


@pytest.mark.parametrize(("form", "text"), SAMPLES)
def test_what_was_there_comes_back(form: Format, text: str) -> None:
    document = Document(form, text)
    document.put(("servers", "lineup"), ENTRY)
    if form is not TOML:
        document.put(("limit",), 15)
    assert document.get(("servers", "lineup")) == ENTRY
    for line in text.splitlines():
        if line.strip() and "servers" not in line and "other" not in line:
            assert line.strip().rstrip(",") in document.text
    assert Document(form, document.text).text == document.text
    if form is not TOML:
        document.drop(("limit",))
    document.drop(("servers", "lineup"))
    assert document.text == text


@pytest.mark.parametrize("form", [JSON, TOML, YAML])
@pytest.mark.parametrize("text", ["", "\n"])
def test_a_file_of_its_own_is_empty_afterwards(form: Format, text: str) -> None:
    document = Document(form, text)
    document.put(("servers", "lineup"), ENTRY)
    assert document.get(("servers",)) == {"lineup": ENTRY}
    document.drop(("servers", "lineup"))
    assert document.text.strip() == ""


@pytest.mark.parametrize(("form", "text"), SAMPLES)
def test_one_value_of_an_entry_is_replaced(form: Format, text: str) -> None:
    document = Document(form, text)
    document.put(("servers", "lineup"), ENTRY)
    document.put(("servers", "lineup", "timeout"), 5)
    document.put(("servers", "lineup", "env", "MORE"), "yes")
    assert document.get(("servers", "lineup", "timeout")) == 5
    document.drop(("servers", "lineup"))
    assert document.text == text


def test_an_entry_reads_like_its_neighbours() -> None:
    document = Document(JSON, JSON_TEXTS[4])
    document.put(("servers", "lineup"), {"command": "x", "args": []})
    assert document.text == (
        '{\n\t"servers": {\n\t\t"other": {\n\t\t\t"command": "x",\n\t\t},\n'
        '\t\t"lineup": {\n\t\t\t"command": "x",\n\t\t\t"args": []\n\t\t},\n\t},\n}\n'
    )
    document = Document(TOML, TOML_TEXTS[1])
    document.put(("servers", "lineup"), {"command": "x", "env": {"A": "1"}})
    assert (
        '\n]\n\n[servers.lineup]\ncommand = "x"\nenv = {A = "1"}\n\n[tui]\nx = 1\n' in document.text
    )
    document = Document(YAML, YAML_TEXTS[1])
    document.put(("servers", "lineup"), {"command": "x", "args": ["a"]})
    assert '"b"]\n  lineup:\n    command: x\n    args:\n      - a\n\n# end\n' in document.text


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (JSON, '{"a": 1'),
        (JSON, '{"a" 1}'),
        (JSON, '{"a": 1}}'),
        (JSON, "[1]"),
        (JSON, '{"a": nope}'),
        (JSON, '{"a": NaN}'),
        (JSON, '{"a": "x\n"}'),
        (JSON, "{a: 1}"),
        (JSON, '{"a": /}'),
        (JSON, '{"a": ,}'),
        (JSON, '{"a": ' + "[" * 500 + "]" * 500 + "}"),
        (JSON, '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}"),
        (TOML, "a = "),
        (YAML, "a: [1"),
        (YAML, "- 1\n"),
        (YAML, "a: 1\n---\nb: 2\n"),
    ],
)
def test_a_broken_file_is_refused_with_a_place(form: Format, text: str) -> None:
    with pytest.raises(Unreadable) as caught:
        Document(form, text)
    assert "it" in str(caught.value)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (JSON, '{"servers": [1]}'),
        (TOML, "servers = 1\n"),
        (YAML, "servers: text\n"),
        (YAML, "base: &b {x: 1}\nservers: *b\n"),
    ],
)
def test_what_cannot_be_edited_safely_is_refused_and_unchanged(form: Format, text: str) -> None:
    document = Document(form, text)
    with pytest.raises(Unwritable):
        document.put(("servers", "lineup"), ENTRY)
    assert document.text == text


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (JSON, '{"servers": null}'),
        (JSON, '{"servers": {}}'),
        (JSON, '{"servers": { /* none */ }}'),
        (JSON, "// nothing yet\n"),
        (TOML, "[servers]\n"),
        (YAML, "servers:\nb: 1\n"),
        (YAML, "servers: {}\n"),
        (YAML, "servers: {other: {a: 1}}\n"),
        (YAML, "# nothing yet\n"),
    ],
)
def test_an_empty_place_is_filled(form: Format, text: str) -> None:
    document = Document(form, text)
    document.put(("servers", "lineup"), ENTRY)
    assert document.get(("servers", "lineup")) == ENTRY


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(
    st.dictionaries(st.text(), VALUES, max_size=4),
    st.sampled_from([None, 1, 2, "\t"]),
    st.text(min_size=1),
    VALUES,
)
def test_any_json_is_read_and_changed_as_json(
    data: dict[str, object], indent: int | str | None, name: str, value: object
) -> None:
    text = json.dumps(data, indent=indent)
    assert JSON.read(text) == data
    assert json.loads(JSON.put(text, [name], value)) == {**data, name: value}
    if name not in data and data:
        assert JSON.drop(JSON.put(text, [name], value), [name]) == text
