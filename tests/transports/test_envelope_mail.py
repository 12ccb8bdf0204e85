"""Mail of JSON agents (wire §5)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from lineup_srv.contract.ids import AgentId
from lineup_srv.wire.envelope import messages as m
from tests.domain.playbook import ADA, cancels
from tests.service.memory import Fault
from tests.transports.talk import agent, app, connect

if TYPE_CHECKING:
    from tests.transports.house import House


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
