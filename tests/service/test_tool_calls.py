"""Calls through the whole service: streams, schemas, restarts."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import CallId
from lineup_srv.domain.call import CallPhase
from lineup_srv.domain.call_effects import ShowCall
from lineup_srv.domain.contents import Content, ContentKind, ContentRef
from lineup_srv.domain.effects import SendAck
from lineup_srv.service.bodies import MISSING, Intake
from lineup_srv.service.ports import LogRefused
from tests.domain.playbook import ADA, BOB, LAPTOP, PHONE, agent, logs_in
from tests.domain.toolbook import (
    OTHER_SCHEMA,
    action,
    app,
    toolset,
)
from tests.service.memory import Fault
from tests.service.stage import ROOM
from tests.service.toolstage import (
    DONE,
    LONG,
    REF,
    Caller,
    here,
    offers,
    refused,
    said,
    shown,
    wanted,
)

if TYPE_CHECKING:
    from tests.service.stage import Stage


async def test_a_call_is_told_from_its_offer_to_its_result(stage: Stage) -> None:
    await here(stage)
    caller = await Caller(stage).call(wanted("call", "mail", "send"))
    await said(stage, "call", CallPhase.ACCEPTED)
    await said(stage, "call", None, progress=1)
    await said(stage, "call", CallPhase.STARTED)
    await said(stage, "call", CallPhase.SUCCEEDED, result=DONE, ref=REF)

    told = await caller.rest()

    assert [(t.call.phase, t.progress is not None) for t in told] == [
        (CallPhase.OFFERED, False),
        (CallPhase.ACCEPTED, False),
        (CallPhase.ACCEPTED, True),
        (CallPhase.STARTED, False),
        (CallPhase.SUCCEEDED, False),
    ]
    end = told[-1].call.result
    assert end is not None
    assert end.json is not None
    assert end.json.inline == DONE
    assert shown(stage) == ["call"]
    [ack] = [m for m in stage.told() if isinstance(m, SendAck)]
    assert (ack.accepted, ack.ref) == (True, REF)
    await caller.hang_up()
    assert (await stage.runner()).room.live.holdings == {}


async def test_long_arguments_and_results_travel_as_bytes(stage: Stage) -> None:
    await here(stage)
    caller = await Caller(stage).call(wanted("call", "mail", "send", arguments=LONG))
    [sent] = [s for s in stage.devices.sent if isinstance(s.message, ShowCall)]
    assert list(sent.bodies.values()) == [LONG.encode()]
    intake = Intake()
    picture = Content(ContentKind.IMAGE, intake.data(b"png", mime="image/png"), "")
    await said(
        stage,
        "call",
        CallPhase.SUCCEEDED,
        result=LONG,
        contents=(picture,),
        intake=intake,
    )

    end = (await caller.rest())[-1]

    assert sorted(end.bodies.values()) == sorted([b"png", LONG.encode()])
    await caller.hang_up()


async def test_what_was_lost_from_the_disk_is_said_in_words(stage: Stage) -> None:
    await here(stage)
    caller = await Caller(stage).call(wanted("call", "mail", "send"))
    lost = Content(ContentKind.IMAGE, ContentRef("0" * 64, 3, "image/png", None), "")
    await said(stage, "call", CallPhase.SUCCEEDED, result=LONG, contents=(lost,))
    await caller.hang_up()
    stage.blobs.stored.clear()
    later = stage.twin()
    stage.stop()

    again = await Caller(later).go_on("call")
    [end] = await again.rest()

    assert end.call.result is not None
    assert end.call.result.json is None
    assert end.call.message == MISSING.decode()
    [words] = end.call.result.contents
    assert words.ref.inline == MISSING.decode()
    await again.hang_up()
    await later.check_nothing_is_left()


@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"arguments_json": "{"}, ErrorCode.INVALID_ARGUMENT, "arguments"),
        ({"arguments_json": "[]"}, ErrorCode.INVALID_ARGUMENT, "arguments"),
        ({"arguments_json": '{"a":' * 40 + "1" + "}" * 40}, ErrorCode.TOO_LARGE, ""),
        (
            {"arguments_json": '{"a":"' + "x" * limits.ARGUMENTS_BYTES + '"}'},
            ErrorCode.TOO_LARGE,
            "",
        ),
        ({"action": "burn"}, ErrorCode.UNKNOWN_TOOL, ""),
        ({"tool": toolset("unknown").key}, ErrorCode.UNKNOWN_TOOL, ""),
    ],
)
async def test_what_cannot_be_called_is_refused(
    stage: Stage, changes: dict[str, object], code: ErrorCode, field: str
) -> None:
    await here(stage)
    error = await refused(stage, **changes)
    assert error.code is code
    if field:
        assert error.field == field
    assert stage.log.facts(ROOM)[-1].seq == 2  # the two tools that are remembered


async def test_arguments_that_do_not_fit_are_refused_by_their_path(stage: Stage) -> None:
    await here(stage, toolset("mail", action("send", schema=OTHER_SCHEMA)))
    error = await refused(stage)
    assert error.code is ErrorCode.INVALID_ARGUMENT
    assert error.message.startswith("arguments")
    assert "required" in error.message


async def test_a_full_disk_refuses_the_call_and_the_result(stage: Stage) -> None:
    await here(stage)
    stage.blobs.fault = LogRefused("disk full")
    assert (await refused(stage, arguments_json=LONG)).code is ErrorCode.LOG_UNAVAILABLE
    stage.blobs.fault = None
    caller = await Caller(stage).call(wanted("call", "mail", "send"))
    stage.blobs.fault = LogRefused("disk full")
    with pytest.raises(LineUpError) as caught:
        await said(stage, "call", CallPhase.SUCCEEDED, result=LONG)
    assert caught.value.code is ErrorCode.LOG_UNAVAILABLE
    stage.blobs.fault = None
    stage.log.faults.append(Fault.REFUSED)
    await said(stage, "call", CallPhase.SUCCEEDED, result=DONE, ref=REF)
    [ack] = [m for m in stage.told() if isinstance(m, SendAck)]
    assert (ack.accepted, ack.code) == (False, ErrorCode.LOG_UNAVAILABLE)
    await said(stage, "call", CallPhase.SUCCEEDED, result=DONE, ref=REF)
    assert (await caller.rest())[-1].call.phase is CallPhase.SUCCEEDED
    await caller.hang_up()


async def test_progress_that_is_no_number_is_refused(stage: Stage) -> None:
    await here(stage)
    for bad in (math.inf, math.nan):
        with pytest.raises(LineUpError) as caught:
            await said(stage, "call", None, progress=bad)
        assert (caught.value.code, caught.value.field) == (ErrorCode.INVALID_ARGUMENT, "progress")


# Results ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ("{", "result: is not JSON"),
        ("[]", "result: must be a JSON object"),
        ('{"message":1}', "result.message: does not fit the schema"),
        ("", "result: does not fit the schema"),
        ('{"message":"' + "x" * limits.RESULT_BYTES + '"}', "result: has more than"),
        ('{"message":"\\ud800"}', "result.message: "),
    ],
)
async def test_a_result_that_does_not_fit_ends_the_call_with_words(
    stage: Stage, result: str, words: str
) -> None:
    schema = (
        '{"type":"object","required":["message"],'
        '"properties":{"message":{"type":"string","maxLength":100000}}}'
    )
    strict = replace(action("send"), result_schema_json=schema)
    await here(stage, toolset("mail", strict))
    caller = await Caller(stage).call(wanted("call", "mail", "send"))

    await said(stage, "call", CallPhase.SUCCEEDED, result=result)

    end = (await caller.rest())[-1].call
    assert (end.phase, end.code, end.result) == (CallPhase.FAILED, ErrorCode.INVALID_RESULT, None)
    assert end.message.startswith(words)
    await caller.hang_up()


async def test_what_failed_owes_no_result_that_fits(stage: Stage) -> None:
    strict = replace(action("send"), result_schema_json=OTHER_SCHEMA)
    await here(stage, toolset("mail", strict))
    for call_id, result in (("none", ""), ("some", DONE), ("broken", "{")):
        caller = await Caller(stage).call(wanted(call_id, "mail", "send"))
        await said(stage, call_id, CallPhase.FAILED, result=result, message="no paper")
        end = (await caller.rest())[-1].call
        assert (end.phase, end.message) == (CallPhase.FAILED, "no paper")
        kept = None if end.result is None or end.result.json is None else end.result.json.inline
        assert kept == (DONE if result == DONE else None)
        await caller.hang_up()


async def test_a_result_of_a_call_that_nobody_made_is_refused(stage: Stage) -> None:
    await here(stage)
    await said(stage, "call", CallPhase.SUCCEEDED, result=DONE, ref=REF)
    [ack] = [m for m in stage.told() if isinstance(m, SendAck)]
    assert (ack.accepted, ack.code) == (False, ErrorCode.UNKNOWN_REQUEST)


async def test_an_open_app_is_bound_to_its_device(stage: Stage) -> None:
    await here(stage, app("canvas"))
    await stage.do(logs_in(LAPTOP))
    await offers(stage, LAPTOP, app("canvas"))
    opening = await Caller(stage).call(wanted("open", "canvas", "open"))
    owner = PHONE if shown(stage) else LAPTOP
    await said(stage, "open", CallPhase.SUCCEEDED, by=owner, result='{"instance_id":"i1"}')
    drawing = await Caller(stage).call(
        wanted("draw", "canvas", "draw", arguments='{"instance_id":"i1"}')
    )
    assert shown(stage, owner) == ["open", "draw"]
    for caller in (opening, drawing):
        await caller.hang_up()
    await stage.relay.tools.cancel(ROOM, ADA.agent_id, CallId("draw"), ErrorCode.CANCELLED)


@pytest.mark.parametrize("instance", ["7", '"' + "x" * 129 + '"', "null"])
async def test_an_instance_id_that_is_no_id_is_none(stage: Stage, instance: str) -> None:
    await here(stage)
    caller = await Caller(stage).call(
        wanted("call", "canvas", "open", arguments='{"instance_id":' + instance + "}")
    )
    assert (await caller.next()).call.called.instance_id == ""
    await caller.hang_up()
    await stage.relay.tools.cancel(ROOM, ADA.agent_id, CallId("call"), ErrorCode.CANCELLED)


# Replays ----------------------------------------------------------------------------------------


async def test_a_call_goes_on_when_its_caller_hangs_up(stage: Stage) -> None:
    await here(stage)
    caller = await Caller(stage).call(wanted("call", "choice"))
    await caller.hang_up()
    again = await Caller(stage).go_on("call")
    third = await Caller(stage).call(wanted("call", "choice", "whatever"))
    await said(stage, "call", CallPhase.SUCCEEDED, result=DONE)

    for stream in (again, third):
        assert [t.call.phase for t in await stream.rest()] == [
            CallPhase.OFFERED,
            CallPhase.SUCCEEDED,
        ]
        await stream.hang_up()
    assert shown(stage) == ["call"]


@pytest.mark.requirement("seed004:calls:replay")
async def test_a_replay_after_a_restart_runs_nothing(stage: Stage) -> None:
    await here(stage)
    caller = await Caller(stage).call(wanted("call", "mail", "send"))
    await said(stage, "call", CallPhase.STARTED)
    await caller.hang_up()
    later = stage.twin()
    stage.stop()
    await later.do(logs_in(PHONE))

    again = await Caller(later).call(wanted("call", "mail", "send"))
    assert (await again.next()).call.phase is CallPhase.STARTED
    await said(later, "call", CallPhase.SUCCEEDED, result=DONE, ref=REF)
    assert (await again.rest())[-1].call.phase is CallPhase.SUCCEEDED
    await again.hang_up()
    assert shown(later) == []
    replay = await Caller(later).call(wanted("call", "mail", "send"))
    assert [t.call.phase for t in await replay.rest()] == [CallPhase.SUCCEEDED]
    await replay.hang_up()
    await later.check_nothing_is_left()


async def test_a_call_that_nobody_made_cannot_be_awaited_or_cancelled(stage: Stage) -> None:
    await here(stage)
    with pytest.raises(LineUpError) as caught:
        await Caller(stage).go_on("call")
    assert caught.value.code is ErrorCode.UNKNOWN_REQUEST
    with pytest.raises(LineUpError) as caught:
        await stage.relay.tools.cancel(ROOM, ADA.agent_id, CallId("call"), ErrorCode.CANCELLED)
    assert caught.value.code is ErrorCode.UNKNOWN_REQUEST


async def test_a_cancel_tells_how_the_call_stands(stage: Stage) -> None:
    await here(stage)
    caller = await Caller(stage).call(wanted("call", "choice"))
    other = await stage.relay.tools.cancel(ROOM, BOB.agent_id, CallId("call"), ErrorCode.CANCELLED)
    own = await stage.relay.tools.cancel(ROOM, ADA.agent_id, CallId("call"), ErrorCode.CANCELLED)
    assert (other.call.phase, own.call.phase) == (CallPhase.OFFERED, CallPhase.CANCELLED)
    assert (await caller.rest())[-1].call.phase is CallPhase.CANCELLED
    await caller.hang_up()


async def test_an_heir_hears_of_the_call_that_it_attached_to(stage: Stage) -> None:
    await here(stage)
    old, heir = agent("ada", session="s"), agent("heir", session="s")
    caller = await Caller(stage).call(wanted("call", "choice", by=old))
    await caller.hang_up()
    again = await Caller(stage).call(wanted("again", "choice", by=heir))
    await said(stage, "call", CallPhase.SUCCEEDED, result=DONE)
    assert [t.call.call_id for t in await again.rest()] == ["call", "call"]
    await again.hang_up()
    assert shown(stage) == ["call"]
