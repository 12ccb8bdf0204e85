"""Bytes behind references: durable before the command, at hand or read, and lost ones replaced."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.domain.contents import Content, ContentKind, ContentRef
from lineup_srv.domain.effects import ShowReply, ShowRequest, ShowState, ShowText, Welcome
from lineup_srv.service.bodies import MISSING, Bodies, Intake
from lineup_srv.service.ports import LogRefused, LogUnknown, OutcomeTold
from tests.domain.playbook import ADA, LAPTOP, logs_in, opens, question, replies
from tests.service.memory import MemoryBlobs
from tests.service.stage import ROOM, Stage

if TYPE_CHECKING:
    from lineup_srv.domain.commands import Open, ReplyTo
    from lineup_srv.domain.effects import Message

SMALL = "x" * limits.INLINE_BYTES
LONG = "x" * (limits.INLINE_BYTES + 1)
PNG = b"\x89PNG and so on"


def test_small_texts_stand_inline_and_all_else_is_a_blob() -> None:
    intake = Intake()

    small, long = intake.text(SMALL), intake.text(LONG, mime="text/plain")
    picture = intake.data(PNG, mime="image/png")

    assert small == ContentRef(_hash(SMALL.encode()), len(SMALL), "text/markdown", SMALL)
    assert long == ContentRef(_hash(LONG.encode()), len(LONG), "text/plain", None)
    assert picture == ContentRef(_hash(PNG), len(PNG), "image/png", None)
    assert intake.blobs == {long.sha256: LONG.encode(), picture.sha256: PNG}


def test_the_limit_counts_bytes_and_no_text_is_refused_for_its_characters() -> None:
    intake = Intake()

    assert intake.text("é" * limits.INLINE_BYTES).inline is None
    assert intake.text("\ud800").inline == "\ud800"


async def test_bytes_are_durable_before_the_command_and_shown_without_reading(
    stage: Stage,
) -> None:
    await stage.join()
    ref = await stage.keep(LONG)

    assert stage.blobs.stored == {(ROOM, ref.sha256): LONG.encode()}
    await stage.do(_asks("q", ref))

    assert stage.blobs.reads == []
    assert stage.devices.sent[0].bodies == {ref.sha256: LONG.encode()}


async def test_what_is_known_is_put_again_so_that_no_sweep_takes_it(stage: Stage) -> None:
    ref = await stage.keep(LONG)
    stage.blobs.stored.clear()

    await stage.keep(LONG)

    assert list(stage.blobs.stored) == [(ROOM, ref.sha256)]


@pytest.mark.parametrize("fault", [LogRefused("disk full"), LogUnknown("no answer")])
async def test_bytes_that_cannot_be_made_durable_are_refused(
    stage: Stage, fault: Exception
) -> None:
    stage.blobs.fault = fault

    with pytest.raises(LineUpError) as caught:
        await stage.keep(LONG)

    assert caught.value.code is ErrorCode.LOG_UNAVAILABLE


async def test_the_cache_is_bounded_and_keeps_what_was_used_last() -> None:
    blobs = MemoryBlobs()
    bodies = Bodies(blobs, cache_bytes=25)
    refs = []
    for data in (b"1" * 10, b"2" * 10):
        intake = Intake()
        refs.append(intake.data(data, mime="image/png"))
        await bodies.keep(ROOM, intake)
        await bodies.keep(ROOM, intake)
    assert bodies.at_hand(ROOM, refs[:1]) is not None

    third = Intake()
    refs.append(third.data(b"3" * 10, mime="image/png"))
    await bodies.keep(ROOM, third)

    at_hand = [bodies.at_hand(ROOM, [ref]) is not None for ref in refs]
    assert at_hand == [True, False, True]
    await bodies.gather(ROOM, [refs[0], refs[1], refs[1]])
    assert blobs.reads == [refs[1].sha256]
    assert bodies.at_hand(ROOM, [refs[0]]) is not None
    assert bodies.at_hand(ROOM, [refs[2]]) is None


async def test_one_body_larger_than_the_cache_is_kept_alone() -> None:
    bodies = Bodies(MemoryBlobs(), cache_bytes=5)
    intake = Intake()
    ref = intake.data(PNG, mime="image/png")
    await bodies.keep(ROOM, intake)

    assert bodies.at_hand(ROOM, [ref]) == {ref.sha256: PNG}


async def test_a_card_whose_body_must_be_read_is_shown_before_the_append_and_in_order() -> None:
    stage, ref = await _stage_that_forgot(LONG)
    await stage.join()
    stage.blobs.reading.close()
    await stage.submit(_asks("q", ref))
    await stage.blobs.reading.arrived()

    await stage.submit(opens("short"))

    assert stage.devices.sent == []
    assert stage.log.appends == []
    stage.blobs.reading.open()
    await stage.settled()
    assert [_line(m) for m in stage.told()] == [
        ("q", 0),
        ("short", 0),
        ("q", 1),
        ("short", 2),
    ]
    assert stage.devices.sent[0].bodies == {ref.sha256: LONG.encode()}
    await stage.check_nothing_is_left()


async def test_the_next_append_begins_while_the_last_is_told_and_is_told_after_it() -> None:
    stage, ref = await _stage_that_forgot(LONG)
    await stage.join(LAPTOP)
    await stage.do(opens("q"))
    stage.devices.sent.clear()
    stage.log.appending.close()
    await stage.submit(_answers("q", ref))
    await stage.log.appending.arrived()
    await stage.submit(opens("next"))
    stage.blobs.reading.close()

    stage.log.appending.step()
    await stage.blobs.reading.arrived()

    await stage.log.appending.arrived()
    assert [append.expected_seq for append in stage.log.appends] == [0, 1, 3]
    stage.log.appending.open()
    stage.blobs.reading.open()
    await stage.settled()
    assert [type(m) for m in stage.told(LAPTOP)] == [ShowRequest, ShowReply, ShowState]
    await stage.check_nothing_is_left()


async def test_behind_another_append_too_a_card_is_shown_before_its_own() -> None:
    stage, ref = await _stage_that_forgot(LONG)
    await stage.join()
    stage.log.appending.close()
    await stage.submit(opens("first"))
    await stage.log.appending.arrived()
    stage.blobs.reading.close()
    await stage.submit(_asks("q", ref))

    stage.log.appending.open()
    await stage.blobs.reading.arrived()

    assert [append.expected_seq for append in stage.log.appends] == [0]
    stage.blobs.reading.open()
    await stage.settled()
    assert [_line(m) for m in stage.told()] == [("first", 0), ("first", 1), ("q", 0), ("q", 2)]
    await stage.check_nothing_is_left()


async def test_a_login_that_needs_a_body_from_the_disk_waits_for_it() -> None:
    stage, ref = await _stage_that_forgot(LONG)
    await stage.do(_asks("q", ref))
    await stage.keep("y" * 5_000)
    stage.blobs.reading.close()

    joined = await stage.submit(logs_in(LAPTOP))
    await stage.blobs.reading.arrived()

    assert not joined.done()
    stage.blobs.reading.open()
    await stage.settled()
    assert [type(m) for m in stage.told(LAPTOP)] == [Welcome, ShowRequest, ShowState]
    await stage.check_nothing_is_left()


async def test_a_lost_blob_holds_nothing_up_and_words_stand_in_its_place(stage: Stage) -> None:
    await stage.join(LAPTOP)
    _, stream = await stage.attach()
    lost = ContentRef(_hash(PNG), len(PNG), "image/png", None)
    await stage.ask("q", wait_ms=0)
    stream.events.clear()

    await stage.do(_answers("q", lost))
    await stage.do(opens("next"))

    [notified] = [s for s in stage.devices.sent if isinstance(s.message, ShowReply)]
    assert notified.bodies == {lost.sha256: MISSING}
    [told] = stream.events
    assert isinstance(told, OutcomeTold)
    assert told.request.reply is not None
    assert [(c.kind, c.ref.inline) for c in told.request.reply.contents] == [
        (ContentKind.TEXT, "yes"),
        (ContentKind.TEXT, MISSING.decode()),
    ]


async def test_a_blob_that_cannot_be_read_now_holds_up_no_delivery(stage: Stage) -> None:
    await stage.join(LAPTOP)
    picture = ContentRef(_hash(PNG), len(PNG), "image/png", None)
    await stage.do(opens("q"))
    stage.blobs.fault = LogRefused("input/output error")

    await stage.do(_answers("q", picture))

    [notified] = [s for s in stage.devices.sent if isinstance(s.message, ShowReply)]
    assert notified.bodies == {picture.sha256: MISSING}


async def test_a_caller_whose_blob_cannot_be_read_now_hears_so_and_may_come_again() -> None:
    stage, _ = await _stage_that_forgot(LONG)
    intake = Intake()
    picture = intake.data(PNG, mime="image/png")
    await stage.relay.keep(ROOM, intake)
    await stage.ask("q", wait_ms=0)
    await stage.do(_answers("q", picture))
    await stage.keep("y" * 5_000)
    stage.blobs.fault = LogRefused("input/output error")

    with pytest.raises(LineUpError) as caught:
        await stage.wait("q")
    stage.blobs.fault = None
    told = await stage.wait("q")

    assert caught.value.code is ErrorCode.LOG_UNAVAILABLE
    assert told.bodies == {picture.sha256: PNG}
    assert told.redelivered
    await stage.check_nothing_is_left()


async def test_a_text_brings_its_pictures_and_words_for_a_lost_one(stage: Stage) -> None:
    await stage.join(LAPTOP)
    _, _stream = await stage.attach()
    intake = Intake()
    picture = intake.data(PNG, mime="image/png")
    await stage.relay.keep(ROOM, intake)
    lost = ContentRef(_hash(b"lost"), 4, "image/png", None)
    await stage.do(replace(_answers("no", picture, lost), agent_id=ADA.agent_id))

    [shown] = [s for s in stage.devices.sent if isinstance(s.message, ShowText)]
    [told] = (await stage.relay.take_messages(ROOM, ADA.agent_id, 0)).texts

    assert shown.bodies == told.bodies == {picture.sha256: PNG, lost.sha256: MISSING}
    assert [c.ref.mime for c in told.mailed.text.contents] == [
        "text/markdown",
        "image/png",
        "text/markdown",
    ]


async def _stage_that_forgot(text: str) -> tuple[Stage, ContentRef]:
    """A stage that keeps one body in memory at most, and not this one."""
    stage = Stage(cache_bytes=1)
    ref = await stage.keep(text)
    await stage.keep("z" * 5_000)
    return stage, ref


def _asks(request_id: str, text: ContentRef) -> Open:
    picture = Content(ContentKind.TEXT, text, "")
    return opens(request_id, asked=replace(question("short"), text=text, contents=(picture,)))


def _answers(request_id: str, *pictures: ContentRef) -> ReplyTo:
    reply = replies(request_id)
    shown = tuple(Content(ContentKind.IMAGE, picture, "") for picture in pictures)
    return replace(reply, contents=(*reply.contents, *shown))


def _hash(data: bytes) -> str:
    return sha256(data).hexdigest()


def _line(message: Message) -> tuple[str, int]:
    if isinstance(message, ShowState):
        return message.update.request_id, message.seq
    assert isinstance(message, ShowRequest)
    return message.request.request_id, message.seq
