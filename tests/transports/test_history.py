"""History of a room, page by page, and what is open in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lineup_srv.wire._gen.lineup.v1 import error_pb2
from lineup_srv.wire._gen.lineup.v1 import websocket_pb2 as ws
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from tests.domain.playbook import cancels
from tests.transports.saying import REF, commands

if TYPE_CHECKING:
    from tests.transports.house import House
    from tests.transports.sockets import Wire


async def history(
    house: House, wire: Wire, *, after: int = 0, before: int = 0, limit: int = 200
) -> ws.HistoryPage:
    message = WebsocketMessage(Cmd="GetHistory", ref=REF)
    message.get_history.CopyFrom(ws.GetHistory(after_seq=after, before_seq=before, limit=limit))
    answer = await house.tell(wire, message)
    assert (answer.Cmd, answer.ref) == ("GetHistory", REF)
    return answer.history_page


@pytest.fixture
async def reader(house: House) -> Wire:
    """A device in a room with five questions that were withdrawn."""
    [ann] = await house.room("Ann")
    for number in range(5):
        await house.ask(f"q{number}", wait_ms=0)
        await house.do(cancels(f"q{number}"))
    await house.news(ann)
    return ann


async def test_history_is_read_forward_page_by_page(house: House, reader: Wire) -> None:
    first = await history(house, reader, limit=3)
    second = await history(house, reader, after=first.messages[-1].seq, limit=100)

    assert [m.seq for m in first.messages] == [1, 2, 3]
    assert commands(list(first.messages)) == ["AskQuestion", "RequestState", "AskQuestion"]
    assert (first.floor_seq, first.last_seq, first.more, first.reset) == (1, 10, True, False)
    assert [m.seq for m in second.messages] == [4, 5, 6, 7, 8, 9, 10]
    assert not second.more
    for message in [*first.messages, *second.messages]:
        assert message.AskQuestionRequest.UserToken == ""


async def test_history_is_read_backward_page_by_page(house: House, reader: Wire) -> None:
    newest = await history(house, reader, before=11, limit=4)
    oldest = await history(house, reader, before=newest.messages[0].seq, limit=100)

    assert [m.seq for m in newest.messages] == [7, 8, 9, 10]
    assert newest.more
    assert [m.seq for m in oldest.messages] == [1, 2, 3, 4, 5, 6]
    assert not oldest.more


@pytest.mark.parametrize(("after", "limit"), [(-5, 0), (-1, -7)])
async def test_nonsense_in_a_question_for_history_is_made_sense_of(
    house: House, reader: Wire, after: int, limit: int
) -> None:
    page = await history(house, reader, after=after, limit=limit)

    assert [m.seq for m in page.messages] == [1]


async def test_a_number_from_another_log_starts_anew(house: House, reader: Wire) -> None:
    assert (await history(house, reader, after=4_711)).reset


@pytest.mark.parametrize("backward", [True, False])
async def test_a_page_that_is_too_large_for_a_frame_ends_sooner(
    house: House, reader: Wire, monkeypatch: pytest.MonkeyPatch, backward: bool
) -> None:
    """Or a page of photos would close the connection as too slow, again and again."""
    whole = await history(house, reader)
    room_for_three = sum(m.ByteSize() for m in whole.messages[:3])
    monkeypatch.setattr("lineup_srv.transports.mapping.checks.OUTGOING_BYTES", room_for_three)

    seqs: list[int] = []
    more = True
    while more:
        if backward:
            page = await history(house, reader, before=min(seqs, default=11))
        else:
            page = await history(house, reader, after=max(seqs, default=0))
        assert 1 <= len(page.messages) <= 4
        seqs += [m.seq for m in page.messages]
        more = page.more

    assert sorted(seqs) == list(range(1, 11))


async def test_one_message_that_is_too_large_for_a_page_is_sent_alone(
    house: House, reader: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lineup_srv.transports.mapping.checks.OUTGOING_BYTES", 1)

    page = await history(house, reader)

    assert [m.seq for m in page.messages] == [1]
    assert page.more


async def test_history_that_cannot_be_read_is_refused(house: House, reader: Wire) -> None:
    house.log.unreadable = True

    ack = await house.tell(reader, WebsocketMessage(Cmd="GetHistory", ref=REF))

    assert ack.ack.code == error_pb2.ERROR_CODE_LOG_UNAVAILABLE
    house.log.unreadable = False


async def test_pending_requests_that_are_too_large_for_a_frame_are_told_in_parts(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen = await house.log_in("Old", extended=False)
    for number in range(3):
        await house.ask(f"q{number}", wait_ms=0)
    await house.news(frozen)
    ask = WebsocketMessage(Cmd="GetPendingMessages")
    whole = await house.tell(frozen, ask)
    room_for_two = whole.GetPendingMessagesResponse.ByteSize() * 2 // 3
    monkeypatch.setattr("lineup_srv.transports.mapping.checks.OUTGOING_BYTES", room_for_two)

    part = (await house.tell(frozen, ask)).GetPendingMessagesResponse

    ids = [m.ask_question_request.ID for m in part.pending_messages]
    assert ids == ["q0", "q1"]
    assert part.total_count == 2
