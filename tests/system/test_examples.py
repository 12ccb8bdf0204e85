"""The examples, against each other and a device that offers a choice."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from websockets.asyncio.client import ClientConnection, connect

from tests.system.examples import EXAMPLES, example
from tests.transports.transcripts import CHOICE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.system.conftest import Shared

pytestmark = [pytest.mark.system, pytest.mark.timeout(60)]


async def say(socket: ClientConnection, kind: str, envelope_id: str, **payload: Any) -> None:
    envelope = {"v": 1, "id": envelope_id, "type": kind, "payload": payload}
    await socket.send(json.dumps(envelope))


async def hear(socket: ClientConnection, kind: str) -> dict[str, Any]:
    """The next message of this type."""
    async for frame in socket:
        message: dict[str, Any] = json.loads(frame)
        if message["type"] == kind:
            payload: dict[str, Any] = message["payload"]
            return payload
    raise AssertionError(f"no {kind} came")


@pytest.mark.requirement("seed000:tools:calls", "seed000:text:both-ways")
async def test_app_and_agent_work_with_each_other_and_a_human(
    shared: Shared, token: str, tmp_path: Path
) -> None:
    async with (
        connect(f"ws://127.0.0.1:{shared.http}/ws", max_size=None, proxy=None) as phone,
        example("calculator_app.py", tmp_path / "app", shared.http, token) as app,
    ):
        await say(phone, "system.hello", "hello", name="Phone", token=token, platform="test")
        await hear(phone, "tool.list")
        await say(phone, "tool.list", "announced", tools=[CHOICE])
        assert (await hear(phone, "system.ack"))["accepted"]
        assert await app.line() == "the calculator is offered"

        async with example("asking_agent.py", tmp_path / "agent", shared.http, token) as agent:
            assert await agent.line() == "tools: choice, example_calculator"
            assert "shed" in (await hear(phone, "text"))["content"]
            picture = await hear(phone, "image")
            assert picture["alt"] == "A blue square"
            assert await agent.line() == "0.1 + 0.2 = 0.3"
            assert await app.line() == "add: 0.3"
            call = await hear(phone, "tool.call")
            assert call["arguments"]["options"] == ["blue", "green"]
            await say(
                phone,
                "tool.result",
                "chosen",
                name="choice",
                action="choice",
                call_id=call["call_id"],
                result={"message": "green"},
            )
            assert await agent.line() == "chosen: green"
            assert await agent.line() == "write me something …"
            await say(phone, "text", "words", content="Take a brush.")
            assert await agent.line() == "heard: Take a brush."
            assert await agent.ended() == 0


async def test_a_wrong_token_is_said(tmp_path: Path, shared: Shared) -> None:
    for name in ("calculator_app.py", "asking_agent.py"):
        async with example(name, tmp_path / name, shared.http, "short") as program:
            assert await program.line() == "The relay does not know this token."
            assert await program.ended() == 1


@pytest.mark.parametrize("name", ["calculator_app.py", "asking_agent.py"])
def test_an_example_is_short_and_needs_only_websockets(name: str) -> None:
    text = (EXAMPLES / name).read_text("utf-8")

    assert len(text.splitlines()) < 120
    assert "lineup" not in text.replace("lineup.v1", "")
