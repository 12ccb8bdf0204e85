"""The relay is killed, stopped or away at every bad moment; nothing is lost."""

from __future__ import annotations

import asyncio
import secrets
import signal
import time
from typing import TYPE_CHECKING

import pytest

from lineup_srv.wire._gen.lineup.v1 import error_pb2, request_pb2
from tests.system.agents import agent
from tests.system.cable import cable
from tests.system.devices import device, text_of
from tests.system.direct import relay_service
from tests.system.processes import bound, relay, until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.system.processes import Relay

pytestmark = [pytest.mark.system, pytest.mark.kill, pytest.mark.timeout(60)]

STOP_SECONDS = 2.0


@pytest.mark.parametrize("kept", [True, False], ids=["on disk", "just shown"])
async def test_a_call_that_waits_survives_a_killed_relay(
    token: str, tmp_path: Path, kept: bool
) -> None:
    async with (
        relay(tmp_path / "relay", token=token) as server,
        agent(server.http, server.grpc, token, tmp_path / "a") as one,
    ):
        async with device(server.http, token) as before:
            call = one.ask("Survive?")
            asked = await (before.kept_card("Survive?") if kept else before.card("Survive?"))
            await server.restart()
        async with device(server.http, token) as after:
            assert (await after.kept_card("Survive?")).ID == asked.ID
            assert call.running
            await after.answer_and_ack(asked.ID, "after the crash")
            text = await call.text()
            assert text.endswith("after the crash")
            assert "may have reached you" not in text
            await after.state(asked.ID, lambda s: s.received)


@pytest.mark.requirement("B01")
@pytest.mark.parametrize("how", ["cable", "stopped bridge"])
async def test_an_acknowledged_answer_survives_a_relay_killed_before_its_delivery(
    token: str, tmp_path: Path, how: str
) -> None:
    """Whatever the device saw as sent is on disk; the bridge gets it from the next relay."""
    async with (
        relay(tmp_path / "relay", token=token) as server,
        cable(server.grpc) as line,
        agent(server.http, line.port, token, tmp_path / "a") as one,
    ):
        async with device(server.http, token) as ann:
            call = one.ask("Deliver?")
            asked = await ann.kept_card("Deliver?")
            if how == "cable":
                line.hold_down()
            else:
                one.process.send(signal.SIGSTOP)
            assert (await ann.answer_and_ack(asked.ID, "safe")).accepted
            await server.kill()
        line.cut()
        line.release()
        assert call.running
        await server.start()
        one.process.send(signal.SIGCONT)
        text = await call.text()
        assert text.endswith("Answer:\nsafe")
        async with device(server.http, token) as ann:
            assert await ann.pending() == []


@pytest.mark.requirement("B51")
async def test_an_answer_given_while_the_bridge_was_cut_off_comes_when_it_is_back(
    token: str, tmp_path: Path
) -> None:
    async with (
        relay(tmp_path / "relay", token=token) as server,
        cable(server.grpc) as line,
        agent(server.http, line.port, token, tmp_path / "a") as one,
        device(server.http, token) as ann,
    ):
        call = one.ask("Connected?")
        asked = await ann.kept_card("Connected?")
        line.hold_down()
        line.hold_up()
        line.cut()
        assert (await ann.answer_and_ack(asked.ID, "now you are")).accepted
        assert call.running
        line.release()
        line.cut()
        assert (await call.text()).endswith("now you are")


@pytest.mark.parametrize("restart", [False, True], ids=["same relay", "after a restart"])
async def test_a_reply_sent_again_after_its_ack_was_lost_is_acknowledged_not_refused(
    token: str, tmp_path: Path, restart: bool
) -> None:
    ref = secrets.token_hex(16)
    async with (
        relay(tmp_path / "relay", token=token) as server,
        agent(server.http, server.grpc, token, tmp_path / "a") as one,
    ):
        async with (
            device(server.http, token, "Bob") as bob,
            device(server.http, token, "Ann") as ann,
        ):
            call = one.ask("Once?")
            asked = await ann.kept_card("Once?")
            await ann.answer(asked.ID, "yes, once", ref=ref)
            await bob.reply_of_other(asked.ID)
            # To this device it never happened.
            ann.abort()
            await ann.closed.wait()
        assert (await call.text()).endswith("yes, once")
        if restart:
            await server.restart()
        async with (
            device(server.http, token, "Bob") as bob,
            device(server.http, token, "Ann") as ann,
        ):
            first = await ann.answer_and_ack(asked.ID, "yes, once", ref=ref)
            again = await ann.answer_and_ack(asked.ID, "yes, once", ref=ref)
            assert (first.accepted, first.code) == (True, error_pb2.ERROR_CODE_UNSPECIFIED)
            assert again == first
            other = await ann.answer_and_ack(asked.ID, "no")
            assert other.code == error_pb2.ERROR_CODE_ALREADY_ANSWERED
            await bob.settled()
            assert "AskQuestionReplyNotification" not in {m.Cmd for m in bob.received}


