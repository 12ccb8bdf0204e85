"""Conversations about long waits: slices, broken streams, restarts, signs of life."""

from __future__ import annotations

import asyncio
import json
import os
import re
import selectors
import socket
from itertools import pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from lineup_mcp.hosts import profile_of
from lineup_mcp.phrases import local_time
from lineup_mcp.tools.call import Call
from lineup_mcp.tools.waiting import hold
from lineup_mcp.waits import Wait
from lineup_srv.contract import limits
from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2, relay_pb2, request_pb2, tool_pb2
from tests.mcp.fake_relay import CLOCK, FakeRelay, serving
from tests.mcp.harness import bridge_config, bridged, text_of
from tests.mcp.listeners import answering, relay
from tests.mcp.test_app_tools import tools_of
from tests.mcp.tools import CHOICE

if TYPE_CHECKING:
    from pathlib import Path

    from lineup_mcp.lease import Lease
    from lineup_mcp.tools.waiting import Held

ASK = {"question": "Go on?"}


async def test_a_slice_ends_with_the_id_and_a_later_call_gets_the_answer(tmp_path: Path) -> None:
    relay = FakeRelay()
    config = bridge_config(0, tmp_path, wait_slice_seconds=0.2)
    async with serving(relay) as port:
        config = bridge_config(port, tmp_path, wait_slice_seconds=0.2)
        async with bridged(config) as client:
            first = text_of(await client.call_tool("ask_question", ASK))
            found = re.search(r'question_id="([^"]+)"', first)
            assert found is not None
            request_id = found[1]
            assert first.startswith("Not answered yet: the question is still open, on 2 devices")
            assert "Question: Go on?" in first
            assert "Do not assume consent" in first
            assert "call ask_question with" in first
            await relay.until(lambda: not relay.waiting)
            assert request_id in relay.opened
            assert not relay.named("CancelRequest")

            async with asyncio.TaskGroup() as tasks:
                again = tasks.create_task(
                    client.call_tool("ask_question", {"question_id": request_id})
                )
                await relay.until(lambda: request_id in relay.waiting)
                relay.answer(request_id, "now")
                second = text_of(await again)
    assert second.startswith("Answered by Ann")
    assert second.endswith("Answer:\nnow")
    assert len(relay.opened) == 1


@pytest.mark.parametrize(
    ("client_name", "slice_seconds"),
    [("cursor-vscode", 50), ("codex-mcp-client", 280), ("mcp", 280), ("someone", 50)],
)
async def test_slices_fit_the_agent_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, client_name: str, slice_seconds: float
) -> None:
    seen = []

    async def hold(_lease: object, _wait: object, call: Call) -> None:
        seen.append(call.slice_seconds)

    monkeypatch.setattr("lineup_mcp.tools.asking.hold", hold)
    relay = FakeRelay()
    async with (
        serving(relay) as port,
        bridged(bridge_config(port, tmp_path), client_name=client_name) as client,
    ):
        await client.call_tool("ask_question", ASK)
    assert seen == [slice_seconds]


