"""Calls of tools that are not here, or that change at that moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import CallId
from lineup_srv.domain.call import CallPhase
from lineup_srv.domain.commands import Logout
from lineup_srv.service import tool_calls
from tests.domain.playbook import ADA, LAPTOP, PHONE
from tests.domain.toolbook import (
    CHOICE,
    LIGHT,
    MAIL,
    NONE,
    OTHER_SCHEMA,
    action,
    of_type_action,
    toolset,
)
from tests.service.stage import ROOM
from tests.service.toolstage import (
    DONE,
    LONG,
    Caller,
    here,
    offers,
    refused,
    said,
    shown,
    wanted,
)

if TYPE_CHECKING:
    from lineup_srv.domain.call import OfferedTool
    from tests.service.stage import Stage


# Tools that are not here ------------------------------------------------------------------------


@pytest.mark.requirement("B29")
async def test_a_stale_call_waits_for_its_device_and_says_that_it_is_not_here(
    stage: Stage,
) -> None:
    call = await stage.begin(refused(stage, catalog_revision=7))
    stage.clock.advance(9)
    await stage.settled()
    assert not call.done()
    stage.clock.advance(1)
    assert (await call).code is ErrorCode.NO_APP


async def test_a_stale_call_is_made_when_its_device_comes(stage: Stage) -> None:
    caller = Caller(stage)
    call = await stage.begin(caller.call(wanted("call", "mail", "send", revision=7)))
    await here(stage, LIGHT)
    await offers(stage, PHONE, LIGHT, MAIL)
    await call
    assert shown(stage) == ["call"]
    await said(stage, "call", CallPhase.SUCCEEDED, result=DONE)
    await caller.hang_up()


async def test_a_stale_call_waits_no_longer_than_its_deadline(stage: Stage) -> None:
    call = await stage.begin(refused(stage, catalog_revision=7, timeout_ms=2_000))
    stage.clock.advance(2)
    assert (await call).code is ErrorCode.NO_APP


async def test_a_call_of_one_who_knows_the_catalog_is_refused_at_once(stage: Stage) -> None:
    await here(stage, LIGHT)
    view = await stage.relay.tools.catalog(ROOM)
    error = await refused(stage, catalog_revision=view.revision)
    assert error.code is ErrorCode.UNKNOWN_TOOL


async def test_a_tool_that_changes_at_that_moment_is_looked_up_again(
    stage: Stage, twin: Stage
) -> None:
    await here(stage)
    await twin.join(LAPTOP)
    stage.log.reading.close()
    await offers(twin, LAPTOP, CHOICE, of_type_action("foreign"))  # stage reads its log now
    changed = toolset("mail", action("send", schema=OTHER_SCHEMA))
    announced = await stage.begin(offers_now(stage, changed))
    caller = Caller(stage)
    call = await stage.begin(caller.call(wanted("call", "mail", "send", arguments='{"x":1}')))

    stage.log.reading.open()
    await announced
    await call

    told = await caller.next()
    assert told.call.action.input_schema_json == OTHER_SCHEMA
    await caller.hang_up()
    await stage.relay.tools.cancel(ROOM, ADA.agent_id, CallId("call"), ErrorCode.CANCELLED)
    await stage.settled(twin)


async def test_a_tool_that_changes_all_the_time_cannot_be_called(
    stage: Stage, twin: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_calls, "TRIES", 1)
    await here(stage)
    await twin.join(LAPTOP)
    stage.log.reading.close()
    await offers(twin, LAPTOP, of_type_action("foreign"))
    announced = await stage.begin(
        offers_now(stage, toolset("mail", action("send", schema=OTHER_SCHEMA)))
    )
    call = await stage.begin(refused(stage))
    stage.log.reading.open()
    await announced
    assert (await call).code is ErrorCode.TOOL_CHANGED
    await stage.settled(twin)


async def offers_now(stage: Stage, tool: OfferedTool) -> None:
    await offers(stage, PHONE, tool)


@pytest.mark.parametrize("arguments", ['{"x":1}', LONG])
async def test_a_waiting_call_is_checked_against_the_changed_tool(
    stage: Stage, arguments: str
) -> None:
    await here(stage)
    await stage.do(Logout(NONE, PHONE.client_id))
    caller = await Caller(stage).call(wanted("call", "mail", "send", arguments=arguments))
    await stage.join(LAPTOP)

    await offers(stage, LAPTOP, toolset("mail", action("send", schema=OTHER_SCHEMA)))

    if arguments == LONG:
        end = (await caller.rest())[-1].call
        assert (end.phase, end.code) == (CallPhase.FAILED, ErrorCode.TOOL_CHANGED)
        assert "required" in end.message
    else:
        assert shown(stage, LAPTOP) == ["call"]
        await said(stage, "call", CallPhase.SUCCEEDED, by=LAPTOP, result=DONE)
    await caller.hang_up()


async def test_a_call_of_an_action_that_is_no_more_ends(stage: Stage) -> None:
    await here(stage)
    await stage.do(Logout(NONE, PHONE.client_id))
    caller = await Caller(stage).call(wanted("call", "mail", "send"))
    await stage.join(LAPTOP)
    await offers(stage, LAPTOP, toolset("mail", action("list")))
    assert (await caller.rest())[-1].call.code is ErrorCode.TOOL_CHANGED
    await caller.hang_up()
