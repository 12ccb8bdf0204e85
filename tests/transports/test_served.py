"""What only real sockets show: close codes that arrive, peers that read nothing, the end."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import logging
import os
import socket
import struct
from typing import TYPE_CHECKING

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from lineup_srv.contract import limits
from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2, relay_pb2
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from lineup_srv.wire.codec import encode_frame
from tests.transports.served import (
    AUTHORIZED,
    PATIENCE,
    TOKEN,
    assist_stub,
    relay_stub,
    served,
)
from tests.transports.sockets import login, reply

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.transports.served import Device, Served


@pytest.fixture
async def relay(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path / "data") as relay:
        yield relay


# Close codes -------------------------------------------------------------------------------------


async def test_a_refused_login_is_told_and_closed(
    relay: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LOGIN_REFUSAL_DELAY_SECONDS", 0)
    async with relay.socket() as device:
        answer = await device.tell(login("Mallory", token="a-guess-of-a-token"), "UserLogin")

        assert answer.UserLoginResponse.success is False
        assert await device.closed() == 1008


async def test_who_does_not_log_in_is_closed(
    relay: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LOGIN_SECONDS", 0.01)
    async with relay.socket() as device:
        assert await device.closed() == 1008


async def test_malformed_frames_are_closed(relay: Served) -> None:
    async with relay.device() as device:
        for _ in range(limits.MALFORMED_FRAMES_PER_MINUTE // 2):
            await device.socket.send(b"\xff")
            await device.socket.send("text")
        assert await device.closed() == 1008


async def test_a_frame_over_the_limit_is_closed_and_the_others_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "FRAME_BYTES", 10_000)
    async with served(tmp_path) as relay, relay.device("Ann") as ann, relay.device("Bob") as bob:
        just = reply("q", "x" * 9_000)
        await bob.say(just)
        assert await bob.online() == ["Ann"]
        with contextlib.suppress(ConnectionClosed):
            await bob.say(reply("q", "x" * 10_001))
        assert await bob.closed() == 1009
        await ann.hear("UserConnectionStatusNotification")
        await ann.hear("UserConnectionStatusNotification")
        assert await ann.online() == []


async def test_the_same_tab_again_closes_the_older_one(relay: Served) -> None:
    async with (
        relay.device(device="phone", tab="tab") as older,
        relay.device(device="phone", tab="tab") as newer,
    ):
        assert await older.closed() == 4001
        assert await newer.online() == []


async def test_too_many_pending_logins_are_refused_before_the_upgrade(
    relay: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LOGINS_PENDING_PER_TRUSTED_ADDRESS", 1)
    async with relay.socket():
        with pytest.raises(InvalidStatus) as refused:
            async with relay.socket():
                pass
        assert refused.value.response.status_code == 503
    async with relay.device() as device:
        assert await device.online() == []


async def test_at_the_end_each_device_is_closed_with_1001(relay: Served) -> None:
    async with relay.device("Ann") as ann, relay.device("Bob") as bob, relay.socket() as waiting:
        await relay.ended()

        assert [await ann.closed(), await bob.closed()] == [1001, 1001]
        assert await waiting.closed() in (1001, 1012)


# Peers that read nothing -------------------------------------------------------------------------


class Deaf:
    """A device that logs in and then reads nothing."""

    def __init__(self, port: int) -> None:
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(("127.0.0.1", port))
        self.socket.sendall(
            b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        assert self.socket.recv(4_096).startswith(b"HTTP/1.1 101 ")
        frame = encode_frame(login("Deaf", token=TOKEN))
        self.socket.sendall(struct.pack("!BB4x", 0x82, 0x80 | len(frame)) + frame)

    def __enter__(self) -> Deaf:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def rest(self) -> bytes:
        """Everything that the relay still has for it."""
        got = bytearray()
        while part := self.socket.recv(1 << 20):
            got += part
            if got[-4:-2] == b"\x88" or b"too slow" in got[-64:]:
                break
        return bytes(got)


async def fill(relay: Served, listener: Device, count: int) -> None:
    """Ask questions of 80 kB until a device that reads nothing can take no more."""
    for number in range(count):
        await relay.ask(f"q{number}", "x" * 80_000, agent_id=f"agent-{number}")
        shown = await listener.hear("AskQuestion")
        assert f"q{number}" == shown.AskQuestionRequest.ID


@contextlib.asynccontextmanager
async def deaf_device(relay: Served, listener: Device) -> AsyncIterator[Deaf]:
    with await asyncio.to_thread(Deaf, relay.http_port) as deaf:
        await listener.hear("UserConnectionStatusNotification")
        yield deaf


async def test_a_device_that_reads_nothing_is_dropped_and_holds_nobody_up(
    relay: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "CONNECTION_QUEUE_MESSAGES", 8)
    async with relay.device("Ann") as ann, deaf_device(relay, ann) as deaf:
        assert await ann.online() == ["Deaf"]
        await fill(relay, ann, 60)

        assert await ann.online() == []
        # It reads again, and learns why it was closed.
        rest = await asyncio.to_thread(deaf.rest)
        assert rest.endswith(struct.pack("!H", 1013) + b"too slow")


async def test_a_device_that_reads_nothing_does_not_hold_up_the_end(
    relay: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "CONNECTION_QUEUE_MESSAGES", 1_000)
    async with relay.device("Ann") as ann, deaf_device(relay, ann):
        await fill(relay, ann, 60)
        assert await ann.online() == ["Deaf"]
        await relay.ended()

        assert await ann.closed() == 1001


async def test_a_device_that_answers_no_ping_is_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TCP alone would keep it, and what is queued for it, for a quarter of an hour."""
    monkeypatch.setattr(limits, "WEBSOCKET_PING_SECONDS", 0.2)
    monkeypatch.setattr(limits, "WEBSOCKET_DEAD_SECONDS", 3.0)
    async with (
        served(tmp_path) as relay,
        relay.device("Ann") as ann,
        deaf_device(relay, ann) as deaf,
    ):
        await fill(relay, ann, 60)
        gone = await ann.hear("UserConnectionStatusNotification")

        assert gone.UserConnectionStatusNotification.status == "disconnected"
        assert await ann.online() == []
        assert b"too slow" not in await asyncio.to_thread(deaf.rest)


