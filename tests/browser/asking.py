"""An agent on RelayService without a bridge: what the page is shown, without a host around it."""

from __future__ import annotations

import asyncio
import json
import secrets
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from lineup_srv.wire._gen.lineup.v1 import (
    agent_assist_pb2,
    agent_pb2,
    content_pb2,
    error_pb2,
    relay_pb2,
    request_pb2,
    tool_pb2,
)
from tests.system.direct import bearer, channel_to, stub_of
from tests.system.processes import PATIENCE_SECONDS, bound

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    import grpc.aio

__all__ = ["Asker", "asker", "file", "picture", "question"]

NAME = "Claude Code"


def question(
    text: str, *options: str, header: str = "", multiple: bool = False, custom: bool = True
) -> agent_assist_pb2.Question:
    """One question; an option may have a description behind a bar."""
    parts = [option.partition("|") for option in options]
    return agent_assist_pb2.Question(
        question=text,
        header=header,
        options=[agent_assist_pb2.Option(label=label, description=d) for label, _, d in parts],
        multiple=multiple,
        custom=custom,
    )


def picture(data: str, mime: str = "image/png") -> content_pb2.McpResultContent:
    """A picture, as base64."""
    image = content_pb2.ImageContent(type="image", data=data, mime_type=mime)
    return content_pb2.McpResultContent(type=2, image=image)


def file(data: bytes, mime: str) -> content_pb2.McpResultContent:
    """Bytes of any type."""
    resource = content_pb2.EmbeddedResource(
        type="embedded_resource", uri="file:///tmp/it", mime_type=mime, data=data
    )
    return content_pb2.McpResultContent(type=4, embedded_resource=resource)


