"""The disk of the log is full: what cannot be kept is refused, until there is room again."""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
import secrets
import subprocess
from typing import TYPE_CHECKING

import grpc
import grpc.aio
import pytest

from lineup_srv.wire._gen.lineup.v1 import (
    agent_assist_pb2,
    error_pb2,
    relay_pb2,
    request_pb2,
)
from lineup_srv.wire.codes import ERROR_METADATA_KEY
from tests.guarantees.asking import asker
from tests.guarantees.load import load
from tests.guarantees.pages import read_on
from tests.system.devices import device, text_of
from tests.system.processes import PATIENCE_SECONDS, bound, poll, relay, until

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.guarantees.asking import Asker
    from tests.system.processes import Relay

pytestmark = [pytest.mark.system, pytest.mark.timeout(120)]

LOG_UNAVAILABLE = error_pb2.ERROR_CODE_LOG_UNAVAILABLE
FILESYSTEM_BYTES = 8 * 1024 * 1024
CHUNK_BYTES = 4_096
BRIEF_SECONDS = 2
TIMES_FULL = 8
MOST_BETWEEN = 150
SOON = {"lineup_srv.service.timers.RETRY_MS": 100}


class SmallFilesystem:
    """A filesystem of a few megabytes that something else fills."""

    def __init__(self, directory: Path) -> None:
        self._other = directory / "something-else"

    def fill(self, _server: Relay) -> None:
        """Leave no byte."""
        with self._other.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(CHUNK_BYTES))

    def empty(self, _server: Relay) -> None:
        """Give all back."""
        self._other.unlink()


