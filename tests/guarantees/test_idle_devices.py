"""Hundreds of devices that only listen: what each costs the relay."""

from __future__ import annotations

import asyncio
import json
import secrets
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Final

import psutil
import pytest

from tests.guarantees.asking import asker
from tests.guarantees.sockets import bare_device
from tests.system.devices import device
from tests.system.processes import relay
from tests.transports.connect.relays import running

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.system.processes import Relay

pytestmark = [pytest.mark.system, pytest.mark.timeout(90)]

ROOMS: Final = 10
DEVICES: Final = 50
WARM_ROOMS: Final = 2
MOST_KIB: Final = 56
"""Twice the budget of an idle device, which the benchmark measures; this catches a leap."""


@pytest.mark.requirement("design:budgets:idle-devices")
async def test_five_hundred_idle_devices_cost_little_memory_and_are_all_served(
    tmp_path: Path, tell: Callable[[str], None]
) -> None:
    async with relay(tmp_path / "relay") as server, AsyncExitStack() as stack:

        async def fill(rooms: int) -> list[str]:
            tokens = [secrets.token_hex(16) for _ in range(rooms)]
            for token in tokens:
                for number in range(DEVICES):
                    await stack.enter_async_context(
                        bare_device(server.http, token, f"Idle{number}")
                    )
            return tokens

        await fill(WARM_ROOMS)
        before = memory_of(server)
        tokens = await fill(ROOMS)
        each_kib = (memory_of(server) - before) / 1024 / ROOMS / DEVICES
        tell(f"{each_kib:.1f} KiB for each of {ROOMS * DEVICES} idle devices in {ROOMS} rooms")
        assert each_kib <= MOST_KIB
        token = tokens[-1]
        async with (
            asker(server.grpc, token, "one") as agent,
            device(server.http, token, "Ann") as ann,
        ):
            call = agent.begin("Anybody awake?")
            await ann.answer((await ann.card("Anybody awake?")).ID, "me")
            assert (await call).contents[0].text.text == "me"


def memory_of(server: Relay) -> int:
    """The bytes that the relay keeps in memory."""
    process = int(json.loads((server.data_dir / "lock").read_text())["pid"])
    return int(psutil.Process(process).memory_info().rss)


@pytest.mark.requirement("design:budgets:idle-devices")
async def test_an_idle_device_has_one_task_which_is_its_server_s_own(tmp_path: Path) -> None:
    token = secrets.token_hex(16)
    async with running(tmp_path) as ports, AsyncExitStack() as stack:
        await stack.enter_async_context(bare_device(ports.http, token, "First"))
        before = len(asyncio.all_tasks())
        for number in range(50):
            await stack.enter_async_context(bare_device(ports.http, token, f"Idle{number}"))
        assert len(asyncio.all_tasks()) - before == 50
