"""Logs with every kind of fact in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.domain.call import CallPhase
from lineup_srv.domain.commands import RelayReturned
from tests.domain.playbook import (
    BOB,
    PHONE,
    Play,
    acknowledges,
    agent,
    cancels,
    corrects,
    deadline_reached,
    declines,
    hangs_up,
    moves_deadline,
    opens,
    question,
    replies,
    says,
    sets_waiting,
    shows,
    takes,
    writes,
)
from tests.domain.toolbook import (
    CHOICE,
    MAIL,
    NONE,
    ToolPlay,
    accepts,
    acknowledges_calls,
    calls,
    cancels_call,
    hangs_up_call,
    of_type_action,
    progresses,
    receipt,
    succeeds,
)

if TYPE_CHECKING:
    from lineup_srv.domain.commands import Command


def call_life() -> ToolPlay:
    """A log with at least one fact of every kind about tools and calls.

    `done` ends received, `withdrawn` cancelled with a result kept, `choice` is open.
    """
    play = ToolPlay()
    play.here(PHONE, MAIL, CHOICE, of_type_action("old"))
    play.offers(PHONE, MAIL, CHOICE)
    ada, heir = agent("ada", session="s"), agent("heir", session="s")

    def do(*commands: Command) -> None:
        for command in commands:
            play.later(1)
            play.do(command)

    do(calls("done", MAIL, "send", by=ada))
    do(hangs_up_call("done", play.command_id))
    do(calls("alias", MAIL, "send", by=heir))
    do(accepts("done"), progresses("done", 3), receipt("done", CallPhase.STARTED))
    do(succeeds("done", ref="ref-done-00000000"), acknowledges_calls("done", by=heir))

    do(calls("withdrawn", MAIL, "list"), cancels_call("withdrawn"), succeeds("withdrawn"))

    do(calls("choice", CHOICE), RelayReturned(NONE, loaded=False))
    return play


def whole_life() -> Play:
    """A log with at least one fact of every kind, but those about tools.

    `answered` ends received, `late` is late.
    """
    play = Play()
    play.attached()

    def do(*commands: Command) -> None:
        for command in commands:
            play.later(1)
            play.do(command)

    def asks(request_id: str) -> None:
        do(opens(request_id))
        do(hangs_up(play.command_id))
        do(sets_waiting())

    asks("answered")
    do(moves_deadline("answered", 60))
    do(opens("alias", asked=question("about answered")))
    do(hangs_up(play.command_id), sets_waiting())
    do(replies("answered", "yes"), corrects("answered", "no"))
    do(takes(), acknowledges("answered"))

    asks("declined")
    do(declines("declined"))

    do(opens("late"))
    do(deadline_reached("late", play.request("late").deadline_unix_ms))
    do(replies("late", ref="ref-late-00000000"))

    do(opens("cancelled", by=BOB), cancels("cancelled", by=BOB))

    do(replies("unknown", agent_id="ada", ref="ref-text-00000000"))
    do(takes(), acknowledges(texts=("text of unknown",)))
    do(writes("note", to="ada"), says("said"), shows("picture"))
    return play
