"""Frames of devices that are none."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.wire._gen.lineup.v1.websocket_pb2 import WebsocketMessage
from tests.transports.saying import REF

if TYPE_CHECKING:
    from tests.transports.house import House


async def test_malformed_frames_are_ignored(house: House, caplog: pytest.LogCaptureFixture) -> None:
    [ann] = await house.room("Ann")
    caplog.set_level(logging.DEBUG)
    secret = b"\xff a secret"
    for _ in range(limits.MALFORMED_FRAMES_PER_MINUTE - 1):
        ann.say_bytes(secret)

    assert await house.commands(ann) == []
    assert "malformed" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.requirement("seed002:wire:malformed-frames-are-ignored")
async def test_too_many_malformed_frames_in_a_minute_close(house: House) -> None:
    [ann] = await house.room("Ann")
    for _ in range(limits.MALFORMED_FRAMES_PER_MINUTE):
        ann.say_bytes(b"\xff")
    # What comes after is not looked at any more.
    ann.say(WebsocketMessage(Cmd="Ping", ref=REF))

    assert await ann.closed() == 1008
    assert ann.left() == []


async def test_malformed_frames_of_another_minute_do_not_count(house: House) -> None:
    [ann] = await house.room("Ann")
    for _ in range(limits.MALFORMED_FRAMES_PER_MINUTE - 1):
        ann.say_bytes(b"\xff")
    await house.news(ann)
    house.clock.advance(60)
    for _ in range(limits.MALFORMED_FRAMES_PER_MINUTE - 1):
        ann.say_bytes(b"\xff")

    assert await house.commands(ann) == ["Devices"]
    ann.say_bytes(b"\xff")
    assert await ann.closed() == 1008


@pytest.mark.parametrize("ref", ["r" * 15, "r" * 65])
async def test_a_ref_of_a_wrong_length_makes_a_frame_malformed(house: House, ref: str) -> None:
    [ann] = await house.room("Ann")

    ann.say(WebsocketMessage(Cmd="Ping", ref=ref))

    assert await house.commands(ann) == []


@pytest.mark.parametrize("ref", ["r" * 16, "r" * 64])
async def test_a_ref_of_a_right_length_is_taken(house: House, ref: str) -> None:
    [ann] = await house.room("Ann")

    assert (await house.tell(ann, WebsocketMessage(Cmd="Ping", ref=ref))).ack.ref == ref


async def test_a_text_frame_is_malformed(house: House) -> None:
    [ann] = await house.room("Ann")
    for _ in range(limits.MALFORMED_FRAMES_PER_MINUTE):
        ann.say_text('{"v":1}')

    assert await ann.closed() == 1008


async def test_malformed_frames_before_the_login_count_too(house: House) -> None:
    wire = await house.accepted()
    for _ in range(limits.MALFORMED_FRAMES_PER_MINUTE):
        wire.say_bytes(b"\xff")

    assert await wire.closed() == 1008
