"""An agent that speaks RelayService as the bridge does, through any number of relays."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import grpc
import grpc.aio

from lineup_srv.wire._gen.lineup.v1 import (
    agent_assist_pb2,
    relay_pb2,
    request_pb2,
)
from tests.system.direct import bearer, stub_of
from tests.system.processes import PATIENCE_SECONDS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from lineup_srv.wire._gen.lineup.v1 import agent_pb2

__all__ = ["Asker", "asker"]

_PENDING = request_pb2.REQUEST_STATE_PENDING
_AWAY = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)
_PAUSE_SECONDS = 0.02
_OPTIONS = (
    ("grpc.enable_http_proxy", 0),
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.initial_reconnect_backoff_ms", 20),
    ("grpc.min_reconnect_backoff_ms", 20),
    ("grpc.max_reconnect_backoff_ms", 100),
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
)


class Asker:
    """An attached agent. It keeps every outcome and text it ever got.

    Args:
        channel: to the relay's port; it connects again by itself.
        token: the room's.
        name: of the agent, and its session.
        happened: called for everything it hears.
    """

    def __init__(
        self, channel: grpc.aio.Channel, token: str, name: str, happened: Callable[[], None]
    ) -> None:
        self.agent_id = f"{name}-{secrets.token_hex(8)}"
        self.told: dict[str, list[relay_pb2.Outcome]] = {}
        self.texts: dict[str, list[agent_pb2.Text]] = {}
        self.after_confirmation: list[relay_pb2.Outcome] = []
        self.stub = stub_of(channel)
        self.metadata = bearer(token)
        self._name = name
        self._happened = happened
        self._asked: dict[str, agent_assist_pb2.AskQuestionRequest] = {}
        self._ended: dict[str, asyncio.Future[relay_pb2.Outcome]] = {}
        self._unconfirmed: dict[str, None] = {}
        self._confirmed: set[str] = set()
        self._unconfirmed_texts: dict[str, None] = {}
        self._attached = asyncio.Event()
        self._chores = asyncio.Event()
        self._mail_waits = True
        self._doing = False
        self._opening: set[str] = set()
        self._tasks: asyncio.TaskGroup | None = None

    async def ask(
        self,
        question: str,
        *,
        request_id: str = "",
        timeout_seconds: int = 600,
        wait_ms: int = 0,
    ) -> relay_pb2.Outcome:
        """Ask, and wait for the outcome as long as it takes and whatever happens to the relay."""
        request_id = request_id or secrets.token_hex(16)
        self._asked[request_id] = agent_assist_pb2.AskQuestionRequest(
            ID=request_id,
            Request=agent_assist_pb2.McpAskQuestionRequest(
                ProjectDirectory="/project",
                Question=question,
                Timeout=timeout_seconds,
                AgentName=self._name,
                agent_id=self.agent_id,
            ),
        )
        ended: asyncio.Future[relay_pb2.Outcome] = asyncio.get_running_loop().create_future()
        self._ended[request_id] = ended
        await self._open(request_id, wait_ms)
        return await ended

    def begin(
        self, question: str, *, request_id: str = "", timeout_seconds: int = 600
    ) -> asyncio.Task[relay_pb2.Outcome]:
        """Ask without waiting."""
        assert self._tasks is not None
        asking = self.ask(question, request_id=request_id, timeout_seconds=timeout_seconds)
        return self._tasks.create_task(asking)

    async def cancel(self, request_id: str) -> relay_pb2.Outcome:
        """Withdraw a question; how it stands after that."""
        request = relay_pb2.CancelRequestRequest(agent_id=self.agent_id, request_id=request_id)
        return (await self.stub.CancelRequest(request, metadata=self.metadata)).outcome

    async def look(self, request_id: str) -> relay_pb2.Outcome:
        """How a question stands, as a script sees it that never waited for it."""
        request = relay_pb2.AwaitRequestRequest(request_id=request_id, wait_ms=0)
        return (await self.stub.AwaitRequest(request, metadata=self.metadata)).outcome

    @property
    def _busy(self) -> bool:
        """Something has to be said to the relay or fetched from it."""
        unsaid = self._unconfirmed or self._unconfirmed_texts
        return bool(unsaid or self._mail_waits or self._chores.is_set() or self._doing)

    async def idle(self) -> None:
        """Take what waits; wait until the relay knows of everything that this agent has."""
        self._mail_waits = True
        self._press()
        async with asyncio.timeout(PATIENCE_SECONDS):
            while self._busy:  # noqa: ASYNC110 - several things settle it
                await asyncio.sleep(_PAUSE_SECONDS)

    async def attached(self) -> None:
        """Wait for the lease."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            await self._attached.wait()

    async def run(self) -> None:
        """Keep the lease until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            self._tasks = tasks
            tasks.create_task(self._keep_attached())
            tasks.create_task(self._do_chores())

    async def _open(self, request_id: str, wait_ms: int) -> None:
        """Bring a question to the relay; one call for each at a time, or each would be told."""
        if request_id in self._opening:
            return
        self._opening.add(request_id)
        try:
            await self._open_alone(request_id, wait_ms)
        finally:
            self._opening.remove(request_id)

    async def _open_alone(self, request_id: str, wait_ms: int) -> None:
        request = relay_pb2.OpenRequestRequest(question=self._asked[request_id], wait_ms=wait_ms)
        while not self._ended[request_id].done():
            await self._attached.wait()
            try:
                answer = await self.stub.OpenRequest(request, metadata=self.metadata)
            except grpc.aio.AioRpcError as error:
                if error.code() not in _AWAY:
                    raise
                await asyncio.sleep(_PAUSE_SECONDS)
                continue
            self._heard(answer.outcome)
            self._press()
            return

    async def _keep_attached(self) -> None:
        while True:
            request = relay_pb2.AttachRequest(
                agent=relay_pb2.AgentIdentity(
                    agent_id=self.agent_id,
                    client="asker",
                    machine="machine",
                    session=self._name,
                    directory="/project",
                ),
                waiting_ids=self._waiting(),
            )
            try:
                async for event in self.stub.Attach(request, metadata=self.metadata):
                    self._happened()
                    self._on_event(event)
            except grpc.aio.AioRpcError as error:
                if error.code() not in _AWAY:
                    raise
            self._attached.clear()
            await asyncio.sleep(_PAUSE_SECONDS)

    def _waiting(self) -> list[str]:
        return [name for name, ended in self._ended.items() if not ended.done()]

    def _on_event(self, event: relay_pb2.AttachResponse) -> None:
        match event.WhichOneof("event"):
            case "attached":
                self._mail_waits = True
                self._attached.set()
                self._press()
            case "outcome":
                self._heard(event.outcome)
            case "unknown_request":
                assert self._tasks is not None
                self._tasks.create_task(self._open(event.unknown_request.request_id, 0))
            case "mailbox_count" if event.mailbox_count.count:
                self._mail_waits = True
                self._press()

    def _heard(self, outcome: relay_pb2.Outcome) -> None:
        self._happened()
        if outcome.state == _PENDING:
            return
        request_id = outcome.alias or outcome.request_id
        if request_id in self._confirmed:
            self.after_confirmation.append(outcome)
        self.told.setdefault(request_id, []).append(outcome)
        self._unconfirmed[request_id] = None
        if not self._ended[request_id].done():
            self._ended[request_id].set_result(outcome)
        self._press()

    def _press(self) -> None:
        self._chores.set()

    async def _do_chores(self) -> None:
        while True:
            await self._chores.wait()
            await self._attached.wait()
            self._chores.clear()
            self._doing = True
            try:
                # In this order: what is confirmed is no mail, what is waited for is none either.
                await self._confirm()
                await self._tell_waiting()
                await self._take_mail()
            except grpc.aio.AioRpcError as error:
                if error.code() not in _AWAY:
                    raise
                self._press()
                await asyncio.sleep(_PAUSE_SECONDS)
            self._doing = False

    async def _tell_waiting(self) -> None:
        request = relay_pb2.SetWaitingRequest(agent_id=self.agent_id, waiting_ids=self._waiting())
        await self.stub.SetWaiting(request, metadata=self.metadata)

    async def _take_mail(self) -> None:
        if not self._mail_waits:
            return
        self._mail_waits = False
        request = relay_pb2.TakeMessagesRequest(agent_id=self.agent_id)
        try:
            mail = await self.stub.TakeMessages(request, metadata=self.metadata)
        except grpc.aio.AioRpcError:
            self._mail_waits = True
            raise
        for outcome in mail.outcomes:
            self._heard(outcome)
        for text in mail.texts:
            self.texts.setdefault(text.message_id, []).append(text)
            self._unconfirmed_texts[text.message_id] = None
        if mail.outcomes or mail.texts:
            self._press()

    async def _confirm(self) -> None:
        if not (self._unconfirmed or self._unconfirmed_texts):
            return
        requests, texts = list(self._unconfirmed), list(self._unconfirmed_texts)
        request = relay_pb2.AckMessagesRequest(
            agent_id=self.agent_id, request_ids=requests, text_ids=texts
        )
        await self.stub.AckMessages(request, metadata=self.metadata)
        for name in requests:
            del self._unconfirmed[name]
        for name in texts:
            del self._unconfirmed_texts[name]
        self._confirmed.update(requests)


@asynccontextmanager
async def asker(
    port: int, token: str, name: str, happened: Callable[[], None] = lambda: None
) -> AsyncIterator[Asker]:
    """An agent that keeps its lease for as long as the context."""
    async with (
        grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=_OPTIONS) as channel,
        asyncio.TaskGroup() as tasks,
    ):
        one = Asker(channel, token, name, happened)
        running = tasks.create_task(one.run())
        await one.attached()
        try:
            yield one
        finally:
            running.cancel()
