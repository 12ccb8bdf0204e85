"""However a bridge ends, it ends in time, leaves no process, and its cards say what happened."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

import pytest

from lineup_srv.wire._gen.lineup.v1 import error_pb2, request_pb2
from tests.system.devices import device
from tests.system.hosts import host
from tests.system.processes import bound

if TYPE_CHECKING:
    from pathlib import Path

    from tests.system.conftest import Shared

pytestmark = [pytest.mark.system, pytest.mark.timeout(60)]

# Its own watchdog makes it 0.3 s.
GONE_SECONDS = 1.0


@pytest.mark.requirement("B25")
@pytest.mark.parametrize("pending", [0, 3])
@pytest.mark.parametrize("how", ["EOF", "SIGINT", "SIGTERM"])
async def test_it_is_gone_in_a_moment_and_its_cards_say_that_the_agent_ended(
    shared: Shared, token: str, tmp_path: Path, how: str, pending: int
) -> None:
    async with (
        device(shared.http, token) as ann,
        host(shared.http, shared.grpc, token, tmp_path / "a", "--no-autostart") as one,
    ):
        await one.greet()
        await ann.sees("Agents", lambda m: any(known.attached for known in m.agents))
        questions = [f"Number {number}?" for number in range(pending)]
        for number, question in enumerate(questions, start=1):
            one.ask(number, question)
        cards = [await ann.kept_card(question) for question in questions]
        if how == "EOF":
            one.close()
        else:
            one.signal(signal.Signals[how])
        code, seconds = await one.ends()
        assert seconds < bound(GONE_SECONDS)
        assert code == (0 if how == "EOF" else 128 + signal.Signals[how])
        for card in cards:
            state = await ann.state(
                card.ID, lambda s: s.state == request_pb2.REQUEST_STATE_CANCELLED
            )
            assert state.reason == error_pb2.ERROR_CODE_AGENT_ENDED
        await ann.no_agent_left()
        assert await ann.pending() == []


@pytest.mark.requirement("B26")
async def test_twenty_probes_that_close_at_once_leave_no_process_and_no_card(
    shared: Shared, token: str, tmp_path: Path
) -> None:
    async def probe(number: int) -> int:
        home = tmp_path / str(number)
        async with host(shared.http, shared.grpc, token, home, "--no-autostart") as one:
            one.initialize()
            assert (await one.receive())["result"]["serverInfo"]["name"]
            one.close()
            return (await one.ends())[0]

    async with device(shared.http, token) as ann:
        async with asyncio.TaskGroup() as tasks:
            probes = [tasks.create_task(probe(number)) for number in range(20)]
        assert [one.result() for one in probes] == [0] * 20
        await ann.settled()
        await ann.no_agent_left()
        assert await ann.pending() == []
        assert "AskQuestion" not in {m.Cmd for m in ann.received}


async def test_an_answer_after_the_agent_ended_is_kept_not_refused(
    shared: Shared, token: str, tmp_path: Path
) -> None:
    async with device(shared.http, token) as ann:
        async with host(shared.http, shared.grpc, token, tmp_path / "a", "--no-autostart") as one:
            await one.greet()
            one.ask(1, "Bye?")
            card = await ann.kept_card("Bye?")
            one.close()
            await one.ends()
        ack = await ann.answer_and_ack(card.ID, "see you")
        assert (ack.accepted, ack.code) == (True, error_pb2.ERROR_CODE_KEPT_LATE)
        late = await ann.state(card.ID, lambda s: True)
        assert late.request_id == card.ID
