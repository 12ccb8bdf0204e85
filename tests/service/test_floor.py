"""The history of a room whose older facts left the log, although some of them are still there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lineup_srv.domain.effects import Only
from tests.domain.playbook import PHONE, replies
from tests.service.stage import ROOM

if TYPE_CHECKING:
    from lineup_srv.contract.ids import RoomId
    from lineup_srv.service.history import Page
    from tests.service.stage import Stage

TO = Only(PHONE.client_id)
FLOOR = 7


@pytest.fixture
async def long(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """Twelve facts of six questions; below the floor only the first, which is still open."""
    await stage.ask("open", wait_ms=0)
    for number in range(5):
        await stage.ask(f"q{number}", wait_ms=0)
        await stage.do(replies(f"q{number}", ref=f"ref-{number:013}"))
    await stage.ask("last", wait_ms=0)
    facts = stage.log._facts[ROOM]
    await stage.settled()
    monkeypatch.setattr(stage.log, "read", _reading(stage, [1, *range(FLOOR, len(facts) + 1)]))

    async def floor(_: RoomId) -> int:
        return FLOOR

    monkeypatch.setattr(stage.log, "floor", floor)
    return stage


def _reading(stage: Stage, seqs: list[int]) -> object:
    kept = [line for line in stage.log._facts[ROOM] if line.seq in seqs]

    async def read(_: RoomId, after_seq: int, limit: int) -> object:
        return [line for line in kept if line.seq > after_seq][:limit]

    return read


def seqs(page: Page) -> list[int]:
    return [message.seq for message, _ in page.messages]  # type: ignore[union-attr] # facts have one


async def test_a_device_that_knows_nothing_begins_at_the_floor(long: Stage) -> None:
    page = await long.relay.history.after(ROOM, TO, 0, 3)
    assert (seqs(page), page.floor_seq, page.more, page.reset) == ([7, 8, 9], FLOOR, True, False)


@pytest.mark.parametrize("after", [1, FLOOR - 2])
async def test_a_device_that_missed_what_is_gone_starts_anew_from_the_newest_page(
    long: Stage, after: int
) -> None:
    page = await long.relay.history.after(ROOM, TO, after, 4)
    assert (seqs(page), page.reset, page.more) == ([9, 10, 11, 12], True, False)
    whole = await long.relay.history.after(ROOM, TO, after, 200)
    assert (seqs(whole), whole.reset) == ([7, 8, 9, 10, 11, 12], True)


async def test_a_device_that_missed_nothing_goes_on(long: Stage) -> None:
    page = await long.relay.history.after(ROOM, TO, FLOOR - 1, 2)
    assert (seqs(page), page.reset) == ([7, 8], False)


async def test_backwards_the_floor_is_the_end(long: Stage) -> None:
    page = await long.relay.history.before(ROOM, TO, 10, 2)
    assert (seqs(page), page.more) == ([8, 9], True)
    page = await long.relay.history.before(ROOM, TO, 8, 200)
    assert (seqs(page), page.more) == ([7], False)
    page = await long.relay.history.before(ROOM, TO, FLOOR, 200)
    assert (seqs(page), page.more) == ([], False)
