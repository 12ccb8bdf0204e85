"""The call table, complete: every command about calls in every state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

import pytest

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import CallId
from lineup_srv.domain.call import CallPhase
from lineup_srv.domain.call_commands import CallCommand, CallWaitOver
from lineup_srv.domain.decision import CallDone, CallHeld, Refused
from lineup_srv.domain.effects import SendAck
from tests.domain.playbook import LAPTOP, NOW, PHONE, Step, says_goodbye
from tests.domain.toolbook import (
    CALL_MS,
    LIGHT,
    MAIL,
    NONE,
    OTHER_SCHEMA,
    ToolPlay,
    accepts,
    acknowledges_calls,
    announces,
    awaits_call,
    call_deadline_reached,
    calls,
    cancels_call,
    checked,
    fails,
    hangs_up_call,
    matches,
    progresses,
    receipt,
    succeeds,
)

if TYPE_CHECKING:
    from lineup_srv.domain.commands import Command

DEADLINE: Final = NOW + CALL_MS
REF: Final = "ref-table-0000000"
LATE: Final = "ref-table-late-00"
CALL: Final = CallId("call")

COMMANDS: Final[dict[str, Command]] = {
    "CallTool": calls("call", MAIL, "send"),
    "CallTool other": calls("call", MAIL, "list"),
    "AwaitCall": awaits_call("call"),
    "HangUpCall": hangs_up_call("call", "c4"),
    "Announce": announces(PHONE, MAIL),
    "MatchCalls": matches(PHONE),
    "CallChecked": checked("call", PHONE, OTHER_SCHEMA),
    "Accepted": accepts("call", ref=REF),
    "Starting": receipt("call", CallPhase.STARTING, ref=REF),
    "Started": receipt("call", CallPhase.STARTED, ref=REF),
    "Progress": progresses("call", 1, ref=REF),
    "Succeeded": succeeds("call", ref=REF),
    "Failed": fails("call", ref=REF),
    "Misfit": succeeds("call", ref=REF, misfit="wrong"),
    "Succeeded elsewhere": succeeds("call", by=LAPTOP, ref=REF),
    "CancelCall": cancels_call("call"),
    "Goodbye": says_goodbye(),
    "CallDeadlineReached": call_deadline_reached("call", DEADLINE),
    "CallDeadlineReached stale": call_deadline_reached("call", DEADLINE - 1),
    "AckCalls": acknowledges_calls("call"),
}
"""CallWaitOver is in all states but OFFERED about nothing; see `test_call_devices`."""

STATES: Final[dict[str, tuple[Command, ...]]] = {
    "none": (),
    "OFFERED": (calls("call", MAIL, "send"),),
    "ACCEPTED": (calls("call", MAIL, "send"), accepts("call")),
    "STARTING": (calls("call", MAIL, "send"), receipt("call", CallPhase.STARTING)),
    "STARTED": (calls("call", MAIL, "send"), receipt("call", CallPhase.STARTED)),
    "SUCCEEDED": (calls("call", MAIL, "send"), succeeds("call", ref=LATE)),
    "FAILED": (calls("call", MAIL, "send"), fails("call", ref=LATE)),
    "CANCELLED": (calls("call", MAIL, "send"), cancels_call("call")),
    "CANCELLED kept": (
        calls("call", MAIL, "send"),
        cancels_call("call"),
        succeeds("call", ref=LATE),
    ),
    "EXPIRED": (calls("call", MAIL, "send"), call_deadline_reached("call", DEADLINE)),
    "received": (
        calls("call", MAIL, "send"),
        succeeds("call", ref=LATE),
        acknowledges_calls("call"),
    ),
}

_SAID = ("Accepted", "Starting", "Started", "Progress", "Succeeded", "Failed", "Misfit")
_LIVE = {
    "CallTool": "; held",
    "CallTool other": "; id_conflict",
    "AwaitCall": "; held",
    "Accepted": "; ack unspecified",
    "Starting": "; ack unspecified",
    "Started": "; ack unspecified",
    "Progress": "CallProgressed; ack unspecified",
    "Succeeded": "CallEnded; ack unspecified",
    "Failed": "CallEnded; ack unspecified",
    "Misfit": "CallEnded; refused invalid_result",
    "Succeeded elsewhere": "; refused already_answered",
    "CancelCall": "CallEnded; done",
    "Goodbye": "CallEnded; ",
    "CallDeadlineReached": "CallEnded; ",
}
_ENDED = {
    "CallTool": "; done",
    "CallTool other": "; id_conflict",
    "AwaitCall": "; done",
    **dict.fromkeys((*_SAID, "Succeeded elsewhere"), "; refused already_answered"),
    "CancelCall": "; done",
    "AckCalls": "CallReceived; ",
}
_WITHDRAWN = {
    **_ENDED,
    **dict.fromkeys((*_SAID, "Succeeded elsewhere"), "; refused cancelled"),
}
TABLE: Final[dict[str, dict[str, str]]] = {
    "none": {
        "CallTool": "CallOpened,CallGiven; held",
        "CallTool other": "CallOpened,CallGiven; held",
        "AwaitCall": "; unknown_request",
        **dict.fromkeys((*_SAID, "Succeeded elsewhere"), "; refused unknown_request"),
        "CancelCall": "; unknown_request",
    },
    "OFFERED": {
        **_LIVE,
        "Accepted": "CallReceipt; ack unspecified",
        "Starting": "CallReceipt; ack unspecified",
        "Started": "CallReceipt; ack unspecified",
        "Progress": "CallReceipt,CallProgressed; ack unspecified",
    },
    "ACCEPTED": {
        **_LIVE,
        "Starting": "CallReceipt; ack unspecified",
        "Started": "CallReceipt; ack unspecified",
    },
    "STARTING": {**_LIVE, "Started": "CallReceipt; ack unspecified"},
    "STARTED": _LIVE,
    "SUCCEEDED": _ENDED,
    "FAILED": _ENDED,
    "CANCELLED": {
        **_WITHDRAWN,
        "Succeeded": "CallResultKept; ack cancelled",
        "Misfit": "CallResultKept; ack cancelled",
    },
    "CANCELLED kept": _WITHDRAWN,
    "EXPIRED": {
        **_ENDED,
        **dict.fromkeys((*_SAID, "Succeeded elsewhere"), "; refused expired"),
    },
    "received": {**_ENDED, "AckCalls": "; "},
}


def in_state(name: str) -> ToolPlay:
    """The phone has the tool and is used; the laptop is here without it."""
    play = ToolPlay()
    play.here(LAPTOP, LIGHT)
    play.here(PHONE, MAIL)
    for command in STATES[name]:
        play.do(command)
    return play


def outcome(step: Step) -> str:
    match step.result:
        case CallHeld():
            return "held"
        case CallDone():
            return "done"
        case Refused(code=code):
            return code.value
        case _:
            pass
    acks = [e for e in step.effects if isinstance(e, SendAck)]
    return "".join(("ack " if a.accepted else "refused ") + a.code.value for a in acks)


def test_the_table_has_every_command_about_calls() -> None:
    about = {type(command) for command in COMMANDS.values()} & set(get_args(CallCommand))
    assert about == set(get_args(CallCommand)) - {CallWaitOver}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("state", TABLE)
def test_a_command_in_a_state_does_what_the_table_says(state: str, name: str) -> None:
    play = in_state(state)
    before = play.room.logged.calls.find(CALL)

    step = play.do(COMMANDS[name])

    facts = [type(fact).__name__ for fact in step.facts]
    assert f"{','.join(facts)}; {outcome(step)}" == TABLE[state].get(name, "; ")
    after = play.room.logged.calls.find(CALL)
    if before is not None and not before.live:
        assert after is not None
        assert (after.phase, after.result, after.code) == (
            before.phase,
            before.result,
            before.code,
        )


@pytest.mark.parametrize("state", TABLE)
def test_a_wait_that_is_not_the_present_one_says_nothing(state: str) -> None:
    play = in_state(state)
    offered = in_state("OFFERED").wait()
    assert offered is not None
    stale = CallWaitOver(NONE, CALL, offered)
    expected = ["CallEnded"] if state == "OFFERED" else []
    assert [type(fact).__name__ for fact in play.do(stale).facts] == expected
    if state == "OFFERED":
        assert play.call().code is ErrorCode.NO_ANSWER
