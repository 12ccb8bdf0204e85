"""The bridge's standing at the relay: the Attach stream, and every call that waits by it.

The stream is the lease; a call that waits stays in the list that opens it, so a relay restart is
survived. All rpcs of waiting calls are made by tasks of the lease: a cancelled call leaves nothing
half done.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING, Final

from lineup_mcp.attaching import Attaching
from lineup_mcp.changes import Changes
from lineup_mcp.endings import has_answer
from lineup_mcp.mailbox import Item, Mailbox
from lineup_mcp.opening import bring
from lineup_mcp.relay_client import RelayClient, RelayUnreachable
from lineup_mcp.waits import Waits
from lineup_srv.contract.errors import LineUpError
from lineup_srv.wire._gen.lineup.v1 import relay_pb2, request_pb2

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from lineup_mcp.identity import Identity
    from lineup_mcp.waits import Wait

__all__ = ["Lease", "identity_message"]

_log = logging.getLogger(__name__)

_PAUSE_SECONDS: Final = 0.1
_FIRST_ATTACH_SECONDS: Final = 0.3
_MILLISECONDS: Final = 1000


class Lease:
    """Holds the lease of one agent.

    Args:
        identity: who this is; set `identity` again when the program has introduced itself.
        connect: makes the client; called once for each relay address that is tried.
        start_relay: called when a call finds no relay; may start one and may say that it listens
            elsewhere by returning its gRPC port, else 0.
    """

    def __init__(
        self,
        identity: Identity,
        connect: Callable[[int], RelayClient],
        start_relay: Callable[[], Awaitable[int]],
    ) -> None:
        self.identity = identity
        self.mailbox = Mailbox()
        self.devices_online = 0
        self.on_catalog: Callable[[int], None] = lambda _revision: None
        """Called with the revision of the room's tools when it changed, and with 0 after each
        Attach: what was known before may be of another relay."""
        self._waits = Waits()
        self._attaching = Attaching(
            connect, start_relay, self._request, self._on_event, lambda: bool(self._waits)
        )
        self._changes = Changes(identity.agent_id, self._waits, self.mailbox)
        self._early: list[Callable[[], Coroutine[None, None, None]]] = []
        self._clock = (0, 0.0)
        self._taking = asyncio.Lock()
        self._tasks: asyncio.TaskGroup | None = None

    @property
    def target(self) -> str:
        """The relay's address, for people."""
        return self.client.target

    @property
    def client(self) -> RelayClient:
        """For rpcs that tasks of the lease make."""
        return self._attaching.client

    @property
    def attached(self) -> bool:
        """The relay holds the lease now."""
        return self._attaching.attached.is_set()

    @property
    def ever_used(self) -> bool:
        """The relay may know this agent."""
        return self._attaching.tried or bool(self._waits)

    async def until_attached(self, until: float) -> None:
        """Wait for the lease, pressing for it.

        Args:
            until: when to give up, in the event loop's time.

        Raises:
            RelayUnreachable: not until then.
            LineUpError: the relay refuses this agent.
        """
        await self._attaching.until(until)

    async def run(self) -> None:
        """Keep the lease until cancelled."""
        try:
            async with asyncio.TaskGroup() as tasks:
                self._tasks = tasks
                tasks.create_task(self._attaching.run())
                tasks.create_task(self._send_changes())
                while self._early:
                    tasks.create_task(self._early.pop()())
        finally:
            await self.client.close()

    # ---- for the calls ----------------------------------------------------------

    def begin(self, wait: Wait) -> None:
        """Open the request, or go on waiting for it. `wait.outcome` gets the end or the error.

        The error is RelayUnreachable (nobody has seen it) or LineUpError (the relay refuses).
        """
        self._waits.begin(wait)
        self.start(partial(bring, self, wait, self._heard))

    def start(self, work: Callable[[], Coroutine[None, None, None]]) -> None:
        """Have a task of the lease do something, now or as soon as it runs. It must not raise."""
        if self._tasks is not None:
            self._tasks.create_task(work())
        else:
            self._early.append(work)

    def end(self, wait: Wait) -> None:
        """The call no longer waits; the card stays as it is."""
        self._waits.end(wait)
        self._changes.list_changed()

    def call_received(self, call_id: str) -> None:
        """The end of a call has reached the agent program."""
        self._changes.call_received(call_id)

    def withdraw_call(self, call_id: str) -> None:
        """The host cancelled a call that a device may have."""
        self._changes.call_cancelled(call_id)

    def withdraw(self, wait: Wait) -> None:
        """The host cancelled the call: the card goes."""
        self.end(wait)
        if wait.sent:
            self._changes.cancelled(wait.request_id)

    @property
    def waiting_count(self) -> int:
        """How many calls wait."""
        return len(self._waits)

    async def fetch_mail(self, *, within_seconds: float) -> None:
        """Take what the relay keeps for this agent, if there may be something. Never raises.

        A task of this module makes the rpc: gRPC answers the cancel of a call with a
        CancelledError of its own, which the SDK would take for the end of everything.
        """
        async with self._taking:
            if self._attaching.tried and self._clock == (0, 0.0):
                # The very first call may be faster than the first Attach.
                await self._attaching.news(_FIRST_ATTACH_SECONDS)
            if self._tasks is None or not self.attached or not self.mailbox.should_ask:
                return
            taking = self._tasks.create_task(self._take_mail(within_seconds))
            await asyncio.wait({taking}, timeout=within_seconds)

    async def _take_mail(self, within_seconds: float) -> None:
        mailbox = self.mailbox
        # Before the call: what the relay counts during it is news.
        before, mailbox.waiting_at_relay = mailbox.waiting_at_relay, 0
        try:
            taken = await self.client.take_messages(
                self.identity.agent_id, within_seconds=within_seconds
            )
        except (RelayUnreachable, LineUpError) as error:
            _log.debug("mailbox not taken: %s", type(error).__name__)
            mailbox.waiting_at_relay = max(mailbox.waiting_at_relay, before)
            return
        # A waiting list that was under way when a call began makes that call's answer mail.
        outcomes = [o for o in taken.outcomes if not self._waits.heard(o, None, self._now())]
        items = [Item(outcome=outcome) for outcome in outcomes]
        mailbox.took([*items, *(Item(text=text) for text in taken.texts)])
        self._changes.press()

    def delivered(self) -> None:
        """Something in the mailbox left with a result: tell the relay."""
        self._changes.press()

    def relay_now_ms(self) -> int:
        """The relay's clock, Unix ms; 0 before the first Attach."""
        clock, at = self._clock
        return clock + int((self._now() - at) * _MILLISECONDS) if clock else 0

    async def goodbye(self, *, within_seconds: float) -> None:
        """End the agent at the relay. Never raises, never takes longer."""
        try:
            async with asyncio.timeout(within_seconds):
                await self.client.goodbye(self.identity.agent_id, within_seconds=within_seconds)
        except (TimeoutError, RelayUnreachable, LineUpError) as error:
            _log.debug("goodbye not heard: %s", type(error).__name__)

    # ---- the stream -------------------------------------------------------------

    def _request(self) -> relay_pb2.AttachRequest:
        self._changes.list_sent()
        return relay_pb2.AttachRequest(
            agent=identity_message(self.identity), waiting_ids=self._waits.ids()
        )

    def _on_event(self, event: relay_pb2.AttachResponse) -> None:
        match event.WhichOneof("event"):
            case "attached":
                self._clock = (event.attached.clock_unix_ms, self._now())
                self._changes.press()
                self.on_catalog(0)
            case "outcome":
                self._heard(event.outcome, None)
            case "deadline_moved":
                moved = event.deadline_moved
                left = (moved.deadline_unix_ms - self.relay_now_ms()) / _MILLISECONDS
                self._waits.move(moved.request_id, self._now() + left)
            case "unknown_request":
                self._open_again(event.unknown_request.request_id)
            case "mailbox_count":
                self.mailbox.counted(event.mailbox_count.count)
            case "catalog_changed":
                self.on_catalog(event.catalog_changed.revision)
            case "devices_online":
                self.devices_online = event.devices_online.count
            case _:
                _log.debug("an event of a newer relay is ignored")

    def _heard(self, outcome: relay_pb2.Outcome, caller: Wait | None) -> None:
        self.devices_online = max(outcome.devices_online, 0)
        if not self._waits.heard(outcome, caller, self._now()):
            if has_answer(outcome):
                self.mailbox.keep([Item(outcome=outcome, own=True)])
        elif outcome.state == request_pb2.REQUEST_STATE_PENDING:
            self._changes.list_changed()

    def _open_again(self, request_id: str) -> None:
        for wait in self._waits.lost(request_id):
            self.start(partial(bring, self, wait, self._heard))

    async def _send_changes(self) -> None:
        while True:
            await self._changes.wait()
            await self._attaching.attached.wait()
            try:
                await self._changes.send(self.client)
            except RelayUnreachable:
                self._changes.press()
                await asyncio.sleep(_PAUSE_SECONDS)
            except LineUpError as error:
                _log.warning("the relay refuses a change: %s", error.code.value)

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()


def identity_message(identity: Identity) -> relay_pb2.AgentIdentity:
    """The identity as the relay takes it."""
    return relay_pb2.AgentIdentity(
        agent_id=identity.agent_id,
        client=identity.client,
        machine=identity.machine,
        session=identity.session,
        directory=identity.directory,
        machine_name=identity.machine_name,
        client_version=identity.client_version,
    )
