"""The request table, complete: every command in every state."""

from __future__ import annotations

from typing import Final, get_args

import pytest

from lineup_srv.contract.ids import CommandId, RequestId
from lineup_srv.domain.call_commands import CallCommand
from lineup_srv.domain.commands import (
    Command,
    HandOver,
    ListPending,
    Logout,
    RelayReturned,
)
from lineup_srv.domain.decision import Ended, Held, Refused, Resumed, Said
from lineup_srv.domain.effects import SendAck
from lineup_srv.domain.signals import Typing
from tests.domain.playbook import (
    LAPTOP,
    NOW,
    PHONE,
    TIMEOUT,
    Play,
    Step,
    acknowledges,
    attaches,
    awaits,
    cancels,
    checks,
    corrects,
    deadline_reached,
    declines,
    detaches,
    hangs_up,
    lease_ends,
    lists_online,
    logs_in,
    moves_deadline,
    opens,
    passes,
    question,
    replies,
    says,
    says_goodbye,
    sees,
    sets_waiting,
    shows,
    takes,
    writes,
)

DEADLINE = NOW + TIMEOUT * 1000
LEASE = 1
Q1 = RequestId("q1")
NEW = "ref-new-000000000"

COMMANDS: Final[dict[str, Command]] = {
    "Open": opens("q1"),
    "Open other": opens("q1", asked=question("something else")),
    "Await": awaits("q1"),
    "HangUp": hangs_up("c3"),
    "Reply": replies("q1", by=LAPTOP, ref=NEW),
    "Decline": declines("q1", by=LAPTOP, ref=NEW),
    "Correct": corrects("q1", "no", ref=NEW),
    "Reply again": replies("q1"),
    "DeadlineReached": deadline_reached("q1", DEADLINE),
    "DeadlineReached stale": deadline_reached("q1", DEADLINE - 1),
    "MoveDeadline": moves_deadline("q1", 60),
    "Cancel": cancels("q1"),
    "Attach": attaches("q1"),
    "SetWaiting": sets_waiting("q1"),
    "Detach": detaches(LEASE),
    "LeaseEnded": lease_ends(LEASE),
    "Goodbye": says_goodbye(),
    "TakeMessages": takes(),
    "AckMessages": acknowledges("q1"),
    "HandOver": HandOver(CommandId("")),
    "Login": logs_in(PHONE),
    "Logout": Logout(CommandId(""), PHONE.client_id),
    "ListPending": ListPending(CommandId(""), PHONE.client_id),
    "ListOnline": lists_online(PHONE),
    "CheckValidity": checks(PHONE, "q1"),
    "SeeClient": sees(PHONE, visible=False),
    "PassSignal": passes(Typing(Q1)),
    "WriteText": writes("note", ref=NEW),
    "SayText": says("said"),
    "ShowPicture": shows("picture"),
    "RelayReturned": RelayReturned(CommandId(""), loaded=True),
}

NOT_LOGGED: Final = (
    "HangUp",
    "DeadlineReached stale",
    "Detach",
    "LeaseEnded",
    "Login",
    "Logout",
    "ListPending",
    "ListOnline",
    "CheckValidity",
    "SeeClient",
    "PassSignal",
    "RelayReturned",
)
"""What logs nothing in any state here: Ada is attached, and no deadline is near."""

NOT_RETURNED: Final = (*NOT_LOGGED, "DeadlineReached", "Goodbye", "AckMessages", "HandOver")
"""What neither returns anything nor is acknowledged."""


def asked() -> Play:
    """Ada is attached; she opened `q1` and does not wait for it."""
    play = Play()
    play.attached()
    play.do(opens("q1"))
    play.do(hangs_up("c2"))
    play.do(sets_waiting())
    return play


def in_state(name: str) -> Play:
    if name == "none":
        play = Play()
        play.attached()
        return play
    play = asked()
    before: dict[str, tuple[Command, ...]] = {
        "PENDING": (),
        "ANSWERED": (replies("q1"),),
        "ANSWERED handed over": (replies("q1"), takes()),
        "ANSWERED received": (replies("q1"), takes(), acknowledges("q1")),
        "DECLINED": (declines("q1"),),
        "EXPIRED": (deadline_reached("q1", DEADLINE),),
        "EXPIRED late": (deadline_reached("q1", DEADLINE), replies("q1")),
        "CANCELLED": (cancels("q1"),),
        "CANCELLED late": (cancels("q1"), replies("q1")),
    }
    for command in before[name]:
        play.do(command)
    return play


def outcome(step: Step) -> str:
    """What the sender got, in a word."""
    match step.result:
        case Held():
            return "held"
        case Ended(redelivered=again):
            return "outcome again" if again else "outcome"
        case Refused(code=code):
            return code.value
        case Resumed(ended=ended, unknown=unknown):
            again = any(e.redelivered for e in ended)
            return "unknown" if unknown else ("outcome again" if again else "outcome") * bool(ended)
        case Said():
            return "said"
        case _:
            pass
    acks = [e for e in step.effects if isinstance(e, SendAck)]
    return "".join(("ack " if a.accepted else "refused ") + a.code.value for a in acks)