# Both legs ---------------------------------------------------------------------------------------


@pytest.mark.requirement("B42")
@pytest.mark.timeout(60)
async def test_twenty_mebibytes_pass_both_legs_both_ways(relay: Served) -> None:
    picture = base64.b64encode(os.urandom(15 * 1024 * 1024)).decode()
    # A frozen client gets pictures whole.
    async with relay.device(extended=False) as device, relay.channel() as channel:
        request = relay_pb2.OpenRequestRequest(wait_ms=5_000)
        request.question.ID = "q"
        request.question.Request.Question = "Nice?"
        content = request.question.Request.contents.add(type=2)
        content.image.data, content.image.mime_type = picture, "image/png"
        call = asyncio.ensure_future(relay_stub(channel).OpenRequest(request, metadata=AUTHORIZED))
        shown = await device.hear("AskQuestion")
        assert shown.AskQuestionRequest.Request.contents[0].image.data == picture
        answer = reply("q", "", ref="ref-of-the-answer")
        content = answer.AskQuestionResponse.contents.add(type=2)
        content.image.data, content.image.mime_type = picture, "image/png"
        await device.say(answer)

        outcome = (await call).outcome
        assert outcome.contents[0].image.data == picture


async def test_the_largest_answer_a_device_may_send_reaches_the_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The relay's words around it must not push it over the limit of the other leg."""
    async with served(tmp_path) as relay, relay.device() as device, relay.channel() as channel:
        request = relay_pb2.OpenRequestRequest(wait_ms=5_000)
        request.question.ID = "q" * limits.ID_CHARACTERS
        request.question.Request.Question = "ж" * limits.QUESTION_CHARACTERS
        request.question.Request.ProjectDirectory = "ж" * limits.PATH_CHARACTERS
        call = asyncio.ensure_future(relay_stub(channel).OpenRequest(request, metadata=AUTHORIZED))
        await device.hear("AskQuestion")
        answer = reply(request.question.ID, "", ref="ref-of-the-answer")
        resource = answer.AskQuestionResponse.contents.add(type=4).embedded_resource
        resource.data = bytes(limits.FRAME_BYTES - answer.ByteSize() - 64)
        assert limits.FRAME_BYTES - 64 < answer.ByteSize() <= limits.FRAME_BYTES
        await device.say(answer)

        outcome = (await call).outcome
        assert len(outcome.contents[0].embedded_resource.data) == len(resource.data)
        assert outcome.ByteSize() < limits.MESSAGE_BYTES


async def test_an_open_question_is_there_after_a_restart(tmp_path: Path) -> None:
    async with served(tmp_path) as relay:
        await relay.ask("q")
    async with served(tmp_path) as relay, relay.device() as device:
        assert (await device.hear("AskQuestion")).AskQuestionRequest.ID == "q"


async def test_an_attached_agent_and_a_held_call_do_not_hold_up_the_end(relay: Served) -> None:
    async with relay.channel() as channel, relay.device() as device:
        attach = relay_pb2.AttachRequest(agent=relay_pb2.AgentIdentity(agent_id="ada"))
        stream = relay_stub(channel).Attach(attach, metadata=AUTHORIZED)
        assert (await stream.read()).HasField("attached")
        question = agent_assist_pb2.AskQuestionRequest(ID="held", UserToken=TOKEN)
        question.Request.Question = "Go on?"
        held = asyncio.ensure_future(assist_stub(channel).AskQuestion(question))
        await device.hear("AskQuestion")
        await relay.ended()

        await asyncio.wait([held], timeout=PATIENCE)
        assert held.done()
        assert held.exception() is not None


@pytest.mark.requirement("B33")
async def test_the_grpc_port_answers_no_browser(relay: Served) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", relay.grpc_port)
    writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    async with asyncio.timeout(PATIENCE):
        assert not (await reader.read(64)).startswith(b"HTTP/1")
    writer.transport.abort()


async def test_the_log_holds_neither_tokens_nor_bodies(
    relay: Served, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also at debug, where the libraries below would write every frame."""
    monkeypatch.setattr(limits, "LOGIN_REFUSAL_DELAY_SECONDS", 0)
    caplog.set_level(logging.DEBUG)
    async with relay.device("Ann") as ann:
        await relay.ask("q", "a secret question")
        await ann.hear("AskQuestion")
        answer = reply("q", "a secret answer", ref="ref-of-the-answer")
        assert (await ann.tell(answer, "Ack")).ack.accepted
        await ann.socket.send(b"a secret that is malformed")
        await ann.say(WebsocketMessage(Cmd="a secret command", ref="ref-of-something"))
        await ann.hear("Ack")
        url = f"ws://127.0.0.1:{relay.http_port}/ws?token={TOKEN}"
        async with connect(url, proxy=None) as socket_:
            await socket_.send(encode_frame(login("Mallory", token="a-secret-guess-of-one")))
            await socket_.wait_closed()

    ours = [
        record
        for record in caplog.records
        if not record.name.startswith(("websockets.client", "asyncio"))
    ]
    assert any("joined" in record.getMessage() for record in ours)
    text = "\n".join(f"{record.getMessage()} {record.exc_text}" for record in ours)
    assert "secret" not in text
    assert TOKEN not in text
