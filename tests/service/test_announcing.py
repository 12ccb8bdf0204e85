"""What devices offer, through the whole service."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import CallId, ClientId, Ref
from lineup_srv.contract.offers import Refusal
from lineup_srv.domain.call import CallPhase
from lineup_srv.domain.call_effects import ShowRefusedTools
from lineup_srv.domain.effects import Only, SendAck
from lineup_srv.service.ports import CatalogTold
from tests.domain.playbook import ADA, BOB, LAPTOP, PHONE, logs_in
from tests.domain.toolbook import (
    CANVAS,
    CHOICE,
    MAIL,
    OTHER_SCHEMA,
    action,
    toolset,
)
from tests.service.memory import Fault
from tests.service.stage import ROOM
from tests.service.toolstage import (
    DONE,
    REF,
    Caller,
    here,
    offers,
    said,
    wanted,
)

if TYPE_CHECKING:
    from tests.service.stage import Stage


# Announcing -------------------------------------------------------------------------------------


async def test_a_device_is_told_what_is_not_in_the_catalog(stage: Stage) -> None:
    await here(stage)
    await stage.do(logs_in(LAPTOP))
    bad = Refusal(name="bad", code=ErrorCode.INVALID_ARGUMENT, message="x", field="tools[1]")
    other = toolset("mail", action("send", schema=OTHER_SCHEMA))

    await offers(stage, LAPTOP, other, CANVAS, ref=REF, refused=(bad,))

    [told] = [m for m in stage.told(LAPTOP) if isinstance(m, ShowRefusedTools)]
    assert told.to == Only(LAPTOP.client_id)
    assert [(r.name, r.code) for r in told.refused] == [
        ("bad", ErrorCode.INVALID_ARGUMENT),
        ("mail", ErrorCode.NAME_CONFLICT),
    ]
    view = await stage.relay.tools.catalog(ROOM)
    assert [(t.definition.name, count) for t, count in view.tools] == [
        ("canvas", 2),
        ("choice", 1),
        ("input", 1),
        ("light", 1),
        ("mail", 1),
    ]


async def test_a_room_that_is_full_of_commands_refuses(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    await here(stage)
    caller = await Caller(stage).call(wanted("call", "choice"))
    await said(stage, "call", CallPhase.SUCCEEDED, result=DONE)
    monkeypatch.setattr(limits, "PENDING_COMMANDS_PER_ROOM", 0)
    for asked in (
        offers(stage, PHONE, MAIL),
        stage.relay.tools.received(ROOM, ADA.agent_id, [CallId("call")]),
    ):
        with pytest.raises(LineUpError) as caught:
            await asked
        assert caught.value.code is ErrorCode.RATE_LIMITED
    await caller.hang_up()


async def test_what_an_announcement_leads_to_is_logged_in_the_end(stage: Stage) -> None:
    await stage.join()
    stage.log.faults.append(Fault.REFUSED)
    await offers(stage, PHONE, CHOICE)
    assert stage.log.facts(ROOM) == []
    assert [t.definition.name for t, _ in (await stage.relay.tools.catalog(ROOM)).tools] == [
        "choice"
    ]
    stage.clock.advance(5)
    await stage.settled()
    assert len(stage.log.facts(ROOM)) == 1


async def test_agents_hear_of_the_catalog_once_for_many_changes(stage: Stage) -> None:
    _, stream = await stage.attach()
    phones = [replace(PHONE, client_id=ClientId(f"client-{number}")) for number in range(100)]
    for who in phones:
        await stage.do(logs_in(who))
        await offers(stage, phones[0], MAIL, CHOICE)
    stage.clock.advance(1)
    revision = (await stage.relay.tools.catalog(ROOM)).revision
    assert [e for e in stream.events if isinstance(e, CatalogTold)] == [CatalogTold(revision)]

    await offers(stage, phones[0], MAIL, CHOICE)
    stage.clock.advance(1)
    assert len([e for e in stream.events if isinstance(e, CatalogTold)]) == 1
    _, late = await stage.attach(by=BOB)
    assert [e for e in late.events if isinstance(e, CatalogTold)] == [CatalogTold(revision)]


async def test_a_ref_of_an_announcement_gets_its_ack(stage: Stage) -> None:
    await stage.join()
    await offers(stage, PHONE, MAIL, ref=REF)
    assert stage.told() == [
        SendAck(Only(PHONE.client_id), Ref(REF), True, ErrorCode.UNSPECIFIED, "", 0)
    ]
