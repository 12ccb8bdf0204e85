"""Texts of devices to agents (wire §3 and §4)."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.wire._gen.lineup.v1 import agent_pb2, content_pb2, error_pb2
from lineup_srv.wire._gen.lineup.v1 import websocket_pb2 as ws
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from tests.domain.playbook import NOW
from tests.transports.saying import REF

if TYPE_CHECKING:
    from tests.transports.house import House


async def test_a_text_to_an_agent_is_kept_and_shown_to_devices_that_know_texts(
    house: House,
) -> None:
    ann, bob = await house.room("Ann", "Bob")
    frozen = await house.log_in("Old", extended=False)
    await house.news(ann)
    await house.news(bob)
    text = agent_pb2.Text(content="stop, please", agent_id="ada", message_id="mine")

    ann.say(WebsocketMessage(Cmd="Text", ref=REF, text=text))
    heard = await house.news(ann)

    [ack] = [m for m in heard if m.Cmd == "Ack"]
    assert (ack.ack.accepted, ack.seq) == (True, 1)
    [shown] = [m for m in await house.news(bob) if m.Cmd == "Text"]
    assert (shown.text.content, shown.text.agent_id) == ("stop, please", "ada")
    assert (getattr(shown.text, "from"), shown.text.sent_unix_ms) == ("Ann", NOW)
    assert shown.seq == 1
    assert await house.commands(frozen) == []


def picture(data: bytes = b"\x89PNG") -> content_pb2.McpResultContent:
    encoded = base64.b64encode(data).decode()
    image = content_pb2.ImageContent(type="image", data=encoded, mime_type="image/png")
    return content_pb2.McpResultContent(type=2, image=image)


async def test_a_text_shows_devices_what_is_attached_and_keeps_it(house: House) -> None:
    ann, bob = await house.room("Ann", "Bob")
    large = picture(b"\x89PNG" * (limits.LINKED_BYTES // 4 + 1))
    text = agent_pb2.Text(contents=[picture(), large], agent_id="ada")

    ann.say(WebsocketMessage(Cmd="Text", ref=REF, text=text))

    [ack] = [m for m in await house.news(ann) if m.Cmd == "Ack"]
    assert ack.ack.accepted
    [shown] = [m.text for m in await house.news(bob) if m.Cmd == "Text"]
    small, link = shown.contents
    assert (shown.content, small) == ("", picture())
    assert (link.type, link.embedded_resource.mime_type) == (4, "image/png")
    assert link.embedded_resource.uri.startswith("files/")
    assert not link.embedded_resource.data

    # Another device reads the same from the history.
    asked = WebsocketMessage(Cmd="GetHistory", get_history=ws.GetHistory(limit=10))
    bob.say(asked)
    [page] = [m.history_page for m in await house.news(bob) if m.Cmd == "GetHistory"]
    assert [list(m.text.contents) for m in page.messages] == [[small, link]]


def bad(**content: object) -> agent_pb2.Text:
    """A text whose second content is this."""
    second = content_pb2.McpResultContent(**content)  # type: ignore[arg-type] # by its tests
    return agent_pb2.Text(content="x", contents=[picture(), second])


@pytest.mark.parametrize(
    ("text", "code", "field"),
    [
        (agent_pb2.Text(content="  "), ErrorCode.INVALID_ARGUMENT, "text.content"),
        (agent_pb2.Text(content="x" * 100_001), ErrorCode.TOO_LARGE, "text.content"),
        (agent_pb2.Text(content="x", agent_id="a" * 129), ErrorCode.TOO_LARGE, "text.agent_id"),
        (agent_pb2.Text(contents=[picture()] * 21), ErrorCode.TOO_LARGE, "text.contents"),
        (bad(type=9), ErrorCode.INVALID_ARGUMENT, "text.contents[1]"),
        (
            bad(type=2, image=content_pb2.ImageContent(data="no base64")),
            ErrorCode.INVALID_ARGUMENT,
            "text.contents[1].image.data",
        ),
        (
            bad(type=4, embedded_resource=content_pb2.EmbeddedResource(uri="x" * 4_097)),
            ErrorCode.TOO_LARGE,
            "text.contents[1].embedded_resource.uri",
        ),
    ],
)
async def test_a_text_that_breaks_a_limit_is_refused(
    house: House, text: agent_pb2.Text, code: ErrorCode, field: str
) -> None:
    [ann] = await house.room("Ann")

    ack = await house.tell(ann, WebsocketMessage(Cmd="Text", ref=REF, text=text))

    assert error_pb2.ErrorCode.Name(ack.ack.code) == f"ERROR_CODE_{code.name}"
    assert ack.ack.message.startswith(field)
    assert not (await house.runner()).room.logged.texts