class FileSizeLimit:
    """A limit to the size of files of the relay, lower than its log already is."""

    def fill(self, server: Relay) -> None:
        """Let no file grow."""
        self._limit(server, 1)

    def empty(self, server: Relay) -> None:
        """Let them grow."""
        self._limit(server, resource.RLIM_INFINITY)

    def _limit(self, server: Relay, size: int) -> None:
        process = int(json.loads((server.data_dir / "lock").read_text())["pid"])
        resource.prlimit(process, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


Disk = SmallFilesystem | FileSizeLimit


@pytest.fixture
def small_filesystem(tmp_path: Path) -> Iterator[SmallFilesystem]:
    """Mounted where the relay keeps its data; only root may do that."""
    directory = tmp_path / "relay"
    directory.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={FILESYSTEM_BYTES}", "tmpfs", str(directory)]
    mounting = subprocess.run(mount, capture_output=True, text=True, check=False)
    if mounting.returncode:
        pytest.skip(f"no filesystem can be mounted here: {mounting.stderr.strip()}")
    try:
        yield SmallFilesystem(directory)
    finally:
        subprocess.run(["umount", "--lazy", str(directory)], check=True)


@pytest.fixture(params=["small filesystem", "limited files"])
def disk(request: pytest.FixtureRequest) -> Disk:
    """What will be full."""
    if request.param == "limited files":
        return FileSizeLimit()
    filesystem = request.getfixturevalue("small_filesystem")
    assert isinstance(filesystem, SmallFilesystem)
    return filesystem


async def ready(port: int) -> int:
    """The status of /ready."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(b"GET /ready HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        async with asyncio.timeout(bound(PATIENCE_SECONDS)):
            return int((await reader.readline()).split()[1])
    finally:
        writer.transport.abort()


async def becomes_ready(port: int) -> None:
    """Wait until the relay takes questions again, by itself."""

    async def is_ready() -> bool:
        return await ready(port) == 200

    await poll(is_ready)


async def refused_open(agent: Asker, request_id: str, question: str) -> grpc.aio.AioRpcError:
    """How a question is refused."""
    request = relay_pb2.OpenRequestRequest(
        question=agent_assist_pb2.AskQuestionRequest(
            ID=request_id,
            Request=agent_assist_pb2.McpAskQuestionRequest(
                Question=question, agent_id=agent.agent_id
            ),
        ),
        wait_ms=5_000,
    )
    with pytest.raises(grpc.aio.AioRpcError) as refusal:
        await agent.stub.OpenRequest(request, metadata=agent.metadata)
    return refusal.value


def detail(error: grpc.aio.AioRpcError) -> error_pb2.ErrorDetail:
    """What a refusal says for programs."""
    (data,) = [v for k, v in error.trailing_metadata() or () if k == ERROR_METADATA_KEY]
    assert isinstance(data, bytes)
    return error_pb2.ErrorDetail.FromString(data)


@pytest.mark.requirement("design:log:full-disk")
async def test_a_full_disk_refuses_in_words_loses_nothing_and_is_forgotten_when_there_is_room(
    token: str, tmp_path: Path, disk: Disk
) -> None:
    async with (
        relay(tmp_path / "relay", token=token, limits=SOON) as server,
        asker(server.grpc, token, "one") as agent,
        device(server.http, token, "Ann") as ann,
        device(server.http, token, "Phone", extended=False) as phone,
    ):
        before = agent.begin("Before?", request_id="before")
        await ann.kept_card("Before?")
        await ann.answer_and_ack("before", "kept")
        assert (await before).contents[0].text.text == "kept"
        open_call = agent.begin("Open?", request_id="open")
        await ann.kept_card("Open?")
        brief_call = agent.begin("Brief?", request_id="brief", timeout_seconds=BRIEF_SECONDS)
        await ann.kept_card("Brief?")
        brief = await agent.look("brief")
        await agent.idle()
        assert await ready(server.http) == 200

        disk.fill(server)
        assert await ready(server.http) == 503
        error = await refused_open(agent, "full", "Full?")
        assert error.code() is grpc.StatusCode.UNAVAILABLE
        assert detail(error).code == LOG_UNAVAILABLE
        # The card was shown before its commit: it is taken back, for both kinds of devices.
        state = await ann.state("full", lambda s: s.state == request_pb2.REQUEST_STATE_CANCELLED)
        assert state.reason == LOG_UNAVAILABLE
        await phone.sees(
            "RequestCancelled", lambda m: m.RequestCancelledNotification.request_id == "full"
        )
        ref = secrets.token_hex(16)
        refusal = await ann.answer_and_ack("open", "not kept", ref=ref)
        assert (refusal.accepted, refusal.code) == (False, LOG_UNAVAILABLE)
        # What can be read is shown, also to a device that the relay cannot make a note of.
        async with device(server.http, token, "Late") as late:
            await late.card("Open?")
            assert [m.seq for m in await read_on(late)] == [m.seq for m in await read_on(ann)]
        # A deadline that comes meanwhile is not lost either.
        await until(brief.deadline_unix_ms)
        assert not open_call.done()
        assert not brief_call.done()

        disk.empty(server)
        await becomes_ready(server.http)
        assert (await brief_call).state == request_pb2.REQUEST_STATE_EXPIRED
        # The same answer with the same ref, as the page sends it again.
        seen = len(ann.received)
        await ann.answer("open", "not kept", ref=ref)
        again = await ann.sees("Ack", lambda m: m.ack.ref == ref, after=seen)
        assert again.ack.accepted
        assert (await open_call).contents[0].text.text == "not kept"
        after = agent.begin("After?", request_id="after")
        await ann.kept_card("After?")
        await ann.answer_and_ack("after", "as ever")
        assert (await after).contents[0].text.text == "as ever"
        await agent.idle()
        log = await read_on(ann)
        assert [m.seq for m in log] == list(range(1, len(log) + 1))
        assert {
            m.AskQuestionRequest.ID: text_of(m.AskQuestionResponse)
            for m in log
            if m.Cmd == "AskQuestionReplyNotification"
        } == {"before": "kept", "open": "not kept", "after": "as ever"}


@pytest.mark.requirement("design:log:full-disk")
async def test_a_disk_that_is_full_again_and_again_under_load_loses_and_doubles_nothing(
    token: str,
    tmp_path: Path,
    disk: Disk,
    chance: random.Random,
    tell: Callable[[str], None],
) -> None:
    async with (
        relay(tmp_path / "relay", token=token, limits=SOON) as server,
        load(server, token) as busy,
    ):

        async def filling() -> None:
            for _ in range(TIMES_FULL):
                await busy.traffic.more(chance.randrange(1, MOST_BETWEEN))
                disk.fill(server)
                await busy.traffic.more(chance.randrange(1, MOST_BETWEEN))
                disk.empty(server)

        await busy.during(filling, chance)
        tell(f"{TIMES_FULL} times full, {busy.figures()}")
        await busy.check()


@pytest.mark.requirement("design:log:full-disk")
async def test_a_relay_that_starts_on_a_full_disk_shows_what_it_has_and_waits_for_room(
    token: str, tmp_path: Path, small_filesystem: SmallFilesystem
) -> None:
    async with (
        relay(tmp_path / "relay", token=token, limits=SOON) as server,
        asker(server.grpc, token, "one") as agent,
    ):
        call = agent.begin("Open?", request_id="open")
        async with device(server.http, token, "Ann") as ann:
            await ann.kept_card("Open?")
        small_filesystem.fill(server)
        await server.restart()
        assert await ready(server.http) == 503
        async with device(server.http, token, "Ann") as ann:
            await ann.card("Open?")
            refusal = await ann.answer_and_ack("open", "too early")
            assert (refusal.accepted, refusal.code) == (False, LOG_UNAVAILABLE)
            small_filesystem.empty(server)
            await becomes_ready(server.http)
            assert (await ann.answer_and_ack("open", "now")).accepted
            assert (await call).contents[0].text.text == "now"
