"""The bridge as a process: it always ends, in time, and stdout carries nothing but MCP."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from tests.mcp.fake_relay import TOKEN, FakeRelay, serving
from tests.system.processes import bound, poll

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator
    from pathlib import Path

pytestmark = [pytest.mark.system, pytest.mark.timeout(60)]

HELLO = [
    {
        "jsonrpc": "2.0",
        "id": "hello",
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "claude-code", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]
# On a quiet machine it is gone after 0.1 s; the watchdog makes it 0.3 s at most.
GONE_SECONDS = 2.0


@asynccontextmanager
async def bridge(port: int, *arguments: str, **environ: str) -> AsyncIterator[Process]:
    """A bridge process; killed at the end if a test failed to end it."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "lineup_mcp",
        "--no-autostart",
        "--grpc-port",
        str(port),
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "LINEUP_TOKEN": TOKEN, **environ},
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def send(process: Process, *messages: object) -> None:
    assert process.stdin is not None
    for message in messages:
        process.stdin.write(json.dumps(message).encode() + b"\n")


async def receive(process: Process) -> dict[str, object]:
    assert process.stdout is not None
    message = json.loads(await process.stdout.readline())
    assert isinstance(message, dict)
    return message


def ask(number: int) -> dict[str, object]:
    return {
        "jsonrpc": "2.0",
        "id": number,
        "method": "tools/call",
        "params": {"name": "ask_question", "arguments": {"question": f"Number {number}?"}},
    }


@pytest.mark.parametrize("pending", [0, 3])
@pytest.mark.parametrize("how", ["eof", "SIGINT", "SIGTERM"])
async def test_it_says_goodbye_and_is_gone(pending: int, how: str) -> None:
    """B25."""
    relay = FakeRelay()
    async with serving(relay) as port, bridge(port) as process:
        send(process, *HELLO)
        await receive(process)
        await relay.until(lambda: relay.streams)
        send(process, *(ask(number) for number in range(pending)))
        if pending:
            await relay.asked(pending)
        begun = time.monotonic()
        if how == "eof":
            assert process.stdin is not None
            process.stdin.close()
        else:
            process.send_signal(signal.Signals[how])
        async with asyncio.timeout(bound(GONE_SECONDS)):
            code = await process.wait()
        assert time.monotonic() - begun < bound(GONE_SECONDS)
        await relay.until(lambda: relay.named("Goodbye"))
        assert code == (0 if how == "eof" else 128 + signal.Signals[how])
        assert not relay.named("CancelRequest")


async def test_it_ends_though_nobody_reads_its_output() -> None:
    relay = FakeRelay()
    async with serving(relay) as port, bridge(port) as process:
        send(process, *HELLO)
        await receive(process)
        send(
            process,
            *({"jsonrpc": "2.0", "id": number, "method": "tools/list"} for number in range(200)),
        )
        await relay.until(lambda: relay.streams)
        assert process.stdin is not None
        process.stdin.close()

        async def ended() -> bool:
            return process.returncode is not None

        # Without reading: wait() of asyncio would wait for the pipe's end.
        await poll(ended, within=GONE_SECONDS)
        assert process.returncode == 0


async def test_a_dead_reader_ends_it() -> None:
    relay = FakeRelay()
    read, write = os.pipe()
    async with serving(relay) as port:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "lineup_mcp",
            "--no-autostart",
            "--grpc-port",
            str(port),
            stdin=asyncio.subprocess.PIPE,
            stdout=write,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, "LINEUP_TOKEN": TOKEN},
        )
        os.close(write)
        os.close(read)
        send(process, *HELLO)
        async with asyncio.timeout(10):
            await process.wait()


async def test_what_was_piped_in_is_answered_before_it_ends() -> None:
    relay = FakeRelay()
    async with serving(relay) as port, bridge(port) as process:
        send(process, *HELLO, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
        assert process.stdin is not None
        process.stdin.close()
        output, _ = await process.communicate()
        answers = [json.loads(line) for line in output.splitlines()]
    assert [answer["id"] for answer in answers] == ["hello", 2]
    assert process.returncode == 0


async def test_probes_leave_no_process_and_no_agent() -> None:
    """B26."""
    relay = FakeRelay()

    async def probe(port: int) -> None:
        async with bridge(port) as process:
            send(process, *HELLO)
            assert process.stdin is not None
            process.stdin.close()
            await process.communicate()
            assert process.returncode == 0

    async with serving(relay) as port:
        async with asyncio.TaskGroup() as tasks:
            for _ in range(5):
                tasks.create_task(probe(port))
        await relay.until(lambda: not relay.streams)


@pytest.mark.requirement("B68")
async def test_every_line_on_stdout_is_json_rpc(tmp_path: Path) -> None:
    """B68: debug log, warnings, prints of imported code, and the C core's own log."""
    # The noise starts when the streams were claimed: whatever is imported after that prints.
    (tmp_path / "sitecustomize.py").write_text(
        """
import sys

class Noisy:
    def find_spec(self, name, path=None, target=None):
        import os, warnings
        if "lineup_mcp.lifecycle" in sys.modules:
            print("imported", name)
            sys.__stdout__.flush()
            os.write(1, b"raw noise\\n")
            warnings.warn("noise")

sys.meta_path.insert(0, Noisy())
"""
    )
    relay = FakeRelay()
    async with (
        serving(relay) as port,
        bridge(
            port,
            PYTHONPATH=str(tmp_path),
            PYTHONWARNINGS="always",
            LINEUP_LOG_LEVEL="debug",
            GRPC_VERBOSITY="DEBUG",
            GRPC_TRACE="http",
        ) as process,
    ):
        errors = asyncio.ensure_future(process.stderr.read())  # type: ignore[union-attr] # piped
        send(process, *HELLO, ask(1))
        relay.answer(await relay.asked(), "quiet")
        lines = [await receive(process), await receive(process)]
        assert process.stdin is not None
        process.stdin.close()
        assert process.stdout is not None
        assert await process.stdout.read() == b""
        noise = await errors
    assert [line["id"] for line in lines] == ["hello", 1]
    assert b"raw noise" in noise
    assert b"DEBUG" in noise
    assert TOKEN.encode() not in noise


async def test_malformed_lines_are_answered_and_the_rest_goes_on() -> None:
    relay = FakeRelay()
    async with serving(relay) as port, bridge(port) as process:
        assert process.stdin is not None
        process.stdin.write(b"\xff\xfe\n\n{]\n")
        send(process, *HELLO, {"jsonrpc": "2.0", "id": 2, "method": "ping"})
        process.stdin.close()
        output, _ = await process.communicate()
    answers = [json.loads(line) for line in output.splitlines()]
    assert [a["id"] for a in answers] == [None, None, "hello", 2]
    assert [a["error"]["code"] for a in answers[:2]] == [-32700, -32700]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_during_the_import_ends_it(number: signal.Signals) -> None:
    async with bridge(1) as process:
        send(process, *HELLO)
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)
        async with asyncio.timeout(bound(GONE_SECONDS)):
            await process.communicate()
