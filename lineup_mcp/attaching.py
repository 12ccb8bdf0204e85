"""Keeps the Attach stream open, with growing pauses, for as long as the process lives."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from typing import TYPE_CHECKING, Final

from lineup_mcp.relay_client import RelayClient, RelayUnreachable
from lineup_srv.contract.errors import LineUpError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from lineup_srv.wire._gen.lineup.v1 import relay_pb2

__all__ = ["Attaching"]

_log = logging.getLogger(__name__)

_EAGER_PAUSE_SECONDS: Final = 0.1
_WAITED_FOR_PAUSE_SECONDS: Final = 0.5
"""The longest while a call waits for the relay."""
_LONGEST_PAUSE_SECONDS: Final = 10.0
_STABLE_SECONDS: Final = 5.0


class Attaching:
    """The stream of one agent, and the client that its rpcs go by.

    Args:
        connect: makes the client; called once for each relay address that is tried.
        start_relay: called when a call finds no relay; may start one and may say that it listens
            elsewhere by returning its gRPC port, else 0.
        request: makes what the relay is asked for, at each try anew.
        hear: takes each event of the stream.
        waited_for: whether something waits that only the relay can end: then it is looked for as
            by `until`.
    """

    def __init__(
        self,
        connect: Callable[[int], RelayClient],
        start_relay: Callable[[], Awaitable[int]],
        request: Callable[[], relay_pb2.AttachRequest],
        hear: Callable[[relay_pb2.AttachResponse], None],
        waited_for: Callable[[], bool],
    ) -> None:
        self.client = connect(0)
        """Of the relay that was found last."""
        self.tried = False
        """A relay may know this agent: it was asked for the lease."""
        self.attached = asyncio.Event()
        """Set while the relay holds the lease."""
        self._connect = connect
        self._start_relay = start_relay
        self._request = request
        self._hear = hear
        self._waited_for = waited_for
        self._port = 0
        self._news = asyncio.Event()
        self._kick = asyncio.Event()
        self._refusal: LineUpError | None = None
        self._eager = 0

    async def run(self) -> None:
        """Keep the stream open until cancelled."""
        clock = asyncio.get_running_loop().time
        pause = _EAGER_PAUSE_SECONDS
        while True:
            begun = clock()
            try:
                await self._once()
            except RelayUnreachable as error:
                _log.debug("not attached: %s", error)
            except LineUpError as error:
                _log.warning("the relay at %s refuses: %s", self.client.target, error.code.value)
                self._refusal = error
            self.attached.clear()
            self._ring()
            if clock() - begun > _STABLE_SECONDS:
                pause = _EAGER_PAUSE_SECONDS
            pause = await self._pause(pause)

    async def until(self, until: float) -> None:
        """Wait for the lease, pressing for it.

        Args:
            until: when to give up, in the event loop's time.

        Raises:
            RelayUnreachable: not until then.
            LineUpError: the relay refuses this agent.
        """
        if self.attached.is_set():
            return
        self._eager += 1
        self._refusal = None
        self._kick.set()
        try:
            async with asyncio.timeout_at(until):
                while not self.attached.is_set():
                    if self._refusal is not None:
                        raise self._refusal
                    await self._news.wait()
        except TimeoutError:
            msg = f"no relay at {self.client.target}"
            raise RelayUnreachable(msg) from None
        finally:
            self._eager -= 1

    async def news(self, within_seconds: float) -> None:
        """Wait until a try has succeeded or failed, but no longer."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_seconds):
                await self._news.wait()

    async def _once(self) -> None:
        self.tried = True
        async with contextlib.aclosing(self.client.attach(self._request())) as events:
            async for event in events:
                if event.WhichOneof("event") == "attached":
                    self._refusal = None
                    self.attached.set()
                    self._ring()
                    _log.info("attached to the relay at %s", self.client.target)
                self._hear(event)

    async def _pause(self, pause: float) -> float:
        """Wait before the next try; returns the pause after that one."""
        longest = _LONGEST_PAUSE_SECONDS
        if (self._eager or self._waited_for()) and self._refusal is None:
            port = await self._start_relay()
            if port != self._port:
                self._port = port
                await self.client.close()
                self.client = self._connect(port)
            longest = _WAITED_FOR_PAUSE_SECONDS
        self._kick.clear()
        # A little chance, so that a room full of bridges does not come back in one instant.
        jittered = min(pause, longest) * random.uniform(0.8, 1.2)
        try:
            async with asyncio.timeout(jittered):
                await self._kick.wait()
        except TimeoutError:
            return min(pause * 2, longest)
        return _EAGER_PAUSE_SECONDS

    def _ring(self) -> None:
        self._news.set()
        self._news = asyncio.Event()
