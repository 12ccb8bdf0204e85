"""Folding: facts are applied and never judged."""

from __future__ import annotations

import pytest

from lineup_srv.domain.facts import Fact, Opened, TextKept
from lineup_srv.domain.fold import fold
from lineup_srv.domain.state import Logged
from tests.domain.lives import whole_life

WHOLE = whole_life()


def test_folding_the_log_gives_the_state_that_was_decided_on() -> None:
    assert WHOLE.folded() == WHOLE.room.logged
    assert WHOLE.folded().last_seq == len(WHOLE.log)


def test_every_prefix_folds_to_the_state_of_its_time() -> None:
    logged = Logged()
    for number, fact in enumerate(WHOLE.log, start=1):
        fold(logged, fact)
        assert logged.last_seq == number
        assert set(logged.requests) == set(logged.open_ids) | set(logged.ended_ids)
        assert not set(logged.open_ids) & set(logged.ended_ids)
        assert set(logged.mail_ids) <= set(logged.ended_ids)


@pytest.mark.parametrize(
    "fact",
    [fact for fact in WHOLE.log if not isinstance(fact, Opened | TextKept)],
    ids=lambda fact: type(fact).__name__,
)
def test_a_fact_about_something_that_is_forgotten_only_counts(fact: Fact) -> None:
    logged = Logged()

    fold(logged, fact)

    assert logged == Logged(last_seq=1)
