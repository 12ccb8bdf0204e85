"""What a room reads of its log: at its start, and when others appended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lineup_srv.domain.fold import fold

if TYPE_CHECKING:
    from lineup_srv.contract.ids import RoomId
    from lineup_srv.domain.state import Logged
    from lineup_srv.service.ports import LoggedFact, RoomLog

__all__ = ["read_room", "read_tail"]

# Most tails are one page, and a page of the largest facts (their texts inline) is a few MB.
_TAIL_PAGE: Final = 1_000


async def read_room(log: RoomLog, room_id: RoomId) -> Logged:
    """All of the room, folded.

    Raises:
        LogRefused: the log cannot be read.
    """
    logged, tail = await log.load(room_id)
    for line in tail:
        fold(logged, line.fact)
    return logged


async def read_tail(log: RoomLog, room_id: RoomId, after: int, last: int) -> list[LoggedFact]:
    """The facts behind the log number `after`, up to `last`.

    Raises:
        LogRefused: the log cannot be read.
    """
    tail: list[LoggedFact] = []
    while after < last and (page := await log.read(room_id, after, _TAIL_PAGE)):
        tail.extend(line for line in page if line.seq <= last)
        after = page[-1].seq
    return tail
