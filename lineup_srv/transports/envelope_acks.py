"""Which JSON messages were taken already: a duplicate gets its Ack again and does nothing (§5)."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lineup_srv.contract import limits

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from lineup_srv.contract.ids import RoomId
    from lineup_srv.wire.envelope.messages import Ack

__all__ = ["Acks", "SaidBefore"]


class Acks:
    """The Acks of one connection, by id: those that are still to come, and the newest given.

    What was refused is not remembered: it may be tried again.
    """

    def __init__(self, write: Callable[[Ack], None]) -> None:
        """Tell by `write`."""
        self._write = write
        self._waiting: dict[str, int] = {}
        self._given: OrderedDict[str, Ack] = OrderedDict()

    def begin(self, envelope_id: str) -> bool:
        """Whether the message is to be carried out; if not, its Ack is given again."""
        if envelope_id in self._given:
            self._write(self._given[envelope_id])
            return False
        self._waiting[envelope_id] = self._waiting.get(envelope_id, 0) + 1
        return self._waiting[envelope_id] == 1

    def settle(self, ack: Ack) -> None:
        """What became of a message that was begun; tells it as often as it was asked."""
        for _ in range(self._waiting.pop(ack.ref, 0)):
            self._write(ack)
        if ack.accepted:
            self._given[ack.ref] = ack
            if len(self._given) > limits.ENVELOPE_IDS:
                self._given.popitem(last=False)


@dataclass(slots=True)
class _Room:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    said: OrderedDict[str, None] = field(default_factory=OrderedDict)


class SaidBefore:
    """What the agents of every room said, by id, over connections.

    The log remembers the refs of devices only; this is for as long as the relay runs. Beyond
    `limits.ROOMS` the room in which nobody spoke for longest is forgotten.
    """

    def __init__(self) -> None:
        """Remember nothing."""
        self._rooms: OrderedDict[RoomId, _Room] = OrderedDict()

    async def once(
        self, room_id: RoomId, envelope_id: str, say: Callable[[], Awaitable[None]]
    ) -> None:
        """Say it, unless it was said under this id; raises what `say` raises.

        A short id counts within its connection only.
        """
        if len(envelope_id) < limits.REF_MIN_CHARACTERS:
            await say()
            return
        room = self._rooms.setdefault(room_id, _Room())
        self._rooms.move_to_end(room_id)
        if len(self._rooms) > limits.ROOMS:
            self._rooms.popitem(last=False)
        # One at a time, or a resend could pass the first one while that is being written.
        async with room.lock:
            if envelope_id in room.said:
                return
            await say()
            room.said[envelope_id] = None
            if len(room.said) > limits.AGENT_ENVELOPE_IDS:
                room.said.popitem(last=False)
