"""The outgoing side of one WebSocket: a bounded queue that never holds anyone up.

A frame is written at once while the transport takes it; otherwise it waits in a queue, and a task
drains that. A queue that is full closes the connection with 1013, and the device resyncs.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from lineup_srv.contract import limits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.types import Message, Send

    from lineup_srv.service.ports import Tasks

__all__ = ["TOO_SLOW", "Connection", "Frame"]

TOO_SLOW = 1013
Frame = bytes | str
"""A binary or a text frame."""


class Connection:
    """Sends frames to one device.

    Args:
        send: the ASGI send of the socket.
        tasks: owns the task that drains the queue while there is one.
        on_close: called once when it is told to close. The close frame may wait behind a peer that
            reads nothing, so nobody should wait for it to arrive.
    """

    __slots__ = (
        "_bytes",
        "_closing",
        "_drained",
        "_draining",
        "_held",
        "_on_close",
        "_queue",
        "_send",
        "_tasks",
        "close_code",
    )

    def __init__(self, send: Send, tasks: Tasks, on_close: Callable[[], None]) -> None:
        """Start with nothing queued."""
        self._send = send
        self._tasks = tasks
        self._on_close = on_close
        self._queue: deque[Message] = deque()
        self._held: list[Frame] | None = None
        self._bytes = 0
        self._draining = False
        self._drained: asyncio.Future[None] | None = None
        self._closing = False
        self.close_code = 0
        """What it was told to close with; 0: nothing yet, or the peer went first."""

    def hold(self) -> None:
        """Hold everything back until `release`: a login's answer comes before the room's news."""
        self._held = []

    def release(self, first: Sequence[Frame]) -> None:
        """Send the login's answer, then what was held back."""
        held, self._held = self._held or [], None
        for data in first:
            self.write(data)
        for data in held:
            self._bytes -= _size(data)
            self.write(data)

    def write(self, data: Frame) -> None:
        """Queue one frame. Never waits."""
        if self._closing:
            return
        kind = "bytes" if isinstance(data, bytes) else "text"
        message: Message = {"type": "websocket.send", kind: data}
        if self._held is None and self._write_now(message):
            return
        waiting = len(self._queue) if self._held is None else len(self._held)
        full = waiting >= limits.CONNECTION_QUEUE_MESSAGES
        size = _size(data)
        if full or self._bytes + size > limits.CONNECTION_QUEUE_BYTES:
            self.close(TOO_SLOW, "too slow")
            return
        self._bytes += size
        if self._held is None:
            self._start(message)
        else:
            self._held.append(data)

    async def flushed(self) -> bool:
        """Wait until nothing is queued; False if it is closing and some of it may be lost."""
        if self._draining:
            if self._drained is None:
                self._drained = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._drained)
        return not self._closing

    def close(self, code: int, reason: str) -> None:
        """Close after what is queued; a slow connection drops its queue."""
        if self._closing:
            return
        self._closing = True
        self._held = None
        self.close_code = code
        if code == TOO_SLOW:
            self._queue.clear()
        message: Message = {"type": "websocket.close", "code": code, "reason": reason}
        if not self._write_now(message):
            self._start(message)
        self._on_close()

    @property
    def closing(self) -> bool:
        """Whether it was told to close, or its peer is gone."""
        return self._closing

    def _write_now(self, message: Message) -> bool:
        """Write without a task if nothing is queued and the transport takes it.

        The server's send waits, before it writes anything, only while the transport is paused:
        the first step of its coroutine tells, and a coroutine that wants to wait has written
        nothing and is dropped.
        """
        if self._draining:
            return False
        step = self._send(message).__await__()
        try:
            next(step)
        except StopIteration:
            return True
        except Exception:
            # The peer is gone; the receiving side hears of it too.
            self._closing = True
            return True
        step.close()
        return False

    def _start(self, message: Message) -> None:
        self._queue.append(message)
        if not self._draining:
            self._draining = True
            self._tasks.start(self._drain())

    async def _drain(self) -> None:
        try:
            while self._queue:
                message = self._queue.popleft()
                await self._send(message)
                self._bytes -= _size(message.get("bytes") or message.get("text") or b"")
        except Exception:
            # Each server raises its own when the peer is gone; the receiving side hears of it too.
            self._closing = True
            self._queue.clear()
        finally:
            self._draining = False
            drained, self._drained = self._drained, None
            if drained is not None:
                drained.set_result(None)


def _size(data: Frame) -> int:
    """How many bytes go over the wire."""
    return len(data) if isinstance(data, bytes) else len(data.encode())
