"""Devices that read slowly, do nothing or are sent away."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lineup_srv.contract import limits
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from tests.transports.saying import REF, online

if TYPE_CHECKING:
    import pytest

    from tests.transports.house import House


async def test_a_device_that_reads_nothing_holds_nobody_up(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "CONNECTION_QUEUE_MESSAGES", 3)
    ann, slow = await house.room("Ann", "Slow")
    slow.pause()
    for number in range(5):
        await house.ask(f"q{number}", wait_ms=0)
        assert "AskQuestion" in await house.commands(ann)
    # It is gone for the others at once, though its close frame has not arrived.
    assert await online(house, ann) == []
    slow.resume()

    assert await slow.closed() == 1013


async def test_a_device_that_reads_slowly_still_learns_why_it_was_closed(house: House) -> None:
    [ann] = await house.room("Ann")
    ann.pause()
    ann.say(WebsocketMessage(Cmd="Ping", ref=REF))
    for _ in range(limits.MALFORMED_FRAMES_PER_MINUTE):
        ann.say_bytes(b"\xff")
    ann.say(WebsocketMessage(Cmd="Ping", ref="not-heard-any-more"))
    # Gone for the others: the relay has read all of it.
    bob = await house.log_in("Bob")
    assert await online(house, bob) == []
    ann.resume()

    assert (await ann.hear()).ack.ref == REF
    assert await ann.closed() == 1008


async def test_an_idle_device_has_no_task_of_the_relay(house: House) -> None:
    await house.room("Ann", "Bob", "Cid", "Dan")
    await house.settled()
    await house.sending.idle()

    others = asyncio.all_tasks() - {asyncio.current_task()}

    # The server's own, one for each connection.
    assert len(others) == 4


async def test_at_shutdown_each_is_closed_and_nobody_is_told_who_leaves(house: House) -> None:
    ann, bob = await house.room("Ann", "Bob")
    waiting = await house.accepted()

    house.connections.close_all()

    assert [await ann.closed(), await bob.closed()] == [1001, 1001]
    assert (ann.left(), bob.left()) == ([], [])
    # Thousands who leave at once would each be told to all the others.
    assert len((await house.runner()).room.live.members) == 2
    waiting.say(WebsocketMessage(Cmd="UserLogin", StrParam="token"))
    assert await waiting.closed() == 1001
