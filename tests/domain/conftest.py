"""The core reads no file and no variable: its tests need no environment of their own."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _own_environment() -> None:
    """Takes the place of the fixture that makes a home for each test; these run in thousands."""
