"""The agent program learns that its list of tools changed, in both protocol eras (B29)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from mcp.client.subscriptions import ToolsListChanged
from mcp_types import ToolListChangedNotification

from lineup_mcp import catalog_watch
from lineup_mcp.catalog import Catalog, read_catalog
from lineup_srv.wire._gen.lineup.v1 import relay_pb2
from tests.mcp.fake_relay import FakeRelay, serving
from tests.mcp.harness import bridge_config, bridged
from tests.mcp.tools import CALCULATOR, CANVAS, CHOICE, action, toolset

if TYPE_CHECKING:
    from pathlib import Path

    from mcp.client.client import Client


class Notices:
    """The list_changed notifications of the handshake era."""

    def __init__(self) -> None:
        self.count = 0
        self._came = asyncio.Event()

    async def hear(self, message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            self.count += 1
            self._came.set()

    async def more_than(self, count: int) -> None:
        async with asyncio.timeout(10):
            while self.count <= count:
                self._came.clear()
                await self._came.wait()


async def names_of(client: Client) -> set[str]:
    return {tool.name for tool in (await client.list_tools()).tools}


@pytest.mark.requirement("B29")
async def test_a_program_of_the_handshake_era_is_told(tmp_path: Path) -> None:
    relay, notices = FakeRelay(), Notices()
    async with (
        serving(relay) as port,
        bridged(bridge_config(port, tmp_path), hear=notices.hear) as client,
    ):
        promised = client.server_capabilities.tools
        assert promised is not None
        assert promised.list_changed is True
        assert "canvas_open" not in await names_of(client)
        await relay.until(lambda: relay.named("ListTools"))
        for number, tool in enumerate((CANVAS, CALCULATOR)):
            relay.offer(tool)
            await notices.more_than(number)
            name = f"{tool.name}_{tool.actions[0].name}"
            assert name in await names_of(client)
    assert notices.count == 2


@pytest.mark.requirement("B29")
async def test_a_program_of_the_2026_era_is_told_on_its_stream(tmp_path: Path) -> None:
    relay = FakeRelay()
    async with (
        serving(relay) as port,
        bridged(bridge_config(port, tmp_path), mode="auto") as client,
        client.listen(tools_list_changed=True) as stream,
    ):
        assert "canvas_open" not in await names_of(client)
        await relay.until(lambda: relay.named("ListTools"))
        relay.offer(CANVAS)
        async with asyncio.timeout(10):
            event = await anext(aiter(stream))
        assert isinstance(event, ToolsListChanged)
        assert "canvas_open" in await names_of(client)


async def test_a_program_that_never_listed_is_not_told(tmp_path: Path) -> None:
    relay, notices = FakeRelay(), Notices()
    relay.offer(CANVAS)
    async with (
        serving(relay) as port,
        bridged(bridge_config(port, tmp_path), hear=notices.hear) as client,
    ):
        await relay.until(lambda: relay.named("ListTools"))
        await client.call_tool("lineup_list_tools")
        assert "canvas_open" in await names_of(client)
    assert notices.count == 0


async def test_a_storm_of_devices_is_a_handful_of_notices(tmp_path: Path) -> None:
    """100 devices that join, each with a tool of its own."""
    relay, notices = FakeRelay(), Notices()
    tools = [CHOICE]
    async with (
        serving(relay) as port,
        bridged(bridge_config(port, tmp_path, max_tools=200), hear=notices.hear) as client,
    ):
        await names_of(client)
        await relay.until(lambda: relay.named("ListTools"))
        for number in range(100):
            tools.append(toolset(f"device{number}", action("ring")))
            relay.offer(*tools)
            # Turns of the loop, so that the notices are spread.
            for _ in range(5):
                await asyncio.sleep(0)
        seen = 0
        while "device99_ring" not in await names_of(client):
            await notices.more_than(seen)
            seen = notices.count
    assert 1 <= notices.count <= 5
    assert len(relay.named("ListTools")) <= 6


async def test_the_same_list_is_no_news(tmp_path: Path) -> None:
    relay, notices = FakeRelay(), Notices()
    relay.offer(CANVAS)
    async with (
        serving(relay) as port,
        bridged(bridge_config(port, tmp_path), hear=notices.hear) as client,
    ):
        await relay.until(lambda: relay.named("ListTools"))
        await client.call_tool("lineup_list_tools")
        await names_of(client)
        # Another device with the same tools, and then the same relay again.
        before = len(relay.named("ListTools"))
        relay.offer(CANVAS)
        await relay.until(lambda: len(relay.named("ListTools")) == before + 1)
        relay.drop_streams()
        await relay.until(lambda: len(relay.named("ListTools")) == before + 2)
        # The revision may be that of another relay, so all is asked for.
        assert [request.revision for request in relay.named("ListTools")[-2:]] == [2, 0]
        relay.push(relay_pb2.AttachResponse(catalog_changed=relay_pb2.CatalogChanged(revision=3)))
        relay.offer(CALCULATOR)
        await notices.more_than(0)
    assert notices.count == 1


async def test_a_catalog_that_cannot_be_read_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = asyncio.Event()

    def fails(told: relay_pb2.ListToolsResponse) -> Catalog:
        if any(tool.name == "canvas" for tool in told.tools):
            loop.call_soon_threadsafe(failed.set)
            raise TypeError("a definition that nobody foresaw")
        return read_catalog(told)

    monkeypatch.setattr(catalog_watch, "read_catalog", fails)
    loop = asyncio.get_running_loop()
    relay, notices = FakeRelay(), Notices()
    relay.offer(CANVAS)
    async with (
        serving(relay) as port,
        bridged(bridge_config(port, tmp_path), hear=notices.hear) as client,
    ):
        await names_of(client)
        async with asyncio.timeout(10):
            await failed.wait()
        relay.offer(CALCULATOR)
        await notices.more_than(0)
        assert "calculator_add" in await names_of(client)
