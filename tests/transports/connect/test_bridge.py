"""The bridge over Connect: when it takes that way, and that it is as good as the other."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import TYPE_CHECKING

import pytest

from lineup_mcp.relay_client import RelayClient, RelayUnreachable
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.wire._gen.lineup.v1 import relay_pb2, request_pb2
from tests.mcp.harness import bridge_config, bridged, text_of
from tests.system.devices import device
from tests.transports.connect.relays import TOKEN, running

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterator
    from pathlib import Path

    from lineup_mcp.config import BridgeConfig
    from tests.transports.connect.relays import Ports

ASK = {"question": "Go on?"}
ATTACH = relay_pb2.AttachRequest(agent=relay_pb2.AgentIdentity(agent_id="an-agent-of-the-tests"))


@pytest.fixture(autouse=True)
def _far_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """The relay of these tests counts as one on another machine."""
    monkeypatch.setattr("lineup_mcp.relay_client.is_loopback", lambda _host: False)


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port that is taken, and refuses connections."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that takes connections and never says anything."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def far_config(ports: Ports, grpc_port: int, directory: Path, token: str = TOKEN) -> BridgeConfig:
    return bridge_config(grpc_port, directory, port=ports.http, token=token)


@contextlib.asynccontextmanager
async def client_of(config: BridgeConfig) -> AsyncIterator[RelayClient]:
    client = RelayClient(config)
    try:
        yield client
    finally:
        await client.close()


async def first_event(client: RelayClient) -> str | None:
    async with contextlib.aclosing(client.attach(ATTACH)) as events:
        async for event in events:
            kind: str | None = event.WhichOneof("event")
            return kind
    return None


async def until_over(events: AsyncGenerator[relay_pb2.AttachResponse]) -> None:
    async for _ in events:
        pass


async def test_a_question_is_asked_and_answered_with_the_grpc_port_closed(
    ports: Ports, closed_port: int, tmp_path: Path
) -> None:
    async with (
        device(ports.http, TOKEN) as ann,
        bridged(far_config(ports, closed_port, tmp_path)) as agent,
        asyncio.TaskGroup() as group,
    ):
        call = group.create_task(agent.call_tool("ask_question", ASK))
        card = await ann.kept_card("Go on?")
        await ann.answer(card.ID, "yes")
        text = text_of(await call)
        # Its result has left: it is confirmed without a further call.
        await ann.state(card.ID, lambda state: state.received)

    assert text.startswith("Answered by Ann ")
    assert text.endswith("Answer:\nyes")


async def test_an_answer_comes_on_the_stream_when_the_call_is_no_longer_held(
    ports: Ports, closed_port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lineup_srv.contract.limits.OPEN_WAIT_MS", 1)

    async with (
        device(ports.http, TOKEN) as ann,
        bridged(far_config(ports, closed_port, tmp_path)) as agent,
        asyncio.TaskGroup() as group,
    ):
        call = group.create_task(agent.call_tool("ask_question", ASK))
        card = await ann.kept_card("Go on?")
        await ann.sees(
            "Agents",
            lambda m: [w.request_id for a in m.agents for w in a.waiting] == [card.ID],
        )
        await ann.answer(card.ID, "by the stream")

        assert text_of(await call).endswith("by the stream")


async def test_a_cancelled_call_takes_its_card_away(
    ports: Ports, closed_port: int, tmp_path: Path
) -> None:
    async with (
        device(ports.http, TOKEN) as ann,
        bridged(far_config(ports, closed_port, tmp_path)) as agent,
        asyncio.TaskGroup() as group,
    ):
        call = group.create_task(agent.call_tool("ask_question", ASK))
        card = await ann.kept_card("Go on?")
        call.cancel()

        await ann.state(card.ID, lambda state: state.state == request_pb2.REQUEST_STATE_CANCELLED)


async def test_grpc_is_taken_where_its_port_is_open(ports: Ports, tmp_path: Path) -> None:
    async with client_of(far_config(ports, ports.grpc, tmp_path)) as client:
        assert await first_event(client) == "attached"
        assert client.target == f"127.0.0.1:{ports.grpc}"


async def test_connect_is_taken_where_the_grpc_port_refuses(
    ports: Ports, closed_port: int, tmp_path: Path
) -> None:
    async with client_of(far_config(ports, closed_port, tmp_path)) as client:
        assert await first_event(client) == "attached"
        assert client.target == f"127.0.0.1:{ports.http}"
        # And for all other calls.
        await client.set_waiting("an-agent-of-the-tests", [])
        taken = await client.take_messages("an-agent-of-the-tests", within_seconds=5)
        assert taken == relay_pb2.TakeMessagesResponse()


async def test_connect_is_taken_where_the_grpc_port_is_silent(
    ports: Ports, silent_port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lineup_mcp.relay_client._GRPC_SECONDS", 0.1)

    async with client_of(far_config(ports, silent_port, tmp_path)) as client:
        assert await first_event(client) == "attached"
        assert client.target == f"127.0.0.1:{ports.http}"


async def test_what_worked_is_tried_first_the_next_time(
    ports: Ports, closed_port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0

    async with client_of(far_config(ports, closed_port, tmp_path)) as client:
        connects = client._grpc.connects

        async def counted(within_seconds: float) -> bool:
            nonlocal asked
            asked += 1
            return await connects(within_seconds)

        monkeypatch.setattr(client._grpc, "connects", counted)
        assert await first_event(client) == "attached"
        assert await first_event(client) == "attached"

    assert asked == 1


async def test_a_relay_nearby_is_never_asked_by_connect(
    ports: Ports, closed_port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lineup_mcp.relay_client.is_loopback", lambda _host: True)

    async with client_of(far_config(ports, closed_port, tmp_path)) as client:
        with pytest.raises(RelayUnreachable):
            await first_event(client)


async def test_both_ports_are_tried_again_after_both_failed(
    closed_port: int, tmp_path: Path
) -> None:
    async with running(tmp_path / "first") as ports:
        config = far_config(ports, closed_port, tmp_path)
    async with client_of(config) as client:
        with pytest.raises(RelayUnreachable):
            await first_event(client)
        assert client.target == f"127.0.0.1:{closed_port}"

        async with running(tmp_path / "first", port=config.port):
            assert await first_event(client) == "attached"


async def test_a_relay_that_stops_makes_the_stream_unreachable(
    ports: Ports, closed_port: int, tmp_path: Path
) -> None:
    async with client_of(far_config(ports, closed_port, tmp_path)) as client:
        events = client.attach(ATTACH)
        await anext(events)
        ports.stop.set()
        with pytest.raises(RelayUnreachable, match="shutting down"):
            await until_over(events)


async def test_refusals_have_their_code_and_field(
    ports: Ports, closed_port: int, tmp_path: Path
) -> None:
    async with client_of(far_config(ports, closed_port, tmp_path, "short")) as client:
        with pytest.raises(LineUpError) as refused:
            await first_event(client)
    assert refused.value.code is ErrorCode.UNAUTHENTICATED

    async with client_of(far_config(ports, closed_port, tmp_path)) as client:
        await first_event(client)
        with pytest.raises(LineUpError) as refused:
            await client.take_messages("", within_seconds=5)
    assert (refused.value.code, refused.value.field) == (ErrorCode.INVALID_ARGUMENT, "agent_id")


async def test_goodbye_is_in_time(ports: Ports, closed_port: int, tmp_path: Path) -> None:
    async with (
        device(ports.http, TOKEN) as ann,
        client_of(far_config(ports, closed_port, tmp_path)) as client,
    ):
        await first_event(client)
        await client.goodbye("an-agent-of-the-tests", within_seconds=5)
        await ann.sees("Agents", lambda m: [a for a in m.agents if a.left_unix_ms] != [])
