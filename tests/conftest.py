"""What every test gets: a home of its own, so that none reads the developer's files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.system.processes import bound

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

# A loaded machine is no defect: how long an example takes is no finding.
settings.register_profile("lineup", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("lineup")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Gives a test its time: that of its mark or of all, longer on a loaded machine."""
    mark = item.get_closest_marker("timeout")
    seconds = float(mark.args[0] if mark else item.config.getini("timeout"))
    item.add_marker(pytest.mark.timeout(bound(seconds)), append=False)
    return (yield)


@pytest.fixture(autouse=True)
def _own_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hides the user's configuration, data and LINEUP_* variables; tests set their own."""
    home = tmp_path / "home"
    home.mkdir()
    for name in [n for n in os.environ if n.startswith("LINEUP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home / name.lower()))
