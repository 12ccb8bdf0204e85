"""What agents say and show: durable before it is told, with its bytes, and in the history."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.domain.contents import Picture
from lineup_srv.domain.effects import Only, ShowPictureShown, ShowSaid
from lineup_srv.domain.people import unknown_agent
from lineup_srv.service.bodies import Intake
from tests.domain.playbook import ADA, BOB, PHONE, words
from tests.service.memory import Fault
from tests.service.stage import ROOM

if TYPE_CHECKING:
    from tests.service.stage import Stage

LINK = Picture(ref=None, url="https://pictures.test/1", alt="a graph", caption="load")


async def test_a_text_of_an_agent_is_durable_before_it_is_shown(stage: Stage) -> None:
    await stage.join()
    await stage.attach()
    stage.devices.sent.clear()
    stage.log.appending.close()
    saying = await stage.begin(stage.relay.say(ROOM, ADA.agent_id, words("hello")))
    await stage.log.appending.arrived()

    assert stage.told() == []
    stage.log.appending.open()
    assert await saying == 1
    [shown] = stage.told()
    assert isinstance(shown, ShowSaid)
    assert (shown.said.agent, shown.said.contents, shown.seq) == (ADA, words("hello"), 1)


async def test_pictures_are_shown_with_their_bytes_or_their_address(stage: Stage) -> None:
    await stage.join()
    intake = Intake()
    ref = intake.data(b"\x89PNG", mime="image/png")
    await stage.relay.keep(ROOM, intake)

    await stage.relay.say(ROOM, ADA.agent_id, Picture(ref, "", "a graph", ""))
    await stage.relay.say(ROOM, ADA.agent_id, LINK)

    bodies = [s.bodies for s in stage.devices.sent if isinstance(s.message, ShowPictureShown)]
    assert bodies == [{ref.sha256: b"\x89PNG"}, {}]


async def test_an_agent_that_is_not_here_is_named_by_its_id_only(stage: Stage) -> None:
    await stage.join()

    await stage.relay.say(ROOM, BOB.agent_id, words("hello"))

    [shown] = stage.told()
    assert isinstance(shown, ShowSaid)
    assert shown.said.agent == unknown_agent(BOB.agent_id)


async def test_what_cannot_be_logged_is_not_said(stage: Stage) -> None:
    await stage.join()
    stage.log.faults.append(Fault.REFUSED)

    with pytest.raises(LineUpError) as caught:
        await stage.relay.say(ROOM, ADA.agent_id, words("hello"))

    assert caught.value.code is ErrorCode.LOG_UNAVAILABLE
    assert stage.told() == []


async def test_what_was_said_and_shown_is_in_the_history(stage: Stage) -> None:
    await stage.relay.say(ROOM, ADA.agent_id, words("hello"))
    await stage.relay.say(ROOM, ADA.agent_id, LINK)

    page = await stage.relay.history.after(ROOM, Only(PHONE.client_id), 0, 10)

    assert [type(message) for message, _ in page.messages] == [ShowSaid, ShowPictureShown]
    assert page.last_seq == 2
