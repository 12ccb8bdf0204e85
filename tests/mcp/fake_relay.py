"""A relay for the bridge's tests: real gRPC on a free port, behaviour that a test scripts.

It keeps what the contract promises (ids open once, the stream is the lease, answers nobody waits
for lie in the mailbox until they are acknowledged) and records every rpc in `calls`.
"""

from __future__ import annotations

import asyncio
import base64
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import grpc
import grpc.aio

from lineup_srv.wire._gen.lineup.v1 import (
    agent_pb2,
    content_pb2,
    error_pb2,
    relay_pb2,
    relay_pb2_grpc,
    request_pb2,
    tool_pb2,
)
from tests.system.processes import bound

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable
    from typing import Any

_ENDS = frozenset(
    {
        tool_pb2.CALL_PHASE_SUCCEEDED,
        tool_pb2.CALL_PHASE_FAILED,
        tool_pb2.CALL_PHASE_CANCELLED,
        tool_pb2.CALL_PHASE_EXPIRED,
    }
)
TOKEN = "a-token-of-the-tests"
CLOCK = 1_800_000_000_000
ATTACHED = relay_pb2.Attached(version="0", clock_unix_ms=CLOCK, log_id="log")


def words(text: str) -> list[content_pb2.McpResultContent]:
    """A text as the contents of a reply."""
    content = content_pb2.TextContent(type="text", text=text)
    return [content_pb2.McpResultContent(type=1, text=content)] if text else []


def picture(data: bytes) -> content_pb2.McpResultContent:
    """A picture among the contents of an answer or a text."""
    encoded = base64.b64encode(data).decode()
    return content_pb2.McpResultContent(
        type=2, image=content_pb2.ImageContent(type="image", data=encoded, mime_type="image/png")
    )


def file(name: str, data: bytes) -> content_pb2.McpResultContent:
    """A file among the contents of an answer or a text."""
    resource = content_pb2.EmbeddedResource(
        type="embedded_resource", uri=name, mime_type="application/octet-stream", data=data
    )
    return content_pb2.McpResultContent(type=4, embedded_resource=resource)


