"""The conformance kit: every type and direction, both ways, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lineup_srv.wire.envelope import TYPES, EnvelopeError, encode, parse
from tests.wire.envelopes import FOLDER, REFUSED, SAMPLES, sample, written


def test_the_kit_is_what_it_is_made_of() -> None:
    found = {path: path.read_text("utf-8") for path in FOLDER.rglob("*.json")}

    assert found == written(), "run `python -m tests.wire.envelopes`"


@pytest.mark.requirement("seed000:envelope:types")
def test_every_type_is_in_the_kit() -> None:
    assert {payload.TYPE for payload in SAMPLES.values()} == set(TYPES)
    assert all(name.rpartition("/")[2].startswith(p.TYPE) for name, p in SAMPLES.items())


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.requirement("seed000:envelope:types")
def test_a_sample_is_read_as_what_was_written_and_written_as_it_was_read(name: str) -> None:
    text = (FOLDER / f"{name}.json").read_text("utf-8")

    envelope = parse(text)

    assert envelope == sample(name)
    assert json.loads(encode(envelope)) == json.loads(text)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["field"] or "frame")
@pytest.mark.requirement("seed000:envelope:errors")
def test_what_is_refused_is_named_by_its_path(case: dict[str, Any]) -> None:
    with pytest.raises(EnvelopeError) as caught:
        parse(case["frame"])

    error = caught.value
    assert (error.code.value, error.field, error.ref) == (case["code"], case["field"], case["ref"])
    assert error.message
