"""The MCP channel on stdin and stdout: lines in, lines out, and to know when a line has left.

A transport of our own, because a result may be confirmed to the relay only after it was flushed,
because a full pipe must not block the event loop, and because stdout must carry nothing but MCP.
Reading and writing are done by one thread each; the process does not wait for them at its end.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import sys
import threading
from typing import TYPE_CHECKING, Final, Protocol

from lineup_mcp.jsonrpc import PARSE_ERROR, Malformed, Message, encode, parse
from lineup_srv.contract import limits

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Lines", "StdioChannel", "claim_standard_streams"]

_CHUNK_BYTES: Final = 256 * 1024


def claim_standard_streams() -> tuple[int, int]:
    """Take stdin and stdout for MCP alone, before anything can print.

    Descriptor 1 and `sys.stdout` then lead to stderr, so that a stray print, a warning of a C
    library or a child process cannot break the protocol; descriptor 0 reads nothing.

    Returns:
        the private descriptors to read from and to write to.

    Raises:
        OSError: the process was started without stdin or stdout.
    """
    source, sink = _private_copy(0), _private_copy(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(nothing, 1)
    os.close(nothing)
    sys.stdout = sys.stderr
    return source, sink


def _private_copy(descriptor: int) -> int:
    """A copy that children do not inherit and that is none of 0, 1, 2."""
    copy = os.dup(descriptor)
    if copy > 2:
        return copy
    try:
        return _private_copy(descriptor)
    finally:
        os.close(copy)


class Lines(Protocol):
    """A connection that carries JSON-RPC messages."""

    @property
    def unread(self) -> int:
        """Messages that came in and were not received yet."""
        ...

    @property
    def drained(self) -> bool:
        """Nothing waits to be written."""
        ...

    async def receive(self) -> Message | Malformed | None:
        """The next message or malformed line; None at the end of the input."""
        ...

    async def send(self, message: Message) -> None:
        """Write a message; returns when the system has taken all of it.

        Raises:
            OSError: nobody reads it any more.
        """
        ...


class StdioChannel:
    """JSON-RPC messages over a pair of descriptors, for the running event loop.

    Args:
        source: the descriptor to read from.
        sink: the descriptor to write to.
        on_end: called on the loop, once or twice, when the other side closed its end or no longer
            reads; messages that came before are still to be received.
    """

    def __init__(self, source: int, sink: int, *, on_end: Callable[[], None]) -> None:
        self._on_end = on_end
        self._source = source
        self._sink = sink
        self._loop = asyncio.get_running_loop()
        self._incoming: asyncio.Queue[Message | Malformed | None] = asyncio.Queue()
        self._room = threading.Semaphore(limits.UNREAD_MESSAGES)
        self._outgoing: queue.SimpleQueue[tuple[bytes, asyncio.Future[None]] | None]
        self._outgoing = queue.SimpleQueue()
        self._unsent = 0
        self._broken = False

    def start(self) -> None:
        """Start reading and writing."""
        for name, target in (("stdin", self._read), ("stdout", self._write)):
            threading.Thread(target=target, name=f"lineup-{name}", daemon=True).start()

    @property
    def unread(self) -> int:
        """Messages that came in and were not received yet."""
        return self._incoming.qsize()

    @property
    def drained(self) -> bool:
        """Nothing waits to be written."""
        return self._unsent == 0

    async def receive(self) -> Message | Malformed | None:
        """The next message or malformed line; None at the end of the input."""
        item = await self._incoming.get()
        self._room.release()
        return item

    async def send(self, message: Message) -> None:
        """Write a message; returns when the system has taken all of it.

        Raises:
            BrokenPipeError: the other side is gone.
        """
        if self._broken:
            raise BrokenPipeError
        done: asyncio.Future[None] = self._loop.create_future()
        self._unsent += 1
        self._outgoing.put((encode(message), done))
        try:
            await asyncio.shield(done)
        finally:
            if done.done() and not done.cancelled():
                done.exception()

    def close(self) -> None:
        """Let the writer end when it has written what it was given."""
        self._outgoing.put(None)

    def _read(self) -> None:
        """The reading thread: bytes to lines to messages."""
        pending = bytearray()
        overlong = False
        while chunk := self._read_chunk():
            *lines, rest = chunk.split(b"\n")
            for part in lines:
                pending += part
                if overlong or len(pending) > limits.MESSAGE_BYTES:
                    self._deliver(Malformed(PARSE_ERROR, "Parse error: the line is too long"))
                elif line := bytes(pending).strip():
                    self._deliver(parse(line))
                pending.clear()
                overlong = False
            pending += rest
            if len(pending) > limits.MESSAGE_BYTES:
                overlong = True
                pending.clear()
        # A last line without its end is still a message to many programs.
        if line := bytes(pending).strip():
            self._deliver(parse(line))
        self._deliver(None)
        self._call(self._on_end)

    def _read_chunk(self) -> bytes:
        try:
            return os.read(self._source, _CHUNK_BYTES)
        except OSError:
            return b""

    def _deliver(self, item: Message | Malformed | None) -> None:
        self._room.acquire()
        self._call(self._incoming.put_nowait, item)

    def _write(self) -> None:
        """The writing thread."""
        while (item := self._outgoing.get()) is not None:
            data, done = item
            try:
                view = memoryview(data)
                while view:
                    view = view[os.write(self._sink, view) :]
            except OSError:
                self._broken = True
                self._call(self._settle, done, BrokenPipeError())
                self._call(self._on_end)
            else:
                self._call(self._settle, done, None)

    def _settle(self, done: asyncio.Future[None], error: Exception | None) -> None:
        self._unsent -= 1
        if done.done():
            return
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)

    def _call(self, function: Callable[..., object], *args: object) -> None:
        """Run something on the loop; the loop may have ended."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(function, *args)