class Asker:
    """An agent that is attached.

    Args:
        channel: open.
        token: the room's.
    """

    def __init__(self, channel: grpc.aio.Channel, token: str) -> None:
        self._stub = stub_of(channel)
        self._metadata = bearer(token)
        self.agent_id = secrets.token_hex(8)

    async def attach(self) -> object:
        """Take the lease; it lasts as long as what is returned."""
        identity = relay_pb2.AgentIdentity(
            agent_id=self.agent_id, client="claude-code", machine="m", directory="/home/me/shop-api"
        )
        lease = self._stub.Attach(relay_pb2.AttachRequest(agent=identity), metadata=self._metadata)
        async with asyncio.timeout(bound(PATIENCE_SECONDS)):
            await lease.read()
        self._lease = lease
        return lease

    async def offered(self, tool: str, application: str = "") -> None:
        """Wait until the room offers a tool; the lease tells when the catalog changed."""
        async with asyncio.timeout(bound(PATIENCE_SECONDS)):
            while (application, tool) not in await self._tools():
                await self._lease.read()

    async def _tools(self) -> set[tuple[str, str]]:
        request = relay_pb2.ListToolsRequest()
        catalog = await self._stub.ListTools(request, metadata=self._metadata)
        own = {("", tool.name) for tool in catalog.tools}
        apps = catalog.applications
        return own | {(app.id, tool.name) for app in apps for tool in app.tools}

    async def ask(
        self,
        *questions: agent_assist_pb2.Question | str,
        contents: Sequence[content_pb2.McpResultContent] = (),
        name: str = NAME,
        timeout_seconds: int = 600,
    ) -> str:
        """Open a question; returns its id."""
        parts = [question(q) if isinstance(q, str) else q for q in questions]
        asked = agent_assist_pb2.McpAskQuestionRequest(
            ProjectDirectory="/home/me/shop-api",
            Questions=parts,
            Timeout=timeout_seconds,
            AgentName=name,
            McpClientName="claude-code",
            agent_id=self.agent_id,
            contents=contents,
        )
        request_id = secrets.token_hex(8)
        opened = agent_assist_pb2.AskQuestionRequest(ID=request_id, Request=asked)
        await self._open(relay_pb2.OpenRequestRequest(question=opened))
        return request_id

    async def report(self, summary: str) -> str:
        """Open a report; returns its id."""
        request_id = secrets.token_hex(8)
        reported = agent_assist_pb2.WorkReportRequest(
            ID=request_id,
            Request=agent_assist_pb2.McpWorkReportRequest(
                ProjectDirectory="/home/me/shop-api",
                Summary=summary,
                AgentName=NAME,
                McpClientName="claude-code",
                agent_id=self.agent_id,
            ),
        )
        await self._open(relay_pb2.OpenRequestRequest(report=reported))
        return request_id

    async def _open(self, request: relay_pb2.OpenRequestRequest) -> None:
        await self._stub.OpenRequest(request, metadata=self._metadata)

    async def cancel(self, request_id: str, reason: str = "") -> None:
        """Withdraw a request."""
        await self._stub.CancelRequest(
            relay_pb2.CancelRequestRequest(
                agent_id=self.agent_id,
                request_id=request_id,
                reason=error_pb2.ERROR_CODE_CANCELLED,
                message=reason,
            ),
            metadata=self._metadata,
        )

    async def outcome(self, request_id: str) -> relay_pb2.Outcome:
        """How the request ended."""
        async with asyncio.timeout(bound(PATIENCE_SECONDS)):
            while True:
                response = await self._stub.AwaitRequest(
                    relay_pb2.AwaitRequestRequest(
                        request_id=request_id, wait_ms=10_000, agent_id=self.agent_id
                    ),
                    metadata=self._metadata,
                )
                if response.outcome.state != request_pb2.REQUEST_STATE_PENDING:
                    return response.outcome

    async def state(self, request_id: str) -> request_pb2.RequestState:
        """The state that the request is in."""
        response = await self._stub.AwaitRequest(
            relay_pb2.AwaitRequestRequest(request_id=request_id, agent_id=self.agent_id),
            metadata=self._metadata,
        )
        return response.outcome.state

    async def answer(self, request_id: str) -> str:
        """The words of the answer, in time or late."""
        outcome = await self.outcome(request_id)
        return "\n".join(content.text.text for content in outcome.contents)

    async def texts(self) -> list[str]:
        """The words that humans wrote meanwhile; waits for the first of it."""
        return [text.content for text in await self.messages()]

    async def messages(self) -> list[agent_pb2.Text]:
        """What humans wrote meanwhile and what is attached to it; waits for the first of it."""
        response = await self._stub.TakeMessages(
            relay_pb2.TakeMessagesRequest(agent_id=self.agent_id, wait_ms=10_000),
            metadata=self._metadata,
        )
        return list(response.texts)

    async def call(
        self,
        tool: str,
        action: str,
        arguments: Mapping[str, object],
        *,
        application: str = "",
        call_id: str = "",
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> tool_pb2.ToolCallUpdate:
        """Call an action of a tool; returns its end."""
        called = tool_pb2.ToolCall(
            call_id=call_id or secrets.token_hex(8),
            name=tool,
            action=action,
            arguments_json=json.dumps(arguments),
            application_id=application,
            agent_id=self.agent_id,
            timeout_ms=60_000,
        )
        request = relay_pb2.CallToolRequest(call=called)
        told = tool_pb2.ToolCallUpdate()
        async with asyncio.timeout(bound(patience_seconds)):
            async for response in self._stub.CallTool(request, metadata=self._metadata):
                told = response.update
        return told

    async def cancel_call(self, call_id: str) -> None:
        """Withdraw a call."""
        request = relay_pb2.CancelCallRequest(agent_id=self.agent_id, call_id=call_id)
        await self._stub.CancelCall(request, metadata=self._metadata)

    async def say(self, *texts: str, contents: Sequence[content_pb2.McpResultContent] = ()) -> None:
        """Write to the human; many at once stay in their order in the log."""
        calls = [
            self._stub.SendText(
                relay_pb2.SendTextRequest(
                    text=agent_pb2.Text(
                        message_id=secrets.token_hex(8),
                        content=text,
                        contents=contents,
                        agent_id=self.agent_id,
                    )
                ),
                metadata=self._metadata,
            )
            for text in texts
        ]
        for call in calls:
            await call

    async def has(self, request_id: str) -> None:
        """Say that the outcome has reached the agent."""
        await self._received(request_ids=[request_id])

    async def has_call(self, call_id: str) -> None:
        """Say that the end of a call has reached the agent."""
        await self._received(call_ids=[call_id])

    async def has_text(self, message_id: str) -> None:
        """Say that a text has reached the agent."""
        await self._received(text_ids=[message_id])

    async def _received(
        self,
        *,
        request_ids: Sequence[str] = (),
        text_ids: Sequence[str] = (),
        call_ids: Sequence[str] = (),
    ) -> None:
        request = relay_pb2.AckMessagesRequest(
            agent_id=self.agent_id, request_ids=request_ids, text_ids=text_ids, call_ids=call_ids
        )
        await self._stub.AckMessages(request, metadata=self._metadata)


@asynccontextmanager
async def asker(port: int, token: str) -> AsyncIterator[Asker]:
    """An agent that is attached until the end."""
    async with channel_to(port) as channel:
        one = Asker(channel, token)
        lease = await one.attach()
        yield one
        del lease
