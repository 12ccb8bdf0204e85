"""What agents said is remembered over connections, and never more than a relay has room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.contract.ids import RoomId
from lineup_srv.transports.envelope_acks import SaidBefore

if TYPE_CHECKING:
    import pytest

LONG_ID = "an-id-of-many-characters"


async def test_the_room_in_which_nobody_spoke_for_longest_is_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "ROOMS", 2)
    before, said = SaidBefore(), list[str]()

    async def say_in(room: str) -> bool:
        """Whether it counts as said for the first time."""

        async def say() -> None:
            said.append(room)

        count = len(said)
        await before.once(RoomId(room), LONG_ID, say)
        return len(said) > count

    assert await say_in("first")
    assert await say_in("second")
    assert not await say_in("first")
    assert await say_in("third")
    assert not await say_in("first")
    assert await say_in("second")