class FakeRelay(relay_pb2_grpc.RelayServiceServicer):
    """The scripted relay. Times are `CLOCK` plus what the test says."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.opened: dict[str, relay_pb2.OpenRequestRequest] = {}
        self.outcomes: dict[str, relay_pb2.Outcome] = {}
        self.texts: list[agent_pb2.Text] = []
        self.acknowledged: list[str] = []
        self.waiting: set[str] = set()
        self.streams: list[asyncio.Queue[relay_pb2.AttachResponse | None]] = []
        self.devices = 2
        self.hold_seconds = 0.0
        self.refusal: tuple[grpc.StatusCode, error_pb2.ErrorDetail] | None = None
        self.take_forgets = False
        self.catalog = relay_pb2.ListToolsResponse(revision=1)
        self.called: dict[str, tool_pb2.ToolCall] = {}
        self.updates: dict[str, list[tool_pb2.ToolCallUpdate]] = {}
        self.broken: set[str] = set()
        self.call_deadline = 0
        self._changed = asyncio.Event()

    # ---- what a test does -------------------------------------------------------

    async def until(self, true: Callable[[], object], *, within_seconds: float = 10) -> None:
        """Wait until something is true; checked whenever an rpc comes in or changes something."""
        async with asyncio.timeout(bound(within_seconds)):
            while not true():
                changed = self._changed
                await changed.wait()

    async def asked(self, count: int = 1) -> str:
        """The id of the request that was opened as the `count`th."""
        await self.until(lambda: len(self.opened) >= count)
        return list(self.opened)[count - 1]

    def named(self, rpc: str) -> list[Any]:
        """The requests of one rpc so far."""
        return [request for name, request in self.calls if name == rpc]

    def answer(self, request_id: str, text: str = "yes", **fields: object) -> relay_pb2.Outcome:
        """A device answers."""
        return self.end(
            request_id,
            request_pb2.REQUEST_STATE_ANSWERED,
            **{
                "contents": words(text),
                "action": "answer",
                "nickname": "Ann",
                "platform": "Android",
                "replied_unix_ms": CLOCK + 5_000,
                **fields,
            },
        )

    def end(
        self, request_id: str, state: request_pb2.RequestState, **fields: object
    ) -> relay_pb2.Outcome:
        """A request ends; those who wait hear it by the stream."""
        outcome = self._outcome(request_id, state, **fields)
        self.outcomes[request_id] = outcome
        if request_id in self.waiting:
            self.push(relay_pb2.AttachResponse(outcome=outcome))
        else:
            self._count()
        self._ring()
        return outcome

    def write(
        self,
        text: str,
        message_id: str,
        contents: Iterable[content_pb2.McpResultContent] = (),
        agent_id: str = "",
    ) -> None:
        """A human writes to the agent."""
        written = agent_pb2.Text(
            message_id=message_id,
            content=text,
            agent_id=agent_id,
            contents=contents,
            sent_unix_ms=CLOCK,
        )
        setattr(written, "from", "Ann")
        self.texts.append(written)
        self._count()

    def offer(
        self,
        *tools: tool_pb2.ToolDefinition,
        applications: Iterable[tool_pb2.Application] = (),
    ) -> None:
        """Devices offer these tools from now on."""
        self.catalog = relay_pb2.ListToolsResponse(
            revision=self.catalog.revision + 1, tools=tools, applications=applications
        )
        changed = relay_pb2.CatalogChanged(revision=self.catalog.revision)
        self.push(relay_pb2.AttachResponse(catalog_changed=changed))

    async def call(self, count: int = 1) -> tool_pb2.ToolCall:
        """The call of a tool that came as the `count`th."""
        await self.until(lambda: len(self.called) >= count)
        return list(self.called.values())[count - 1]

    def tell(self, call: tool_pb2.ToolCall, phase: tool_pb2.CallPhase, **fields: Any) -> None:
        """Say how a call stands."""
        update = tool_pb2.ToolCallUpdate(call_id=call.call_id, phase=phase, **fields)
        self.updates.setdefault(call.call_id, []).append(update)
        self._ring()

    def finish(self, call: tool_pb2.ToolCall, result_json: str, **fields: Any) -> None:
        """A device gives a result."""
        self.tell(call, tool_pb2.CALL_PHASE_SUCCEEDED, result_json=result_json, **fields)

    def break_call(self, call: tool_pb2.ToolCall) -> None:
        """Break the stream of a call."""
        self.broken.add(call.call_id)
        self._ring()

    def push(self, event: relay_pb2.AttachResponse) -> None:
        """Tell every attached agent something."""
        for stream in self.streams:
            stream.put_nowait(event)

    def drop_streams(self) -> None:
        """Break every lease stream without goodbye."""
        for stream in self.streams:
            stream.put_nowait(None)

    def forget(self) -> None:
        """Lose everything, as a relay with a new log would."""
        self.opened.clear()
        self.outcomes.clear()
        self.waiting.clear()

    # ---- the service ------------------------------------------------------------

    async def Attach(
        self, request: relay_pb2.AttachRequest, context: Any
    ) -> AsyncIterator[relay_pb2.AttachResponse]:
        await self._came("Attach", request, context)
        if request.visit:
            yield relay_pb2.AttachResponse(attached=ATTACHED)
            online = relay_pb2.DevicesOnline(count=self.devices)
            yield relay_pb2.AttachResponse(devices_online=online)
            return
        stream: asyncio.Queue[relay_pb2.AttachResponse | None] = asyncio.Queue()
        self.streams.append(stream)
        self.waiting = set(request.waiting_ids)
        self._ring()
        try:
            yield relay_pb2.AttachResponse(attached=ATTACHED)
            self._count()
            for request_id in request.waiting_ids:
                if request_id not in self.opened:
                    stream.put_nowait(
                        relay_pb2.AttachResponse(
                            unknown_request=relay_pb2.UnknownRequest(request_id=request_id)
                        )
                    )
                elif request_id in self.outcomes:
                    stream.put_nowait(relay_pb2.AttachResponse(outcome=self.outcomes[request_id]))
            while (event := await stream.get()) is not None:
                yield event
            await context.abort(grpc.StatusCode.UNAVAILABLE, "the stream was broken")
        finally:
            self.streams.remove(stream)
            self._ring()

    async def SetWaiting(self, request: relay_pb2.SetWaitingRequest, context: Any) -> Any:
        await self._came("SetWaiting", request, context)
        # As by Attach: the list may have crossed the answer to a request that is new to it.
        for request_id in sorted(set(request.waiting_ids) - self.waiting):
            if request_id in self.outcomes:
                self.push(relay_pb2.AttachResponse(outcome=self.outcomes[request_id]))
        self.waiting = set(request.waiting_ids)
        self._ring()
        return relay_pb2.SetWaitingResponse()

    async def OpenRequest(self, request: relay_pb2.OpenRequestRequest, context: Any) -> Any:
        await self._came("OpenRequest", request, context)
        card = request.question if request.HasField("question") else request.report
        self.opened.setdefault(card.ID, request)
        self.waiting.add(card.ID)
        self._ring()
        return relay_pb2.OpenRequestResponse(outcome=await self._held(card.ID, request.wait_ms))

    async def AwaitRequest(self, request: relay_pb2.AwaitRequestRequest, context: Any) -> Any:
        await self._came("AwaitRequest", request, context)
        if request.request_id not in self.opened:
            await self._refuse(
                context, grpc.StatusCode.NOT_FOUND, error_pb2.ERROR_CODE_UNKNOWN_REQUEST
            )
        self.waiting.add(request.request_id)
        self._ring()
        outcome = await self._held(request.request_id, request.wait_ms)
        return relay_pb2.AwaitRequestResponse(outcome=outcome)

    async def CancelRequest(self, request: relay_pb2.CancelRequestRequest, context: Any) -> Any:
        await self._came("CancelRequest", request, context)
        self.waiting.discard(request.request_id)
        self._ring()
        return relay_pb2.CancelRequestResponse()

    async def TakeMessages(self, request: relay_pb2.TakeMessagesRequest, context: Any) -> Any:
        await self._came("TakeMessages", request, context)
        mail = [o for o in self.outcomes.values() if self._is_mail(o)]
        response = relay_pb2.TakeMessagesResponse(outcomes=mail, texts=self.texts)
        if self.take_forgets:
            self.outcomes.clear()
            self.texts.clear()
        return response

    async def AckMessages(self, request: relay_pb2.AckMessagesRequest, context: Any) -> Any:
        await self._came("AckMessages", request, context)
        self.acknowledged += [*request.request_ids, *request.text_ids, *request.call_ids]
        self.texts = [t for t in self.texts if t.message_id not in request.text_ids]
        self._ring()
        return relay_pb2.AckMessagesResponse()

    async def Goodbye(self, request: relay_pb2.GoodbyeRequest, context: Any) -> Any:
        await self._came("Goodbye", request, context)
        return relay_pb2.GoodbyeResponse()

    async def CallTool(
        self, request: relay_pb2.CallToolRequest, context: Any
    ) -> AsyncIterator[relay_pb2.CallToolResponse]:
        await self._came("CallTool", request, context)
        call_id = request.call.call_id
        if request.call.name:
            self.called.setdefault(call_id, request.call)
        elif call_id not in self.called:
            await self._refuse(
                context, grpc.StatusCode.NOT_FOUND, error_pb2.ERROR_CODE_UNKNOWN_REQUEST
            )
        self._ring()
        told = 0
        while True:
            # A replay of a call gets all that was said of it.
            while told < len(said := self.updates.get(call_id, [])):
                yield relay_pb2.CallToolResponse(
                    update=said[told],
                    nickname="Ann",
                    platform="Android",
                    changed_unix_ms=CLOCK,
                    deadline_unix_ms=self.call_deadline,
                )
                told += 1
                if said[told - 1].phase in _ENDS:
                    return
            if call_id in self.broken:
                self.broken.discard(call_id)
                await context.abort(grpc.StatusCode.UNAVAILABLE, "the stream was broken")
            await self._changed.wait()

    async def CancelCall(self, request: Any, context: Any) -> Any:
        await self._came("CancelCall", request, context)
        self._ring()
        return relay_pb2.CancelCallResponse()

    async def ListTools(self, request: relay_pb2.ListToolsRequest, context: Any) -> Any:
        await self._came("ListTools", request, context)
        self._ring()
        if request.revision == self.catalog.revision:
            return relay_pb2.ListToolsResponse(revision=request.revision)
        return self.catalog

    async def SendText(self, request: Any, context: Any) -> Any:
        await self._came("SendText", request, context)
        return relay_pb2.SendTextResponse()

    async def SendImage(self, request: Any, context: Any) -> Any:
        await self._came("SendImage", request, context)
        return relay_pb2.SendImageResponse()

    # ---- inside -----------------------------------------------------------------

    async def _came(self, name: str, request: Any, context: Any) -> None:
        self.calls.append((name, request))
        self._ring()
        metadata = dict(context.invocation_metadata())
        if metadata.get("authorization") != f"Bearer {TOKEN}":
            await self._refuse(
                context, grpc.StatusCode.UNAUTHENTICATED, error_pb2.ERROR_CODE_UNAUTHENTICATED
            )
        if self.refusal is not None and name == "OpenRequest":
            status, detail = self.refusal
            context.set_trailing_metadata((("lineup-error-bin", detail.SerializeToString()),))
            await context.abort(status, detail.message)

    @staticmethod
    async def _refuse(context: Any, status: grpc.StatusCode, code: error_pb2.ErrorCode) -> None:
        detail = error_pb2.ErrorDetail(code=code, message="refused by the test")
        context.set_trailing_metadata((("lineup-error-bin", detail.SerializeToString()),))
        await context.abort(status, "refused")

    async def _held(self, request_id: str, wait_ms: int) -> relay_pb2.Outcome:
        seconds = min(self.hold_seconds, wait_ms / 1000)
        if seconds and request_id not in self.outcomes:
            try:
                async with asyncio.timeout(seconds):
                    while request_id not in self.outcomes:
                        await self._changed.wait()
            except TimeoutError:
                pass
        if request_id in self.outcomes:
            return self.outcomes[request_id]
        return self._outcome(request_id, request_pb2.REQUEST_STATE_PENDING)

    def _outcome(
        self, request_id: str, state: request_pb2.RequestState, **fields: Any
    ) -> relay_pb2.Outcome:
        opened = self.opened.get(request_id)
        question, seconds, report = "", 600, False
        if opened is not None and opened.HasField("question"):
            question = opened.question.Request.Question
            seconds = opened.question.Request.Timeout
        elif opened is not None:
            question, report = opened.report.Request.Summary, True
            seconds = opened.report.Request.Timeout
        values = {
            "devices_online": self.devices,
            "question": question,
            "report": report,
            "clock_unix_ms": CLOCK,
            "opened_unix_ms": CLOCK,
            "deadline_unix_ms": CLOCK + seconds * 1000,
            **fields,
        }
        return relay_pb2.Outcome(request_id=request_id, state=state, **values)

    def _is_mail(self, outcome: relay_pb2.Outcome) -> bool:
        answered = outcome.replied_unix_ms > 0
        known = outcome.request_id in self.waiting or outcome.request_id in self.acknowledged
        return answered and not known

    def _count(self) -> None:
        count = len(self.texts) + sum(self._is_mail(o) for o in self.outcomes.values())
        self.push(relay_pb2.AttachResponse(mailbox_count=relay_pb2.MailboxCount(count=count)))

    def _ring(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


@asynccontextmanager
async def serving(relay: FakeRelay, port: int = 0) -> AsyncIterator[int]:
    """Serve on a free port (or one that was free before); yields it."""
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    relay_pb2_grpc.add_RelayServiceServicer_to_server(relay, server)
    bound = server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    try:
        yield bound
    finally:
        await server.stop(None)
