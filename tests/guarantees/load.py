"""Agents that ask and devices that answer while something goes wrong, and what must hold after."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Final

from lineup_srv.wire._gen.lineup.v1 import request_pb2
from tests.guarantees.answering import answerer
from tests.guarantees.asking import asker
from tests.guarantees.pages import read_on
from tests.guarantees.traffic import Traffic
from tests.system.devices import device, text_of

if TYPE_CHECKING:
    import random
    from collections.abc import AsyncIterator, Awaitable, Callable

    from lineup_srv.wire._gen.lineup.v1 import websocket_pb2
    from tests.guarantees.answering import Answerer, Reply
    from tests.guarantees.asking import Asker
    from tests.system.processes import Relay

__all__ = ["Load", "load"]

AGENTS: Final = 4
DEVICES: Final = 2
AT_ONCE: Final = 2
HELD_MS: Final = (0, 100, 2_000)
LONGEST_SECONDS: Final = 60
"""For one question, however often the relay is killed meanwhile."""


class Load:
    """Four agents with two questions each, two devices that answer every one of them.

    Args:
        server: the relay they all use.
        token: the room's.
        devices: answer.
        agents: ask.
        traffic: counts what they hear.
    """

    def __init__(
        self,
        server: Relay,
        token: str,
        devices: list[Answerer],
        agents: list[Asker],
        traffic: Traffic,
    ) -> None:
        self.traffic = traffic
        self._server = server
        self._token = token
        self._devices = devices
        self._agents = agents

    async def during(self, trouble: Callable[[], Awaitable[None]], chance: random.Random) -> None:
        """Ask and answer for as long as the trouble lasts; then until all have their answers."""
        over = asyncio.Event()
        numbers = iter(range(10**6))

        async def keep_asking(agent: Asker) -> None:
            while not over.is_set():
                question = f"Question {next(numbers)}?"
                try:
                    async with asyncio.timeout(LONGEST_SECONDS):
                        await agent.ask(question, wait_ms=chance.choice(HELD_MS))
                except TimeoutError:
                    raise AssertionError(self._where_is(question)) from None

        async with asyncio.TaskGroup() as tasks:
            for agent in self._agents:
                for _ in range(AT_ONCE):
                    tasks.create_task(keep_asking(agent))
            await trouble()
            over.set()
        for one in self._devices:
            await one.acknowledged()
        for agent in self._agents:
            await agent.idle()

    def _where_is(self, question: str) -> str:
        """What is known of a question that got no outcome."""
        replies = [reply for reply in self._replies() if f" {question}:" in reply.text]
        return f"{question} got no outcome; replies: {replies}"

    def figures(self) -> str:
        """What there was to lose."""
        told = [outcomes for agent in self._agents for outcomes in agent.told.values()]
        again = sum(len(outcomes) - 1 for outcomes in told)
        connections = sum(one.connections for one in self._devices)
        refusals = sum(one.refusals for one in self._devices)
        return (
            f"{len(told)} questions, {again} outcomes handed over again, {len(self._kept())} "
            f"answers kept as texts, {refusals} refused for now, {connections} connections of "
            f"{DEVICES} devices"
        )

    async def check(self) -> None:
        """Nothing acknowledged is missing, nothing is doubled unmarked, all agree with the log."""
        for one in self._devices:
            await one.send_all_again()
        async with device(self._server.http, self._token, "Reader") as reader:
            log = await read_on(reader)
        self._each_question_has_one_answer()
        self._each_outcome_came_once_or_marked()
        self._kept_texts_arrived()
        self._acks_never_changed()
        self._the_log_agrees(log)

    def _replies(self) -> list[Reply]:
        return [reply for one in self._devices for reply in one.replies.values()]

    def _kept(self) -> list[Reply]:
        return [reply for reply in self._replies() if reply.kept_as_text]

    def _each_question_has_one_answer(self) -> None:
        """The one answer that was accepted is what the agent got."""
        accepted: dict[str, list[Reply]] = {}
        for reply in self._replies():
            if reply.accepted:
                accepted.setdefault(reply.request_id, []).append(reply)
        told = {name: outcomes for agent in self._agents for name, outcomes in agent.told.items()}
        assert accepted.keys() == told.keys()
        for request_id, (outcome, *_) in told.items():
            (winner,) = accepted[request_id]
            assert outcome.state == request_pb2.REQUEST_STATE_ANSWERED
            assert [content.text.text for content in outcome.contents] == [winner.text]

    def _each_outcome_came_once_or_marked(self) -> None:
        for agent in self._agents:
            assert not agent.after_confirmation
            for first, *more in agent.told.values():
                for outcome in more:
                    assert outcome.redelivered
                    assert outcome.contents == first.contents
                    assert outcome.replied_unix_ms == first.replied_unix_ms

    def _kept_texts_arrived(self) -> None:
        """What was acknowledged as kept has reached the agent that the answer was for."""
        got = [told[0].content for agent in self._agents for told in agent.texts.values()]
        assert sorted(got) == sorted(reply.text for reply in self._kept())

    def _acks_never_changed(self) -> None:
        for reply in self._replies():
            assert len({(ack.accepted, ack.code) for ack in reply.acks}) == 1, reply

    def _the_log_agrees(self, log: list[websocket_pb2.WebsocketMessage]) -> None:
        """Its numbers have no gap, and every question has exactly one reply in it."""
        asked = {request_id for agent in self._agents for request_id in agent.told}
        assert [message.seq for message in log] == list(range(1, len(log) + 1))
        replies = [m for m in log if m.Cmd == "AskQuestionReplyNotification"]
        assert all(text_of(message.AskQuestionResponse) for message in replies)
        assert sorted(message.AskQuestionRequest.ID for message in replies) == sorted(asked)
        assert {m.request_state.request_id for m in log if m.request_state.received} == asked


@asynccontextmanager
async def load(server: Relay, token: str) -> AsyncIterator[Load]:
    """Agents and devices that are there for as long as the context."""
    traffic = Traffic()
    async with AsyncExitStack() as stack:
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
        yield Load(server, token, devices, agents, traffic)
