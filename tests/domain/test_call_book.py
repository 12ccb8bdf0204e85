"""What a room keeps of calls, and how it forgets them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.ids import CallId, InstanceId
from lineup_srv.domain.call_book import CallBook
from lineup_srv.domain.contents import Content, ContentKind, ContentRef
from tests.domain.heard import ready
from tests.domain.lives import call_life
from tests.domain.playbook import PHONE, agent
from tests.domain.toolbook import (
    CANVAS,
    CHOICE,
    ToolPlay,
    calls,
    cancels_call,
    hangs_up_call,
    result,
    succeeds,
)

if TYPE_CHECKING:
    import pytest


def ended(play: ToolPlay, call_id: str, *, size: int = 0) -> None:
    """A call with a result of this size."""
    play.do(calls(call_id, CHOICE, arguments=call_id))
    picture = Content(ContentKind.IMAGE, ContentRef("0" * 64, size, "image/png", None), "")
    kept = replace(result("{}"), contents=(picture,))
    play.do(succeeds(call_id, kept=kept))


def kept(play: ToolPlay) -> list[str]:
    return list(play.room.logged.calls.by_id)


def test_an_ended_call_is_kept_for_a_day() -> None:
    play = ready()
    ended(play, "old")
    play.later(limits.CALL_KEPT_SECONDS - 1)
    ended(play, "new")
    assert kept(play) == ["old", "new"]
    play.later(1)
    play.do(calls("open", CHOICE))
    assert kept(play) == ["new", "open"]


def test_above_the_limit_the_oldest_end_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ENDED_CALLS_PER_ROOM", 2)
    play = ready()
    play.do(calls("late", CHOICE))
    for name in "abc":
        ended(play, name)
    play.do(succeeds("late"))
    assert kept(play) == ["late", "c"]


def test_what_weighs_too_much_goes_earlier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ENDED_CALLS_BYTES", 2_000)
    play = ready()
    ended(play, "a", size=900)
    ended(play, "b", size=900)
    assert kept(play) == ["a", "b"]
    ended(play, "c", size=900)
    assert kept(play) == ["b", "c"]
    ended(play, "huge", size=5_000)
    assert kept(play) == ["huge"]


def test_what_is_kept_after_a_cancel_weighs_as_well() -> None:
    play = ready()
    play.do(calls("call", CHOICE))
    play.do(cancels_call("call"))
    before = play.room.logged.calls.ended_bytes
    play.do(succeeds("call"))
    kept_result = result().json
    assert kept_result is not None
    assert play.room.logged.calls.ended_bytes == before + kept_result.size


def test_the_aliases_of_a_call_go_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ENDED_CALLS_PER_ROOM", 1)
    play = ready()
    play.do(calls("call", CHOICE, by=agent("ada", session="s")))
    play.do(hangs_up_call("call", play.command_id))
    play.do(calls("again", CHOICE, by=agent("heir", session="s")))
    play.do(succeeds("call"))
    assert play.call("again").call_id == "call"
    ended(play, "next")
    assert play.room.logged.calls.find(CallId("again")) is None
    assert play.room.logged.calls.aliases == {}


def test_above_the_limit_the_oldest_open_app_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "INSTANCES_PER_ROOM", 2)
    play = ready()
    for name in ("i1", "i2", "i1", "i3"):
        call_id = f"open {name} {play.count}"
        play.do(calls(call_id, CANVAS, "open"))
        play.do(succeeds(call_id, instance_id=name, by=PHONE))
    assert list(play.room.logged.calls.instances) == [InstanceId("i1"), InstanceId("i3")]


def test_a_book_can_be_put_together_again() -> None:
    book = call_life().room.logged.calls
    assert book.ended_bytes > 0
    assert (
        CallBook.restored(
            list(book.by_id.values()),
            ended_order=list(book.ended_ids),
            instances=list(book.instances.values()),
            remembered=list(book.remembered.values()),
        )
        == book
    )
