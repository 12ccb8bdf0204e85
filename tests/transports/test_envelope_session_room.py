"""JSON apps and agents in one room with protobuf devices (wire §5)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import AgentId
from lineup_srv.domain.contents import Content, ContentKind
from lineup_srv.service.bodies import Intake
from lineup_srv.service.ports import LogRefused
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from lineup_srv.wire.envelope import messages as m
from tests.domain.playbook import ADA, NOW, TIMEOUT, approval, cancels, opens, question, report
from tests.service.memory import PATIENCE, Fault
from tests.service.stage import ROOM
from tests.transports.sockets import reply
from tests.transports.talk import agent, app, connect

if TYPE_CHECKING:
    from lineup_srv.wire._gen.lineup.v1 import agent_pb2
    from tests.transports.house import House
    from tests.transports.talk import Talk

LONG_ID = "an-id-of-more-than-16-characters"


def texts(told: list[WebsocketMessage]) -> list[agent_pb2.Text]:
    return [message.text for message in told if message.Cmd == "Text"]


async def greeted(house: House, talk: Talk) -> list[m.Hello]:
    """The hellos of agents, which come after a while of their own."""
    house.clock.advance(1)
    return [payload for payload in await talk.news() if isinstance(payload, m.Hello)]


async def acks(talk: Talk) -> list[m.Ack]:
    """The Acks among its news."""
    return [payload for payload in await talk.news() if isinstance(payload, m.Ack)]


# Presence -----------------------------------------------------------------------------------------


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


# Questions ----------------------------------------------------------------------------------------


@pytest.mark.requirement("seed000:requests:are-answered-by-apps")
async def test_a_question_is_answered_by_an_app_and_the_agent_is_told(house: House) -> None:
    [ann] = await house.room("Ann")
    phone, plain = await app(house), await app(house, "Plain", requests=False)
    waiting = await house.begin(house.ask("q"))
    request = await phone.hears(m.Request)

    assert (request.request_id, request.kind, request.text) == ("q", m.Kind.QUESTION, "about q")
    assert request.questions == (m.Question(question="about q", custom=True),)
    assert (request.project, request.client, request.agent_id) == ("/work", "coder", ADA.agent_id)
    assert request.deadline_unix_ms == NOW + TIMEOUT * 1000

    said = phone.say(m.Reply(request_id="q", message="yes"))
    told = await asyncio.wait_for(waiting, PATIENCE)

    assert told.request.reply is not None
    assert told.request.reply.by.nickname == "Phone"
    assert told.request.reply.contents[0].ref.inline == "yes"
    heard = await phone.news()
    assert m.Ack(ref=said, accepted=True) in heard
    # The echo of the card with its number; the answer is told to the others only.
    assert [p.state for p in heard if isinstance(p, m.RequestState)] == [m.State.PENDING]
    [note] = [t for t in await house.news(ann) if t.Cmd == "AskQuestionReplyNotification"]
    assert note.Nickname == "Phone"
    assert await plain.news() == []


@pytest.mark.requirement("seed000:requests:are-answered-by-apps")
async def test_an_app_that_comes_later_gets_what_is_open(house: House) -> None:
    await house.call(opens("q"), wait_ms=0)

    phone = await app(house)

    assert isinstance(await phone.hear(), m.Request)
    state = await phone.hears(m.RequestState)
    assert (state.state, state.deadline_unix_ms) == (m.State.PENDING, NOW + TIMEOUT * 1000)


async def test_an_app_is_told_who_answered_what(house: House) -> None:
    [ann] = await house.room("Ann")
    phone = await app(house)
    waiting = await house.begin(house.ask("q"))
    await phone.news()

    ann.say(reply("q", "yes", action="done"))
    await asyncio.wait_for(waiting, PATIENCE)
    [state] = await phone.news()

    assert state == m.RequestState(
        request_id="q",
        state=m.State.ANSWERED,
        by="Ann",
        changed_unix_ms=NOW,
        reply=m.Said(message="yes", action=m.Action.DONE),
    )
    refusal = await phone.tell(m.Reply(request_id="q", message="no"), envelope_id="second")
    assert isinstance(refusal, m.Ack)
    assert (refusal.ref, refusal.accepted) == ("second", False)
    assert refusal.code is ErrorCode.ALREADY_ANSWERED


async def test_ends_and_late_answers_are_told(house: House) -> None:
    [ann] = await house.room("Ann")
    phone = await app(house)
    await house.call(opens("q"), wait_ms=0)
    await house.do(cancels("q"))
    await phone.news()

    late = reply("q", "yes")
    answer = late.AskQuestionResponse.answers.add(index=0, text="because")
    answer.labels.append("A")
    ann.say(late)
    [state] = [p for p in await phone.news() if isinstance(p, m.RequestState)]

    assert (state.state, state.late, state.by) == (m.State.CANCELLED, True, "Ann")
    assert state.reason is ErrorCode.CANCELLED
    assert state.reply is not None
    assert state.reply.answers == (m.Answer(index=0, labels=("A",), text="because"),)


async def test_approvals_and_reports_are_shown_and_answered(house: House) -> None:
    phone = await app(house)
    risky = await house.begin(house.call(opens("a", asked=approval("rm -r build"))))
    done = await house.begin(house.call(opens("r", asked=report("All done."))))
    requests = [p for p in await phone.news() if isinstance(p, m.Request)]

    assert [r.kind for r in requests] == [m.Kind.APPROVAL, m.Kind.REPORT]
    assert requests[0].approval is not None
    assert (requests[0].approval.tool, requests[0].approval.command) == ("Bash", "rm -r build")
    assert requests[0].approval.can_allow_session
    label = (m.Answer(index=0, labels=("allow_once",), text="carefully"), m.Answer(index=1))
    phone.say(m.Reply(request_id="a", kind=m.Kind.APPROVAL, answers=label, input_json="{}"))
    phone.say(m.Reply(request_id="r", kind=m.Kind.REPORT))

    allowed = (await asyncio.wait_for(risky, PATIENCE)).request.reply
    confirmed = (await asyncio.wait_for(done, PATIENCE)).request.reply

    assert allowed is not None
    assert allowed.answers[0].labels == ("allow_once",)
    assert (allowed.input_json, allowed.contents[0].ref.inline) == ("{}", "allow_once, carefully\n")
    assert confirmed is not None
    assert confirmed.contents == ()


async def test_pictures_of_questions_and_answers_travel_both_ways(house: House) -> None:
    phone, tablet = await app(house), await app(house, "Tablet")
    waiting = await house.begin(house.ask("q"))
    await tablet.news()
    contents = (
        m.Content(type=m.ContentType.TEXT, text="and this"),
        m.Content(type=m.ContentType.IMAGE, data=b"dot", mime_type="image/png"),
        m.Content(type=m.ContentType.IMAGE, uri="https://pictures.test/1"),
    )

    phone.say(m.Reply(request_id="q", message="see", contents=contents))
    told = await asyncio.wait_for(waiting, PATIENCE)

    assert told.request.reply is not None
    kinds = [content.kind.value for content in told.request.reply.contents]
    assert kinds == ["text", "text", "image", "resource"]
    [state] = await tablet.news()
    assert isinstance(state, m.RequestState)
    assert state.reply == m.Said(message="see\nand this")


async def test_pictures_of_a_question_are_shown_and_large_ones_linked(house: House) -> None:
    phone = await app(house)
    intake = Intake()
    contents = (
        Content(ContentKind.TEXT, intake.text("look"), ""),
        Content(ContentKind.IMAGE, intake.data(b"dot", mime="image/png"), ""),
        Content(ContentKind.AUDIO, intake.data(b"x" * 70_000, mime="audio/wav"), ""),
    )
    await house.relay.keep(ROOM, intake)

    await house.call(opens("q", asked=replace(question("?"), contents=contents)), wait_ms=0)
    request = await phone.hears(m.Request)

    words, small, large = request.contents
    assert words == m.Content(type=m.ContentType.TEXT, text="look")
    assert small == m.Content(type=m.ContentType.IMAGE, data=b"dot", mime_type="image/png")
    assert (large.type, large.data, large.mime_type) == (m.ContentType.AUDIO, b"", "audio/wav")
    assert large.uri.startswith("files/")


async def test_an_answer_to_a_request_that_nobody_knows_is_kept(house: House) -> None:
    phone, helper = await app(house), await agent(house)

    phone.say(m.Reply(request_id="gone", message="yes", agent_id=helper.client_id))
    text = await helper.hears(m.Text)
    [ack] = [p for p in await phone.news() if isinstance(p, m.Ack)]

    assert text.content == "yes"
    assert (ack.accepted, ack.code) == (True, ErrorCode.KEPT_UNKNOWN)


# Duplicates ---------------------------------------------------------------------------------------


@pytest.mark.requirement("seed000:envelope:id-is-the-ref")
@pytest.mark.parametrize("envelope_id", ["short", LONG_ID])
async def test_a_duplicate_is_acknowledged_again_and_does_nothing(
    house: House, envelope_id: str
) -> None:
    [ann] = await house.room("Ann")
    phone, helper = await app(house), await agent(house)
    ack = m.Ack(ref=envelope_id, accepted=True)

    for talk in (phone, helper):
        # Twice at once, and once more when the first was acknowledged.
        talk.say(m.Text(content="Hi"), envelope_id=envelope_id)
        talk.say(m.Text(content="Hi"), envelope_id=envelope_id)
        assert await acks(talk) == [ack, ack]
        talk.say(m.Text(content="Hi"), envelope_id=envelope_id)
        assert await acks(talk) == [ack]

    said = [text.content for text in texts(await house.news(ann)) if text.content]
    assert said == ["Hi", "Hi"]


@pytest.mark.requirement("seed000:envelope:id-is-the-ref")
async def test_only_long_ids_count_over_connections(house: House) -> None:
    [ann] = await house.room("Ann")

    for envelope_id in ("short", LONG_ID, "x" * 128):
        for _ in range(2):
            phone = await app(house)
            phone.say(m.Text(content=envelope_id), envelope_id=envelope_id)
            assert m.Ack(ref=envelope_id, accepted=True) in await phone.news()
            helper = await agent(house)
            other_id = f"a{envelope_id[1:]}"
            helper.say(m.Text(content=envelope_id), envelope_id=other_id)
            assert m.Ack(ref=other_id, accepted=True) in await helper.news()
            helper.wire.vanish()
            await helper.wire.over()

    said = [text.content for text in texts(await house.news(ann)) if text.content]
    assert sorted(said) == sorted(["short"] * 4 + [LONG_ID] * 2 + ["x" * 128] * 2)


async def test_ids_of_another_connection_are_not_taken_for_ones_own(house: House) -> None:
    phone, tablet = await app(house), await app(house, "Tablet")

    phone.say(m.Text(content="one"), envelope_id="1")
    await phone.news()
    tablet.say(m.Text(content="two"), envelope_id="1")

    assert m.Ack(ref="1", accepted=True) in await tablet.news()
    assert [p.content for p in await phone.news() if isinstance(p, m.Text)] == ["two"]


async def test_what_is_remembered_is_bounded(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ENVELOPE_IDS", 1)
    monkeypatch.setattr(limits, "AGENT_ENVELOPE_IDS", 1)
    [ann] = await house.room("Ann")
    helper = await agent(house)

    for envelope_id in (LONG_ID, f"{LONG_ID}-2", LONG_ID):
        await helper.tell(m.Text(content="Hi"), envelope_id=envelope_id)

    assert len(texts(await house.news(ann))) == 3


@pytest.mark.parametrize("envelope_id", ["short", LONG_ID])
async def test_what_the_log_refused_may_be_said_again(house: House, envelope_id: str) -> None:
    [ann] = await house.room("Ann")
    phone, helper = await app(house), await agent(house)

    for talk in (phone, helper):
        await talk.news()
        house.log.faults.append(Fault.REFUSED)
        talk.say(m.Text(content="Hi"), envelope_id=envelope_id)
        [refusal] = await acks(talk)
        assert (refusal.accepted, refusal.code) == (False, ErrorCode.LOG_UNAVAILABLE)
        talk.say(m.Text(content="Hi"), envelope_id=envelope_id)
        assert await acks(talk) == [m.Ack(ref=envelope_id, accepted=True)]

    said = [text.content for text in texts(await house.news(ann)) if text.content]
    assert said == ["Hi", "Hi"]


async def test_bytes_that_cannot_be_kept_are_refused(house: House) -> None:
    phone, helper = await app(house), await agent(house)
    house.blobs.fault = LogRefused("disk full")
    picture = (m.Content(type=m.ContentType.IMAGE, data=b"dot"),)

    refusals = [
        await phone.tell(m.Reply(request_id="q", contents=picture)),
        await helper.tell(m.Image(data=b"dot")),
    ]

    for refusal in refusals:
        assert isinstance(refusal, m.Ack)
        assert (refusal.accepted, refusal.code) == (False, ErrorCode.LOG_UNAVAILABLE)
    house.blobs.fault = None


# The mailbox --------------------------------------------------------------------------------------


async def test_an_agent_that_comes_back_gets_its_texts(house: House) -> None:
    phone, helper = await app(house), await agent(house)
    helper.wire.vanish()
    await helper.wire.over()
    phone.say(m.Text(content="for you", agent=helper.client_id))
    await phone.news()

    stranger = await agent(house, client_id="ada")
    again = await agent(house, client_id=helper.client_id)
    text = await again.hears(m.Text)

    assert again.client_id == helper.client_id
    assert (text.content, text.redelivered) == ("for you", False)
    assert stranger.client_id not in ("ada", helper.client_id)
    assert await stranger.news() == []


async def test_a_text_that_was_not_written_is_given_again_and_marked(house: House) -> None:
    phone, helper = await app(house), await agent(house)
    helper.wire.pause()
    phone.say(m.Text(content="for you", agent=helper.client_id))
    await phone.news()
    assert (await house.runner()).room.logged.texts
    helper.wire.vanish()
    await helper.wire.over()

    again = await agent(house, client_id=helper.client_id)
    text = await again.hears(m.Text)

    assert (text.content, text.redelivered) == ("for you", True)
    await house.settled()


async def test_a_text_that_a_closing_connection_may_lose_is_given_again(house: House) -> None:
    phone, helper = await app(house), await agent(house)
    helper.wire.pause()
    phone.say(m.Text(content="for you", agent=helper.client_id))
    await phone.news()

    again = await agent(house, client_id=helper.client_id)
    helper.wire.resume()

    assert await helper.wire.closed() == 4001
    assert (await again.hears(m.Text)).redelivered
    await again.news()
    assert not (await house.runner()).room.logged.texts


async def test_a_text_to_a_peer_that_is_gone_is_not_confirmed(house: House) -> None:
    phone, helper = await app(house), await agent(house)
    helper.wire._gone = True  # and the server has not heard of it yet

    phone.say(m.Text(content="for you"))
    await phone.news()

    assert (await house.runner()).room.logged.texts
    helper.wire._gone = False
    helper.wire.vanish()


async def test_one_that_is_replaced_while_it_comes_in_leaves_nothing(house: House) -> None:
    phone, helper = await app(house), await agent(house)
    helper.wire.vanish()
    await helper.wire.over()
    hello = m.Hello(name="Helper", token="token", agent="Hermes", client_id=helper.client_id)
    house.log.appending.close()
    phone.say(m.Text(content="Hi"))
    await house.log.appending.arrived()

    first, second = await connect(house), await connect(house)
    first.say(hello)
    second.say(hello)
    house.log.appending.open()

    assert await first.wire.closed() == 4001
    assert isinstance(await second.hear(), m.Hello)
    second.wire.vanish()
    await second.wire.over()
    await house.settled()
    presence = (await house.runner()).room.live.agents[AgentId(helper.client_id)]
    assert not presence.attached


async def test_a_slow_agent_gets_its_texts_when_it_reads_again(house: House) -> None:
    phone, helper = await app(house), await agent(house)
    helper.wire.pause()
    phone.say(m.Text(content="for you"))
    await phone.news()
    assert (await house.runner()).room.logged.texts

    helper.wire.resume()
    text = await helper.hears(m.Text)
    await helper.news()

    assert text.content == "for you"
    assert not (await house.runner()).room.logged.texts


async def test_the_same_agent_again_closes_its_older_connection(house: House) -> None:
    helper = await agent(house)

    again = await agent(house, client_id=helper.client_id)

    assert await helper.wire.closed() == 4001
    phone = await app(house)
    phone.say(m.Text(content="for you", agent=helper.client_id))
    assert (await again.hears(m.Text)).content == "for you"


async def test_an_answer_to_what_was_asked_in_its_name_is_mail_too(house: House) -> None:
    phone, helper = await app(house), await agent(house)
    asker = replace(ADA, agent_id=AgentId(helper.client_id))
    waiting = await house.begin(house.ask("q", by=asker))
    await phone.news()
    waiting.cancel()
    await asyncio.wait([waiting])
    await house.settled()

    sketch = m.Content(type=m.ContentType.IMAGE, data=b"\x89PNG", mime_type="image/png")
    phone.say(m.Reply(request_id="q", message="yes", contents=(sketch,)))
    text = await helper.hears(m.Text)
    await helper.news()

    assert text.contents == (sketch,)
    assert (text.content, text.message_id, text.sender) == ("about q\n\nyes", "q", "Phone")
    assert (await house.request("q")).received


async def test_the_end_of_what_was_asked_in_its_name_is_no_mail(house: House) -> None:
    helper = await agent(house)
    asker = replace(ADA, agent_id=AgentId(helper.client_id))
    waiting = await house.begin(house.ask("q", by=asker))
    waiting.cancel()
    await asyncio.wait([waiting])

    await house.do(cancels("q", by=asker))

    assert await helper.news() == []


async def test_an_answer_that_cannot_be_confirmed_is_given_again(house: House) -> None:
    phone, helper = await app(house), await agent(house)
    phone.say(m.Text(content="for you", agent=helper.client_id))
    house.log.appending.close()
    # What it says, that the agent takes it, and that the agent has it.
    for _ in range(2):
        await house.log.appending.arrived()
        house.log.appending.step()
    await helper.hears(m.Text)
    await house.log.appending.arrived()
    house.log.faults.append(Fault.REFUSED)
    house.log.appending.open()

    assert await helper.wire.closed() == 1013
    again = await agent(house, client_id=helper.client_id)
    assert (await again.hears(m.Text)).redelivered


async def test_an_agent_whose_mail_cannot_be_read_is_sent_away_to_try_again(house: House) -> None:
    phone, helper = await app(house), await agent(house)
    phone.say(m.Text(content="for you"))
    await phone.hears(m.Ack)
    house.log.faults.append(Fault.REFUSED)

    assert await helper.wire.closed() == 1013
