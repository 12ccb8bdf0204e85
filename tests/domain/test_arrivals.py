"""How agents come, and the limits they meet."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ERRORS, ErrorCode
from lineup_srv.contract.ids import RequestId
from lineup_srv.domain.commands import RelayReturned
from lineup_srv.domain.decision import Ended, Held, Refused, Resumed
from tests.domain.playbook import (
    ADA,
    BOB,
    Play,
    Step,
    acknowledges,
    agent,
    attaches,
    awaits,
    deadline_reached,
    detaches,
    hangs_up,
    opens,
    question,
    replies,
    takes,
)

if TYPE_CHECKING:
    from lineup_srv.domain.commands import Command

REFUSED = Refused(ErrorCode.RATE_LIMITED, ERRORS[ErrorCode.RATE_LIMITED].meaning)


def nothing(result: Refused) -> Step:
    return Step((), (), (), (), result)


# Agents in a room ---------------------------------------------------------------------------------


@pytest.fixture
def _two_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    """A room takes two agents."""
    monkeypatch.setattr(limits, "AGENTS_PER_ROOM", 2)


def full() -> Play:
    """Ada is attached, and Bob holds a call for `q1`, which is as many agents as there may be."""
    play = Play()
    play.attached()
    play.do(opens("q1", by=BOB))
    return play


@pytest.mark.usefixtures("_two_agents")
@pytest.mark.parametrize(
    "command",
    [
        attaches(by=agent("new")),
        opens("q2", by=agent("new")),
        opens("q1", by=agent("new")),
        awaits("q1", by=agent("new")),
    ],
    ids=["Attach", "Open", "Open what is known", "Await"],
)
def test_a_full_room_refuses_another_agent(command: Command) -> None:
    play = full()

    step = play.do(command)

    assert step == nothing(REFUSED)
    assert list(play.room.live.agents) == [ADA.agent_id, BOB.agent_id]


@pytest.mark.usefixtures("_two_agents")
def test_a_full_room_refuses_an_agent_that_would_join() -> None:
    play = Play()
    play.do(opens("q1", asked=question("go?")))
    play.do(hangs_up("c1"))
    play.attached(by=agent("x"))
    play.attached(by=agent("y"))

    assert play.do(opens("q2", asked=question("go?"))) == nothing(REFUSED)


@pytest.mark.usefixtures("_two_agents")
def test_a_full_room_serves_who_is_here_and_single_calls() -> None:
    play = full()

    assert isinstance(play.do(attaches("q1", by=BOB)).result, Resumed)
    assert isinstance(play.do(opens("q2")).result, Held)
    for number in range(3):
        assert isinstance(play.do(opens(f"call{number}", by=agent(f"call:{number}"))).result, Held)
    assert play.do(attaches(by=agent("new"))) == nothing(REFUSED)


@pytest.mark.usefixtures("_two_agents")
def test_a_full_room_still_gives_an_answer_to_who_asks_for_it_by_its_id() -> None:
    play = full()
    play.do(replies("q1"))

    assert isinstance(play.do(awaits("q1", by=agent("new"))).result, Ended)


@pytest.mark.usefixtures("_two_agents")
def test_an_agent_whose_lease_runs_out_keeps_nobody_away_and_may_come_back() -> None:
    play = full()
    play.do(detaches(play.agent().lease))

    assert isinstance(play.do(attaches(by=agent("new"))).result, Resumed)
    assert isinstance(play.do(attaches()).result, Resumed)


@pytest.mark.usefixtures("_two_agents")
def test_after_a_start_agents_that_never_come_back_keep_nobody_away() -> None:
    play = Play()
    for name in ("a", "b", "c"):
        play.do(opens(name, by=agent(name)))
        play.do(hangs_up(play.command_id, by=agent(name)))
    play.restart()
    play.do(RelayReturned(play.command_id, loaded=True))
    assert len(play.room.live.agents) == 3

    assert isinstance(play.do(attaches(by=agent("new"))).result, Resumed)


def test_only_so_many_directories_of_an_agent_are_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "DIRECTORIES_PER_AGENT", 2)
    play = Play()
    for directory in ("/a", "/b", "/c", "/a"):
        play.do(attaches(by=replace(ADA, directory=directory)))

    assert play.agent().directories == {"/a", "/b"}
    assert play.agent().identity.directory == "/a"


# What an agent waits for --------------------------------------------------------------------------


@pytest.fixture
def _waits_for_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent may wait for two ids."""
    monkeypatch.setattr(limits, "WAITING_IDS_PER_AGENT", 2)


def waiting() -> Play:
    """Ada is attached and waits for `q1` and `q2`, as many as she may; Bob asked `bobs`."""
    play = Play()
    play.attached()
    play.do(opens("bobs", by=BOB))
    play.do(opens("q1"))
    play.do(opens("q2"))
    return play


@pytest.mark.usefixtures("_waits_for_two")
@pytest.mark.parametrize("command", [opens("q3"), awaits("bobs")])
def test_an_agent_that_waits_for_as_much_as_it_may_is_refused_more(command: Command) -> None:
    play = waiting()

    assert play.do(command) == nothing(REFUSED)
    assert play.agent().waiting == {"q1", "q2"}


@pytest.mark.usefixtures("_waits_for_two")
def test_an_agent_may_ask_again_for_what_it_waits_for() -> None:
    play = waiting()

    assert isinstance(play.do(awaits("q1")).result, Held)


@pytest.mark.usefixtures("_waits_for_two")
def test_an_agent_that_never_takes_out_what_it_has_can_go_on_asking() -> None:
    play = waiting()
    play.do(replies("q1"))
    play.do(acknowledges("q1"))

    play.do(opens("q3"))
    assert play.agent().waiting == {"q2", "q3"}
    play.do(deadline_reached("q2", play.request("q2").deadline_unix_ms))
    play.do(opens("q4"))

    assert play.agent().waiting == {"q3", "q4"}


@pytest.mark.usefixtures("_waits_for_two")
def test_an_answer_that_was_not_received_stays_in_the_list() -> None:
    play = waiting()
    play.do(replies("q1"))

    assert play.do(opens("q3")) == nothing(REFUSED)
    assert play.do(takes()).facts == ()
    assert RequestId("q1") in play.agent().waiting


@pytest.mark.usefixtures("_waits_for_two")
def test_an_agent_without_a_stream_waits_by_its_calls_alone() -> None:
    play = Play()
    for request_id in ("q1", "q2", "q3"):
        assert isinstance(play.do(opens(request_id)).result, Held)
    assert len(play.agent().calls) == 3
