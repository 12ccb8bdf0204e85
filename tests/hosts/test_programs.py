"""What each agent program's model gets to see of LineUp."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import io
import json
import re
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest
from PIL import Image

from lineup_srv.wire._gen.lineup.v1 import content_pb2, request_pb2, tool_pb2, websocket_pb2
from tests.hosts.programs import NAMES, running
from tests.mcp.tools import CALCULATOR
from tests.system.devices import device
from tests.system.processes import Pid, bound

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tests.system.conftest import Shared
    from tests.system.devices import Device

pytestmark = [pytest.mark.system, pytest.mark.hosts, pytest.mark.timeout(400)]

T = TypeVar("T")
_PNG = re.compile(r"iVBORw0KGgo[A-Za-z0-9+/]+=*")
_PATH = re.compile(r"/\S+\.png")
QUESTION = "Which colour?"
ASK = {"tool": "ask_question", "args": {"question": QUESTION}}


@pytest.mark.parametrize("name", NAMES)
async def test_a_question_is_answered(
    name: str, installed: Callable[[str], Path], shared: Shared, token: str, tmp_path: Path
) -> None:
    async with (
        device(shared.http, token, "Ann") as ann,
        running(name, installed(name), shared, token, tmp_path / "run", [ASK]) as run,
    ):
        asked = await _shown(ann)
        assert (await ann.answer_and_ack(asked, "the blue one")).accepted
        final = await run.final()
        await ann.no_agent_left()
    assert "Answered by Ann on web at " in final
    assert QUESTION in final
    assert "the blue one" in final


@pytest.mark.parametrize("name", NAMES)
async def test_a_slice_ends_and_the_next_call_goes_on_waiting(
    name: str, installed: Callable[[str], Path], shared: Shared, token: str, tmp_path: Path
) -> None:
    async with (
        device(shared.http, token, "Ann") as ann,
        running(
            *(name, installed(name), shared, token, tmp_path / "run", [ASK]),
            *("--wait-slice", "2"),
        ) as run,
    ):
        asked = await _shown(ann)
        again = {"tool": "ask_question", "args": {"question_id": asked}}
        run.goes_on_with([ASK, again])
        await run.until_call(2)
        assert (await ann.answer_and_ack(asked, "the blue one")).accepted
        final = await run.final()
    assert "the blue one" in final
    assert f'question_id="{asked}"' in str(run.received()).replace("\\", "")


@pytest.mark.parametrize("name", NAMES)
async def test_a_picture_of_an_answer_is_seen(
    name: str, installed: Callable[[str], Path], shared: Shared, token: str, tmp_path: Path
) -> None:
    picture = _picture()
    async with (
        device(shared.http, token, "Ann") as ann,
        running(name, installed(name), shared, token, tmp_path / "run", [ASK]) as run,
    ):
        await ann.send(_reply_with(picture, await _shown(ann)))
        final = await run.final()
        seen = [_pixels(found) for found in _pictures(run.received()[-1])]
        if name == "hermes":
            # It gives its model the path of a file.
            seen += [_pixels(_read(path)) for path in _PATH.findall(final)]
    assert _pixels(picture) in seen
    # Once, and never as text.
    assert base64.b64encode(picture).decode()[:60] not in final


@pytest.mark.parametrize("name", NAMES)
async def test_an_action_of_a_device_is_called(
    name: str, installed: Callable[[str], Path], shared: Shared, token: str, tmp_path: Path
) -> None:
    arguments = {"name": "calculator", "action": "add", "arguments": {"a": 1, "b": 2}}
    call = {"tool": "lineup_call_tool", "args": arguments}
    async with device(shared.http, token, "Ann") as ann:
        offer = websocket_pb2.WebsocketMessage(Cmd="ToolList", ref="ref-of-the-list-00")
        offer.tool_list.tools.append(CALCULATOR)
        await ann.send(offer)
        assert (await ann.ack(offer.ref)).accepted
        async with running(name, installed(name), shared, token, tmp_path / "run", [call]) as run:
            called = await _called(ann)
            assert json.loads(called.arguments_json) == {"a": 1, "b": 2}
            for phase in (tool_pb2.CALL_PHASE_ACCEPTED, tool_pb2.CALL_PHASE_SUCCEEDED):
                told = websocket_pb2.WebsocketMessage(Cmd="ToolCallUpdate")
                told.tool_call_update.call_id = called.call_id
                told.tool_call_update.phase = phase
                if phase == tool_pb2.CALL_PHASE_SUCCEEDED:
                    told.tool_call_update.result_json = '{"message": "three"}'
                await ann.send(told)
            final = await run.final()
    assert "three" in final


@pytest.mark.parametrize("name", NAMES)
async def test_a_killed_program_takes_its_bridge_along(
    name: str, installed: Callable[[str], Path], shared: Shared, token: str, tmp_path: Path
) -> None:
    async with (
        device(shared.http, token, "Ann") as ann,
        running(name, installed(name), shared, token, tmp_path / "run", [ASK]) as run,
    ):
        asked = await _shown(ann)
        (bridge,) = [Pid(number) for number in run.kill_program()]
        await bridge.gone()
        bridge.close()
        ended = await ann.state(asked, lambda s: s.state != request_pb2.REQUEST_STATE_PENDING)
        assert ended.state == request_pb2.REQUEST_STATE_CANCELLED
        await ann.no_agent_left()


async def _shown(ann: Device) -> str:
    """The question's id."""
    return (await _patiently(lambda: ann.card(QUESTION))).ID


async def _called(ann: Device) -> tool_pb2.ToolCall:
    """The call that the device is to carry out."""
    return (await _patiently(lambda: ann.sees("ToolCall", lambda m: True))).tool_call


async def _patiently(look: Callable[[], Awaitable[T]]) -> T:
    """What is seen at last: starting a program takes longer than anything of ours."""
    async with asyncio.timeout(bound(90)):
        while True:
            with contextlib.suppress(TimeoutError):
                return await look()


def _picture() -> bytes:
    """A PNG that is unlike any other."""
    written = io.BytesIO()
    Image.frombytes("RGB", (16, 16), secrets.token_bytes(16 * 16 * 3)).save(written, "PNG")
    return written.getvalue()


def _pixels(data: bytes) -> bytes:
    with Image.open(io.BytesIO(data)) as image:
        return image.convert("RGB").tobytes()


def _read(path: str) -> bytes:
    return Path(path).read_bytes()


def _pictures(body: object) -> list[bytes]:
    """Every PNG that stands as base64 in what the model got."""
    return [base64.b64decode(found) for found in _PNG.findall(json.dumps(body))]


def _reply_with(picture: bytes, request_id: str) -> websocket_pb2.WebsocketMessage:
    reply = websocket_pb2.WebsocketMessage(Cmd="AskQuestionReply", ref=secrets.token_hex(16))
    reply.AskQuestionRequest.ID = reply.AskQuestionResponse.ID = request_id
    image = content_pb2.ImageContent(
        type="image", data=base64.b64encode(picture).decode(), mime_type="image/png"
    )
    reply.AskQuestionResponse.contents.append(content_pb2.McpResultContent(type=2, image=image))
    return reply
