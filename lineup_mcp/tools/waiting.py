"""How long a call waits: slices that fit the agent program, and signs of life meanwhile."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from lineup_mcp.phrases import online, span
from lineup_mcp.relay_client import RelayUnreachable

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from lineup_mcp.lease import Lease
    from lineup_mcp.tools.call import Call

__all__ = ["Held", "Progress", "hold"]

T = TypeVar("T")

_RELAY_GRACE_SECONDS: Final = 15.0
_LOOK_SECONDS: Final = 5.0
_LOOK_UNSENT_SECONDS: Final = 0.1


class Progress(Protocol):
    """Gives a sign of life: how much is done, how much there is, and words for people."""

    def __call__(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> Awaitable[None]: ...


class Held(Protocol[T]):
    """What a call waits for: a request, or the call of a tool.

    `deadline` and `sent_at` are in the event loop's time; `sent_at` is None until the relay may
    know of it.
    """

    deadline: float
    sent_at: float | None
    outcome: asyncio.Future[T]

    @property
    def sent(self) -> bool:
        """The relay may know of it."""
        ...


async def hold(lease: Lease, wait: Held[T], call: Call) -> T | None:
    """Wait for the outcome of a request or call that was begun.

    Args:
        lease: which `wait` was begun with.
        wait: what is waited for; its deadline may move meanwhile.
        call: how long this may take, and who is told that it goes on.

    Returns:
        the outcome, or None when the slice ended first.

    Raises:
        RelayUnreachable: no relay was there when the time was over, or none to begin with.
        LineUpError: the relay refuses the request.
    """
    clock = asyncio.get_running_loop().time
    begun = clock()
    beat = begun + call.heartbeat_seconds if call.progress is not None else math.inf
    while True:
        slice_end = _slice_end(wait, begun, call.slice_seconds)
        until = min(slice_end, _given_up(lease, wait, begun), beat)
        # Looked at now and then: it may be sent, its deadline may move, the relay may vanish.
        look = _LOOK_SECONDS if wait.sent else _LOOK_UNSENT_SECONDS
        await asyncio.wait({wait.outcome}, timeout=max(min(until - clock(), look), 0.0))
        now = clock()
        if wait.outcome.done():
            return wait.outcome.result()
        if now >= slice_end:
            return None
        if now >= _given_up(lease, wait, begun):
            msg = "the relay was away when the time was over"
            raise RelayUnreachable(msg)
        if call.progress is not None and now >= beat:
            beat = now + call.heartbeat_seconds
            await _beat(call.progress, lease, now - begun, max(wait.deadline - now, 0.0))


def _slice_end(wait: Held[T], begun: float, slice_seconds: float | None) -> float:
    """When the call comes back without an outcome; a card that was not shown yet is no card to come
    back to.
    """
    if slice_seconds is None or wait.sent_at is None:
        return math.inf
    return max(wait.sent_at, begun) + slice_seconds


def _given_up(lease: Lease, wait: Held[T], begun: float) -> float:
    """When there is no more to hear, once the relay may know of it."""
    if not wait.sent:
        return math.inf
    # The deadline may be over and have been moved: then the relay is about to say so.
    over = max(wait.deadline, begun)
    return over + (_RELAY_GRACE_SECONDS if lease.attached else 0.0)


async def _beat(progress: Progress, lease: Lease, passed: float, left: float) -> None:
    """A sign of life, with the seconds that have passed and are left."""
    how = f"Waiting for the human: {online(lease.devices_online)}, {span(left)} left."
    await progress(passed, passed + left, how)
