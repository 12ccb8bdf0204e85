"""The bridge as a process, fed with what no proper client sends, with too much, and unread."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import os
import random
import re
import signal
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from lineup_srv.contract import limits
from lineup_srv.wire._gen.lineup.v1 import content_pb2
from tests.mcp.fake_relay import TOKEN, FakeRelay, serving
from tests.mcp.test_process import HELLO, ask, send

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator

pytestmark = [pytest.mark.system, pytest.mark.timeout(90)]

PATIENCE_SECONDS = 30.0
LINE_BYTES = 64 * 1024 * 1024
TWENTY_MEGABYTES = 20 * 1024 * 1024


@asynccontextmanager
async def bridge(port: int, **environ: str) -> AsyncIterator[Process]:
    """A bridge that has answered `initialize`; killed at the end if a test failed to end it."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "lineup_mcp", "--no-autostart", "--grpc-port", str(port)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, "LINEUP_TOKEN": TOKEN, **environ},
        limit=LINE_BYTES,
    )
    try:
        send(process, *HELLO)
        assert (await receive(process))["id"] == "hello"
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def receive(process: Process) -> dict[str, Any]:
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE_SECONDS):
        line = await process.stdout.readline()
    message = json.loads(line.decode("utf-8", "strict"))
    assert isinstance(message, dict)
    return message


def text_of(answer: dict[str, Any]) -> str:
    assert not answer["result"].get("isError"), answer
    return "\n".join(one["text"] for one in answer["result"]["content"] if one["type"] == "text")


@pytest.mark.parametrize(
    ("line", "code", "number"),
    [
        (b'{"jsonrpc": "2.0", "id": 5, "method": "ping"', -32700, None),
        (b'{"jsonrpc": "2.0", "id": 5, "method": "p\xe9ng"}', -32700, None),
        (b"[" * 200_000, -32700, None),
        (b'{"jsonrpc": "2.0", "id": NaN, "method": "ping"}', -32700, None),
        (b'[{"jsonrpc": "2.0", "id": 5, "method": "ping"}]', -32600, None),
        (b'{"jsonrpc": "1.0", "id": 5, "method": "ping"}', -32600, 5),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 5, "method": 7}', -32600, 5),
        (b'{"jsonrpc": "2.0", "id": 5, "method": "ping", "params": [1]}', -32600, 5),
        (b'"' + b"x" * (limits.MESSAGE_BYTES + 1) + b'"', -32700, None),
    ],
    ids=["cut", "latin-1", "deep", "nan", "batch", "version", "id", "method", "params", "long"],
)
async def test_what_is_no_message_is_answered_and_the_rest_goes_on(
    line: bytes, code: int, number: int | None
) -> None:
    async with bridge(1) as process:
        assert process.stdin is not None
        process.stdin.write(line + b"\n")
        send(process, {"jsonrpc": "2.0", "id": 9, "method": "ping"})
        refused = await receive(process)
        assert (refused["error"]["code"], refused["id"]) == (code, number)
        assert await receive(process) == {"jsonrpc": "2.0", "id": 9, "result": {}}


async def test_lone_surrogates_become_a_mark_on_both_ways() -> None:
    relay = FakeRelay()
    async with serving(relay) as port, bridge(port) as process:
        assert process.stdin is not None
        call = json.dumps(ask(1)).replace("Number 1", "half \\ud83d of a smile")
        process.stdin.write(call.encode() + b"\n")
        asked = await relay.asked()
        question = relay.opened[asked].question.Request.Question
        assert question == "half \N{REPLACEMENT CHARACTER} of a smile?"
        relay.answer(asked, "ok")
        assert "ok" in text_of(await receive(process))


