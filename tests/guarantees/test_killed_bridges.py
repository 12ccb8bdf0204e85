"""Bridges of one session are killed one after the other; each successor gets what was answered."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Final

import pytest

from tests.guarantees.answering import answerer
from tests.guarantees.bridges import bridge
from tests.guarantees.pages import read_on
from tests.guarantees.traffic import Traffic
from tests.system.devices import device
from tests.system.processes import relay

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

pytestmark = [pytest.mark.system, pytest.mark.kill]

QUESTIONS: Final = 4
MOST_BETWEEN_KILLS: Final = 30
LONGEST_AFTER_SECONDS: Final = 0.02
SHORT_LEASE: Final = {"AGENT_LEASE_SECONDS": 1}
AGAIN: Final = "may have reached you before"
MAIL: Final = re.compile(r"^(?:\[([^\]]*)\] )?Answered by ", re.MULTILINE)


@pytest.mark.requirement("B51", "design:guarantees:handed-to-the-successor")
@pytest.mark.parametrize(
    "kills",
    [
        pytest.param(8, marks=pytest.mark.timeout(150)),
        pytest.param(50, marks=[pytest.mark.soak, pytest.mark.timeout(900)]),
    ],
)
async def test_what_a_killed_bridge_was_answered_reaches_a_successor_once_or_marked(
    token: str,
    tmp_path: Path,
    kills: int,
    chance: random.Random,
    tell: Callable[[str], None],
) -> None:
    traffic = Traffic()
    written: list[str] = []
    async with (
        relay(tmp_path / "relay", token=token, limits=SHORT_LEASE) as server,
        answerer(server.http, token, "Ann", traffic.happened) as ann,
    ):
        for number in range(kills):
            async with bridge(
                server, token, tmp_path / "a", "the-session", traffic.happened
            ) as one:
                one.greet()
                for which in range(QUESTIONS):
                    one.ask(which + 1, f"Question {number}.{which}?")
                await traffic.more(chance.randrange(1, MOST_BETWEEN_KILLS))
                await asyncio.sleep(chance.uniform(0, LONGEST_AFTER_SECONDS))
            written += one.results.values()
        await ann.acknowledged()
        async with (
            device(server.http, token, "Reader") as reader,
            bridge(server, token, tmp_path / "a", "the-session", traffic.happened) as heir,
        ):
            heir.greet()
            accepted = {reply.request_id: reply.text for reply in ann.replies.values()}
            for number in range(1, 1 + len(accepted)):
                heir.ask(number, f"Anything left, {number}?")
                written.append(await heir.result(number))
                await ann.acknowledged()
                received = {
                    m.request_state.request_id
                    for m in await read_on(reader)
                    if m.request_state.received
                }
                if received >= accepted.keys():
                    break
    again = _check(written, list(accepted.values()))
    assert all(reply.accepted for reply in ann.replies.values())
    assert received >= accepted.keys()
    tell(f"{kills} kills, {len(accepted)} answers, {again} of them handed over again, marked")


def _check(written: list[str], answers: list[str]) -> int:
    """Every answer was written; the second time it was marked. Returns how many came again."""
    again = 0
    for answer in answers:
        marks = [_mark_of(text, answer) for text in written if answer in text]
        assert marks, f"lost: {answer}"
        assert all(AGAIN in mark for mark in marks[1:]), (answer, marks)
        again += len(marks) - 1
    return again


def _mark_of(text: str, answer: str) -> str:
    """The marks of the item in a result that brings an answer."""
    before = text[: text.index(answer)]
    *_, item = MAIL.finditer(before)
    return item.group(1) or ""
