"""Puts the MCP server together: handlers on one side, the bridge on the other. Nothing else.

The SDK serves both protocol eras; the agent program's first request decides. Importing this module
costs most of a second.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError

from lineup_mcp import __version__
from lineup_mcp.channels import EXPERIMENTAL
from lineup_mcp.hosts import use_id
from lineup_mcp.identity import clean_name
from lineup_mcp.notices import ListNotices
from lineup_mcp.streams import sdk_streams
from lineup_mcp.suggestions import did_you_mean
from lineup_mcp.tools.definitions import INSTRUCTIONS

if TYPE_CHECKING:
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

    from lineup_mcp.bridge import Bridge
    from lineup_mcp.early import EarlyAnswers
    from lineup_mcp.replies import Replies
    from lineup_mcp.results import Result
    from lineup_mcp.stdio import Lines

    Context = ServerRequestContext[Any, Any]

__all__ = ["build_server", "serve"]

_log = logging.getLogger(__name__)


async def serve(
    channel: Lines,
    replies: Replies,
    bridge: Bridge,
    early: EarlyAnswers | None = None,
) -> None:
    """Serve the agent program until cancelled.

    Args:
        channel: started.
        replies: is told what became of each result.
        bridge: runs the tools.
        early: the conversation so far.
    """
    notices = ListNotices(InMemorySubscriptionBus())
    server = build_server(bridge, notices, early)
    options = server.create_initialization_options(
        NotificationOptions(tools_changed=True),
        dict(EXPERIMENTAL) if bridge.port is not None else None,
    )
    async with (
        sdk_streams(channel, replies, early) as (incoming, outgoing),
        anyio.create_task_group() as group,
    ):
        group.start_soon(notices.run, bridge.listing)
        await server.run(incoming, outgoing, options)
        group.cancel_scope.cancel()


def build_server(
    bridge: Bridge, notices: ListNotices, early: EarlyAnswers | None = None
) -> Server[Any]:
    """The MCP server of a bridge.

    Args:
        bridge: runs the tools.
        notices: tell of changes of their list.
        early: the conversation so far.
    """
    handlers = _Handlers(bridge, notices, early)
    server: Server[Any] = Server(
        "lineup",
        version=__version__,
        title="LineUp",
        instructions=INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_subscriptions_listen=ListenHandler(notices.bus),
    )
    # Instead of the SDK's tracing, which would be imported and run for nobody.
    server.middleware[:] = [handlers.introduce]
    return server


class _Handlers:
    """What the SDK calls for a request; `build_server` says with what."""

    def __init__(self, bridge: Bridge, notices: ListNotices, early: EarlyAnswers | None) -> None:
        self._bridge = bridge
        self._notices = notices
        self._early = early

    async def list_tools(
        self, context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        listing, early = self._bridge.listing, self._early
        # An answer that was given early is not given again: the program does not see this list.
        unseen = early is not None and context.request_id in early.answered
        offered = listing.definitions if unseen else listing.show()
        return types.ListToolsResult(tools=[types.Tool.model_validate(tool) for tool in offered])

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        listing = self._bridge.listing
        if not listing.offers(params.name):
            near = did_you_mean(params.name, (str(tool["name"]) for tool in listing.definitions))
            message = f"Unknown tool: {clean_name(params.name)}.{near}"
            raise MCPError(code=types.INVALID_PARAMS, message=message)
        meta = context.meta or {}
        token = meta.get("progress_token")
        try:
            result = await self._bridge.call_tool(
                params.name,
                params.arguments or {},
                request=context.request_id,
                progress=context.session.report_progress if token is not None else None,
                use_id=use_id(meta),
            )
        except Exception:
            # The SDK would put the exception's text on the wire.
            _log.exception("the tool %s failed", params.name)
            raise MCPError(code=types.INTERNAL_ERROR, message="Internal error of LineUp") from None
        return _tool_result(result)

    async def introduce(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Learn the agent program's name: after the handshake, or from any request of 2026."""
        answer = await call_next(ctx)
        self._notices.met(ctx.session)
        if (known := ctx.session.client_params) is not None:
            self._bridge.introduced(known.client_info.name, known.client_info.version)
        return answer


def _tool_result(result: Result) -> types.CallToolResult:
    content: list[types.ContentBlock] = [types.TextContent(text=result.text)]
    for media in result.media:
        if media.mime_type.startswith("audio/"):
            content.append(types.AudioContent(data=media.data, mime_type=media.mime_type))
        else:
            content.append(types.ImageContent(data=media.data, mime_type=media.mime_type))
    return types.CallToolResult(content=content, is_error=result.is_error)
