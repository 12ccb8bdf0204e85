"""`lineup-mcp ask` and `report` as scripts use them."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import signal
import sys
import threading
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from lineup_mcp.cli import main
from lineup_mcp.commands import COMMANDS
from lineup_srv.wire._gen.lineup.v1 import request_pb2
from tests.mcp.fake_relay import CLOCK, TOKEN, FakeRelay, picture, serving, words
from tests.mcp.test_pictures import drawn

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Awaitable, Callable

    from click.testing import Result

    Script = Callable[[FakeRelay], Awaitable[object]]

pytestmark = pytest.mark.system


@asynccontextmanager
async def command(port: int, *arguments: str, token: str = TOKEN) -> AsyncIterator[Process]:
    """A command at work; killed at the end if a test failed to end it."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "lineup_mcp", "--no-autostart", "--grpc-port", str(port)),
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "LINEUP_TOKEN": token},
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def test_the_answer_alone_is_on_stdout_and_confirmed() -> None:
    relay = FakeRelay()
    async with (
        serving(relay) as port,
        command(port, "ask", "Which way?", "-o", "left", "-o", "right") as process,
    ):
        asked = await relay.asked()
        (question,) = relay.opened[asked].question.Request.Questions
        labels = [one.label for one in question.options]  # type: ignore[attr-defined]
        assert labels == ["left", "right"]
        relay.answer(asked, "left, 中文")
        output, errors = await process.communicate()
        await relay.until(lambda: relay.named("Goodbye"))
    assert process.returncode == 0
    assert output.decode() == "left, 中文\n"
    assert errors.startswith(b"Answered by Ann on Android at ")
    assert relay.acknowledged == [asked]


async def test_a_report_from_stdin_is_answered_in_json() -> None:
    relay = FakeRelay()
    async with serving(relay) as port, command(port, "report", "-", "--json") as process:
        assert process.stdin is not None
        process.stdin.write("All done. 完成".encode())
        process.stdin.close()
        asked = await relay.asked()
        assert relay.opened[asked].report.Request.Summary == "All done. 完成"
        relay.answer(asked, "Now the tests")
        assert process.stdout is not None
        told = json.loads(await process.stdout.read())
        await process.wait()
    assert process.returncode == 0
    assert (told["state"], told["answer"], told["by"]) == ("answered", "Now the tests", "Ann")


async def left_behind(relay: FakeRelay) -> None:
    """A late answer to a report of before, a message, and one to whoever comes next."""
    relay.end(
        "earlier",
        request_pb2.REQUEST_STATE_CANCELLED,
        late=True,
        replied_unix_ms=CLOCK + 9_000,
        nickname="Bob",
        contents=[*words("ship it"), picture(drawn("PNG"))],
        report=True,
        question="All tests pass",
        other_session=True,
    )
    relay.write("use the other branch", "text-1", agent_id="gone")
    relay.write("hello, agents", "text-2")


@pytest.mark.parametrize("as_json", [False, True])
async def test_what_waited_is_printed_beside_the_answer_and_confirmed(as_json: bool) -> None:
    relay = FakeRelay()
    await left_behind(relay)
    async with (
        serving(relay) as port,
        command(port, "ask", "Which way?", *(["--json"] if as_json else [])) as process,
    ):
        asked = await relay.asked()
        relay.answer(asked, "left")
        output, errors = await process.communicate()
        await relay.until(lambda: relay.named("Goodbye"))
    if as_json:
        late, message = json.loads(output)["also"]
    else:
        assert output == b"left\n"
        said, _, also = errors.decode().partition("--- Also waiting for you from the human ---\n")
        assert said.startswith("Answered by Ann on Android at ")
        late, message = also.split("\n\n")
    assert late.startswith("[asked by another session of this agent] Answered by Bob at 2027-01-15")
    assert "(late, after the call had ended)" in late
    assert "Report: All tests pass" in late
    assert "ship it" in late
    assert "Attachment 1: picture (PNG, 4×3 pixels), saved as " in late
    assert "use the other branch" in message
    # A message to every agent is for one that goes on working.
    assert sorted(relay.acknowledged) == sorted([asked, "earlier", "text-1"])


