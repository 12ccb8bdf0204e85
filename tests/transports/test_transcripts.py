"""The transcripts are what the relay says: a client that plays them speaks the protocol."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.transports.transcripts import FOLDER, TRANSCRIPTS, matches, written

if TYPE_CHECKING:
    from tests.transports.house import House
    from tests.transports.sockets import Wire


def test_the_files_are_the_transcripts() -> None:
    found = {path: path.read_text("utf-8") for path in FOLDER.iterdir()}

    assert found == written(), "run `python -m tests.transports.transcripts`"


@pytest.mark.requirement("seed000:tools:calls", "seed004:applications")
@pytest.mark.parametrize("name", TRANSCRIPTS)
async def test_a_transcript_is_what_is_said_and_heard(house: House, name: str) -> None:
    wires: dict[str, Wire] = {}
    for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines():
        step = json.loads(line)
        who = step["who"]
        if who not in wires:
            wires[who] = await house.accepted()
        if "says" in step:
            wires[who].say_text(json.dumps(step["says"]))
            await house.settled()
        else:
            heard = await _next(wires[who])
            assert matches(step["hears"], heard), (step, heard)


async def _next(wire: Wire) -> Any:
    """The next frame, without those about who comes and goes."""
    while True:
        event = await wire.event()
        frame = json.loads(event["text"])
        if frame["type"] != "system.hello" or "ref" in frame["payload"]:
            return frame
