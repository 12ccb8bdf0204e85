"""Calls of open apps, and of tools whose definition changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import ClientId
from lineup_srv.domain.call import CallPhase, WaitKind
from lineup_srv.domain.call_effects import (
    CheckCall,
)
from lineup_srv.domain.decision import Refused
from tests.domain.playbook import (
    LAPTOP,
    PHONE,
    device,
    logs_in,
    writes,
)
from tests.domain.toolbook import (
    CANVAS,
    CHOICE,
    LIGHT,
    MAIL,
    OBJECT,
    OTHER_SCHEMA,
    ToolPlay,
    action,
    announces,
    app,
    calls,
    checked,
    fails,
    matches,
    of_type_action,
    succeeds,
    tab_of,
    toolset,
)

if TYPE_CHECKING:
    from lineup_srv.domain.call import OfferedTool
from tests.domain.heard import BACK, kinds, ready, refused, running, shown_to, told, waits_for

TABLET = device("tablet")
REF = "ref-call-00000000"


# Open apps --------------------------------------------------------------------------------------


def opened_canvas() -> ToolPlay:
    play = ToolPlay()
    play.here(LAPTOP, CANVAS)
    play.do(calls("open", CANVAS, "open"))
    play.do(succeeds("open", by=LAPTOP, instance_id="i1"))
    play.here(PHONE, CANVAS)
    play.do(writes("note", by=PHONE))
    return play


def test_a_later_call_of_an_instance_goes_to_its_tab_only() -> None:
    play = opened_canvas()

    step = play.do(calls("draw", CANVAS, "draw", instance_id="i1"))

    assert kinds(step) == ["CallOpened", "CallGiven"]
    assert shown_to(step) == [LAPTOP.client_id]
    assert waits_for(play.wait("draw")) is WaitKind.ACCEPT


def test_a_call_of_an_instance_waits_for_its_tab() -> None:
    play = opened_canvas()
    play.gone(LAPTOP)

    step = play.do(calls("draw", CANVAS, "draw", instance_id="i1"))

    assert waits_for(play.wait("draw")) is WaitKind.OWNER
    assert shown_to(step) == []
    back = replace(LAPTOP, client_id=ClientId("laptop-2"))
    play.do(logs_in(back))
    assert shown_to(play.do(announces(back, CANVAS))) == [back.client_id]
    play.gone(back)
    play.waits_out("draw")
    assert play.call("draw").code is ErrorCode.APP_GONE


def test_a_tab_that_is_here_but_does_not_offer_the_tool_is_waited_for() -> None:
    play = opened_canvas()
    play.offers(LAPTOP, MAIL)
    play.do(calls("draw", CANVAS, "draw", instance_id="i1"))
    assert waits_for(play.wait("draw")) is WaitKind.OWNER
    assert shown_to(play.do(announces(LAPTOP, CANVAS))) == [LAPTOP.client_id]
    assert waits_for(play.wait("draw")) is WaitKind.ACCEPT


def test_an_instance_survives_the_relay() -> None:
    play = opened_canvas()
    play.restart()
    play.here(LAPTOP, CANVAS)
    assert shown_to(play.do(calls("draw", CANVAS, "draw", instance_id="i1"))) == [LAPTOP.client_id]


def test_a_closed_app_and_one_of_another_tool_are_gone() -> None:
    play = opened_canvas()
    board = app("board")
    play.offers(PHONE, CANVAS, board)
    other = calls("other", board, "draw", instance_id="i1")
    assert refused(play.do(other)) is ErrorCode.APP_GONE

    play.do(calls("close", CANVAS, "close", instance_id="i1"))
    play.do(succeeds("close", by=LAPTOP))

    gone = calls("draw", CANVAS, "draw", instance_id="i1")
    step = play.do(gone)
    assert refused(step) is ErrorCode.APP_GONE
    assert isinstance(step.result, Refused)
    assert step.result.message.startswith("Nothing that is open has this instance_id")


def test_what_a_human_answers_in_an_open_app_goes_to_its_tab_and_has_time() -> None:
    play = ToolPlay()
    sketch = app("sketch", action("open"), action("ask", interactive=True))
    play.here(LAPTOP, sketch)
    play.here(PHONE, sketch)
    play.do(calls("open", sketch, "open"))
    owner = LAPTOP if play.call("open").owner == tab_of(LAPTOP) else PHONE
    play.do(succeeds("open", by=owner, instance_id="i1"))

    step = play.do(calls("ask", sketch, "ask", instance_id="i1"))

    assert shown_to(step) == [owner.client_id]
    assert play.wait("ask") is None
    other = PHONE if owner is LAPTOP else LAPTOP
    assert play.do(succeeds("ask", by=other)).facts == ()
    play.gone(owner)
    assert waits_for(play.wait("ask")) is WaitKind.OWNER
    back = replace(owner, client_id=ClientId("back"))
    play.do(logs_in(back))
    play.do(announces(back, sketch))
    assert play.wait("ask") is None


def test_only_apps_have_instances() -> None:
    play = ready()
    play.do(calls("call", MAIL, "send", instance_id="no instance"))
    play.do(succeeds("call", instance_id="i1"))
    play.do(calls("open", CANVAS, "open"))
    play.do(fails("open"))
    play.do(calls("open2", CANVAS, "open"))
    play.do(succeeds("open2"))
    assert play.room.logged.calls.instances == {}


# Definitions that change ------------------------------------------------------------------------

OTHER_MAIL = toolset("mail", action("send", schema=OTHER_SCHEMA), action("list"))
OTHER_CHOICE = of_type_action("choice", schema=OTHER_SCHEMA)


def test_a_waiting_call_is_checked_against_a_changed_definition() -> None:
    play = ready()
    play.gone(PHONE)
    play.do(calls("call", MAIL, "send"))

    step = play.here(LAPTOP, OTHER_MAIL)

    assert told(step, CheckCall) == [CheckCall(play.call(), LAPTOP.client_id, OTHER_SCHEMA)]
    assert (step.facts, shown_to(step)) == ((), [])
    fits = play.do(checked("call", LAPTOP, OTHER_SCHEMA))
    assert kinds(fits) == ["CallGiven"]
    assert play.call().action.input_schema_json == OBJECT


@pytest.mark.parametrize("tool", [MAIL, CHOICE])
def test_arguments_that_do_not_fit_any_more_end_the_call(tool: OfferedTool) -> None:
    play = ready()
    play.gone(PHONE)
    play.do(calls("call", tool))
    play.here(LAPTOP, OTHER_MAIL, OTHER_CHOICE)

    play.do(checked("call", LAPTOP, OTHER_SCHEMA, "arguments.x: is missing"))

    call = play.call()
    assert (call.phase, call.code) == (CallPhase.FAILED, ErrorCode.TOOL_CHANGED)
    assert call.message == "arguments.x: is missing"


def test_an_action_that_is_no_more_ends_the_call() -> None:
    play = ready()
    play.gone(PHONE)
    play.do(calls("call", MAIL, "send"))
    step = play.here(LAPTOP, toolset("mail", action("list")))
    assert told(step, CheckCall) == [CheckCall(play.call(), LAPTOP.client_id, "")]
    play.do(checked("call", LAPTOP, ""))
    assert play.call().code is ErrorCode.TOOL_CHANGED


def test_a_card_whose_arguments_still_fit_is_shown_in_the_new_tool() -> None:
    play = ready()
    play.gone(PHONE)
    play.do(calls("call", CHOICE))
    play.do(logs_in(LAPTOP))
    assert shown_to(play.do(announces(LAPTOP, OTHER_CHOICE))) == []
    assert told(play.do(matches(LAPTOP)), CheckCall)
    assert shown_to(play.do(checked("call", LAPTOP, OTHER_SCHEMA))) == [LAPTOP.client_id]


def test_an_owner_that_is_back_with_a_new_definition_gets_its_call_if_it_fits() -> None:
    play = running()
    play.gone(PHONE)
    play.do(logs_in(BACK))
    assert shown_to(play.do(announces(BACK, OTHER_MAIL))) == []
    assert told(play.do(matches(BACK)), CheckCall)
    assert shown_to(play.do(checked("call", BACK, OTHER_SCHEMA))) == [BACK.client_id]


def test_a_check_that_is_out_of_date_changes_nothing() -> None:
    play = running()
    play.gone(PHONE)
    gone = checked("call", PHONE, OTHER_SCHEMA, "wrong")
    assert play.do(gone).facts == ()
    play.here(BACK, OTHER_MAIL)
    play.here(LAPTOP, LIGHT)
    for stale in (
        checked("call", BACK, OBJECT, "wrong"),
        checked("call", LAPTOP, OTHER_SCHEMA, "wrong"),
        checked("other", BACK, OTHER_SCHEMA, "wrong"),
    ):
        assert play.do(stale).facts == ()
    play.do(succeeds("call", by=BACK))
    assert play.do(checked("call", BACK, OTHER_SCHEMA, "wrong")).facts == ()


def test_a_device_that_has_no_part_in_the_call_is_not_given_it_by_a_check() -> None:
    play = running()
    play.gone(PHONE)
    step = play.here(LAPTOP, OTHER_MAIL)
    assert told(step, CheckCall) == []
    assert shown_to(play.do(checked("call", LAPTOP, OTHER_SCHEMA))) == []