# For each state, for each command: the facts, then what the sender gets. What is not named here
# logs nothing and returns nothing.
_ANY = {
    "WriteText": "TextKept; ack unspecified",
    "SayText": "TextSaid; said",
    "ShowPicture": "PictureShown; said",
}
_ENDED = {
    **_ANY,
    "Open other": "; id_conflict",
    "Reply": "; refused already_answered",
    "Decline": "; refused already_answered",
    "Correct": "; refused already_answered",
    "Cancel": "; outcome",
}
_ANSWERED_AND_UNSEEN = {
    **_ENDED,
    "Open": "HandedOver; outcome",
    "Await": "HandedOver; outcome",
    "Attach": "HandedOver; outcome",
    "SetWaiting": "HandedOver; outcome",
    "TakeMessages": "HandedOver; ",
}
_SEEN = {
    **_ENDED,
    "Open": "HandedOver; outcome again",
    "Await": "HandedOver; outcome again",
    "Attach": "HandedOver; outcome again",
    "SetWaiting": "HandedOver; outcome again",
    "Reply again": "; ack unspecified",
    "MoveDeadline": "; refused already_answered",
}
_UNANSWERED = {
    **_ANY,
    "Open": "; outcome",
    "Open other": "; id_conflict",
    "Await": "; outcome",
    "Reply": "LateReplied; ack kept_late",
    "Decline": "LateReplied; ack kept_late",
    "Correct": "LateReplied; ack kept_late",
    "Reply again": "LateReplied; ack kept_late",
    "Cancel": "; outcome",
    "Attach": "; outcome",
    "SetWaiting": "; outcome",
}
_LATE = {**_ANSWERED_AND_UNSEEN, "Reply again": "; ack kept_late"}

TABLE: Final[dict[str, dict[str, str]]] = {
    "none": {
        **_ANY,
        "Open": "Opened; held",
        "Open other": "Opened; held",
        "Await": "; unknown_request",
        "Reply": "; refused unknown_request",
        "Decline": "; refused unknown_request",
        "Correct": "; refused unknown_request",
        "Reply again": "; refused unknown_request",
        "MoveDeadline": "; refused unknown_request",
        "Cancel": "; unknown_request",
        "Attach": "; unknown",
        "SetWaiting": "; unknown",
    },
    "PENDING": {
        **_ANY,
        "Open": "; held",
        "Open other": "; id_conflict",
        "Await": "; held",
        "Reply": "Answered; ack unspecified",
        "Decline": "Declined; ack unspecified",
        "Correct": "Answered; ack unspecified",
        "Reply again": "Answered; ack unspecified",
        "DeadlineReached": "Expired; ",
        "MoveDeadline": "DeadlineMoved; ack unspecified",
        "Cancel": "Cancelled; outcome",
        "Goodbye": "Cancelled; ",
    },
    "ANSWERED": {
        **_ANSWERED_AND_UNSEEN,
        "Correct": "Corrected; ack unspecified",
        "Reply again": "; ack unspecified",
        "MoveDeadline": "; refused already_answered",
    },
    "ANSWERED handed over": {
        **_SEEN,
        "TakeMessages": "HandedOver; ",
        "AckMessages": "Received; ",
    },
    "ANSWERED received": _SEEN,
    "DECLINED": {
        **_ANSWERED_AND_UNSEEN,
        "Reply again": "; ack unspecified",
        "MoveDeadline": "; refused declined",
    },
    "EXPIRED": {**_UNANSWERED, "MoveDeadline": "; refused expired"},
    "EXPIRED late": {**_LATE, "MoveDeadline": "; refused expired"},
    "CANCELLED": {**_UNANSWERED, "MoveDeadline": "; refused cancelled"},
    "CANCELLED late": {**_LATE, "MoveDeadline": "; refused cancelled"},
}
NEXT: Final[dict[str, str]] = {
    "Opened": "pending",
    "Answered": "answered",
    "Declined": "declined",
    "Expired": "expired",
    "Cancelled": "cancelled",
}
"""The state after a fact; all others leave it as it was."""


def test_the_table_has_every_command() -> None:
    others = set(get_args(CallCommand))  # see test_call_table
    assert {type(command) for command in COMMANDS.values()} == set(get_args(Command)) - others


@pytest.mark.requirement("seed002:ask:first-reply-wins")
@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("state", TABLE)
def test_a_command_in_a_state_does_what_the_table_says(state: str, name: str) -> None:
    play = in_state(state)
    before = play.room.logged.find(Q1)

    step = play.do(COMMANDS[name])

    facts = [type(fact).__name__ for fact in step.facts]
    expected = TABLE[state].get(name, "; ")
    assert f"{','.join(facts)}; {outcome(step)}" == expected
    after = play.room.logged.find(Q1)
    unchanged = None if before is None else before.state.value
    known = None if after is None else after.state.value
    assert known == next((NEXT[f] for f in facts if f in NEXT), unchanged)


@pytest.mark.parametrize("state", TABLE)
def test_what_says_nothing_says_nothing_in_every_state(state: str) -> None:
    assert not set(NOT_LOGGED) & set(TABLE[state])
    assert not [name for name in NOT_RETURNED if not TABLE[state].get(name, "; ").endswith("; ")]
