"""What docs/protocol.md says of JSON envelopes is what the codec reads and writes."""

from __future__ import annotations

import json
import re
from dataclasses import MISSING, Field, fields
from typing import TYPE_CHECKING, Any, get_args

import pytest

from lineup_srv.contract import limits, offers, tools
from lineup_srv.contract.json_form import json_name
from lineup_srv.wire.envelope import TYPES, Envelope, Payload, messages, parse
from tests.docs.test_docs import DOCS, rows

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = DOCS / "protocol.md"
MESSAGES: dict[str, Any] = {kind.TYPE: kind for kind in get_args(Payload)}
PARTS: dict[str, Any] = {
    "question": messages.Question,
    "option": messages.Option,
    "answer": messages.Answer,
    "content": messages.Content,
    "approval": messages.Approval,
    "tool": tools.ToolDefinition,
    "action": tools.ActionDefinition,
    "hints": tools.Hints,
    "application": tools.Application,
    "refusal": offers.Refusal,
}


def documented(cell: str) -> list[str]:
    return re.findall(r"`([A-Za-z_]+\??)`", cell)


def known(kind: Any) -> Iterator[str]:
    """The fields of a message or part; `?` for those that may be left out."""
    item: Field[Any]
    for item in fields(kind):
        name = json_name(item)
        yield name if item.default is MISSING else f"{name}?"


@pytest.mark.requirement("seed000:envelope:types")
def test_every_type_is_documented_with_its_fields() -> None:
    table = {name.strip("`"): cell for name, cell, _ in rows(PAGE, "| type |")}

    assert sorted(table) == sorted(TYPES)
    for name, cell in table.items():
        assert documented(cell) == list(known(MESSAGES[name])), name


def test_every_part_is_documented_with_its_fields() -> None:
    table = dict(rows(PAGE, "| part |"))

    assert {name: documented(cell) for name, cell in table.items()} == {
        name: list(known(kind)) for name, kind in PARTS.items()
    }


def test_the_examples_are_read() -> None:
    section = PAGE.read_text("utf-8").partition("## JSON envelopes")[2]
    examples = re.findall(r"```json\n(.*?)```", section, re.DOTALL)

    assert len(examples) == 3
    for example in examples:
        read, written = parse(example), json.loads(example)
        assert read == Envelope(written["id"], read.payload)


def test_the_limits_are_as_documented() -> None:
    section = PAGE.read_text("utf-8").partition("## JSON envelopes")[2]

    assert f"1 to {limits.ID_CHARACTERS} characters" in section
    assert f"at most {limits.JSON_DEPTH} deep" in section
    assert f"ids of {limits.REF_MIN_CHARACTERS} characters or more" in section
    assert limits.MALFORMED_FRAMES_PER_MINUTE == 20
