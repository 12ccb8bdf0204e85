"""A bridge in this process, with the SDK's client at the other end of two real pipes."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from mcp.client.client import Client
from mcp_types import Implementation

from lineup_mcp.bridge import Bridge
from lineup_mcp.config import BridgeConfig
from lineup_mcp.replies import Replies
from lineup_mcp.server import serve
from lineup_mcp.stdio import StdioChannel
from lineup_mcp.streams import sdk_streams
from tests.mcp.fake_relay import TOKEN

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from mcp.client.client import ConnectMode
    from mcp.client.session import MessageHandlerFnT
    from mcp_types import CallToolResult

    from lineup_mcp.streams import Streams


def bridge_config(grpc_port: int, directory: Path, /, **changes: object) -> BridgeConfig:
    """A configuration for a relay whose gRPC port is known; nothing is started."""
    values: dict[str, object] = {
        "host": "127.0.0.1",
        "port": 1,
        "grpc_port": grpc_port,
        "port_is_default": False,
        "token": TOKEN,
        "autostart": False,
        "data_dir": directory,
        **changes,
    }
    return BridgeConfig(**values)  # type: ignore[arg-type] # a test names only what it changes


@asynccontextmanager
async def bridged(
    config: BridgeConfig,
    *,
    client_name: str = "claude-code",
    mode: ConnectMode = "legacy",
    environ: Mapping[str, str] | None = None,
    hear: MessageHandlerFnT | None = None,
) -> AsyncIterator[Client]:
    """A bridge that serves, and a client that is connected to it.

    `hear` gets what comes unasked.
    """
    ended = [asyncio.Event(), asyncio.Event()]
    to_bridge, from_client = os.pipe()
    to_client, from_bridge = os.pipe()
    bridge_side = StdioChannel(to_bridge, from_bridge, on_end=ended[0].set)
    client_side = StdioChannel(to_client, from_client, on_end=ended[1].set)

    async def run() -> None:
        replies = Replies()
        async with asyncio.TaskGroup() as tasks:
            bridge = Bridge(
                config,
                replies,
                tasks,
                environ=environ or {},
                working_directory=Path("/project"),
            )
            await serve(bridge_side, replies, bridge)

    bridge_side.start()
    client_side.start()
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(run)
            async with Client(
                _transport(client_side),
                mode=mode,
                client_info=Implementation(name=client_name, version="1"),
                message_handler=hear,
            ) as client:
                yield client
            group.cancel_scope.cancel()
    finally:
        bridge_side.close()
        client_side.close()
        os.close(from_client)
        os.close(from_bridge)
        async with asyncio.timeout(5):
            await asyncio.gather(*(event.wait() for event in ended))
        os.close(to_bridge)
        os.close(to_client)


@asynccontextmanager
async def _transport(channel: StdioChannel) -> AsyncIterator[Streams]:
    async with sdk_streams(channel, Replies()) as streams:
        yield streams


def text_of(result: CallToolResult) -> str:
    """The text of a result."""
    return "\n".join(block.text for block in result.content if block.type == "text")
