"""How long a call looks for the relay: one rule for questions, reports and calls of tools (design
§7).

A call that nobody has seen is given up after `limits.UNREACHABLE_SECONDS`; one that the relay may
have is brought to it until its deadline, which the relay may move meanwhile.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, Protocol

from lineup_mcp.relay_client import RelayUnreachable
from lineup_srv.contract import limits
from lineup_srv.contract.errors import LineUpError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from lineup_mcp.lease import Lease

__all__ = ["Reaching", "reach"]

_PAUSE_SECONDS: Final = 0.1


class Reaching(Protocol):
    """A call on its way. Times are the event loop's."""

    deadline: float
    """When it ends, as far as is known now."""
    sent_at: float | None
    """When the relay was first told of it; None until then."""

    def ended(self) -> bool:
        """Its end is known, or nobody waits for it."""
        ...

    def fail(self, error: Exception) -> None:
        """End it with RelayUnreachable or LineUpError; ignored if it has ended."""
        ...


async def reach(lease: Lease, call: Reaching, tell: Callable[[], Awaitable[bool]]) -> None:
    """Bring a call to the relay as often as it takes; `call` gets the error if that fails.

    While it looks, it presses for the lease: a relay of this machine is started if none runs.

    Args:
        lease: running.
        call: on its way.
        tell: makes the rpc; returns whether the relay needs no further one. May raise
            RelayUnreachable, and then it is made again; LineUpError ends the call.
    """
    clock = asyncio.get_running_loop().time
    unseen_until = clock() + limits.UNREACHABLE_SECONDS

    def until() -> float:
        return unseen_until if call.sent_at is None else max(call.deadline, unseen_until)

    while not call.ended():
        try:
            await lease.until_attached(until())
            if call.ended():
                return
            call.sent_at = call.sent_at or clock()
            if await tell():
                return
        except RelayUnreachable as error:
            if clock() >= until():
                call.fail(error)
        except LineUpError as error:
            call.fail(error)
        if not call.ended():
            await asyncio.sleep(_PAUSE_SECONDS)
