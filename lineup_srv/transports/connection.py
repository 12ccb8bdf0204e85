"""The outgoing side of one WebSocket: a bounded queue that never holds anyone up.

A frame is written at once while the transport takes it; otherwise it waits in a queue, and a task
drains that. A queue that is full closes the connection with 1013, and the device resyncs.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from lineup_srv.contract import limits

if TYPE_CHECKING:
    from starlette.types import Message, Send

    from lineup_srv.service.ports import Tasks

__all__ = ["TOO_SLOW", "Connection"]

TOO_SLOW = 1013


class Connection:
    """Sends frames to one device.

    Args:
        send: the ASGI send of the socket.
        tasks: owns the task that drains the queue while there is one.
    """

    __slots__ = ("_bytes", "_closing", "_draining", "_held", "_queue", "_send", "_tasks")

    def __init__(self, send: Send, tasks: Tasks) -> None:
        """Hold everything back until `release`: the login's answer comes first."""
        self._send = send
        self._tasks = tasks
        self._queue: deque[Message] = deque()
        self._bytes = 0
        self._draining = False
        self._closing = False
        self._held = True

    def release(self, first: list[bytes]) -> None:
        """Send the login's answer, then what was held back."""
        held = list(self._queue)
        self._queue.clear()
        self._held = False
        for data in first:
            self.write(data)
        for message in held:
            self._bytes -= len(message["bytes"])
            self.write(message["bytes"])

    def write(self, data: bytes) -> None:
        """Queue one binary frame. Never waits."""
        if self._closing:
            return
        self._put({"type": "websocket.send", "bytes": data}, len(data))

    def close(self, code: int, reason: str) -> None:
        """Close after what is queued; a slow connection drops its queue."""
        if self._closing:
            return
        self._closing = True
        if code == TOO_SLOW:
            self._queue.clear()
        self._held = False
        self._start({"type": "websocket.close", "code": code, "reason": reason})

    @property
    def closing(self) -> bool:
        """Whether it was told to close."""
        return self._closing

    def _put(self, message: Message, size: int) -> None:
        if not self._held and not self._draining and self._write_now(message):
            return
        full = len(self._queue) >= limits.CONNECTION_QUEUE_MESSAGES
        if full or self._bytes + size > limits.CONNECTION_QUEUE_BYTES:
            self.close(TOO_SLOW, "too slow")
            return
        self._bytes += size
        if self._held or self._draining:
            self._queue.append(message)
        else:
            self._start(message)

    def _write_now(self, message: Message) -> bool:
        """Write without a task if the transport takes it.

        The server's send waits, before it writes anything, only while the transport is paused:
        the first step of its coroutine tells, and a coroutine that wants to wait has written
        nothing and is dropped.
        """
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
                self._bytes -= len(message.get("bytes", b""))
        except Exception:
            self._closing = True
            self._queue.clear()
        finally:
            self._draining = False
