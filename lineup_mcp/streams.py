"""Connects the channel on stdin and stdout to the MCP SDK's pair of message streams."""

from __future__ import annotations

import contextlib
import logging
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import anyio
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import JSONRPCError, JSONRPCRequest, JSONRPCResponse, jsonrpc_message_adapter
from pydantic import ValidationError

from lineup_mcp.jsonrpc import INVALID_REQUEST, Malformed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp_types import JSONRPCMessage

    from lineup_mcp.early import EarlyAnswers
    from lineup_mcp.jsonrpc import Message
    from lineup_mcp.replies import Replies, RequestKey
    from lineup_mcp.stdio import Lines

    Streams = tuple[
        MemoryObjectReceiveStream[SessionMessage | Exception],
        MemoryObjectSendStream[SessionMessage],
    ]

__all__ = ["sdk_streams"]

_log = logging.getLogger(__name__)


@asynccontextmanager
async def sdk_streams(
    channel: Lines, replies: Replies, early: EarlyAnswers | None = None
) -> AsyncIterator[Streams]:
    """Yield the streams for `Server.run`.

    Args:
        channel: started already.
        replies: is told of every call and of what became of its result.
        early: what was answered before the SDK was there; None = nothing.
    """
    to_sdk, for_sdk = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    from_sdk, of_sdk = anyio.create_memory_object_stream[SessionMessage](0)

    # The read side stays open after the input's end: closing it makes the SDK cancel every call,
    # and whoever owns the process says goodbye first and then ends all of it.
    async with to_sdk, for_sdk, from_sdk, anyio.create_task_group() as group:
        group.start_soon(_read, channel, replies, early, to_sdk)
        group.start_soon(_write, channel, replies, early, of_sdk)
        yield for_sdk, from_sdk
        group.cancel_scope.cancel()


async def _read(
    channel: Lines,
    replies: Replies,
    early: EarlyAnswers | None,
    to_sdk: MemoryObjectSendStream[SessionMessage | Exception],
) -> None:
    """What was kept, then what comes in."""
    with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, BrokenPipeError):
        for kept in early.kept if early is not None else ():
            message = _typed(kept)
            if isinstance(message, Malformed):
                await _refuse(message, channel, replies)
            else:
                await to_sdk.send(_watched(message, replies))
        while (item := await channel.receive()) is not None:
            message = item if isinstance(item, Malformed) else _typed(item)
            if isinstance(message, Malformed):
                await _refuse(message, channel, replies)
                continue
            if isinstance(message, JSONRPCRequest):
                replies.opened(message.id, waits=message.method == "tools/call")
            await to_sdk.send(_watched(message, replies))


async def _write(
    channel: Lines,
    replies: Replies,
    early: EarlyAnswers | None,
    of_sdk: MemoryObjectReceiveStream[SessionMessage],
) -> None:
    """What the SDK answers, but not what was answered before it was there."""
    with contextlib.suppress(BrokenPipeError):
        async with of_sdk:
            async for item in of_sdk:
                if _is_answered(item.message, early):
                    continue
                await channel.send(_plain(item.message))
                _settled(item.message, replies)


def _typed(item: Message) -> JSONRPCMessage | Malformed:
    try:
        return jsonrpc_message_adapter.validate_python(item, by_name=False)
    except ValidationError:
        request_id = item.get("id")
        known = request_id if isinstance(request_id, str | int) else None
        return Malformed(INVALID_REQUEST, "Invalid request", known)


async def _refuse(line: Malformed, channel: Lines, replies: Replies) -> None:
    await channel.send(line.answer())
    if line.request_id is not None:
        replies.settled(line.request_id, delivered=False)


def _watched(message: JSONRPCMessage, replies: Replies) -> SessionMessage:
    """The message for the SDK, which says when a request will have no answer."""
    if not isinstance(message, JSONRPCRequest):
        return SessionMessage(message)
    unanswered = partial(_unanswered, replies, message.id)
    return SessionMessage(message, ServerMessageMetadata(on_request_unanswered=unanswered))


def _is_answered(message: JSONRPCMessage, early: EarlyAnswers | None) -> bool:
    """Whether it is the SDK's own answer to what was answered before it was there."""
    if early is None or not isinstance(message, JSONRPCResponse | JSONRPCError):
        return False
    if message.id is None or message.id not in early.answered:
        return False
    early.answered.discard(message.id)
    if isinstance(message, JSONRPCError):
        _log.warning("the SDK refuses what was answered early: %s", message.error.message)
    return True


async def _unanswered(replies: Replies, request: RequestKey) -> None:
    replies.settled(request, delivered=False)


def _settled(message: JSONRPCMessage, replies: Replies) -> None:
    if isinstance(message, JSONRPCResponse):
        replies.settled(message.id, delivered=True)
    elif isinstance(message, JSONRPCError) and message.id is not None:
        replies.settled(message.id, delivered=False)


def _plain(message: JSONRPCMessage) -> Message:
    plain: Message = message.model_dump(by_alias=True, exclude_unset=True)
    return plain
