"""`lineup-mcp miniapp check`: what a relay would say, without a relay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.testing import CliRunner

from lineup_mcp.cli import main
from tests.contract.definitions import toolset
from tests.test_miniapps import make

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


def check(folder: Path) -> Result:
    return CliRunner().invoke(main, ["miniapp", "check", str(folder)])


def test_a_good_one_is_fine(tmp_path: Path) -> None:
    result = check(make(tmp_path))

    assert result.exit_code == 0
    assert "Hello 1 (hello) is fine." in result.stdout
    assert "greeter.add" in result.stdout


def test_all_its_bad_tools_are_said(tmp_path: Path) -> None:
    result = check(make(tmp_path, tools=[{}, toolset("clock", type="watch")]))

    assert result.exit_code == 1
    assert "tools[0].name: is missing" in result.stderr
    assert "tools[1].type: must be one of" in result.stderr


def test_what_is_no_miniapp_is_said(tmp_path: Path) -> None:
    assert check(tmp_path).exit_code == 1
    assert "manifest.json cannot be read" in check(tmp_path).stderr
    assert check(tmp_path / "none").exit_code == 2
