"""What browser tests share: one Chromium, one relay, a room for each test, no complaints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest_asyncio
from playwright.async_api import async_playwright

from tests.browser.asking import asker
from tests.browser.devices import Devices
from tests.system.conftest import _no_leftovers, token
from tests.system.processes import own_home, relay

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import pytest
    from playwright.async_api import Browser

    from tests.browser.asking import Asker
    from tests.system.processes import Relay

__all__ = ["_no_leftovers", "agent", "chromium", "devices", "shared", "token"]

CHROMIUM = "/usr/bin/chromium"
# The machine may have no network, no graphics card and no user but root.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # An address of a local network, for what browsers forbid on plain http there.
    "--host-resolver-rules=MAP 192.168.7.7 127.0.0.1",
)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Browser]:
    """The browser; every device is a context of its own in it."""
    home = own_home(tmp_path_factory.mktemp("chromium"))
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=list(FLAGS), env={**home}
        )
        yield browser
        await browser.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Relay]:
    """A relay in open mode that no test may end; every token opens a room of its own in it."""
    async with relay(tmp_path_factory.mktemp("shared") / "data") as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def devices(chromium: Browser) -> AsyncIterator[Devices]:
    """Opens pages. At the end none may have complained, or have called a stranger."""
    opened = Devices(chromium)
    yield opened
    await opened.close()
    opened.check()


@pytest_asyncio.fixture(loop_scope="session")
async def agent(shared: Relay, token: str) -> AsyncIterator[Asker]:
    """An agent in the test's room that speaks gRPC without a bridge."""
    async with asker(shared.grpc, token) as one:
        yield one
