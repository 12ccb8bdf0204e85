"""One socket's outgoing side: at once while it can, bounded while it cannot, never waiting."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from lineup_srv.contract import limits
from lineup_srv.transports.connection import TOO_SLOW, Connection
from tests.service.fakes import OwnTasks
from tests.transports.sockets import Wire, scope_of

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from starlette.types import Message


class CountedTasks(OwnTasks):
    def __init__(self) -> None:
        super().__init__()
        self.started = 0

    def start(self, work: Coroutine[object, object, None]) -> None:
        self.started += 1
        super().start(work)


class Line:
    """A connection over a wire, and what came of it."""

    def __init__(self) -> None:
        self.wire = Wire(scope_of())
        self.tasks = CountedTasks()
        self.closes = 0
        self.connection = Connection(self.wire.send, self.tasks, self._closed)

    def _closed(self) -> None:
        self.closes += 1

    @property
    def arrived(self) -> list[bytes | int]:
        """Frames, and the code of the close frame."""
        return [
            event["bytes"] if event["type"] == "websocket.send" else event["code"]
            for event in self.wire.sent
        ]


@pytest.fixture
def line() -> Line:
    return Line()


async def test_a_frame_is_written_at_once_without_a_task(line: Line) -> None:
    line.connection.write(b"1")
    line.connection.write(b"2")

    assert line.arrived == [b"1", b"2"]
    assert line.tasks.started == 0


async def test_a_paused_transport_gets_everything_in_order_when_it_reads_again(line: Line) -> None:
    line.connection.write(b"1")
    line.wire.pause()
    for frame in (b"2", b"3", b"4"):
        line.connection.write(frame)
    await asyncio.sleep(0)
    assert line.arrived == [b"1"]
    line.wire.resume()
    line.connection.write(b"5")  # behind what waits, though the transport takes it
    await line.tasks.idle()

    assert line.arrived == [b"1", b"2", b"3", b"4", b"5"]
    assert line.tasks.started == 1
    line.connection.write(b"6")
    assert line.arrived[-1] == b"6"
    assert line.tasks.started == 1


async def test_a_step_that_had_to_wait_leaves_nothing_behind(line: Line) -> None:
    line.wire.pause()
    line.connection.write(b"1")

    assert len(line.wire.writable._waiters) == 0
    line.wire.resume()
    await line.tasks.idle()
    assert line.arrived == [b"1"]


async def test_what_is_held_comes_after_the_first_frames(line: Line) -> None:
    line.connection.write(b"before")
    line.connection.hold()
    line.connection.write(b"held 1")
    line.connection.write(b"held 2")
    assert line.arrived == [b"before"]
    line.connection.release([b"welcome", b"info"])

    assert line.arrived == [b"before", b"welcome", b"info", b"held 1", b"held 2"]
    assert line.tasks.started == 0


async def test_what_is_held_is_not_sent_by_a_queue_that_drains(line: Line) -> None:
    line.wire.pause()
    line.connection.write(b"before")
    line.connection.hold()
    line.connection.write(b"held")
    line.wire.resume()
    await line.tasks.idle()
    assert line.arrived == [b"before"]
    line.connection.release([b"welcome"])

    assert line.arrived == [b"before", b"welcome", b"held"]


@pytest.mark.parametrize("held", [True, False])
async def test_too_many_frames_close_it_as_too_slow(
    line: Line, monkeypatch: pytest.MonkeyPatch, held: bool
) -> None:
    monkeypatch.setattr(limits, "CONNECTION_QUEUE_MESSAGES", 3)
    line.wire.pause()
    if held:
        line.connection.hold()
    for number in range(10):
        line.connection.write(b"%d" % number)
    await asyncio.sleep(0)
    assert line.connection.closing
    assert line.closes == 1
    line.wire.resume()
    await line.tasks.idle()

    assert line.arrived[-1] == TOO_SLOW
    assert len(line.arrived) <= 2  # the frame that was on its way, and the close


@pytest.mark.parametrize("held", [True, False])
async def test_too_many_bytes_close_it_as_too_slow(
    line: Line, monkeypatch: pytest.MonkeyPatch, held: bool
) -> None:
    monkeypatch.setattr(limits, "CONNECTION_QUEUE_BYTES", 10)
    line.wire.pause()
    if held:
        line.connection.hold()
    line.connection.write(b"12345")
    line.connection.write(b"12345")
    assert line.closes == 0
    line.connection.write(b"1")

    assert line.closes == 1
    line.wire.resume()
    await line.tasks.idle()
    assert line.arrived[-1] == TOO_SLOW


async def test_the_bytes_that_were_sent_do_not_count_any_more(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "CONNECTION_QUEUE_BYTES", 10)
    for _ in range(5):
        line.wire.pause()
        line.connection.hold()
        line.connection.write(b"1234")
        line.connection.release([b"12345"])
        line.wire.resume()
        await line.tasks.idle()

    assert not line.connection.closing
    assert len(line.arrived) == 10


async def test_a_close_comes_after_what_is_queued_and_once(line: Line) -> None:
    line.wire.pause()
    line.connection.write(b"1")
    line.connection.write(b"2")
    line.connection.close(1001, "bye")
    line.connection.close(1008, "again")
    line.connection.write(b"3")
    line.wire.resume()
    await line.tasks.idle()

    assert line.arrived == [b"1", b"2", 1001]
    assert line.closes == 1


async def test_a_close_is_written_at_once_if_it_can(line: Line) -> None:
    """Whoever closes and returns would have its socket cut before a task could write."""
    line.connection.hold()
    line.connection.write(b"held")
    line.connection.close(1008, "login refused")

    assert line.arrived == [1008]
    assert line.tasks.started == 0


async def test_a_peer_that_is_gone_is_written_to_no_more(line: Line) -> None:
    line.wire.vanish()
    line.connection.write(b"1")

    assert line.connection.closing
    assert line.closes == 0  # the receiving side hears of it
    line.connection.write(b"2")
    line.connection.close(1001, "bye")
    assert (line.arrived, line.tasks.started, line.closes) == ([], 0, 0)


async def test_a_peer_that_goes_while_it_is_waited_for_ends_the_queue(line: Line) -> None:
    line.wire.pause()
    line.connection.write(b"1")
    line.connection.write(b"2")
    await asyncio.sleep(0)
    line.wire.vanish()
    await line.tasks.idle()

    assert line.connection.closing
    assert line.arrived == []


async def test_a_close_to_a_peer_that_is_gone_is_told_all_the_same(line: Line) -> None:
    line.wire.vanish()
    line.connection.close(1001, "bye")

    assert line.closes == 1
    assert line.arrived == []


async def test_a_failure_of_the_server_ends_the_connection_and_nothing_else() -> None:
    """The task belongs to the relay, so an error in it would end the relay."""

    async def broken(message: Message) -> None:
        await asyncio.sleep(0)
        raise RuntimeError("after sending 'websocket.close'")

    tasks = CountedTasks()
    connection = Connection(broken, tasks, lambda: None)
    connection.write(b"1")
    await tasks.idle()

    assert connection.closing
