from __future__ import annotations

from functools import partial

from lineup_srv.service.admissions import Admissions, token_key


def test_the_end_of_a_token_ends_all_that_it_let_in_and_nothing_else() -> None:
    admissions, ended = Admissions(), list[str]()
    for token, name in [("one", "a"), ("one", "b"), ("two", "c")]:
        admissions.add(token, partial(ended.append, name))

    assert admissions.end(lambda key: key == token_key("one")) == 2

    assert ended == ["a", "b"]
    assert admissions.end(lambda key: key == token_key("one")) == 0


def test_what_is_over_is_not_ended() -> None:
    admissions, ended = Admissions(), list[str]()
    over = admissions.add("one", lambda: ended.append("a"))
    admissions.add("one", lambda: ended.append("b"))
    over()
    over()
    assert admissions.end(lambda _: True) == 1
    assert ended == ["b"]


def test_what_ended_does_not_take_away_who_came_later() -> None:
    admissions, ended = Admissions(), list[str]()
    over = admissions.add("one", lambda: ended.append("a"))
    admissions.end(lambda _: True)
    admissions.add("one", lambda: ended.append("b"))
    over()
    assert admissions.end(lambda _: True) == 1
    assert ended == ["a", "b"]


def test_nothing_is_left_of_those_that_are_over() -> None:
    admissions = Admissions()
    admissions.add("one", lambda: None)()
    assert admissions._ends == {}
