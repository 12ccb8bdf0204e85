"""The relay is killed again and again while many ask and answer: nothing is lost or doubled."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import pytest

from lineup_srv.wire._gen.lineup.v1 import request_pb2
from tests.guarantees.answering import answerer
from tests.guarantees.asking import asker
from tests.guarantees.pages import read_on
from tests.guarantees.traffic import Traffic
from tests.system.devices import device, text_of
from tests.system.processes import relay

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

    from lineup_srv.wire._gen.lineup.v1 import websocket_pb2
    from tests.guarantees.answering import Answerer, Reply
    from tests.guarantees.asking import Asker
    from tests.system.processes import Relay

pytestmark = [pytest.mark.system, pytest.mark.kill]

AGENTS = 4
DEVICES = 2
AT_ONCE = 2
MOST_BETWEEN_KILLS = 150


@pytest.mark.requirement(
    "B03", "B11", "design:guarantees:acknowledged-is-kept", "design:guarantees:one-outcome"
)
@pytest.mark.parametrize(
    "kills",
    [
        pytest.param(12, marks=pytest.mark.timeout(150)),
        pytest.param(50, marks=[pytest.mark.soak, pytest.mark.timeout(600)]),
    ],
)
async def test_a_relay_killed_at_random_loses_no_acknowledged_answer_and_doubles_none(
    token: str,
    tmp_path: Path,
    kills: int,
    chance: random.Random,
    tell: Callable[[str], None],
) -> None:
    traffic = Traffic()
    async with relay(tmp_path / "relay", token=token) as server, AsyncExitStack() as stack:
        devices = [
            await stack.enter_async_context(
                answerer(server.http, token, f"Device{number}", traffic.happened)
            )
            for number in range(DEVICES)
        ]
        agents = [
            await stack.enter_async_context(
                asker(server.grpc, token, f"agent{number}", traffic.happened)
            )
            for number in range(AGENTS)
        ]
        await _load_while_killed(server, agents, traffic, kills, chance)
        for one in devices:
            await one.acknowledged()
        for agent in agents:
            await agent.idle()
        asked = {name: told for agent in agents for name, told in agent.told.items()}
        redelivered = sum(len(told) - 1 for told in asked.values())
        kept = [r for one in devices for r in one.replies.values() if r.kept_as_text]
        tell(
            f"{kills} kills, {len(asked)} questions, {redelivered} outcomes handed over again, "
            f"{len(kept)} answers kept as texts, "
            f"{sum(one.connections for one in devices)} connections of {DEVICES} devices"
        )
        for one in devices:
            await one.send_all_again()
        async with device(server.http, token, "Reader") as reader:
            log = await read_on(reader)
    _each_question_has_one_answer(devices, agents)
    _each_agent_got_each_outcome_once_or_marked(agents)
    _texts_arrived(agents, kept)
    _acks_never_changed(devices)
    _the_log_agrees(log, asked.keys())


async def _load_while_killed(
    server: Relay, agents: list[Asker], traffic: Traffic, kills: int, chance: random.Random
) -> None:
    """Every agent asks, several questions at once, until the last kill; then all get answers."""
    over = asyncio.Event()
    numbers = iter(range(10**6))

    async def keep_asking(agent: Asker) -> None:
        while not over.is_set():
            wait_ms = chance.choice((0, 100, 2_000))
            await agent.ask(f"Question {next(numbers)}?", wait_ms=wait_ms)

    async with asyncio.TaskGroup() as tasks:
        for agent in agents:
            for _ in range(AT_ONCE):
                tasks.create_task(keep_asking(agent))
        for _ in range(kills):
            await traffic.more(chance.randrange(1, MOST_BETWEEN_KILLS))
            # Between two messages too, not only where one has just been heard.
            await asyncio.sleep(chance.uniform(0, 0.01))
            await server.restart()
        over.set()


def _each_question_has_one_answer(devices: list[Answerer], agents: list[Asker]) -> None:
    """The one answer that was accepted is what the agent got."""
    accepted: dict[str, list[Reply]] = {}
    for reply in (r for one in devices for r in one.replies.values() if r.accepted):
        accepted.setdefault(reply.request_id, []).append(reply)
    told = {name: outcomes for agent in agents for name, outcomes in agent.told.items()}
    assert accepted.keys() == told.keys()
    for request_id, (outcome, *_) in told.items():
        (winner,) = accepted[request_id]
        assert outcome.state == request_pb2.REQUEST_STATE_ANSWERED
        assert [content.text.text for content in outcome.contents] == [winner.text]


def _each_agent_got_each_outcome_once_or_marked(agents: list[Asker]) -> None:
    for agent in agents:
        assert not agent.after_confirmation
        for first, *more in agent.told.values():
            for outcome in more:
                assert outcome.redelivered
                assert outcome.contents == first.contents
                assert outcome.replied_unix_ms == first.replied_unix_ms


def _texts_arrived(agents: list[Asker], kept: list[Reply]) -> None:
    """What was acknowledged as kept has reached the agent that the answer was for."""
    got = [told[0].content for agent in agents for told in agent.texts.values()]
    assert sorted(got) == sorted(reply.text for reply in kept)


def _acks_never_changed(devices: list[Answerer]) -> None:
    for reply in (r for one in devices for r in one.replies.values()):
        verdicts = {(ack.accepted, ack.code) for ack in reply.acks}
        assert len(verdicts) == 1, reply


def _the_log_agrees(log: list[websocket_pb2.WebsocketMessage], asked: object) -> None:
    """Its numbers have no gap, and every question has exactly one reply in it."""
    assert [message.seq for message in log] == list(range(1, len(log) + 1))
    replies = [m for m in log if m.Cmd == "AskQuestionReplyNotification"]
    assert all(text_of(message.AskQuestionResponse) for message in replies)
    names = [message.AskQuestionRequest.ID for message in replies]
    assert len(names) == len(set(names))
    assert set(names) == asked
    received = {m.request_state.request_id for m in log if m.request_state.received}
    assert received == asked
