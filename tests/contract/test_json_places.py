"""Paths lead to their places in a text, those of what is missing to what should hold it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lineup_srv.contract.json_places import places
from lineup_srv.contract.json_text import print_json

TEXT = """{
  "id": "x",
  "tools": [
    {"name": "a,b", "inputSchema": {"properties": {"q.r": {"type": 1}}}},
    [1, {"z": [true, null, "}"]}], "s"
  ],
  "x\\"y": "ü", "z": {}, "id": 2
}"""


@pytest.mark.parametrize(
    ("path", "line", "begins"),
    [
        ("", 1, "{"),
        ("id", 7, '"id": 2'),
        ("tools", 3, '"tools"'),
        ("tools[0]", 4, "{"),
        ("tools[0].name", 4, '"name"'),
        ("tools[0].inputSchema.properties.q.r.type", 4, '"type"'),
        ("tools[1][0]", 5, "1,"),
        ("tools[1][1].z[2]", 5, '"}"'),
        ("tools[2]", 5, '"s"'),
        ('x"y', 7, '"x'),
        ("tools[0].missing", 4, "{"),
        ("tools[0].inputSchema.properties.p.type", 4, '"properties"'),
        ("tools[7].name", 3, '"tools"'),
        ("missing", 1, "{"),
        ("tools[0].inputSchema.^[a-z", 4, '"inputSchema"'),
    ],
)
def test_a_path_leads_to_its_place(path: str, line: int, begins: str) -> None:
    place = places(TEXT, [path])[path]

    assert place.line == line
    assert TEXT.splitlines()[line - 1][place.column - 1 :].startswith(begins)


ANY = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=50)
@given(ANY)
def test_anything_has_places(value: object) -> None:
    text = print_json(value)
    ends = len(text) + 1

    for place in places(text, ["", "a", "[0]"]).values():
        assert place.line == 1
        assert 1 <= place.column < ends
