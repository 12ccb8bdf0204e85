"""The timers of calls, the pace of progress, and rooms that hold calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import CallId
from lineup_srv.domain.call import CallPhase, WaitKind
from lineup_srv.domain.call_effects import ShowCall, ShowCallUpdate
from lineup_srv.domain.call_facts import CallDeadlineMoved, CallOpened, CallProgressed
from lineup_srv.domain.commands import Logout
from lineup_srv.domain.effects import Only, SendAck
from lineup_srv.service.ports import CatalogTold
from tests.domain.playbook import LAPTOP, NOW, PHONE, logs_in
from tests.domain.toolbook import CHOICE, MAIL, NONE, calls
from tests.service.stage import ROOM
from tests.service.toolstage import DONE, LONG, REF, Caller, here, offers, said, shown, wanted

if TYPE_CHECKING:
    import pytest

    from lineup_srv.domain.call import Call
    from tests.service.stage import Stage


async def call_of(stage: Stage, call_id: str = "call") -> Call:
    found = (await stage.runner()).room.logged.calls.find(CallId(call_id))
    assert found is not None
    return found


async def called(stage: Stage, tool: str = "mail", action: str = "send") -> Caller:
    await here(stage)
    return await Caller(stage).call(wanted("call", tool, action))


async def test_a_call_that_nobody_takes_ends_after_five_seconds(stage: Stage) -> None:
    caller = await called(stage)
    stage.clock.advance(4)
    await stage.settled()
    assert (await call_of(stage)).live
    stage.clock.advance(1)
    assert (await caller.rest())[-1].call.code is ErrorCode.NO_ANSWER
    await caller.hang_up()
    assert (await stage.runner()).calls.idle


async def test_a_call_that_was_taken_ends_at_its_deadline(stage: Stage) -> None:
    caller = await called(stage)
    await said(stage, "call", CallPhase.ACCEPTED)
    stage.clock.advance(59)
    await stage.settled()
    assert (await call_of(stage)).live
    stage.clock.advance(1)
    assert (await caller.rest())[-1].call.phase is CallPhase.EXPIRED
    await caller.hang_up()


async def test_a_clock_that_is_set_back_ends_no_call_early(stage: Stage) -> None:
    caller = await called(stage, "choice", "")
    stage.clock.now -= 3_600_000
    for handle in list(stage.clock._handles):
        handle.at_unix_ms -= 3_600_000  # the monotonic clock knows nothing of it
    stage.clock.advance(60)
    await stage.settled()
    assert (await call_of(stage)).live
    stage.clock.advance(3_600)
    assert (await caller.rest())[-1].call.phase is CallPhase.EXPIRED
    await caller.hang_up()


async def test_a_device_that_is_lost_has_thirty_seconds(stage: Stage) -> None:
    caller = await called(stage)
    await said(stage, "call", CallPhase.ACCEPTED)
    await stage.do(Logout(NONE, PHONE.client_id))
    stage.clock.advance(29)
    await stage.settled()
    assert (await call_of(stage)).live
    stage.clock.advance(1)
    assert (await caller.rest())[-1].call.code is ErrorCode.APP_GONE
    await caller.hang_up()


# Progress ---------------------------------------------------------------------------------------


async def progressed(stage: Stage) -> list[float]:
    return [
        line.fact.progress.progress
        for line in stage.log.facts(ROOM)
        if isinstance(line.fact, CallProgressed)
    ]


async def test_progress_is_logged_twice_a_second_and_the_latest_wins(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "CALL_PROGRESS_MS", 1_000)  # the clock of tests knows seconds
    caller = await called(stage)
    for number in range(1, 6):
        await said(stage, "call", None, progress=number, ref=f"{REF[:-1]}{number}")
    assert await progressed(stage) == [1]
    stage.clock.advance(1)
    await stage.settled()
    assert await progressed(stage) == [1, 5]
    stage.clock.advance(1)
    await said(stage, "call", None, progress=6)
    assert await progressed(stage) == [1, 5, 6]
    acked = [m.ref for m in stage.told() if isinstance(m, SendAck)]
    assert sorted(set(acked)) == [f"{REF[:-1]}{number}" for number in range(1, 6)]
    await said(stage, "call", CallPhase.SUCCEEDED, result=DONE)
    assert [t.progress.progress for t in await caller.rest() if t.progress] == [6]
    await caller.hang_up()


async def test_progress_that_waits_is_nothing_after_the_result(stage: Stage) -> None:
    caller = await called(stage)
    await said(stage, "call", None, progress=1)
    await said(stage, "call", None, progress=2)
    await said(stage, "call", CallPhase.SUCCEEDED, result=DONE)
    stage.clock.advance(1)
    await stage.settled()
    assert await progressed(stage) == [1]
    await said(stage, "call", None, progress=3)
    assert (await stage.runner()).calls.idle is False  # the caller is still here
    await caller.hang_up()
    assert (await stage.runner()).calls.idle


async def test_a_room_that_closes_forgets_what_waits(stage: Stage) -> None:
    caller = await called(stage)
    await said(stage, "call", None, progress=1)
    await caller.hang_up()
    stage.stop()
    assert stage.clock.watched == []


# Rooms that hold calls --------------------------------------------------------------------------


async def test_a_restart_watches_the_deadlines_and_waits_of_calls(stage: Stage) -> None:
    caller = await called(stage)
    await said(stage, "call", CallPhase.ACCEPTED)
    await caller.hang_up()
    stage.stop()
    later = stage.twin()

    await later.relay.rooms.wake_all()
    await later.settled()

    assert later.relay.rooms.needed
    runner = await later.runner()
    assert runner.room.live.call_waits[CallId("call")].kind is WaitKind.OWNER
    assert not runner.idle
    [moved] = [f.fact for f in later.log.facts(ROOM) if isinstance(f.fact, CallDeadlineMoved)]
    assert moved.deadline_unix_ms == NOW + 120_000
    later.clock.advance(30)
    await later.settled()
    assert (await call_of(later)).code is ErrorCode.APP_GONE
    assert (await later.runner()).idle
    await later.check_nothing_is_left()


async def test_after_a_restart_there_is_a_catalog_before_the_first_device_comes(
    stage: Stage,
) -> None:
    await here(stage)
    stage.stop()
    later = stage.twin()
    view = await later.relay.tools.catalog(ROOM)
    assert view.revision == NOW
    assert [(tool.definition.name, count) for tool, count in view.tools] == [
        ("choice", 0),
        ("input", 0),
    ]
    _, stream = await later.attach()
    assert CatalogTold(NOW) in stream.events
    await later.check_nothing_is_left()


async def test_a_jump_of_the_clock_moves_near_deadlines_of_calls(stage: Stage) -> None:
    caller = await called(stage, "choice", "")
    stage.relay.rooms.clock_jumped()
    await stage.settled()
    assert (await call_of(stage)).deadline_unix_ms == NOW + 120_000
    await said(stage, "call", CallPhase.SUCCEEDED, result=DONE)
    await caller.hang_up()


async def test_the_history_shows_a_call_and_its_end(stage: Stage) -> None:
    caller = await called(stage)
    await said(stage, "call", CallPhase.STARTED)
    await said(stage, "call", CallPhase.SUCCEEDED, result=LONG)
    await caller.hang_up()

    page = await stage.relay.history.after(ROOM, Only(PHONE.client_id), 0, 100)

    told = [message for message, _ in page.messages]
    assert [type(message) for message in told] == [ShowCall, ShowCallUpdate, ShowCallUpdate]
    assert [bodies for _, bodies in page.messages] == [{}, {}, {}]
    assert page.last_seq == len(stage.log.facts(ROOM)) > len(told)


async def test_a_long_answer_of_a_human_is_told_in_full(stage: Stage) -> None:
    caller = await called(stage, "choice", "")
    await stage.join(LAPTOP)
    await offers(stage, LAPTOP, CHOICE)
    stage.devices.sent.clear()
    await said(stage, "call", CallPhase.SUCCEEDED, result=LONG)
    await caller.hang_up()

    updates = [s for s in stage.devices.sent if isinstance(s.message, ShowCallUpdate)]
    live = updates[-1].bodies
    page = await stage.relay.history.after(ROOM, Only(PHONE.client_id), 0, 100)
    later = page.messages[-1][1]

    assert [text.decode() for text in live.values()] == [LONG]
    assert later == live


async def test_the_history_reads_calls_that_are_not_in_memory(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = await called(stage)
    await said(stage, "call", CallPhase.SUCCEEDED, result=DONE)
    await caller.hang_up()
    monkeypatch.setattr(limits, "ENDED_CALLS_PER_ROOM", 0)
    other = await Caller(stage).call(wanted("other", "choice"))
    await said(stage, "other", CallPhase.SUCCEEDED, result=DONE)
    await other.hang_up()
    assert (await stage.runner()).room.logged.calls.find(CallId("call")) is None

    page = await stage.relay.history.after(ROOM, Only(PHONE.client_id), 0, 100)

    assert [m.call.call_id for m, _ in page.messages if isinstance(m, ShowCall)] == [
        "call",
        "other",
    ]


async def test_the_history_leaves_out_what_was_dropped(stage: Stage) -> None:
    caller = await called(stage)
    await said(stage, "call", CallPhase.SUCCEEDED, result=DONE)
    await caller.hang_up()
    runner = await stage.runner()
    [opened] = [line for line in stage.log.facts(ROOM) if isinstance(line.fact, CallOpened)]
    runner.room.logged.calls.by_id.clear()
    stage.log.facts(ROOM).remove(opened)
    page = await stage.relay.history.after(ROOM, Only(PHONE.client_id), 0, 100)
    assert page.messages == []
    stage.stop()


# Other relays and failures ----------------------------------------------------------------------


async def test_a_call_is_run_by_the_device_of_another_relay(stage: Stage, twin: Stage) -> None:
    await here(stage)
    await twin.join(LAPTOP)
    await offers(twin, LAPTOP, MAIL)
    caller = await Caller(twin).call(wanted("call", "mail", "send"))
    await twin.settled(stage)
    assert shown(twin, LAPTOP) == ["call"]
    assert shown(stage, PHONE) == []
    await said(twin, "call", CallPhase.SUCCEEDED, by=LAPTOP, result=DONE)
    await twin.settled(stage)
    assert (await caller.rest())[-1].call.phase is CallPhase.SUCCEEDED
    assert (await call_of(stage)).phase is CallPhase.SUCCEEDED
    await caller.hang_up()


async def test_two_relays_give_a_question_one_answer(stage: Stage, twin: Stage) -> None:
    await here(stage)
    caller = await Caller(stage).call(wanted("call", "choice"))
    await twin.join(LAPTOP)
    stage.log.silent = True
    await said(stage, "call", CallPhase.SUCCEEDED, result='{"message":"phone"}', ref=REF)

    other = "ref-of-laptop-000"
    await said(twin, "call", CallPhase.SUCCEEDED, by=LAPTOP, result=DONE, ref=other)
    stage.log.silent = False
    stage.log.announce()
    await stage.settled(twin)

    [ack] = [m for m in twin.told(LAPTOP) if isinstance(m, SendAck)]
    assert (ack.accepted, ack.code) == (False, ErrorCode.ALREADY_ANSWERED)
    end = (await caller.rest())[-1].call.result
    assert end is not None
    assert end.json is not None
    assert end.json.inline == '{"message":"phone"}'
    await caller.hang_up()


async def test_a_call_that_is_decided_again_leaves_no_trace_of_the_first_time(
    stage: Stage, twin: Stage
) -> None:
    await here(stage)
    await twin.join(LAPTOP)
    stage.log.silent = True
    await offers(twin, LAPTOP, MAIL)
    first = await Caller(twin).call(wanted("theirs", "mail", "send"))

    caller = await Caller(stage).call(wanted("call", "mail", "send"))  # decided twice
    stage.log.silent = False
    stage.log.announce()
    await stage.settled(twin)

    room = (await stage.runner()).room
    assert set(room.live.holdings) == {"call"}
    assert shown(stage) == ["call"]
    await said(stage, "call", CallPhase.SUCCEEDED, result=DONE)
    await said(twin, "theirs", CallPhase.SUCCEEDED, by=LAPTOP, result=DONE)
    for stream in (first, caller):
        await stream.hang_up()
    await stage.settled(twin)


async def test_a_device_that_logs_out_twice_takes_its_tools_once(stage: Stage) -> None:
    await here(stage)
    await stage.do(Logout(NONE, PHONE.client_id))
    await stage.do(Logout(NONE, PHONE.client_id))
    await stage.do(logs_in(PHONE))
    view = await stage.relay.tools.catalog(ROOM)
    assert [(t.definition.name, count) for t, count in view.tools] == [
        ("choice", 0),
        ("input", 0),
    ]


async def test_a_caller_that_has_no_stream_is_told_nothing(stage: Stage) -> None:
    await here(stage)
    await stage.do(calls("call", MAIL, "send"))
    await said(stage, "call", CallPhase.SUCCEEDED, result=DONE)
    assert (await call_of(stage)).phase is CallPhase.SUCCEEDED
