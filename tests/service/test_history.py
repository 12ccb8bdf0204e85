"""Pages of the log: one message for each fact, and a reset when the numbers mean nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.contract.ids import TextId
from lineup_srv.domain.effects import Only, ShowReply, ShowRequest, ShowState, ShowText
from lineup_srv.domain.request import RequestState
from tests.domain.playbook import ADA, PHONE, acknowledges, moves_deadline, opens, question, replies
from tests.service.stage import ROOM

if TYPE_CHECKING:
    from lineup_srv.domain.effects import Message
    from lineup_srv.service.history import Page
    from tests.service.stage import Stage

TO = Only(PHONE.client_id)


@pytest.fixture
async def long(stage: Stage) -> Stage:
    """Ten facts: five requests that were opened and answered."""
    for number in range(5):
        await stage.ask(f"q{number}", wait_ms=0)
        await stage.do(replies(f"q{number}", ref=f"ref-{number:013}"))
    return stage


async def test_every_fact_is_one_message(stage: Stage) -> None:
    await stage.attach()
    await stage.ask("q", wait_ms=0)
    await stage.do(moves_deadline("q", 60))
    await stage.do(replies("q"))
    await stage.do(acknowledges("q"))
    await stage.do(replies("no", "a note", agent_id="ada", ref="ref-2222222222222"))
    await stage.relay.take_messages(ROOM, ADA.agent_id, 0)

    page = await stage.relay.history.after(ROOM, TO, 0, 200)

    assert [(type(m), m.seq) for m in _messages(page)] == [
        (ShowRequest, 1),
        (ShowState, 2),
        (ShowReply, 3),
        (ShowState, 4),
        (ShowState, 5),
        (ShowText, 6),
        (ShowText, 7),
    ]
    assert all(m.to == TO for m in _messages(page))
    assert (page.floor_seq, page.last_seq, page.more, page.reset) == (1, 7, False, False)


async def test_a_page_after_a_number_goes_on_from_there(long: Stage) -> None:
    first = await long.relay.history.after(ROOM, TO, 0, 4)
    last = await long.relay.history.after(ROOM, TO, 7, 4)

    assert (_seqs(first), first.more) == ([1, 2, 3, 4], True)
    assert (_seqs(last), last.more) == ([8, 9, 10], False)
    assert _seqs(await long.relay.history.after(ROOM, TO, 10, 4)) == []


async def test_a_page_before_a_number_ends_there(long: Stage) -> None:
    newest = await long.relay.history.before(ROOM, TO, 11, 4)
    middle = await long.relay.history.before(ROOM, TO, 7, 4)
    oldest = await long.relay.history.before(ROOM, TO, 3, 4)

    assert (_seqs(newest), newest.more) == ([7, 8, 9, 10], True)
    assert (_seqs(middle), middle.more) == ([3, 4, 5, 6], True)
    assert (_seqs(oldest), oldest.more) == ([1, 2], False)
    assert _seqs(await long.relay.history.before(ROOM, TO, 1, 4)) == []


async def test_a_page_before_any_number_above_the_last_is_the_newest(long: Stage) -> None:
    page = await long.relay.history.before(ROOM, TO, 2**62, 4)

    assert _seqs(page) == [7, 8, 9, 10]


async def test_a_number_above_the_last_resets_to_the_newest_page(long: Stage) -> None:
    page = await long.relay.history.after(ROOM, TO, 11, 4)

    assert (_seqs(page), page.reset, page.more) == ([7, 8, 9, 10], True, False)


async def test_a_number_below_the_floor_resets_and_the_one_before_it_does_not(
    long: Stage,
) -> None:
    await long.log.compact(ROOM, 4)

    below = await long.relay.history.after(ROOM, TO, 3, 4)
    at_floor = await long.relay.history.after(ROOM, TO, 4, 4)
    fresh = await long.relay.history.after(ROOM, TO, 0, 4)

    assert (_seqs(below), below.reset, below.floor_seq) == ([7, 8, 9, 10], True, 5)
    assert (_seqs(at_floor), at_floor.reset) == ([5, 6, 7, 8], False)
    assert (_seqs(fresh), fresh.reset) == ([5, 6, 7, 8], False)
    oldest = await long.relay.history.before(ROOM, TO, 7, 4)
    assert (_seqs(oldest), oldest.more) == ([5, 6], False)


@pytest.mark.parametrize(("limit", "expected"), [(-5, 1), (0, 1), (1, 1), (3, 3), (9_999, 3)])
async def test_the_limit_is_clamped_in_both_directions(
    long: Stage, monkeypatch: pytest.MonkeyPatch, limit: int, expected: int
) -> None:
    monkeypatch.setattr(limits, "HISTORY_PAGE_MESSAGES", 3)

    after = await long.relay.history.after(ROOM, TO, 0, limit)
    before = await long.relay.history.before(ROOM, TO, 11, limit)

    assert len(after.messages) == len(before.messages) == expected


async def test_requests_that_left_memory_are_read_from_the_log(long: Stage) -> None:
    logged = (await long.runner()).room.logged
    known = dict(logged.requests)
    logged.requests.clear()

    page = await long.relay.history.after(ROOM, TO, 4, 4)

    logged.requests.update(known)
    opened, answered, *_ = _messages(page)
    assert isinstance(opened, ShowRequest)
    assert isinstance(answered, ShowReply)
    assert opened.request == answered.request == known[answered.request.request_id]
    assert opened.request.state is RequestState.ANSWERED


async def test_texts_that_were_received_are_read_from_the_log(stage: Stage) -> None:
    await stage.attach()
    await stage.do(replies("no", "a note", agent_id="ada"))
    [text] = (await stage.relay.take_messages(ROOM, ADA.agent_id, 0)).texts
    await stage.do(acknowledges(texts=(text.mailed.text.text_id,)))

    page = await stage.relay.history.after(ROOM, TO, 0, 10)

    kept, handed, received = _messages(page)
    assert isinstance(kept, ShowText)
    assert kept.text.contents[0].ref.inline == "a note"
    assert isinstance(received, ShowText)
    assert [m.received for m in (kept, handed, received) if isinstance(m, ShowText)] == [
        False,
        False,
        True,
    ]


async def test_facts_whose_subject_was_compacted_away_are_left_out(stage: Stage) -> None:
    await stage.attach()
    await stage.ask("q", wait_ms=0)
    await stage.do(replies("no", "a note", agent_id="ada"))
    await stage.relay.take_messages(ROOM, ADA.agent_id, 0)
    await stage.do(replies("q", ref="ref-2222222222222"))
    await stage.do(acknowledges(texts=("text of no",)))
    await stage.log.compact(ROOM, 2)
    logged = (await stage.runner()).room.logged
    known = dict(logged.requests)
    logged.requests.clear()

    page = await stage.relay.history.after(ROOM, TO, 2, 10)

    logged.requests.update(known)
    assert TextId("text of no") not in logged.texts
    assert _seqs(page) == []
    assert page.last_seq == 6


async def test_what_is_durable_but_not_delivered_yet_comes_by_itself(stage: Stage) -> None:
    await stage.do(opens("q"))
    stage.log.appending.close()
    await stage.submit(replies("q"))
    await stage.log.appending.arrived()
    runner = await stage.runner()
    for fact in stage.log.appends[-1].facts:
        stage.log.write(ROOM, [fact])

    page = await stage.relay.history.after(ROOM, TO, 0, 10)

    assert (_seqs(page), page.last_seq, runner.committed) == ([1], 1, 1)
    assert not page.more
    stage.log.appending.open()
    await stage.settled()


async def test_a_page_brings_the_bodies_of_its_messages(stage: Stage) -> None:
    ref = await stage.keep("x" * 5_000)
    await stage.do(opens("q", asked=replace(question("short"), text=ref)))

    [(_, bodies)] = (await stage.relay.history.after(ROOM, TO, 0, 10)).messages

    assert bodies == {ref.sha256: b"x" * 5_000}


async def test_a_log_that_cannot_be_read_is_refused_with_its_code(long: Stage) -> None:
    long.log.unreadable = True

    with pytest.raises(LineUpError) as after:
        await long.relay.history.after(ROOM, TO, 0, 10)
    with pytest.raises(LineUpError) as before:
        await long.relay.history.before(ROOM, TO, 5, 10)

    assert after.value.code is before.value.code is ErrorCode.LOG_UNAVAILABLE


def _messages(page: Page) -> list[ShowRequest | ShowReply | ShowState | ShowText]:
    return [_logged(message) for message, _ in page.messages]


def _logged(message: Message) -> ShowRequest | ShowReply | ShowState | ShowText:
    assert isinstance(message, ShowRequest | ShowReply | ShowState | ShowText)
    return message


def _seqs(page: Page) -> list[int]:
    return [message.seq for message in _messages(page)]
