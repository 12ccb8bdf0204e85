"""Logs with every kind of fact in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.domain.playbook import (
    BOB,
    Play,
    acknowledges,
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

if TYPE_CHECKING:
    from lineup_srv.domain.commands import Command


def whole_life() -> Play:
    """A log with at least one fact of every kind; `answered` ends received, `late` is late."""
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
