"""Tokens that are issued and revoked beside a running relay, and whom that disconnects."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from lineup_srv.app import chores
from lineup_srv.logs.sqlite.token_admin import TokenAdmin
from lineup_srv.wire._gen.lineup.v1 import agent_assist_pb2, relay_pb2
from tests.cli.commands import said
from tests.transports.connect.relays import ASSIST, post
from tests.transports.served import PATIENCE, Served, assist_stub, relay_stub, served
from tests.transports.sockets import login

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
async def relay(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Served]:
    monkeypatch.setattr(chores, "TOKENS_SECONDS", 0.05)
    async with served(data_dir) as running:
        yield running


async def command(data_dir: Path, *arguments: str) -> str:
    return (await asyncio.to_thread(said, data_dir, *arguments)).strip()


async def let_in(relay: Served, token: str) -> bool:
    async with relay.socket() as device:
        await device.say(login("Ann", token=token))
        return (await device.hear("UserLogin")).UserLoginResponse.success


def bearer(token: str) -> Any:
    return (("authorization", f"Bearer {token}"),)


def question(token: str, request_id: str) -> agent_assist_pb2.AskQuestionRequest:
    asked = agent_assist_pb2.AskQuestionRequest(ID=request_id, UserToken=token)
    asked.Request.Question = "Go on?"
    return asked


async def test_a_token_works_as_soon_as_it_is_issued_and_no_longer_than_until_it_is_revoked(
    relay: Served, data_dir: Path
) -> None:
    token = await command(data_dir, "token", "new", "--name", "phone")
    assert await let_in(relay, token)
    await command(data_dir, "token", "revoke", "phone")
    assert not await let_in(relay, token)


async def test_a_device_of_a_revoked_token_is_closed_and_the_others_stay(
    relay: Served, data_dir: Path
) -> None:
    token = await command(data_dir, "token", "new", "--name", "phone")
    async with relay.device("Bob") as bob, relay.socket() as phone:
        await phone.say(login("Phone", token=token))
        await phone.hear("ServerInfo")
        assert await bob.online() == ["Phone"]

        await command(data_dir, "token", "revoke", "phone")

        assert await phone.closed() == 1008
        await bob.hear("UserConnectionStatusNotification")
        assert await bob.online() == []


async def test_a_json_app_of_a_revoked_token_is_closed(relay: Served, data_dir: Path) -> None:
    token = await command(data_dir, "token", "new", "--name", "app")
    async with relay.socket() as app:
        payload = {"name": "App", "token": token, "platform": "test", "version": "1"}
        hello = {"v": 1, "id": "hello", "type": "system.hello", "payload": payload}
        await app.socket.send(json.dumps(hello))
        async with asyncio.timeout(PATIENCE):
            assert json.loads(await app.socket.recv())["type"] in ("system.hello", "system.ack")

        await command(data_dir, "token", "revoke", "app")

        assert await app.closed() == 1008


async def test_a_bridge_of_a_revoked_token_is_refused_where_it_waits(
    relay: Served, data_dir: Path
) -> None:
    token = await command(data_dir, "token", "new", "--name", "bridge", "--kind", "agent")
    async with relay.channel() as channel:
        stub = relay_stub(channel)
        attach = relay_pb2.AttachRequest(agent=relay_pb2.AgentIdentity(agent_id="ada"))
        stream = stub.Attach(attach, metadata=bearer(token))
        assert (await stream.read()).HasField("attached")
        take = relay_pb2.TakeMessagesRequest(agent_id="ada", wait_ms=60_000)
        taking = stub.TakeMessages(take, metadata=bearer(token))
        await asyncio.sleep(0)

        await command(data_dir, "token", "revoke", "bridge")

        async with asyncio.timeout(PATIENCE):
            for waiting in (_drained(stream), _answer(taking)):
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await waiting
                assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED


async def test_a_held_question_of_a_revoked_token_ends_over_grpc_and_connect(
    relay: Served, data_dir: Path
) -> None:
    token = await command(data_dir, "token", "new", "--name", "old bridge", "--kind", "agent")
    async with relay.device("Bob") as bob, relay.channel() as channel:
        call = assist_stub(channel).AskQuestion(question(token, "q1"))
        posting = asyncio.ensure_future(
            post(
                relay.http_port,
                f"{ASSIST}/AskQuestion",
                question(token, "q2").SerializeToString(),
                {"Content-Type": "application/proto"},
            )
        )
        for _ in range(2):
            await bob.hear("AskQuestion")

        await command(data_dir, "token", "revoke", "old bridge")

        async with asyncio.timeout(PATIENCE):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await call
            answer = await posting
        assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
        assert answer.status == 401
        assert json.loads(answer.body)["code"] == "unauthenticated"


async def test_a_rotated_token_is_replaced_without_losing_the_room(
    relay: Served, data_dir: Path
) -> None:
    old = await command(data_dir, "token", "new", "--name", "phone")
    async with relay.device("Bob") as bob, relay.socket() as phone:
        await phone.say(login("Phone", token=old))
        await phone.hear("ServerInfo")
        new = await command(data_dir, "token", "rotate", "phone")
        assert await phone.closed() == 1008
        assert not await let_in(relay, old)
        async with relay.socket() as again:
            await again.say(login("Phone", token=new))
            await again.hear("ServerInfo")
            assert await bob.online() == ["Phone"]


async def test_a_device_is_closed_when_its_token_expires(relay: Served, data_dir: Path) -> None:
    token = await command(data_dir, "token", "new", "--name", "guest", "--expires", "1m")
    async with relay.socket() as phone:
        await phone.say(login("Phone", token=token))
        await phone.hear("ServerInfo")
        # A minute is too long for a test.
        soon = time.time_ns() // 1_000_000 + 100
        with TokenAdmin(data_dir, make=False) as admin:
            shorten = "UPDATE tokens SET expires_unix_ms = ? WHERE name = 'guest'"
            admin._write(lambda: admin._db.execute(shorten, (soon,)))
        assert await phone.closed() == 1008
    assert not await let_in(relay, token)


async def test_a_backup_and_an_export_work_beside_the_relay(
    relay: Served, data_dir: Path, tmp_path: Path
) -> None:
    await relay.ask("q1", "Is it safe?")
    assert "Is it safe?" in await command(data_dir, "export")
    await command(data_dir, "backup", str(tmp_path / "copy.db"))


async def _drained(stream: Any) -> None:
    while await stream.read() is not grpc.aio.EOF:
        pass


async def _answer(call: Any) -> None:
    await call
