"""A relay on fakes, as a test speaks to it.

Commands come from `tests.domain.playbook`; a stage gives each its id. What goes out is read with
`told` (devices) and from the streams; `twin` is a second relay on the same log.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from lineup_srv.contract.ids import FactId, RequestId, RoomId
from lineup_srv.domain.facts import Opened
from lineup_srv.schemas import KeptSchemas
from lineup_srv.service.bodies import Bodies, Intake
from lineup_srv.service.relay import Relay
from lineup_srv.service.rooms import Outside
from tests.domain.playbook import ADA, NOW, PHONE, awaits, logs_in, opens
from tests.service.fakes import (
    DictTokens,
    FakeClock,
    FakeIds,
    ListOutbox,
    ListStream,
    NoMetrics,
    OwnTasks,
)
from tests.service.memory import (
    PATIENCE,
    MemoryBlobs,
    MemoryKnown,
    MemoryLog,
    MemorySecrets,
    MemorySettings,
)

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from lineup_srv.domain.acks import RefCommand
    from lineup_srv.domain.commands import Await, Command, Open
    from lineup_srv.domain.contents import ContentRef
    from lineup_srv.domain.decision import Result
    from lineup_srv.domain.effects import Message
    from lineup_srv.domain.people import AgentIdentity, Author
    from lineup_srv.domain.request import Request
    from lineup_srv.service.ports import OutcomeTold
    from lineup_srv.service.rooms import RoomRunner

T = TypeVar("T")
ROOM: Final = RoomId("room")


class Stage:
    """One relay with its ports. `name` begins the ids that it makes."""

    def __init__(
        self,
        name: str = "a",
        *,
        log: MemoryLog | None = None,
        blobs: MemoryBlobs | None = None,
        clock: FakeClock | None = None,
        settings: MemorySettings | None = None,
        known: MemoryKnown | None = None,
        secrets: MemorySecrets | None = None,
        cache_bytes: int = 1_000_000,
    ) -> None:
        self.log = log or MemoryLog()
        self.blobs = blobs or MemoryBlobs()
        self.clock = clock or FakeClock()
        self.devices = ListOutbox()
        self.ids = FakeIds(name)
        self.tasks = OwnTasks()
        bodies = Bodies(self.blobs, cache_bytes=cache_bytes)
        self.settings = settings or MemorySettings()
        self.known = known or MemoryKnown()
        self.secrets = secrets or MemorySecrets()
        self.outside = Outside(
            log=self.log,
            bodies=bodies,
            devices=self.devices,
            clock=self.clock,
            ids=self.ids,
            tasks=self.tasks,
            metrics=NoMetrics(),
            settings=self.settings,
            known=self.known,
            secrets=self.secrets,
            schemas=KeptSchemas(),
        )
        self._stopped = False
        self._begun: list[asyncio.Task[Any]] = []
        self.tokens = DictTokens({"token": ROOM})
        self.relay = Relay(self.outside, self.tokens)

    def twin(self, name: str = "b") -> Stage:
        """Another relay on the same log."""
        return Stage(
            name,
            log=self.log,
            blobs=self.blobs,
            clock=self.clock,
            settings=self.settings,
            known=self.known,
            secrets=self.secrets,
        )

    def stop(self) -> None:
        """This relay ends; `twin` is what it is after its restart."""
        self.relay.rooms.close()
        self._stopped = True

    async def runner(self) -> RoomRunner:
        return await self.relay.rooms.get(ROOM)

    async def submit(self, command: Command) -> asyncio.Future[Result | None]:
        """Submit a command under an id of its own."""
        return await self.relay.submit(ROOM, self.numbered(command))

    async def resubmit(self, command: RefCommand) -> asyncio.Future[Result | None]:
        """Submit a device's command as the transport does, by its ref."""
        numbered = replace(command, command_id=self.relay.new_command_id())
        return await self.relay.submit_with_ref(ROOM, numbered)

    async def do(self, command: Command) -> Result | None:
        """Submit a command and wait for its result."""
        async with asyncio.timeout(PATIENCE):
            return await (await self.submit(command))

    def numbered(self, command: Command) -> Command:
        return replace(command, command_id=self.relay.new_command_id())

    async def ask(
        self, request_id: str, *, by: AgentIdentity = ADA, wait_ms: int | None = None
    ) -> OutcomeTold:
        """A held call that opens a request."""
        return await self.call(opens(request_id, by=by), wait_ms=wait_ms)

    async def wait(
        self, request_id: str, *, by: AgentIdentity = ADA, wait_ms: int | None = None
    ) -> OutcomeTold:
        """A held call that waits for a request."""
        return await self.call(awaits(request_id, by=by), wait_ms=wait_ms)

    async def call(self, command: Open | Await, *, wait_ms: int | None = None) -> OutcomeTold:
        numbered = replace(command, command_id=self.relay.new_command_id())
        async with asyncio.timeout(PATIENCE):
            return await self.relay.wait_for(ROOM, numbered, wait_ms)

    async def begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a call that waits, as far as it goes at once."""
        task = asyncio.get_running_loop().create_task(work)
        self._begun.append(task)
        await asyncio.sleep(0)
        return task

    async def attach(self, *waiting: str, by: AgentIdentity = ADA) -> tuple[int, ListStream]:
        """Begin an agent's lease."""
        stream = ListStream()
        ids = [RequestId(request_id) for request_id in waiting]
        return await self.relay.attach(ROOM, by, ids, stream), stream

    async def join(self, *devices: Author) -> None:
        """Log devices in; what they were told of it is forgotten."""
        for device in devices or (PHONE,):
            await self.do(logs_in(device))
        self.devices.sent.clear()

    async def keep(self, text: str) -> ContentRef:
        """Make a text durable; a long one is a blob."""
        intake = Intake()
        ref = intake.text(text)
        await self.relay.keep(ROOM, intake)
        return ref

    async def settled(self, *others: Stage) -> None:
        """Wait until this relay, and others on its log, have nothing to do."""
        while any([await stage.tasks.idle() for stage in (self, *others)]):
            pass

    def told(self, device: Author = PHONE) -> list[Message]:
        """What a device was sent so far."""
        return [sent.message for sent in self.devices.sent if device.client_id in sent.to]

    async def request(self, request_id: str) -> Request:
        """A request as the room has it."""
        found = (await self.runner()).room.logged.find(RequestId(request_id))
        assert found is not None, f"{request_id} is not known"
        return found

    async def check_nothing_is_left(self) -> None:
        """After every conversation: nothing is queued, held, or grows."""
        assert all(task.done() for task in self._begun), "a call still waits"
        await self.settled()
        if self._stopped:
            return
        for room_id in self.relay.rooms.in_use():
            runner = await self.relay.rooms.get(room_id)
            assert not runner.delivery.calls
            assert not runner.calls.inboxes
            assert not runner.room.live.shown
            assert runner.committed == runner.room.logged.last_seq
            assert runner.room.logged == self.log.folded(room_id)
        self.stop()


def opened(command: Open, command_id: str) -> Opened:
    """What an Open leaves in the log."""
    return Opened(
        FactId(f"{command_id}:0"),
        NOW,
        request_id=command.request_id,
        asked=command.asked,
        agent=command.agent,
        agent_name=command.agent_name,
        model=command.model,
        on_timeout=command.on_timeout,
        timeout_seconds=command.timeout_seconds,
        deadline_unix_ms=NOW + command.timeout_seconds * 1000,
    )