@pytest.mark.parametrize(
    ("state", "status"),
    [
        (request_pb2.REQUEST_STATE_DECLINED, 3),
        (request_pb2.REQUEST_STATE_EXPIRED, 4),
        (request_pb2.REQUEST_STATE_CANCELLED, 4),
    ],
)
async def test_the_status_tells_an_answer_from_none(
    state: request_pb2.RequestState, status: int
) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, command(port, "ask", "May I?") as process:
        relay.end(await relay.asked(), state)
        output, errors = await process.communicate()
    assert process.returncode == status
    assert output == b""
    assert b"consent" in errors


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_an_interrupt_withdraws_the_card(number: signal.Signals) -> None:
    relay = FakeRelay()
    async with serving(relay) as port, command(port, "ask", "May I?") as process:
        await relay.asked()
        process.send_signal(number)
        output, errors = await process.communicate()
        await relay.until(lambda: relay.named("Goodbye"))
    assert process.returncode == 128 + number
    assert output == b""
    assert b"interrupted" in errors
    assert b"Traceback" not in errors


async def test_no_words_and_no_relay_are_told() -> None:
    async with command(1, "ask", "  ") as process:
        _, errors = await process.communicate()
    assert process.returncode == 2
    assert b"no words" in errors
    async with command(1, "ask", "Anybody?", "--json") as process:
        output, _ = await process.communicate()
    assert process.returncode == 1
    told = json.loads(output)
    assert told["state"] == "failed"
    assert "relay_unreachable" in told["message"]


# In this process ----------------------------------------------------------------------------


def run_beside(script: Script, *arguments: str, stdin: str = "") -> tuple[Result, FakeRelay]:
    """Run a command here while a relay in another thread does what the script says."""
    relay, ports = FakeRelay(), queue.SimpleQueue[int]()

    async def serve() -> None:
        async with serving(relay) as port:
            ports.put(port)
            await script(relay)
            await relay.until(lambda: relay.named("Goodbye"))

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        port = str(ports.get(timeout=10))
        flags = ("--no-autostart", "--token", TOKEN, "--grpc-port", port)
        result = CliRunner().invoke(main, [*flags, *arguments], input=stdin)
    finally:
        thread.join()
    return result, relay


async def answers(relay: FakeRelay) -> None:
    relay.answer(await relay.asked(), "the left one")


def test_the_words_are_read_and_the_answer_is_printed() -> None:
    result, relay = run_beside(answers, "ask", "-", "--multiple", "-o", "left", stdin="Which way?")
    assert (result.exit_code, result.stdout) == (0, "the left one\n")
    assert relay.acknowledged
    result, _ = run_beside(answers, "report", "Done.", "--json")
    assert json.loads(result.stdout)["answer"] == "the left one"


def test_a_dismissal_is_told_in_json() -> None:
    async def declines(relay: FakeRelay) -> None:
        relay.end(await relay.asked(), request_pb2.REQUEST_STATE_DECLINED, action="decline")

    result, _ = run_beside(declines, "ask", "May I?", "--json")
    told = json.loads(result.stdout)
    assert result.exit_code == 3
    assert (told["state"], told["answer"]) == ("declined", None)


def test_a_signal_ends_it_with_its_number() -> None:
    async def interrupts(relay: FakeRelay) -> None:
        await relay.asked()
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    result, relay = run_beside(interrupts, "ask", "May I?")
    assert result.exit_code == 128 + signal.SIGINT
    assert not relay.acknowledged
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("command", ["ask", "report"])
def test_a_picture_that_is_not_there_is_a_wrong_argument(command: str) -> None:
    arguments = ["--token", TOKEN, "--no-autostart", command, "See?", "--image", "gone.png"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert "images" in result.stderr


def test_settings_that_cannot_be_used_are_told() -> None:
    result = CliRunner().invoke(main, ["--port", "0", "ask", "Anybody?"])
    assert result.exit_code == 2
    assert "port" in result.stderr


def test_an_unknown_command_is_none_and_help_lists_the_known() -> None:
    assert CliRunner().invoke(main, ["nothing"]).exit_code == 2
    shown = CliRunner().invoke(main, ["--help"]).stdout
    for name in COMMANDS:
        assert f"  {name} " in shown
