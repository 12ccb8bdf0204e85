"""Single rpcs of calls that wait for nobody: told to the relay once, by a task of the lease."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from lineup_mcp.relay_client import RelayUnreachable
from lineup_srv.contract import limits
from lineup_srv.contract.errors import LineUpError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from lineup_mcp.lease import Lease
    from lineup_mcp.relay_client import RelayClient

__all__ = ["MaybeHeard", "ask_once"]

A = TypeVar("A")


class MaybeHeard(RelayUnreachable):
    """The relay went away during the rpc, which it may have done."""


async def ask_once(lease: Lease, rpc: Callable[[RelayClient], Awaitable[A]]) -> A:
    """Make an rpc when the relay is there.

    A task of the lease makes it: gRPC answers the cancel of a call with a CancelledError of its
    own, which the SDK would take for the end of everything. It is not made twice: nobody knows
    whether the first one was heard.

    Args:
        lease: running, or about to.
        rpc: makes it.

    Raises:
        MaybeHeard: the relay went away meanwhile.
        RelayUnreachable: there is no relay; nothing was sent.
        LineUpError: the relay refuses.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[A] = loop.create_future()

    async def work() -> None:
        made = False
        try:
            await lease.until_attached(loop.time() + limits.UNREACHABLE_SECONDS)
            made = True
            got = await rpc(lease.client)
        except RelayUnreachable as error:
            _settle(answer, MaybeHeard(str(error)) if made else error)
        except LineUpError as error:
            _settle(answer, error)
        else:
            if not answer.done():
                answer.set_result(got)

    lease.start(work)
    return await answer


def _settle(answer: asyncio.Future[A], error: Exception) -> None:
    if not answer.done():
        answer.set_exception(error)
