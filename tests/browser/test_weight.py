"""What the page weighs: the budget that `make check` keeps, and the package around it."""

from __future__ import annotations

import asyncio
import io
import shutil
import zipfile
from pathlib import Path

import pytest

# It needs the page that browser tests need.
pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
WHEEL_BYTES = 5_000_000


@pytest.mark.asyncio
@pytest.mark.requirement("B97")
async def test_the_first_load_stays_within_its_budget() -> None:
    node = shutil.which("node", path=str(ROOT / ".venv" / "bin")) or shutil.which("node")
    assert node
    process = await asyncio.create_subprocess_exec(
        *(node, "scripts/size.mjs"), cwd=ROOT / "web", stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()
    assert b"200 kB allowed" in output


@pytest.mark.requirement("B97")
def test_the_package_stays_small() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as wheel:
        for package in ("lineup_srv", "lineup_mcp"):
            for path in sorted((ROOT / package).rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts:
                    wheel.write(path, path.relative_to(ROOT))
    assert packed.tell() < WHEEL_BYTES