async def test_an_unknown_question_id_is_a_clear_result(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, bridged(bridge_config(port, tmp_path)) as client:
        result = await client.call_tool("ask_question", {"question_id": "never-heard-of"})
    assert result.is_error is False
    assert text_of(result).startswith("unknown_request:")
    assert "Begin anew: ask the question" in text_of(result)


async def test_a_question_of_another_agent_says_whose_it_was(tmp_path: Path) -> None:
    relay = FakeRelay()
    asked = agent_assist_pb2.AskQuestionRequest(ID="theirs")
    relay.opened["theirs"] = relay_pb2.OpenRequestRequest(question=asked)
    async with serving(relay) as port:
        config = bridge_config(port, tmp_path, wait_slice_seconds=0.2)
        async with bridged(config) as client:
            waiting = text_of(await client.call_tool("ask_question", {"question_id": "theirs"}))
            relay.answer("theirs", "yes", question="Theirs?", project_directory="/other")
            answered = text_of(await client.call_tool("ask_question", {"question_id": "theirs"}))
    assert waiting.startswith("Not answered yet")
    assert "Note: this was asked by another agent" in waiting
    assert answered.startswith("Answered by Ann")
    assert "Question: Theirs?" in answered
    assert answered.endswith("or by an earlier process of yours, in /other.")


@pytest.mark.requirement("B98")
async def test_a_human_gives_more_time_and_the_bridge_follows(tmp_path: Path) -> None:
    """The agent asked for a minute; the relay's word is the deadline, and it only moves later."""
    relay = FakeRelay()
    async with serving(relay) as port:
        config = bridge_config(port, tmp_path, wait_slice_seconds=0.3)
        async with bridged(config) as client, asyncio.TaskGroup() as tasks:
            call = tasks.create_task(client.call_tool("ask_question", {**ASK, "timeout": 60}))
            request_id = await relay.asked()
            await relay.until(lambda: relay.named("SetWaiting"))
            moved = relay_pb2.DeadlineMoved(
                request_id=request_id, deadline_unix_ms=CLOCK + 7_230_000
            )
            relay.push(relay_pb2.AttachResponse(deadline_moved=moved))
            text = text_of(await call)
    assert f"until {local_time(CLOCK + 7_230_000)[:16]}" in text


class WarpSelector(selectors.DefaultSelector):
    """Waits no longer than it has to: time passes by itself."""

    skipped = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.skipped += timeout or 0.0
        return super().select(0)


class WarpLoop(asyncio.SelectorEventLoop):
    """A loop whose clock jumps to the next thing that is to happen."""

    def __init__(self) -> None:
        self._warp = WarpSelector()
        super().__init__(self._warp)

    def time(self) -> float:
        return super().time() + self._warp.skipped


@pytest.mark.requirement("B21")
def test_half_an_hour_of_waiting_survives_a_host_that_gives_up_after_a_minute_of_silence(
    tmp_path: Path,
) -> None:
    """The limit of a program that each sign of life extends."""
    signs: list[float] = []
    words: list[str] = []

    async def wait() -> relay_pb2.Outcome | None:
        assert bridge_config(1, tmp_path).heartbeat_seconds == 15
        loop = asyncio.get_running_loop()
        begun = loop.time()
        waiting = Wait("id", None, begun + 3_600)
        waiting.sent_at = begun

        async def sign(
            progress: float, total: float | None = None, message: str | None = None
        ) -> None:
            signs.append(loop.time() - begun)
            words.append(message or "")

        loop.call_later(1_800, waiting.outcome.set_result, relay_pb2.Outcome(request_id="id"))
        outcome = await hold(
            SimpleNamespace(attached=True, devices_online=0),  # type: ignore[arg-type] # all it reads
            waiting,
            Call(
                slice_seconds=profile_of("opencode").wait_slice_seconds,
                heartbeat_seconds=bridge_config(1, tmp_path).heartbeat_seconds,
                progress=sign,
            ),
        )
        return outcome

    with asyncio.Runner(loop_factory=WarpLoop) as runner:
        outcome = runner.run(wait())
    assert outcome is not None
    assert outcome.request_id == "id"
    gaps = [after - before for before, after in pairwise([0.0, *signs, 1_800.0])]
    assert max(gaps) < 25
    assert words[0] == "Waiting for the human: no device is online, 60 min left."
    assert all(len(text) <= 200 for text in words)


async def test_a_broken_stream_is_attached_again_with_what_waits(tmp_path: Path) -> None:
    """B51: the answer given meanwhile is delivered, once."""
    relay = FakeRelay()
    async with (
        serving(relay) as port,
        bridged(bridge_config(port, tmp_path)) as client,
        asyncio.TaskGroup() as tasks,
    ):
        call = tasks.create_task(client.call_tool("ask_question", ASK))
        request_id = await relay.asked()
        await relay.until(lambda: relay.named("SetWaiting"))
        relay.drop_streams()
        await relay.until(lambda: len(relay.named("Attach")) == 2)
        assert list(relay.named("Attach")[1].waiting_ids) == [request_id]
        relay.answer(request_id, "after the break", redelivered=True)
        text = text_of(await call)
        await relay.until(lambda: request_id in relay.acknowledged)
    assert text.endswith("after the break")
    assert "may have reached you" not in text


async def test_a_relay_that_lost_the_question_gets_it_again_under_its_id(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with (
        serving(relay) as port,
        bridged(bridge_config(port, tmp_path)) as client,
        asyncio.TaskGroup() as tasks,
    ):
        call = tasks.create_task(client.call_tool("ask_question", ASK))
        request_id = await relay.asked()
        await relay.until(lambda: relay.named("SetWaiting"))
        relay.forget()
        relay.drop_streams()
        assert await relay.asked() == request_id
        assert relay.opened[request_id].question.Request.Timeout <= 600
        relay.answer(request_id)
        assert text_of(await call).startswith("Answered")


@pytest.mark.parametrize("tool", ["ask_question", "choice"])
async def test_a_call_that_waits_survives_a_restart_of_the_relay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    """A relay that is away for longer than a new call would look for it."""
    relay = FakeRelay()
    relay.offer(CHOICE)
    async with serving(relay) as port:
        pass
    async with bridged(bridge_config(port, tmp_path)) as client, asyncio.TaskGroup() as tasks:
        async with serving(relay, port):
            await tools_of(client, tool)
            call = tasks.create_task(client.call_tool(tool, {**ASK, "options": ["yes", "no"]}))
            if tool == "choice":
                relay.tell(await relay.call(), tool_pb2.CALL_PHASE_ACCEPTED)
            else:
                await relay.asked()
                await relay.until(lambda: relay.named("SetWaiting"))
            monkeypatch.setattr(limits, "UNREACHABLE_SECONDS", 0.05)
        await relay.until(lambda: not relay.streams)
        new = await client.call_tool("ask_question", ASK)
        assert text_of(new).startswith("relay_unreachable: ")
        assert not call.done()
        attached = len(relay.named("Attach"))
        async with serving(relay, port):
            await relay.until(lambda: len(relay.named("Attach")) > attached)
            if tool == "choice":
                relay.finish(await relay.call(), '{"message": "still here"}')
            else:
                relay.answer(await relay.asked(), "still here")
            assert "still here" in text_of(await call)


async def test_no_relay_is_a_normal_result_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = await no_relay(tmp_path, monkeypatch, 1)
    # The port that the user set, not the one that follows from it.
    assert text.startswith("relay_unreachable: no LineUp relay answers at 127.0.0.1:1; nothing")
    assert "`lineup-srv`" in text
    assert "Do not assume consent" in text


async def test_another_program_on_the_port_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with answering({"name": "Other"}) as port:
        text = await no_relay(tmp_path, monkeypatch, port)
    assert text.startswith(
        f"relay_unreachable: no LineUp relay answers at 127.0.0.1:{port}: "
        "another program answers there; nothing was shown"
    )
    assert "free that port, or to set another one" in text
    assert "`lineup-srv`" not in text


async def test_a_program_that_says_nothing_on_the_port_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        text = await no_relay(tmp_path, monkeypatch, server.getsockname()[1])
    assert "a program has that port and says nothing; nothing was shown" in text


async def test_a_relay_of_the_user_on_another_port_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with relay() as port:
        (tmp_path / "lock").write_text(json.dumps({"http": port, "grpc": 80}))
        text = await no_relay(tmp_path, monkeypatch, 1)
    assert f"a relay of the user's runs on 127.0.0.1:{port} (process {os.getpid()})" in text
    assert f"set the port {port}" in text


async def test_a_relay_whose_grpc_port_does_not_answer_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with relay() as port:
        text = await no_relay(tmp_path, monkeypatch, port)
    assert text.startswith(
        f"relay_unreachable: the LineUp relay at 127.0.0.1:{port} does not answer on its gRPC port"
    )
    assert "lineup_server_grpc_port" in text


async def no_relay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: int) -> str:
    """What a call says when nothing listens on the gRPC port."""
    monkeypatch.setattr(limits, "UNREACHABLE_SECONDS", 0.3)
    async with serving(FakeRelay()) as grpc_port:
        pass
    async with bridged(bridge_config(grpc_port, tmp_path, port=port)) as client:
        result = await client.call_tool("ask_question", ASK)
    assert result.is_error is False
    return text_of(result)


async def test_what_is_waited_for_after_its_time_gets_the_relays_word() -> None:
    """The deadline may have been moved while nobody waited."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[str] = loop.create_future()
    held = SimpleNamespace(
        deadline=loop.time() - 100, sent_at=loop.time(), sent=True, outcome=outcome
    )
    lease = SimpleNamespace(attached=True, devices_online=1)
    loop.call_later(0.05, outcome.set_result, "yes")
    async with asyncio.timeout(5):
        word = await hold(
            cast("Lease", lease),
            cast("Held[str]", held),
            Call(slice_seconds=None, heartbeat_seconds=15, progress=None),
        )
    assert word == "yes"


async def test_an_outcome_by_the_stream_beats_the_call_that_still_holds(tmp_path: Path) -> None:
    relay = FakeRelay()
    relay.hold_seconds = 4.0
    async with (
        serving(relay) as port,
        bridged(bridge_config(port, tmp_path)) as client,
        asyncio.TaskGroup() as tasks,
    ):
        call = tasks.create_task(client.call_tool("ask_question", ASK))
        request_id = await relay.asked()
        outcome = relay._outcome(
            request_id,
            request_pb2.REQUEST_STATE_ANSWERED,
            replied_unix_ms=CLOCK,
            nickname="By the stream",
        )
        relay.push(relay_pb2.AttachResponse(outcome=outcome))
        assert text_of(await call).startswith("Answered by By the stream")
        relay.answer(request_id)


async def test_an_outcome_within_the_call_needs_no_stream(tmp_path: Path) -> None:
    relay = FakeRelay()
    relay.hold_seconds = 4.0
    async with (
        serving(relay) as port,
        bridged(bridge_config(port, tmp_path)) as client,
        asyncio.TaskGroup() as tasks,
    ):
        call = tasks.create_task(client.call_tool("ask_question", ASK))
        request_id = await relay.asked()
        relay.waiting.clear()
        relay.answer(request_id, "held")
        assert text_of(await call).endswith("held")
        await relay.until(lambda: request_id in relay.acknowledged)
    assert relay.acknowledged == [request_id]


@pytest.mark.requirement("B22")
async def test_progress_comes_only_when_it_was_asked_for_and_grows(tmp_path: Path) -> None:
    relay = FakeRelay()
    seen: list[float] = []
    said: list[str] = []
    enough = asyncio.Event()

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        seen.append(progress)
        said.append(message or "")
        if len(seen) == 3:
            enough.set()

    async with serving(relay) as port:
        config = bridge_config(port, tmp_path, heartbeat_seconds=0.05)
        async with bridged(config) as client:
            async with asyncio.TaskGroup() as tasks:
                call = tasks.create_task(
                    client.call_tool("ask_question", ASK, progress_callback=progress)
                )
                await enough.wait()
                relay.answer(await relay.asked())
                await call
            assert seen == sorted(seen)
            assert len(set(seen)) == len(seen)
            assert said[-1] == "Waiting for the human: 2 devices online, 10 min left."

            before = len(seen)
            async with asyncio.TaskGroup() as tasks:
                call = tasks.create_task(client.call_tool("ask_question", ASK))
                relay.answer(await relay.asked(2))
                await call
            assert len(seen) == before


async def test_calls_run_at_the_same_time_and_each_gets_its_own_answer(tmp_path: Path) -> None:
    """B07, B10."""
    relay = FakeRelay()
    async with (
        serving(relay) as port,
        bridged(bridge_config(port, tmp_path)) as client,
        asyncio.TaskGroup() as tasks,
    ):
        calls = {
            name: tasks.create_task(client.call_tool("ask_question", {"question": name}))
            for name in ("one", "two", "three")
        }
        await relay.asked(3)
        for request_id, opened in reversed(relay.opened.items()):
            relay.answer(request_id, "to " + opened.question.Request.Question)
        for name, call in calls.items():
            assert text_of(await call).endswith(f"Answer:\nto {name}")


async def test_a_flood_of_cards_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lineup_srv.contract.limits.OPEN_REQUESTS_PER_AGENT", 2)
    relay = FakeRelay()
    async with (
        serving(relay) as port,
        bridged(bridge_config(port, tmp_path)) as client,
        asyncio.TaskGroup() as tasks,
    ):
        calls = [tasks.create_task(client.call_tool("ask_question", ASK)) for _ in range(2)]
        await relay.asked(2)
        result = await client.call_tool("work_report", {"summary": "done"})
        assert text_of(result).startswith("rate_limited: this agent already has 2 open")
        assert result.is_error is False
        for request_id in list(relay.opened):
            relay.answer(request_id)
        await asyncio.gather(*calls)