@pytest.mark.parametrize("locale", ["zh_CN.GBK", "C", "POSIX"])
async def test_the_locale_changes_no_character(locale: str) -> None:
    """Windows in Chinese has GBK, and servers often have C; MCP is UTF-8."""
    relay = FakeRelay()
    environ = {"LC_ALL": locale, "LANG": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    encoding = "gbk" if "GBK" in locale else "ascii"
    async with (
        serving(relay) as port,
        bridge(port, PYTHONIOENCODING=f"{encoding}:strict", **environ) as process,
    ):
        call = ask(1)
        call["params"] = {"name": "ask_question", "arguments": {"question": "用哪个颜色?🎨"}}
        assert process.stdin is not None
        process.stdin.write(json.dumps(call, ensure_ascii=False).encode() + b"\n")
        asked = await relay.asked()
        assert relay.opened[asked].question.Request.Question == "用哪个颜色?🎨"
        relay.answer(asked, "蓝色 🟦")
        assert text_of(await receive(process)).endswith("Answer:\n蓝色 🟦")


async def test_a_client_that_does_not_read_holds_up_nothing_else() -> None:
    relay = FakeRelay()
    count = 200
    async with serving(relay) as port, bridge(port) as process:
        lists = ({"jsonrpc": "2.0", "id": n, "method": "tools/list"} for n in range(count))
        # Far more than a pipe holds; the stream's own limit keeps asyncio from reading on.
        assert process.stdout is not None
        transport = process.stdout._transport  # type: ignore[attr-defined] # to stop reading
        transport.pause_reading()
        send(process, *lists, ask(count))
        relay.answer(await relay.asked(), "got it")
        await relay.until(lambda: relay.waiting or relay.outcomes)
        transport.resume_reading()
        answers = [await receive(process) for _ in range(count + 1)]
    assert {answer["id"] for answer in answers} == set(range(count + 1))
    (asked,) = [answer for answer in answers if answer["id"] == count]
    assert "got it" in text_of(asked)


async def test_calls_above_the_limit_get_a_result_that_says_so() -> None:
    relay = FakeRelay()
    count = 2_000
    async with serving(relay) as port, bridge(port) as process:
        send(process, *(ask(number) for number in range(count)))
        refused = [await receive(process) for _ in range(count - limits.OPEN_REQUESTS_PER_AGENT)]
        for answer in refused:
            words = text_of(answer)
            assert str(limits.OPEN_REQUESTS_PER_AGENT) in words
        await relay.until(lambda: len(relay.opened) == limits.OPEN_REQUESTS_PER_AGENT)
        for request_id, opened in list(relay.opened.items()):
            relay.answer(request_id, f"to {opened.question.Request.Question}")
        answered = [await receive(process) for _ in range(limits.OPEN_REQUESTS_PER_AGENT)]
    for answer in answered:
        assert f"to Number {answer['id']}?" in text_of(answer)
    assert len({answer["id"] for answer in [*refused, *answered]}) == count


async def test_a_reply_of_twenty_megabytes_is_kept_whole_and_told_shortly() -> None:
    relay = FakeRelay()
    words = "".join(f"{number:8}字" for number in range(TWENTY_MEGABYTES // 11))
    async with serving(relay) as port, bridge(port) as process:
        send(process, ask(1))
        relay.answer(await relay.asked(), words)
        told = text_of(await receive(process))
    assert len(told) < 10_000
    assert words[:500] in told
    (path,) = re.findall(r"read it: (.+)\]$", told, re.M)
    assert kept(path) == words.encode()


async def test_a_picture_of_twenty_megabytes_is_reduced_and_the_original_kept() -> None:
    relay = FakeRelay()
    picture = noise(2400, TWENTY_MEGABYTES)
    image = content_pb2.ImageContent(
        type="image", data=base64.b64encode(picture).decode(), mime_type="image/png"
    )
    async with serving(relay) as port, bridge(port) as process:
        send(process, ask(1))
        contents = [content_pb2.McpResultContent(type=2, image=image)]
        relay.answer(await relay.asked(), contents=contents)
        answer = await receive(process)
    (shown,) = [one for one in answer["result"]["content"] if one["type"] == "image"]
    assert len(shown["data"]) < 500_000
    (path,) = re.findall(r"saved as (.+)$", text_of(answer), re.M)
    assert kept(path) == picture


async def test_a_question_of_twenty_megabytes_is_refused_in_words() -> None:
    relay = FakeRelay()
    async with serving(relay) as port, bridge(port) as process:
        call = ask(1)
        arguments = {"question": "x" * TWENTY_MEGABYTES}
        send(process, call | {"params": {"name": "ask_question", "arguments": arguments}})
        told = text_of(await receive(process))
    assert "question" in told
    assert not relay.opened


def kept(path: str) -> bytes:
    """What the bridge put into a file."""
    return Path(path).read_bytes()


def noise(width: int, least_bytes: int) -> bytes:
    """A PNG that no compression makes smaller."""
    height = least_bytes // (width * 3) + 1
    pixels = random.Random(1).randbytes(width * height * 3)
    written = io.BytesIO()
    Image.frombytes("RGB", (width, height), pixels).save(written, "PNG", compress_level=0)
    return written.getvalue()


@pytest.mark.kill
@pytest.mark.timeout(300)
@pytest.mark.requirement("B25")
@pytest.mark.parametrize("how", ["eof", "SIGINT", "SIGTERM", "SIGKILL"])
async def test_fifty_ends_leave_no_process_and_no_card(how: str) -> None:
    relay = FakeRelay()
    every, at_once = 50, 5

    def shown(number: int) -> bool:
        questions = (opened.question.Request.Question for opened in relay.opened.values())
        return f"Number {number}?" in questions

    async def live(port: int, number: int) -> None:
        async with bridge(port) as process:
            send(process, ask(number))
            await relay.until(lambda: shown(number), within_seconds=PATIENCE_SECONDS)
            if how == "eof":
                assert process.stdin is not None
                process.stdin.close()
            else:
                process.send_signal(signal.Signals[how])
            async with asyncio.timeout(PATIENCE_SECONDS):
                await process.wait()

    async with serving(relay) as port:
        for first in range(0, every, at_once):
            async with asyncio.TaskGroup() as tasks:
                for number in range(first, first + at_once):
                    tasks.create_task(live(port, number))
        await relay.until(lambda: not relay.streams)
