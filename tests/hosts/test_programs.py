"""What each agent program's model gets to see of LineUp."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

import pytest

from lineup_srv.wire._gen.lineup.v1 import request_pb2
from tests.hosts.programs import NAMES, running
from tests.system.devices import device
from tests.system.processes import Pid, bound

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.system.conftest import Shared
    from tests.system.devices import Device

pytestmark = [pytest.mark.system, pytest.mark.hosts, pytest.mark.timeout(400)]

QUESTION = "Which colour?"
ASK = {"tool": "ask_question", "args": {"question": QUESTION}}


@pytest.mark.parametrize("name", NAMES)
async def test_a_question_is_answered(
    name: str, installed: Callable[[str], Path], shared: Shared, token: str, tmp_path: Path
) -> None:
    async with (
        device(shared.http, token, "Ann") as ann,
        running(name, installed(name), shared, token, tmp_path / "run", [ASK]) as run,
    ):
        asked = await _shown(ann)
        assert (await ann.answer_and_ack(asked, "the blue one")).accepted
        final = await run.final()
        await ann.no_agent_left()
    assert "Answered by Ann on web at " in final
    assert QUESTION in final
    assert "the blue one" in final


@pytest.mark.parametrize("name", NAMES)
async def test_a_slice_ends_and_the_next_call_goes_on_waiting(
    name: str, installed: Callable[[str], Path], shared: Shared, token: str, tmp_path: Path
) -> None:
    async with (
        device(shared.http, token, "Ann") as ann,
        running(
            *(name, installed(name), shared, token, tmp_path / "run", [ASK]),
            *("--wait-slice", "2"),
        ) as run,
    ):
        asked = await _shown(ann)
        again = {"tool": "ask_question", "args": {"question_id": asked}}
        run.goes_on_with([ASK, again])
        await run.until_call(2)
        assert (await ann.answer_and_ack(asked, "the blue one")).accepted
        final = await run.final()
    assert "the blue one" in final
    assert f'question_id="{asked}"' in str(run.received()).replace("\\", "")


@pytest.mark.parametrize("name", NAMES)
async def test_a_killed_program_takes_its_bridge_along(
    name: str, installed: Callable[[str], Path], shared: Shared, token: str, tmp_path: Path
) -> None:
    async with (
        device(shared.http, token, "Ann") as ann,
        running(name, installed(name), shared, token, tmp_path / "run", [ASK]) as run,
    ):
        asked = await _shown(ann)
        (bridge,) = [Pid(number) for number in run.kill_program()]
        await bridge.gone()
        bridge.close()
        ended = await ann.state(asked, lambda s: s.state != request_pb2.REQUEST_STATE_PENDING)
        assert ended.state == request_pb2.REQUEST_STATE_CANCELLED
        await ann.no_agent_left()


async def _shown(ann: Device) -> str:
    """The question's id; starting a program takes longer than anything of ours."""
    async with asyncio.timeout(bound(90)):
        while True:
            with contextlib.suppress(TimeoutError):
                return (await ann.card(QUESTION)).ID
