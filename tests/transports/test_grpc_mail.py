"""Mail, words and pictures over RelayService."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.wire._gen.lineup.v1 import agent_pb2, content_pb2, error_pb2, relay_pb2
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from tests.domain.playbook import replies
from tests.transports.bridges import CANCELLED, Bridge, refused

if TYPE_CHECKING:
    import pytest


async def test_what_waits_is_taken_and_acknowledged_once(bridge: Bridge) -> None:
    house = bridge.house
    await bridge.open("q")
    async with bridge.attached():
        await house.do(replies("q", "yes"))
        take = relay_pb2.TakeMessagesRequest(agent_id="ada", wait_ms=1)

        mail = await bridge.call("TakeMessages", take)
        again = await bridge.call("TakeMessages", take)
        await bridge.call(
            "AckMessages", relay_pb2.AckMessagesRequest(agent_id="ada", request_ids=["q"])
        )
        nothing = await bridge.call("TakeMessages", take)

    assert [(o.request_id, o.redelivered) for o in mail.outcomes] == [("q", False)]
    assert [(o.request_id, o.redelivered) for o in again.outcomes] == [("q", True)]
    assert nothing == relay_pb2.TakeMessagesResponse()


async def test_a_text_that_is_taken_twice_is_marked(bridge: Bridge) -> None:
    house = bridge.house
    phone = await house.log_in("Ann")
    async with bridge.attached():
        phone.say(WebsocketMessage(Cmd="Text", text=agent_pb2.Text(content="hi", agent_id="ada")))
        await house.news(phone)
        take = relay_pb2.TakeMessagesRequest(agent_id="ada", wait_ms=1)
        mail = await bridge.call("TakeMessages", take)
        again = await bridge.call("TakeMessages", take)
    assert [(text.content, text.redelivered) for text in mail.texts] == [("hi", False)]
    assert [(text.content, text.redelivered) for text in again.texts] == [("hi", True)]


async def test_what_is_attached_to_a_text_reaches_the_agent_whole(bridge: Bridge) -> None:
    house = bridge.house
    phone = await house.log_in("Ann")
    data = base64.b64encode(b"\x89PNG" * limits.LINKED_BYTES).decode()
    picture = content_pb2.ImageContent(type="image", data=data, mime_type="image/png")
    report = content_pb2.EmbeddedResource(
        type="embedded_resource", uri="report.pdf", mime_type="application/pdf", data=b"%PDF"
    )
    attached = [
        content_pb2.McpResultContent(type=2, image=picture),
        content_pb2.McpResultContent(type=4, embedded_resource=report),
    ]
    async with bridge.attached():
        text = agent_pb2.Text(content="look", contents=attached, agent_id="ada")
        phone.say(WebsocketMessage(Cmd="Text", text=text))
        await house.news(phone)
        take = relay_pb2.TakeMessagesRequest(agent_id="ada", wait_ms=1)
        [taken] = (await bridge.call("TakeMessages", take)).texts
    assert (taken.content, list(taken.contents)) == ("look", attached)


async def test_mail_that_is_too_large_for_one_answer_comes_in_parts(
    bridge: Bridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or it would be refused by gRPC for its size, each time, and never arrive."""
    house = bridge.house
    for number in range(3):
        await bridge.open(f"q{number}")
    phone = await house.log_in("Ann")
    text = agent_pb2.Text(content="and more", agent_id="ada")
    phone.say(WebsocketMessage(Cmd="Text", text=text))
    await house.news(phone)
    monkeypatch.setattr("lineup_srv.transports.mapping.checks.OUTGOING_BYTES", 500)
    taken: list[str] = []
    texts: list[str] = []
    async with bridge.attached():
        for number in range(3):
            await house.do(replies(f"q{number}", "x" * 200))
        for _ in range(4):
            mail = await bridge.call("TakeMessages", relay_pb2.TakeMessagesRequest(agent_id="ada"))
            assert len(mail.outcomes) <= 1
            taken += [outcome.request_id for outcome in mail.outcomes]
            texts += [text.content for text in mail.texts]
            await bridge.call(
                "AckMessages",
                relay_pb2.AckMessagesRequest(
                    agent_id="ada",
                    request_ids=[outcome.request_id for outcome in mail.outcomes],
                    text_ids=[text.message_id for text in mail.texts],
                ),
            )

    assert taken == ["q0", "q1", "q2"]
    assert texts == ["and more"]


async def test_an_agents_words_are_shown_to_devices_that_know_them(bridge: Bridge) -> None:
    house = bridge.house
    phone = await house.log_in("Ann")
    frozen = await house.log_in("Old", extended=False)
    await house.news(phone)
    async with bridge.attached():
        await house.news(phone)
        request = relay_pb2.SendTextRequest(text=agent_pb2.Text(content="hello", agent_id="ada"))
        answer = await bridge.call("SendText", request)

        [shown] = [m for m in await house.news(phone) if m.Cmd == "Text"]
        assert (shown.text.content, shown.text.agent_id) == ("hello", "ada")
        assert shown.seq == answer.seq == 1
        assert await house.commands(frozen) == []


async def test_what_an_agent_attaches_to_its_words_is_shown(bridge: Bridge) -> None:
    house = bridge.house
    phone = await house.log_in("Ann")
    log = content_pb2.EmbeddedResource(
        type="embedded_resource", uri="build.log", mime_type="text/plain", data=b"failed"
    )
    attached = content_pb2.McpResultContent(type=4, embedded_resource=log)
    async with bridge.attached():
        await house.news(phone)
        text = agent_pb2.Text(content="hello", contents=[attached], agent_id="ada")
        await bridge.call("SendText", relay_pb2.SendTextRequest(text=text))
        async with refused("INVALID_ARGUMENT", ErrorCode.INVALID_ARGUMENT, "text.content"):
            empty = agent_pb2.Text(content=" ", agent_id="ada")
            await bridge.call("SendText", relay_pb2.SendTextRequest(text=empty))

        [shown] = [m.text for m in await house.news(phone) if m.Cmd == "Text"]
        assert (shown.content, list(shown.contents)) == ("hello", [attached])


async def test_an_agents_picture_is_shown_to_devices_that_know_it(bridge: Bridge) -> None:
    house = bridge.house
    phone = await house.log_in("Ann")
    async with bridge.attached():
        await house.news(phone)
        image = agent_pb2.Image(
            data=b"\x89PNG", mime_type="image/png", alt="a dot", caption="so", agent_id="ada"
        )
        answer = await bridge.call("SendImage", relay_pb2.SendImageRequest(image=image))

        [shown] = [m for m in await house.news(phone) if m.Cmd == "Image"]
        assert shown.seq == answer.seq
        assert (shown.image.data, shown.image.mime_type) == (b"\x89PNG", "image/png")
        assert (shown.image.alt, shown.image.caption) == ("a dot", "so")
        assert shown.image.agent_id == "ada"


async def test_goodbye_withdraws_what_the_agent_asked(bridge: Bridge) -> None:
    await bridge.open("q")
    phone = await bridge.house.log_in("Ann")
    await bridge.house.news(phone)

    await bridge.call("Goodbye", relay_pb2.GoodbyeRequest(agent_id="ada"))

    [told] = [m.request_state for m in await bridge.house.news(phone)]
    assert (told.state, told.reason) == (CANCELLED, error_pb2.ERROR_CODE_AGENT_ENDED)
