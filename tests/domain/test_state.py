"""What a room keeps: derived lists, and how old requests are forgotten."""

from __future__ import annotations

import pytest

from lineup_srv.contract import limits
from lineup_srv.domain.state import Logged
from tests.domain.playbook import (
    Play,
    acknowledges,
    awaits,
    deadline_reached,
    hangs_up,
    opens,
    question,
    replies,
)

KEPT = limits.ENDED_KEPT_SECONDS


def ended(play: Play, request_id: str) -> None:
    """A request that is opened and expires."""
    play.do(opens(request_id))
    play.do(deadline_reached(request_id, play.request(request_id).deadline_unix_ms))


def answered(play: Play, request_id: str) -> None:
    """A request that is answered, and whose answer the agent does not have."""
    play.do(opens(request_id))
    play.do(hangs_up(play.command_id))
    play.do(replies(request_id, ref=f"ref-{request_id}"))


def received(play: Play, request_id: str) -> None:
    """A request that is answered, and whose answer the agent has."""
    answered(play, request_id)
    play.do(awaits(request_id))
    play.do(acknowledges(request_id))


def test_an_ended_request_is_forgotten_after_a_week() -> None:
    play = Play()
    ended(play, "old")
    play.later(KEPT - 1)
    play.do(opens("q1"))
    assert play.room.logged.find(play.request("old").request_id) is not None

    play.later(1)
    play.do(opens("q2"))

    assert list(play.room.logged.requests) == ["q1", "q2"]
    assert list(play.room.logged.ended_ids) == []


def test_a_request_that_is_forgotten_takes_its_aliases_along() -> None:
    play = Play()
    play.do(opens("old", asked=question("go?")))
    play.do(hangs_up(play.command_id))
    play.do(opens("alias", asked=question("go?")))
    play.do(deadline_reached("old", play.request("old").deadline_unix_ms))
    assert play.room.logged.aliases == {"alias": "old"}

    play.later(KEPT)
    play.do(opens("q1"))

    assert play.room.logged.aliases == {}


@pytest.mark.requirement("B88")
def test_an_answer_that_nobody_fetched_is_not_forgotten() -> None:
    play = Play()
    answered(play, "kept")
    received(play, "old")

    play.later(10 * KEPT)
    play.do(opens("q1"))

    assert list(play.room.logged.requests) == ["kept", "q1"]


def test_an_open_request_is_never_forgotten() -> None:
    play = Play()
    play.do(opens("open"))

    play.later(10 * KEPT)
    play.do(opens("q1"))

    assert list(play.room.logged.requests) == ["open", "q1"]


def test_above_the_limit_the_oldest_that_were_received_go_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "ENDED_REQUESTS_PER_ROOM", 3)
    play = Play()
    answered(play, "a")
    received(play, "b")
    answered(play, "c")
    received(play, "d")
    received(play, "e")

    play.do(opens("q1"))

    assert list(play.room.logged.ended_ids) == ["a", "c", "e"]


def test_above_the_limit_the_oldest_answers_go_when_there_is_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "ENDED_REQUESTS_PER_ROOM", 2)
    play = Play()
    for request_id in ("a", "b", "c", "d"):
        answered(play, request_id)

    play.do(opens("q1"))

    assert list(play.room.logged.mail_ids) == ["c", "d"]
    assert list(play.room.logged.ended_ids) == ["c", "d"]


def test_the_derived_lists_are_what_the_requests_say() -> None:
    play = Play()
    play.do(opens("open"))
    ended(play, "expired")
    answered(play, "waits")
    received(play, "received")

    logged = play.room.logged

    assert list(logged.open_ids) == ["open"]
    assert list(logged.mail_ids) == ["waits"]
    assert list(logged.ended_ids) == ["expired", "waits", "received"]
    assert logged == play.folded() != Logged()
