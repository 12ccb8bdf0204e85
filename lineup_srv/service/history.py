"""Pages of a room's log for devices: one message for each fact (wire §4, 105 and 106)."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.domain.call_facts import CallFact, ToolFact
from lineup_srv.domain.call_history import message_of_call
from lineup_srv.domain.facts import SaidFact, TextFact, TextKept
from lineup_srv.domain.fold import fold
from lineup_srv.domain.history import (
    message_of_request,
    message_of_said,
    message_of_text,
)
from lineup_srv.domain.state import KeptText, Logged
from lineup_srv.service.bodies import refs_of_message
from lineup_srv.service.ports import LogRefused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lineup_srv.contract.ids import CallId, RequestId, RoomId, TextId
    from lineup_srv.domain.call import Call
    from lineup_srv.domain.effects import Message, Only
    from lineup_srv.domain.request import Request
    from lineup_srv.service.ports import LoggedFact
    from lineup_srv.service.registry import Rooms
    from lineup_srv.service.rooms import Outside, RoomRunner

__all__ = ["History", "Page"]


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the log, oldest first; see HistoryPage in the proto."""

    messages: Sequence[tuple[Message, Mapping[str, bytes]]]
    floor_seq: int
    last_seq: int
    more: bool
    reset: bool


class History:
    """Reads the log for devices."""

    def __init__(self, rooms: Rooms, outside: Outside) -> None:
        """Read rooms through these ports."""
        self._rooms = rooms
        self._outside = outside

    async def after(self, room_id: RoomId, to: Only, after_seq: int, limit: int) -> Page:
        """The facts after a number, oldest first.

        A number below the floor, or above the last one (another log), gives `reset`: the device
        forgets what it has and starts from this page.

        Raises:
            LineUpError: LOG_UNAVAILABLE, the log cannot be read.
        """
        runner = await self._rooms.get(room_id)
        last, limit = runner.committed, _clamped(limit)
        with _readable():
            floor = await self._outside.log.floor(room_id)
            reset = after_seq > last or (0 < after_seq < floor - 1)
            start = max(0, floor - 1, last - limit if reset else after_seq)
            facts = await self._read(room_id, start, min(start + limit, last))
            messages = await self._messages(runner, to, facts)
        more = bool(facts) and facts[-1].seq < last
        return Page(messages, floor, last, more, reset)

    async def before(self, room_id: RoomId, to: Only, before_seq: int, limit: int) -> Page:
        """The facts before a number, the newest of them, oldest first.

        Raises:
            LineUpError: LOG_UNAVAILABLE, the log cannot be read.
        """
        runner = await self._rooms.get(room_id)
        last = runner.committed
        end = max(0, min(before_seq - 1, last))
        with _readable():
            floor = await self._outside.log.floor(room_id)
            start = max(0, floor - 1, end - _clamped(limit))
            facts = await self._read(room_id, start, end)
            messages = await self._messages(runner, to, facts)
        return Page(messages, floor, last, start >= floor > 0, reset=False)

    async def _read(self, room_id: RoomId, after_seq: int, upto_seq: int) -> Sequence[LoggedFact]:
        """Facts up to a number: what is durable but not delivered yet comes by itself."""
        if upto_seq <= after_seq:
            return ()
        facts = await self._outside.log.read(room_id, after_seq, upto_seq - after_seq)
        return [logged for logged in facts if logged.seq <= upto_seq]

    async def _messages(
        self, runner: RoomRunner, to: Only, facts: Sequence[LoggedFact]
    ) -> Sequence[tuple[Message, Mapping[str, bytes]]]:
        requests: dict[RequestId, Request | None] = {}
        texts: dict[TextId, KeptText | None] = {}
        calls: dict[CallId, Call | None] = {}
        messages = []
        for logged in facts:
            message = await self._message(runner, to, logged, requests, texts, calls)
            if message is not None:
                bodies = await self._outside.bodies.gather(runner.room_id, refs_of_message(message))
                messages.append((message, bodies))
        return messages

    async def _message(
        self,
        runner: RoomRunner,
        to: Only,
        logged: LoggedFact,
        requests: dict[RequestId, Request | None],
        texts: dict[TextId, KeptText | None],
        calls: dict[CallId, Call | None],
    ) -> Message | None:
        """The message for a fact; None if it is not for devices, or its subject was dropped."""
        fact = logged.fact
        if isinstance(fact, SaidFact):
            return message_of_said(fact, to, logged.seq)
        if isinstance(fact, TextFact):
            if fact.text_id not in texts:
                texts[fact.text_id] = await self._text(runner, fact.text_id)
            text = texts[fact.text_id]
            return None if text is None else message_of_text(fact, text, to, logged.seq)
        if isinstance(fact, ToolFact):
            return None
        if isinstance(fact, CallFact):
            if fact.call_id not in calls:
                calls[fact.call_id] = await self._call(runner, fact.call_id)
            call = calls[fact.call_id]
            return None if call is None else message_of_call(fact, call, to, logged.seq)
        if fact.request_id not in requests:
            requests[fact.request_id] = await self._request(runner, fact.request_id)
        request = requests[fact.request_id]
        if request is None:
            return None
        return message_of_request(runner.room, fact, request, to, logged.seq)

    async def _request(self, runner: RoomRunner, request_id: RequestId) -> Request | None:
        known = runner.room.logged.requests.get(request_id)
        if known is not None:
            return known
        past = Logged()
        # `opened_seq` comes out as the log's number.
        for logged in await self._outside.log.read_request(runner.room_id, request_id):
            past.last_seq = logged.seq - 1
            fold(past, logged.fact)
        return past.requests.get(request_id)

    async def _call(self, runner: RoomRunner, call_id: CallId) -> Call | None:
        known = runner.room.logged.calls.by_id.get(call_id)
        if known is not None:
            return known
        past = Logged()
        for logged in await self._outside.log.read_request(runner.room_id, call_id):
            past.last_seq = logged.seq - 1
            fold(past, logged.fact)
        return past.calls.by_id.get(call_id)

    async def _text(self, runner: RoomRunner, text_id: TextId) -> KeptText | None:
        known = runner.room.logged.texts.get(text_id)
        if known is not None:
            return known
        for logged in await self._outside.log.read_request(runner.room_id, text_id):
            if isinstance(logged.fact, TextKept):
                past = Logged()
                fold(past, logged.fact)
                return past.texts.get(text_id)
        return None


@contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except LogRefused as error:
        raise LineUpError(ErrorCode.LOG_UNAVAILABLE, str(error)) from error


def _clamped(limit: int) -> int:
    return max(1, min(limit, limits.HISTORY_PAGE_MESSAGES))
