"""Answers that nobody waits for any more: to cancelled calls, to agents that ended or crashed."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest
from mcp.shared.exceptions import MCPError

from lineup_srv.wire._gen.lineup.v1 import error_pb2, request_pb2
from tests.system.agents import agent
from tests.system.cable import cable
from tests.system.devices import device
from tests.system.processes import relay

if TYPE_CHECKING:
    from pathlib import Path

    from tests.system.agents import Agent
    from tests.system.conftest import Shared
    from tests.system.devices import Device

pytestmark = [pytest.mark.system, pytest.mark.timeout(60)]

CANCELLED = request_pb2.REQUEST_STATE_CANCELLED
SHORT_LEASE = {"AGENT_LEASE_SECONDS": 1}
AGAIN = "may have reached you before"


async def next_call(one: Agent, ann: Device, question: str) -> str:
    """What an ordinary call gives; whatever waited for the agent comes with it."""
    call = one.ask(question)
    await ann.answer((await ann.kept_card(question)).ID, f"answer to {question}")
    text = await call.text()
    assert f"answer to {question}" in text
    return text


@pytest.mark.requirement("B15", "B88")
@pytest.mark.parametrize("restart", [False, True], ids=["same relay", "after a restart"])
async def test_the_answer_to_a_cancelled_card_comes_with_the_next_call_and_only_once(
    token: str, tmp_path: Path, restart: bool
) -> None:
    async with (
        relay(tmp_path / "relay", token=token) as server,
        agent(server.http, server.grpc, token, tmp_path / "a") as one,
    ):
        async with device(server.http, token) as ann:
            call = one.ask("Too slow?")
            asked = await ann.kept_card("Too slow?")
            await call.cancel()
            state = await ann.state(asked.ID, lambda s: s.state == CANCELLED)
            assert state.reason == error_pb2.ERROR_CODE_CANCELLED
            ack = await ann.answer_and_ack(asked.ID, "slow but sure")
            assert (ack.accepted, ack.code) == (True, error_pb2.ERROR_CODE_KEPT_LATE)
            if restart:
                await server.restart()
        async with device(server.http, token) as ann:
            first = await next_call(one, ann, "First?")
            assert "slow but sure" in first
            assert "Question: Too slow?" in first
            assert "(late, after the call had ended)" in first
            assert AGAIN not in first
            await ann.state(asked.ID, lambda s: s.received)
            assert "slow but sure" not in await next_call(one, ann, "Second?")
            if restart:
                await server.restart()
        async with device(server.http, token) as ann:
            assert "slow but sure" not in await next_call(one, ann, "Third?")


@pytest.mark.requirement("B51")
@pytest.mark.parametrize("session", ["the-session", ""], ids=["same session", "same project"])
async def test_an_answer_given_while_the_bridge_was_dead_comes_to_its_successor(
    token: str, tmp_path: Path, session: str
) -> None:
    async with (
        relay(tmp_path / "relay", token=token, limits=SHORT_LEASE) as server,
        device(server.http, token) as ann,
    ):
        ports = (server.http, server.grpc)
        async with agent(*ports, token, tmp_path / "a", session=session) as dead:
            call = dead.ask("Dead?")
            asked = await ann.kept_card("Dead?")
            await dead.kill()
            with pytest.raises(MCPError):
                await call.result()
            await ann.state(asked.ID, lambda s: s.agent_gone)
            ack = await ann.answer_and_ack(asked.ID, "risen")
            assert (ack.accepted, ack.code) == (True, error_pb2.ERROR_CODE_UNSPECIFIED)
        async with agent(*ports, token, tmp_path / "a", session=session) as heir:
            text = await next_call(heir, ann, "Heir?")
            assert "Question: Dead?" in text
            assert "risen" in text
            assert ("asked by another session of this agent" in text) is not bool(session)
            assert AGAIN not in text
            await ann.state(asked.ID, lambda s: s.received)
            assert "risen" not in await next_call(heir, ann, "Again?")


async def test_the_card_of_a_killed_bridge_stays_and_the_same_question_goes_on_with_it(
    token: str, tmp_path: Path
) -> None:
    async with (
        relay(tmp_path / "relay", token=token, limits=SHORT_LEASE) as server,
        device(server.http, token) as ann,
    ):
        ports = (server.http, server.grpc)
        async with agent(*ports, token, tmp_path / "a", session="s") as dead:
            dead.ask("Go on?")
            asked = await ann.kept_card("Go on?")
            await dead.kill()
        gone = await ann.state(asked.ID, lambda s: s.agent_gone)
        assert gone.state == request_pb2.REQUEST_STATE_PENDING
        async with agent(*ports, token, tmp_path / "a", session="s") as heir:
            after = len(ann.received)
            call = heir.ask("Go on?")
            await ann.state(asked.ID, lambda s: not s.agent_gone, after=after)
            assert await ann.pending() == [asked.ID]
            await ann.answer_and_ack(asked.ID, "on we go")
            assert (await call.text()).endswith("on we go")
            assert "AskQuestion" not in {m.Cmd for m in ann.received[after:]}


async def test_an_answer_is_handed_to_no_other_session_and_no_other_project(
    token: str, tmp_path: Path
) -> None:
    async with (
        relay(tmp_path / "relay", token=token, limits=SHORT_LEASE) as server,
        device(server.http, token) as ann,
    ):
        ports = (server.http, server.grpc)
        async with agent(*ports, token, tmp_path / "a", session="mine") as dead:
            dead.ask("Whose?")
            asked = await ann.kept_card("Whose?")
            await dead.kill()
        await ann.state(asked.ID, lambda s: s.agent_gone)
        await ann.answer_and_ack(asked.ID, "only mine")
        async with (
            agent(*ports, token, tmp_path / "a", session="yours") as other_session,
            agent(*ports, token, tmp_path / "b") as other_project,
        ):
            assert "only mine" not in await next_call(other_session, ann, "Other session?")
            assert "only mine" not in await next_call(other_project, ann, "Other project?")
        async with agent(*ports, token, tmp_path / "b", session="mine") as heir:
            assert "only mine" in await next_call(heir, ann, "Heir?")


async def test_an_answer_lost_between_result_and_ack_is_marked_when_it_comes_again(
    token: str, tmp_path: Path
) -> None:
    async with (
        relay(tmp_path / "relay", token=token, limits=SHORT_LEASE) as server,
        cable(server.grpc) as line,
        device(server.http, token) as ann,
    ):
        async with agent(server.http, line.port, token, tmp_path / "a", session="s") as dead:
            call = dead.ask("Confirmed?")
            asked = await ann.kept_card("Confirmed?")
            dead.ask("Still there?")
            other = await ann.kept_card("Still there?")
            line.hold_up()
            await ann.answer_and_ack(asked.ID, "perhaps")
            # The agent program has it, the relay does not know.
            assert (await call.text()).endswith("perhaps")
            await dead.kill()
            line.cut()
            line.release()
        await ann.state(other.ID, lambda s: s.agent_gone)
        assert not [m for m in ann.received if m.request_state.received]
        async with agent(server.http, line.port, token, tmp_path / "a", session="s") as heir:
            text = await next_call(heir, ann, "Heir?")
            assert f"[{AGAIN}] Answered by Ann" in text
            assert text.endswith("perhaps")
            await ann.state(asked.ID, lambda s: s.received)
            assert "perhaps" not in await next_call(heir, ann, "Again?")


@pytest.mark.requirement("B88")
async def test_an_agent_that_ended_leaves_a_card_whose_late_answer_its_next_session_gets(
    shared: Shared, token: str, tmp_path: Path
) -> None:
    ports = (shared.http, shared.grpc)
    async with device(shared.http, token) as ann:
        async with agent(*ports, token, tmp_path / "a") as one:
            call = one.ask("Bye?")
            asked = await ann.kept_card("Bye?")
            one.process.send(signal.SIGTERM)
            with pytest.raises(MCPError):
                await call.result()
            state = await ann.state(asked.ID, lambda s: s.state == CANCELLED)
            assert state.reason == error_pb2.ERROR_CODE_AGENT_ENDED
        ack = await ann.answer_and_ack(asked.ID, "good night")
        assert ack.code == error_pb2.ERROR_CODE_KEPT_LATE
        async with agent(*ports, token, tmp_path / "a") as heir:
            text = await next_call(heir, ann, "Morning?")
            assert "good night" in text
            assert "asked by another session of this agent" in text