async def test_a_deadline_that_passed_while_the_relay_was_away_moves_by_two_minutes(
    token: str, tmp_path: Path
) -> None:
    async with relay(tmp_path / "relay", token=token) as server:
        async with relay_service(server.grpc, token) as service, device(server.http, token) as ann:
            opened = await service.open("soon", "Soon?", timeout_seconds=1)
            asked = await ann.kept_card("Soon?")
            await server.kill()
        await until(opened.deadline_unix_ms)
        before = time.time_ns() // 1_000_000
        await server.start()
        async with device(server.http, token) as ann:
            state = await ann.state(asked.ID, lambda s: True)
            told = [m.request_state for m in await ann.history() if m.Cmd == "RequestState"]
            now = time.time_ns() // 1_000_000
            assert state.state == request_pb2.REQUEST_STATE_PENDING
            assert before <= state.deadline_unix_ms - 120_000 <= now
            moved = [s for s in told if s.reason == error_pb2.ERROR_CODE_RELAY_AWAY]
            assert [s.deadline_unix_ms for s in moved] == [state.deadline_unix_ms]
            assert (await ann.answer_and_ack(asked.ID, "just in time")).accepted
        async with relay_service(server.grpc, token) as service:
            outcome = await service.open("soon", "Soon?", timeout_seconds=1)
            assert outcome.state == request_pb2.REQUEST_STATE_ANSWERED
            assert outcome.contents[0].text.text == "just in time"


async def test_a_stopped_relay_tells_its_devices_ends_in_time_and_keeps_what_is_open(
    token: str, tmp_path: Path
) -> None:
    async with (
        relay(tmp_path / "relay", token=token) as server,
        agent(server.http, server.grpc, token, tmp_path / "a") as one,
    ):
        async with (
            device(server.http, token, "Ann") as ann,
            device(server.http, token, "Old", extended=False) as old,
        ):
            call = one.ask("Open?")
            asked = await ann.kept_card("Open?")
            code, seconds = await server.terminate()
            assert code == 0
            assert seconds < bound(STOP_SECONDS)
            await ann.closed.wait()
            await old.closed.wait()
            assert (ann.close_code, old.close_code) == (1001, 1001)
        await server.start()
        async with device(server.http, token) as ann:
            assert (await ann.card("Open?")).ID == asked.ID
            await ann.answer(asked.ID, "still")
            assert (await call.text()).endswith("still")


@pytest.mark.requirement("B96")
async def test_a_bridge_outlives_five_relays_and_then_asks_as_if_nothing_had_been(
    token: str, tmp_path: Path
) -> None:
    async with (
        relay(tmp_path / "relay", token=token) as server,
        agent(server.http, server.grpc, token, tmp_path / "a") as one,
    ):
        for number in range(5):
            await (server.restart() if number % 2 else _stop_and_start(server))
        async with device(server.http, token) as ann:
            call = one.ask("Alive?")
            asked = await ann.kept_card("Alive?")
            await ann.answer(asked.ID, "all of us")
            assert (await call.text()).endswith("all of us")
            tools = await one.client.list_tools()
            assert {"ask_question", "work_report"} <= {tool.name for tool in tools.tools}


async def _stop_and_start(server: Relay) -> None:
    await server.terminate()
    await server.start()


async def test_an_answer_raced_against_a_killed_relay_is_either_kept_or_not_acknowledged(
    token: str, tmp_path: Path
) -> None:
    """Killed right after the reply was sent: if the Ack came, the answer is there."""
    async with (
        relay(tmp_path / "relay", token=token) as server,
        agent(server.http, server.grpc, token, tmp_path / "a") as one,
    ):
        for number in range(3):
            async with device(server.http, token) as ann:
                call = one.ask(f"Race {number}?")
                asked = await ann.kept_card(f"Race {number}?")
                ref = await ann.answer(asked.ID, "first")
                await server.kill()
                await ann.closed.wait()
                acknowledged = any(m.ack.ref == ref and m.ack.accepted for m in ann.received)
            await server.start()
            async with device(server.http, token) as ann:
                ack = await ann.answer_and_ack(asked.ID, "second")
                text = await call.text()
            if acknowledged:
                assert not ack.accepted
            assert text.endswith("second" if ack.accepted else "first")


async def test_two_devices_agree_on_the_winner_after_a_restart(token: str, tmp_path: Path) -> None:
    async with relay(tmp_path / "relay", token=token) as server:
        async with (
            agent(server.http, server.grpc, token, tmp_path / "a") as one,
            device(server.http, token, "Ann") as ann,
        ):
            call = one.ask("Winner?")
            asked = await ann.kept_card("Winner?")
            await ann.answer_and_ack(asked.ID, "Ann")
            await call.text()
            await ann.state(asked.ID, lambda s: s.received)
        await server.restart()
        async with device(server.http, token, "Bob") as bob:
            refusal = await bob.answer_and_ack(asked.ID, "Bob")
            assert refusal.code == error_pb2.ERROR_CODE_ALREADY_ANSWERED
            assert "Ann" in refusal.message
            replies = [m for m in await bob.history() if m.Cmd == "AskQuestionReplyNotification"]
            assert [(m.Nickname, text_of(m.AskQuestionResponse)) for m in replies] == [
                ("Ann", "Ann")
            ]


async def test_the_log_and_the_output_of_the_programs_hold_no_token_and_no_body(
    token: str, tmp_path: Path
) -> None:
    async with (
        relay(tmp_path / "relay", token=token) as server,
        agent(server.http, server.grpc, token, tmp_path / "a") as one,
        device(server.http, token) as ann,
    ):
        call = one.ask("The secret plan?")
        asked = await ann.kept_card("The secret plan?")
        await ann.answer(asked.ID, "The secret answer")
        await call.text()
        await asyncio.gather(server.terminate(), ann.closed.wait())
    for log in (server.log, tmp_path / "a" / "bridge.log"):
        written = log.read_text()
        assert token not in written
        assert "secret" not in written
