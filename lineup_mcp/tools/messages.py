"""`check_messages`: what the human wrote meanwhile, now or as soon as something comes.

The messages themselves go with its result as they go with every other one's.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from lineup_mcp.absence import unreachable
from lineup_mcp.phrases import online
from lineup_mcp.relay_client import RelayUnreachable
from lineup_mcp.results import Result, refused
from lineup_mcp.tools.call import Reply
from lineup_mcp.tools.reading import ArgumentError, seconds_of
from lineup_srv.contract import limits
from lineup_srv.contract.errors import LineUpError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineup_mcp.tools.call import Call
    from lineup_mcp.tools.surroundings import Surroundings

__all__ = ["Messages"]


class Messages:
    """The messages of one bridge.

    Args:
        around: the lease, and where the relay should be.
    """

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._lease = around.lease

    async def check(self, raw: Mapping[str, object], call: Call) -> Reply:
        """Wait for a message, if asked to.

        Raises:
            ArgumentError: `wait` is no number.
        """
        seconds = _wait_seconds(raw.get("wait"))
        until = min(seconds, call.slice_seconds or seconds)
        try:
            now = asyncio.get_running_loop().time()
            await self._lease.until_attached(now + limits.UNREACHABLE_SECONDS)
        except RelayUnreachable:
            sight = await asyncio.to_thread(self._around.look)
            return Reply(unreachable(sight, question=None, report=False, was_shown=False))
        except LineUpError as error:
            return Reply(refused(error, question="", report=False))
        if until:
            await self._wait(until, call)
        waited = f" within {until:g} s" if until else " since your last call"
        next_step = "Go on with your work."
        if until < seconds:
            next_step = (
                f"Go on with your work, or call check_messages with wait={seconds - until:g} to go "
                "on waiting."
            )
        return Reply(
            Result("Messages: the human wrote or answered something; it follows."),
            without_mail=Result(
                f"No messages: the human wrote nothing{waited} "
                f"({online(self._lease.devices_online)}).\n{next_step}"
            ),
        )

    async def _wait(self, seconds: float, call: Call) -> None:
        """Until the relay has something, or the time is over; with signs of life."""
        clock = asyncio.get_running_loop().time
        begun = clock()
        until = begun + seconds
        while (left := until - clock()) > 0:
            step = left if call.progress is None else min(left, call.heartbeat_seconds)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(step):
                    await self._lease.mailbox.news()
                    return
            if call.progress is not None and clock() < until:
                how = f"Waiting for a message: {online(self._lease.devices_online)}."
                await call.progress(clock() - begun, seconds, how)


def _wait_seconds(raw: object) -> float:
    if raw is None or raw == "" or raw is False:
        return 0.0
    if raw is True:
        return float(limits.DEFAULT_TIMEOUT_SECONDS)
    seconds = seconds_of(raw)
    if seconds is None:
        raise ArgumentError("wait", "must be a number of seconds")
    return min(max(seconds, 0.0), float(limits.TOOL_MAX_TIMEOUT_SECONDS))
