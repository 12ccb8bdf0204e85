"""What tests of guarantees share: the fixtures of the system tests, and a way to tell figures."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import pytest

from tests.system.conftest import _no_leftovers, shared, token

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["_no_leftovers", "shared", "token"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long runs are only for those who ask for them: `pytest -m soak`."""
    if "soak" in config.option.markexpr:
        return
    long = [item for item in items if item.get_closest_marker("soak")]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]


@pytest.fixture
def tell(
    request: pytest.FixtureRequest, capfd: pytest.CaptureFixture[str]
) -> Callable[[str], None]:
    """Writes a line that is seen also when the test passes."""
    reporter = request.config.pluginmanager.get_plugin("terminalreporter")

    def write(line: str) -> None:
        with capfd.disabled():
            if reporter is not None:
                reporter.write_line(f"\n{request.node.name}: {line}")

    return write


@pytest.fixture
def chance(tell: Callable[[str], None]) -> random.Random:
    """Chance whose seed is told; LINEUP_TEST_SEED, taken before tests hide it, repeats a run."""
    seed = _SEED or str(random.SystemRandom().randrange(10**9))
    tell(f"seed {seed}")
    return random.Random(seed)


_SEED = os.environ.get("LINEUP_TEST_SEED", "")
