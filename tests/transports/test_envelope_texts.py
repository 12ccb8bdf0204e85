"""Who is there, words and pictures of JSON apps and agents (wire §5)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from lineup_srv.wire.envelope import messages as m
from tests.domain.playbook import NOW
from tests.transports.json_room import greeted, texts
from tests.transports.talk import agent, app

if TYPE_CHECKING:
    from tests.transports.house import House


@pytest.mark.requirement("seed000:hello:agents-and-apps-hear-of-each-other")
async def test_devices_hear_of_an_app_that_comes_and_goes(house: House) -> None:
    [ann] = await house.room("Ann")

    phone = await app(house, "Phone")
    came = await house.news(ann)
    phone.wire.vanish()
    await phone.wire.over()
    went = await house.news(ann)

    told = [
        (
            t.UserConnectionStatusNotification.user.nickname,
            t.UserConnectionStatusNotification.status,
        )
        for t in (*came, *went)
        if t.Cmd == "UserConnectionStatusNotification"
    ]
    assert told == [("Phone", "connected"), ("Phone", "disconnected")]


@pytest.mark.requirement("seed000:hello:agents-and-apps-hear-of-each-other")
async def test_an_app_gets_one_hello_of_each_agent(house: House) -> None:
    early = await app(house)
    helper = await agent(house)
    expected = m.Hello(name="Hermes", agent="Hermes", client_id=helper.client_id)

    assert await greeted(house, early) == [expected]
    late = await app(house, "Tablet")
    assert await greeted(house, late) == [expected]
    assert await greeted(house, early) == []

    helper.wire.vanish()
    await helper.wire.over()
    assert await greeted(house, early) == []
    await agent(house, client_id=helper.client_id)
    assert await greeted(house, early) == [expected]


async def test_devices_see_a_json_agent_among_the_agents(house: House) -> None:
    [ann] = await house.room("Ann")
    helper = await agent(house)

    house.clock.advance(1)
    ann.say(WebsocketMessage(Cmd="Ping", ref="ping-of-this-test"))
    seen = None
    while (told := await ann.hear()).Cmd != "Ack":
        seen = told.agents if told.Cmd == "Agents" else seen

    assert seen is not None
    [line] = seen
    assert (line.agent_id, line.client, line.attached) == (helper.client_id, "Hermes", True)


# Words and pictures -------------------------------------------------------------------------------


@pytest.mark.requirement("seed000:text:both-ways")
async def test_an_apps_text_reaches_the_agent_and_is_confirmed(house: House) -> None:
    [ann] = await house.room("Ann")
    phone, helper = await app(house), await agent(house)

    said = phone.say(m.Text(content="Use the blue one.", agent=helper.client_id))
    text = await helper.hears(m.Text)
    told = await house.news(ann)

    assert text == m.Text(
        content="Use the blue one.",
        agent=helper.client_id,
        role=m.Role.HUMAN,
        sender="Phone",
        message_id=text.message_id,
        sent_unix_ms=NOW,
    )
    assert await phone.news() == [m.Ack(ref=said, accepted=True)]
    # First what was said, then that the agent has it.
    assert [(t.content, t.received) for t in texts(told)] == [
        ("Use the blue one.", False),
        ("", True),
    ]
    assert not (await house.runner()).room.logged.texts


async def test_what_is_attached_to_a_text_reaches_agents_and_devices_of_either_form(
    house: House,
) -> None:
    [ann] = await house.room("Ann")
    phone, tablet, helper = await app(house), await app(house, "Tablet"), await agent(house)
    small = m.Content(type=m.ContentType.IMAGE, data=b"\x89PNG", mime_type="image/png")
    large = replace(small, data=b"\x89PNG" * limits.LINKED_BYTES)

    phone.say(m.Text(content="", contents=(small, large), agent=helper.client_id))
    heard = [await helper.hears(m.Text), await tablet.hears(m.Text)]
    [shown, _] = texts(await house.news(ann))

    for text in heard:
        link = text.contents[1]
        assert text.content == ""
        assert text.contents == (small, replace(large, data=b"", uri=link.uri))
        assert link.uri.startswith("files/")
    assert [content.type for content in shown.contents] == [2, 4]


async def test_words_among_the_contents_of_a_text_join_its_words(house: House) -> None:
    phone, helper = await app(house), await agent(house)
    words = m.Content(type=m.ContentType.TEXT, text="the second line")

    phone.say(m.Text(content="The first line,", contents=(words,)))
    text = await helper.hears(m.Text)

    assert (text.content, text.contents) == ("The first line,\nthe second line", ())


@pytest.mark.requirement("seed000:text:both-ways")
async def test_an_agents_text_reaches_apps_and_devices(house: House) -> None:
    [ann] = await house.room("Ann")
    phone, helper = await app(house, requests=False), await agent(house, "Helper")

    ack = await helper.tell(m.Text(content="帮我查一下下周的天气"), envelope_id="msg_001")

    assert ack == m.Ack(ref="msg_001", accepted=True)
    text = await phone.hears(m.Text)
    assert (text.content, text.role) == ("帮我查一下下周的天气", m.Role.AGENT)
    assert (text.sender, text.agent) == ("Helper", helper.client_id)
    [shown] = texts(await house.news(ann))
    assert (shown.content, getattr(shown, "from")) == ("帮我查一下下周的天气", "Helper")


async def test_other_apps_see_what_a_human_wrote(house: House) -> None:
    phone, tablet = await app(house, "Phone"), await app(house, "Tablet")

    phone.say(m.Text(content="Hi"))
    text = await tablet.hears(m.Text)

    assert (text.role, text.sender) == (m.Role.HUMAN, "Phone")
    assert [type(payload) for payload in await phone.news()] == [m.Ack]


async def test_a_chat_from_a_device_reaches_the_app(house: House) -> None:
    [ann] = await house.room("Ann")
    phone = await app(house)
    sent = WebsocketMessage(Cmd="SendChatMessage", ref="ref-of-this-chat-1")
    sent.SendChatMessageRequest.receiver_client_id = phone.client_id
    sent.SendChatMessageRequest.content = "lunch?"

    ann.say(sent)
    text = await phone.hears(m.Text)

    assert (text.content, text.role, text.sender) == ("lunch?", m.Role.HUMAN, "Ann")
    typing = WebsocketMessage(Cmd="Typing")
    typing.typing.request_id = "q"
    ann.say(typing)
    assert await phone.news() == []


@pytest.mark.requirement("seed000:image:is-shown")
async def test_a_picture_is_shown_by_address_or_by_its_bytes(house: House) -> None:
    [ann] = await house.room("Ann")
    phone, helper = await app(house), await agent(house)
    large = b"x" * (limits.LINKED_BYTES + 1)

    helper.say(m.Image(url="https://pictures.test/1", alt="a graph", caption="load"))
    helper.say(m.Image(data=b"dot", mime_type="image/png"))
    helper.say(m.Image(data=large))
    shown = [p for p in await phone.news() if isinstance(p, m.Image)]

    assert [(p.url, p.data) for p in shown[:2]] == [("https://pictures.test/1", b""), ("", b"dot")]
    assert (shown[0].alt, shown[0].caption) == ("a graph", "load")
    assert (shown[1].mime_type, shown[2].mime_type) == ("image/png", "application/octet-stream")
    assert shown[2].url.startswith("files/")
    assert not shown[2].data
    images = [told.image for told in await house.news(ann) if told.Cmd == "Image"]
    assert [image.url for image in images] == [p.url for p in shown]
