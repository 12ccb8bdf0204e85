"""The bridge's standing at the relay: the Attach stream, and every call that waits by it.

The stream is the lease. It is opened again with growing pauses for as long as the process lives;
a call that waits stays in the list it carries, so a relay restart is survived. All rpcs of waiting
calls are made by tasks of this module: a cancelled call leaves nothing half done.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import random
from functools import partial
from typing import TYPE_CHECKING, Final

from lineup_mcp.changes import Changes
from lineup_mcp.endings import has_answer
from lineup_mcp.mailbox import Item, Mailbox
from lineup_mcp.relay_client import RelayClient, RelayUnreachable
from lineup_mcp.waits import Waits
from lineup_srv.contract import limits
from lineup_srv.contract.errors import LineUpError
from lineup_srv.wire._gen.lineup.v1 import relay_pb2, request_pb2

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from lineup_mcp.identity import Identity
    from lineup_mcp.waits import Wait

__all__ = ["UNREACHABLE_SECONDS", "Lease"]

_log = logging.getLogger(__name__)

UNREACHABLE_SECONDS: Final = 10.0
"""How long a call that nobody has seen yet looks for a relay."""
_EAGER_PAUSE_SECONDS: Final = 0.1
_LONGEST_PAUSE_SECONDS: Final = 10.0
_STABLE_SECONDS: Final = 5.0
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
        self._connect = connect
        self._start_relay = start_relay
        self._port = 0
        self._client = connect(0)
        self._waits = Waits()
        self._changes = Changes(identity.agent_id, self._waits, self.mailbox)
        self._early: list[Callable[[], Coroutine[None, None, None]]] = []
        self._attached = asyncio.Event()
        self._news = asyncio.Event()
        self._kick = asyncio.Event()
        self._refusal: LineUpError | None = None
        self._attach_sent = False
        self._eager = 0
        self._clock = (0, 0.0)
        self._taking = asyncio.Lock()
        self._tasks: asyncio.TaskGroup | None = None

    @property
    def target(self) -> str:
        """The relay's address, for people."""
        return self._client.target

    @property
    def client(self) -> RelayClient:
        """For rpcs that tasks of the lease make."""
        return self._client

    @property
    def attached(self) -> bool:
        """The relay holds the lease now."""
        return self._attached.is_set()

    @property
    def ever_used(self) -> bool:
        """The relay may know this agent."""
        return self._attach_sent or bool(self._waits)

    async def run(self) -> None:
        """Keep the lease until cancelled."""
        try:
            async with asyncio.TaskGroup() as tasks:
                self._tasks = tasks
                tasks.create_task(self._keep_attached())
                tasks.create_task(self._send_changes())
                while self._early:
                    tasks.create_task(self._early.pop()())
        finally:
            await self._client.close()

    # ---- for the calls ----------------------------------------------------------

    def begin(self, wait: Wait) -> None:
        """Open the request, or go on waiting for it. `wait.outcome` gets the end or the error.

        The error is RelayUnreachable (nobody has seen it) or LineUpError (the relay refuses).
        """
        self._waits.begin(wait)
        self.start(partial(self._open, wait))

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
            if self._attach_sent and self._clock == (0, 0.0):
                # The very first call may be faster than the first Attach.
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_FIRST_ATTACH_SECONDS):
                        await self._news.wait()
            if self._tasks is None or not self.attached or not self.mailbox.should_ask:
                return
            taking = self._tasks.create_task(self._take_mail(within_seconds))
            await asyncio.wait({taking}, timeout=within_seconds)

    async def _take_mail(self, within_seconds: float) -> None:
        mailbox = self.mailbox
        # Before the call: what the relay counts during it is news.
        before, mailbox.waiting_at_relay = mailbox.waiting_at_relay, 0
        try:
            taken = await self._client.take_messages(
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
                await self._client.goodbye(self.identity.agent_id, within_seconds=within_seconds)
        except (TimeoutError, RelayUnreachable, LineUpError) as error:
            _log.debug("goodbye not heard: %s", type(error).__name__)

    # ---- opening ----------------------------------------------------------------

    async def _open(self, wait: Wait) -> None:
        """Bring a request to the relay, as often as it takes."""
        if wait.calling:
            return
        wait.calling = True
        give_up = self._now() + UNREACHABLE_SECONDS
        try:
            while not wait.outcome.done():
                until = max(wait.deadline, give_up) if wait.sent else give_up
                try:
                    await self.until_attached(until)
                    if wait.outcome.done():
                        return
                    wait.sent_at = wait.sent_at or self._now()
                    self._heard(await self._call(wait), wait)
                except RelayUnreachable as error:
                    if self._now() >= until:
                        wait.fail(error)
                        return
                    await asyncio.sleep(_EAGER_PAUSE_SECONDS)
                else:
                    wait.opened.set()
                    return
        except LineUpError as error:
            wait.fail(error)
        finally:
            wait.calling = False

    async def _call(self, wait: Wait) -> relay_pb2.Outcome:
        held_ms = limits.OPEN_WAIT_MS if wait.held else 0
        if wait.opening is None:
            await_request = relay_pb2.AwaitRequestRequest(
                request_id=wait.request_id, wait_ms=held_ms, agent_id=self.identity.agent_id
            )
            return (await self._client.await_request(await_request)).outcome
        seconds = max(math.ceil(wait.seconds_left(self._now())), 1)
        request = wait.opening(seconds)
        request.wait_ms = held_ms
        return (await self._client.open_request(request)).outcome

    async def until_attached(self, until: float) -> None:
        """Wait for the lease, pressing for it.

        Raises:
            RelayUnreachable: not until then.
            LineUpError: the relay refuses this agent.
        """
        if self.attached:
            return
        self._eager += 1
        self._refusal = None
        self._kick.set()
        try:
            async with asyncio.timeout_at(until):
                while not self.attached:
                    if self._refusal is not None:
                        raise self._refusal
                    await self._news.wait()
        except TimeoutError:
            msg = f"no relay at {self.target}"
            raise RelayUnreachable(msg) from None
        finally:
            self._eager -= 1

    # ---- the stream -------------------------------------------------------------

    async def _keep_attached(self) -> None:
        pause = _EAGER_PAUSE_SECONDS
        while True:
            begun = self._now()
            try:
                await self._attach_once()
            except RelayUnreachable as error:
                _log.debug("not attached: %s", error)
            except LineUpError as error:
                _log.warning("the relay at %s refuses: %s", self.target, error.code.value)
                self._refusal = error
            self._attached.clear()
            self._ring()
            if self._now() - begun > _STABLE_SECONDS:
                pause = _EAGER_PAUSE_SECONDS
            pause = await self._pause(pause)

    async def _attach_once(self) -> None:
        self._changes.list_sent()
        self._attach_sent = True
        request = relay_pb2.AttachRequest(
            agent=identity_message(self.identity), waiting_ids=self._waits.ids()
        )
        async with contextlib.aclosing(self._client.attach(request)) as events:
            async for event in events:
                self._on_event(event)

    async def _pause(self, pause: float) -> float:
        """Wait before the next try; returns the pause after that one."""
        if self._eager and self._refusal is None:
            port = await self._start_relay()
            if port and port != self._port:
                self._port = port
                await self._client.close()
                self._client = self._connect(port)
            pause = _EAGER_PAUSE_SECONDS
        self._kick.clear()
        # A little chance, so that a room full of bridges does not come back in one instant.
        jittered = pause * random.uniform(0.8, 1.2)
        try:
            async with asyncio.timeout(jittered):
                await self._kick.wait()
        except TimeoutError:
            return min(pause * 2, _LONGEST_PAUSE_SECONDS)
        return _EAGER_PAUSE_SECONDS

    def _on_event(self, event: relay_pb2.AttachResponse) -> None:
        match event.WhichOneof("event"):
            case "attached":
                self._clock = (event.attached.clock_unix_ms, self._now())
                self._refusal = None
                self._attached.set()
                self._ring()
                self._changes.press()
                self.on_catalog(0)
                _log.info("attached to the relay at %s", self.target)
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
            if self._tasks is not None:
                self._tasks.create_task(self._open(wait))

    async def _send_changes(self) -> None:
        while True:
            await self._changes.wait()
            await self._attached.wait()
            try:
                await self._changes.send(self._client)
            except RelayUnreachable:
                self._changes.press()
                await asyncio.sleep(_EAGER_PAUSE_SECONDS)
            except LineUpError as error:
                _log.warning("the relay refuses a change: %s", error.code.value)

    def _ring(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

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
