"""One question or report without an agent program: for scripts and people at a shell.

It goes the way of every other: a lease, the tools' own code, goodbye. Interrupted, it withdraws the
card before it ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lineup_mcp.attachments import attached
from lineup_mcp.autostart import Starter
from lineup_mcp.errands import ask_once
from lineup_mcp.handover import of_item
from lineup_mcp.identity import make_identity
from lineup_mcp.lease import Lease
from lineup_mcp.relay_client import RelayClient, RelayUnreachable
from lineup_mcp.tools.asking import Asking
from lineup_mcp.tools.call import Call
from lineup_mcp.tools.reading import ArgumentError
from lineup_mcp.tools.surroundings import Surroundings
from lineup_mcp.whereabouts import look
from lineup_srv.contract.errors import LineUpError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from lineup_mcp.config import BridgeConfig
    from lineup_mcp.mailbox import Item
    from lineup_mcp.tools.call import Reply

__all__ = ["Interrupted", "carry_out"]

_CLIENT: Final = "lineup-mcp"
_GOODBYE_SECONDS: Final = 1.0
_ACK_SECONDS: Final = 2.0
_MAIL_SECONDS: Final = 2.0


class Interrupted(Exception):
    """A signal ended it; the card is withdrawn.

    Args:
        number: the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(f"signal {number}")
        self.number = number


def carry_out(
    config: BridgeConfig,
    act: Callable[[Asking, Call], Awaitable[Reply]],
    deliver: Callable[[Reply, Sequence[str]], int],
) -> int:
    """Ask or report, hand over what came of it, and confirm that to the relay.

    Args:
        config: where the relay is, and the name to ask under.
        act: asks or reports.
        deliver: takes the reply and what waited besides, in words; returns the exit status. What
            it raises is raised, and then nothing is confirmed.

    Returns:
        the exit status.

    Raises:
        Interrupted: by SIGINT or SIGTERM.
        ArgumentError: an argument cannot be used; nothing was shown.
    """
    return asyncio.run(_carry_out(config, act, deliver))


async def _carry_out(
    config: BridgeConfig,
    act: Callable[[Asking, Call], Awaitable[Reply]],
    deliver: Callable[[Reply, Sequence[str]], int],
) -> int:
    lease, asking = _made(config)
    call = Call(slice_seconds=None, heartbeat_seconds=config.heartbeat_seconds, progress=None)
    status, failure = 0, None
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(lease.run())
        try:
            reply = await _interruptible(act(asking, call))
            items = await _mail(lease, reply)
            words = await asyncio.to_thread(lambda: [_words(item) for item in items])
            status = deliver(reply, words)
            await _confirm(lease, reply, items)
        except (Interrupted, ArgumentError) as error:
            # Raised behind the group, which would wrap it.
            failure = error
        if lease.ever_used:
            await lease.goodbye(within_seconds=_GOODBYE_SECONDS)
        running.cancel()
    if failure is not None:
        raise failure
    return status


def _made(config: BridgeConfig) -> tuple[Lease, Asking]:
    """A lease of its own, and the tools that go by it."""
    directory = Path.cwd()
    identity = make_identity(agent_name=config.agent or _CLIENT, environ={}, directory=directory)
    starter = Starter(config, environ=os.environ)
    lease = Lease(identity, lambda port: RelayClient(config, grpc_port=port), starter.start)
    around = Surroundings(
        lease=lease,
        look=partial(look, config),
        environ={},
        working_directory=directory,
        private_urls=config.private_urls,
    )
    return lease, Asking(around)


async def _mail(lease: Lease, reply: Reply) -> list[Item]:
    """What waited for the shell in this directory: late answers to earlier calls, messages to them.

    Not what was written to every agent: who ran the command may be a script that nobody reads, and
    taking it would keep it from the next agent.
    """
    mailbox = lease.mailbox
    mailbox.leave_with(reply.outcome)
    await lease.fetch_mail(within_seconds=_MAIL_SECONDS)
    found = mailbox.leave_with(None)
    return [item for item in found if item.text is None or item.text.agent_id]


def _words(item: Item) -> str:
    """One item in words, what is attached as files; does file I/O."""
    return attached(of_item(item), pictures=False, sounds=False).text


async def _confirm(lease: Lease, reply: Reply, items: Sequence[Item]) -> None:
    """All that was printed: nobody gets it again."""
    outcomes = [reply.outcome, *(item.outcome for item in items)]
    requests = [outcome.request_id for outcome in outcomes if outcome is not None]
    texts = [item.text.message_id for item in items if item.text is not None]
    if not (requests or texts):
        return
    agent_id = lease.identity.agent_id
    with contextlib.suppress(RelayUnreachable, LineUpError, TimeoutError):
        async with asyncio.timeout(_ACK_SECONDS):
            await ask_once(lease, lambda client: client.ack_messages(agent_id, requests, texts))


async def _interruptible(work: Awaitable[Reply]) -> Reply:
    """Await something that SIGINT and SIGTERM cancel.

    Raises:
        Interrupted: one of them came.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    came: list[int] = []

    def stop(number: int, _frame: object) -> None:
        came.append(number)
        loop.call_soon_threadsafe(task.cancel)

    kept = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        return await work
    except asyncio.CancelledError:
        if not came:
            raise
        task.uncancel()
        raise Interrupted(came[0]) from None
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
