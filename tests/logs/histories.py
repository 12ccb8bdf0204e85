"""Random histories of a room, as its commands would have written them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from hypothesis import strategies as st

from lineup_srv.contract.ids import AgentId, CommandId, Ref, TextId
from lineup_srv.domain.commands import WriteText
from lineup_srv.domain.mailbox import mail_for
from lineup_srv.domain.state import AgentPresence, Live, Room
from tests.domain.playbook import (
    ADA,
    BOB,
    PHONE,
    Play,
    acknowledges,
    cancels,
    deadline_reached,
    declines,
    moves_deadline,
    opens,
    replies,
    takes,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineup_srv.domain.decision import Mail
    from lineup_srv.domain.facts import Fact
    from lineup_srv.domain.people import AgentIdentity
    from lineup_srv.domain.state import Logged

IDS: Final = tuple(f"q{number}" for number in range(8))
AGENTS: Final = (ADA, BOB)


def writes(text_id: str, *, agent_id: str = "") -> WriteText:
    """A device writes to an agent, or to all."""
    return WriteText(
        CommandId(""), TextId(text_id), AgentId(agent_id), words(text_id), PHONE, Ref(""), None
    )


def _open(play: Play, number: int, by: AgentIdentity) -> None:
    # Ids are used once, so that every opening is a request of its own.
    play.do(opens(f"{IDS[number]}-{play.count}", by=by))


def _known(play: Play, number: int) -> str:
    ids = list(play.room.logged.requests)
    return ids[number % len(ids)] if ids else "nothing"


def _reply(play: Play, number: int, by: AgentIdentity) -> None:
    ref = f"ref-{play.count:013}"
    play.do(replies(_known(play, number), ref=ref, agent_id=by.agent_id))


def _decline(play: Play, number: int, _by: AgentIdentity) -> None:
    play.do(declines(_known(play, number), ref=f"ref-{play.count:013}"))


def _expire(play: Play, number: int, _by: AgentIdentity) -> None:
    found = play.room.logged.find(opens(_known(play, number)).request_id)
    if found is not None:
        play.do(deadline_reached(found.request_id, found.deadline_unix_ms))


def _cancel(play: Play, number: int, by: AgentIdentity) -> None:
    play.do(cancels(_known(play, number), by=by))


def _move(play: Play, number: int, _by: AgentIdentity) -> None:
    play.do(moves_deadline(_known(play, number), 60, ref=f"ref-{play.count:013}"))


def _take(play: Play, _number: int, by: AgentIdentity) -> None:
    play.do(takes(by=by))


def _acknowledge(play: Play, number: int, by: AgentIdentity) -> None:
    texts = list(play.room.logged.texts)
    known = texts[number % len(texts)] if texts else TextId("nothing")
    play.do(acknowledges(_known(play, number), by=by, texts=(known,)))


def _write(play: Play, number: int, by: AgentIdentity) -> None:
    play.do(writes(f"text{play.count}", agent_id=by.agent_id if number % 2 else ""))


def _days_pass(play: Play, number: int, _by: AgentIdentity) -> None:
    play.later(number * 86_400)


_STEPS: Final[tuple[Callable[[Play, int, AgentIdentity], None], ...]] = (
    _open, _open, _reply, _reply, _decline, _expire, _cancel, _move, _take, _acknowledge,
    _acknowledge, _write, _days_pass,
)  # fmt: skip

steps = st.lists(
    st.tuples(st.sampled_from(_STEPS), st.integers(0, 7), st.sampled_from(AGENTS)),
    min_size=1,
    max_size=60,
)
"""What happens in a room, for `history`."""


def history(
    chosen: list[tuple[Callable[[Play, int, AgentIdentity], None], int, AgentIdentity]],
) -> Play:
    """The room in which that happened; at least one fact."""
    play = Play()
    for by in AGENTS:
        play.attached(by=by)
    play.do(opens("first"))
    for step, number, by in chosen:
        step(play, number, by)
    return play


def mail_of(logged: Logged, by: AgentIdentity) -> Mail:
    """What would wait for an agent that comes back to a room where nobody else is."""
    presence = AgentPresence(
        identity=by,
        name="",
        model="",
        last_call_unix_ms=0,
        attached=True,
        lease=1,
        waiting=frozenset(),
        calls=frozenset(),
        directories=frozenset({by.directory}),
    )
    return mail_for(Room(logged, Live()), presence)


def long_ago(facts: list[Fact], days: int) -> list[Fact]:
    """The same facts, so many days earlier."""
    return [replace(fact, at_unix_ms=fact.at_unix_ms - days * 86_400_000) for fact in facts]
