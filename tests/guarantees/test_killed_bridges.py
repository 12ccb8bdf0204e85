"""Bridges of one session are killed one after the other; each successor gets what was answered."""

from __future__ import annotations

import asyncio
import itertools
import re
from typing import TYPE_CHECKING, Final

import pytest

from tests.guarantees.answering import answerer
from tests.guarantees.bridges import bridge
from tests.guarantees.pages import read_on
from tests.guarantees.traffic import Traffic
from tests.system.devices import device
from tests.system.processes import PATIENCE_SECONDS, relay

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

    from tests.guarantees.bridges import Bridge

pytestmark = [pytest.mark.system, pytest.mark.kill]

AT_ONCE: Final = 3
MOST_BETWEEN_KILLS: Final = 80
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
            async with (
                bridge(server, token, tmp_path / "a", "the-session", traffic.happened) as one,
                asyncio.TaskGroup() as tasks,
            ):
                one.greet()
                asking = [
                    tasks.create_task(_keep_asking(one, f"{number}.{lane}", lane))
                    for lane in range(1, 1 + AT_ONCE)
                ]
                await traffic.more(chance.randrange(1, MOST_BETWEEN_KILLS))
                await asyncio.sleep(chance.uniform(0, LONGEST_AFTER_SECONDS))
                one.kill()
                for task in asking:
                    task.cancel()
            written += one.results.values()
        await ann.acknowledged()
        asked = {reply.request_id: reply.text for reply in ann.replies.values()}
        async with (
            device(server.http, token, "Reader") as reader,
            bridge(server, token, tmp_path / "a", "the-session", traffic.happened) as heir,
        ):
            heir.greet()
            received: set[str] = set()
            # What the last one left passes on when its lease has ended.
            async with asyncio.timeout(PATIENCE_SECONDS):
                for number in itertools.count(1):
                    heir.ask(number, f"Anything left, {number}?")
                    written.append(await heir.result(number))
                    log = await read_on(reader)
                    received |= {
                        m.request_state.request_id for m in log if m.request_state.received
                    }
                    if received >= asked.keys():
                        break
    again = _check(written, list(asked.values()))
    assert all(reply.accepted for reply in ann.replies.values())
    tell(f"{kills} kills, {len(asked)} answers, {again} of them handed over again, marked")


async def _keep_asking(one: Bridge, name: str, first: int) -> None:
    for number in itertools.count(first, AT_ONCE):
        one.ask(number, f"Question {name}.{number}?")
        await one.result(number)


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
