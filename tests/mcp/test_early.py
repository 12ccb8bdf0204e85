"""What is answered before the SDK is there is what the SDK answers."""

from __future__ import annotations

import asyncio
import json
import os
from typing import TYPE_CHECKING

import mcp_types.version as versions
import pytest

from lineup_mcp.bridge import Bridge
from lineup_mcp.early import HANDSHAKE_VERSIONS, MODERN_VERSIONS, EarlyAnswers
from lineup_mcp.replies import Replies
from lineup_mcp.server import serve
from lineup_mcp.stdio import StdioChannel
from lineup_mcp.tools.listing import Listing
from tests.mcp.harness import bridge_config
from tests.mcp.tools import remembered

if TYPE_CHECKING:
    from pathlib import Path

    from lineup_mcp.jsonrpc import Message

ENVELOPE: Message = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "x", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}


def request(number: int, method: str, params: Message | None = None) -> Message:
    message: Message = {"jsonrpc": "2.0", "id": number, "method": method}
    return message if params is None else {**message, "params": params}


def hello(version: str) -> list[Message]:
    info = {"name": "x", "version": "1"}
    params: Message = {"protocolVersion": version, "capabilities": {}, "clientInfo": info}
    return [
        request(1, "initialize", params),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]


async def conversation(
    directory: Path, messages: list[Message], answers: int, early: EarlyAnswers | None
) -> list[Message]:
    """What a server says to some messages, of which `early` may have taken the first."""
    ends = [asyncio.Event(), asyncio.Event()]
    to_server, from_client = os.pipe()
    to_client, from_server = os.pipe()
    server = StdioChannel(to_server, from_server, on_end=ends[0].set)
    client = StdioChannel(to_client, from_client, on_end=ends[1].set)
    server.start()
    client.start()
    said: list[Message] = []
    replies = Replies()
    try:
        for message in messages:
            await client.send(message)
        if early is not None:
            async with asyncio.TaskGroup() as tasks:
                collecting = tasks.create_task(early.collect(server, replies))
                while len(early.kept) < len(messages):  # noqa: ASYNC110 - only turns of the loop
                    await asyncio.sleep(0)
                collecting.cancel()
        async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
            bridge = Bridge(
                bridge_config(1, directory),
                replies,
                tasks,
                environ={},
                working_directory=directory,
            )
            bridge.introduced = lambda name, version: None  # type: ignore[method-assign] # no relay
            serving = tasks.create_task(serve(server, replies, bridge, early))
            while len(said) < answers:
                item = await client.receive()
                assert isinstance(item, dict)
                said.append(item)
            # Until the SDK has said the same and it was dropped.
            while early is not None and early.answered:  # noqa: ASYNC110 - as above
                await asyncio.sleep(0)
            serving.cancel()
    finally:
        server.close()
        client.close()
        os.close(from_client)
        os.close(from_server)
        await asyncio.gather(*(end.wait() for end in ends))
        os.close(to_server)
        os.close(to_client)
    return sorted(said, key=lambda message: str(message["id"]))


def test_the_versions_are_the_sdks() -> None:
    assert HANDSHAKE_VERSIONS == versions.HANDSHAKE_PROTOCOL_VERSIONS
    assert MODERN_VERSIONS == versions.MODERN_PROTOCOL_VERSIONS


CONVERSATIONS = {
    **{
        version: [*hello(version), request(2, "tools/list"), request(3, "ping")]
        for version in (*HANDSHAKE_VERSIONS, "1999-01-01")
    },
    "modern": [request(1, "server/discover", ENVELOPE), request(2, "tools/list", ENVELOPE)],
    "modern-falls-back": [request(1, "server/discover", ENVELOPE), *hello("2025-11-25")[:1]],
    "legacy-then-modern": [*hello("2025-11-25"), request(2, "tools/list", ENVELOPE)],
    "no-hello": [request(1, "tools/list"), request(2, "ping")],
    "unknown": [*hello("2025-11-25"), request(2, "resources/list"), request(3, "tools/list")],
    "half-a-hello": [request(1, "initialize", {"protocolVersion": "2025-11-25"})],
}


@pytest.mark.parametrize("known", [False, True], ids=["own tools", "and known ones of devices"])
@pytest.mark.parametrize("name", CONVERSATIONS)
async def test_early_and_late_answers_are_the_same(tmp_path: Path, name: str, known: bool) -> None:
    listing = remembered(1) if known else Listing()
    messages = CONVERSATIONS[name]
    # A bare notification gets no answer; the same id twice would be two answers.
    numbered = [
        {**message, "id": index} if "id" in message else message
        for index, message in enumerate(messages)
    ]
    answers = sum("id" in message for message in numbered)
    early = EarlyAnswers(listing)
    ours = await conversation(tmp_path, numbered, answers, early)
    theirs = await conversation(tmp_path, numbered, answers, None)
    assert ours == theirs
    if name in (*HANDSHAKE_VERSIONS, "modern"):
        again = EarlyAnswers(listing)
        results = [again.answer(message) for message in numbered if "id" in message]
        assert None not in results
        assert ("canvas_draw" in json.dumps(results)) is known
