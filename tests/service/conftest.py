"""Every test of the service ends with a relay that has nothing left to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.service.stage import Stage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    stage = Stage()
    yield stage
    await stage.check_nothing_is_left()


@pytest.fixture
async def twin(stage: Stage) -> AsyncIterator[Stage]:
    """A second relay on the log of `stage`."""
    twin = stage.twin()
    yield twin
    await twin.check_nothing_is_left()
