"""A relay for every test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.transports.connect.relays import running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.transports.connect.relays import Ports


@pytest.fixture
async def ports(tmp_path: Path) -> AsyncIterator[Ports]:
    async with running(tmp_path) as ports:
        yield ports
