"""Questions and answers of JSON apps, beside protobuf devices (wire §5)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.domain.contents import Content, ContentKind
from lineup_srv.service.bodies import Intake
from lineup_srv.wire.envelope import messages as m
from tests.domain.playbook import ADA, NOW, TIMEOUT, approval, cancels, opens, question, report
from tests.service.memory import PATIENCE
from tests.service.stage import ROOM
from tests.transports.sockets import reply
from tests.transports.talk import agent, app

if TYPE_CHECKING:
    from tests.transports.house import House


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
