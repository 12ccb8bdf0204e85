"""`lineup-mcp miniapp check`: all that is wrong, without a relay."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from lineup_mcp.cli import main
from tests.contract.definitions import action, single, toolset
from tests.miniapps.making import make, make_raw

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


def check(folder: Path) -> Result:
    return CliRunner().invoke(main, ["miniapp", "check", str(folder)])


def faults(folder: Path) -> list[str]:
    """The lines about faults, without the folder; there are some."""
    result = check(folder)
    assert result.exit_code == 1
    *lines, count = result.stderr.splitlines()
    assert count == ("1 fault." if len(lines) == 1 else f"{len(lines)} faults.")
    assert all(line.startswith(f"{folder}/") for line in lines)
    return [line.removeprefix(f"{folder}/") for line in lines]


def test_a_good_one_is_fine(tmp_path: Path) -> None:
    result = check(make(tmp_path))

    assert (result.exit_code, result.stderr) == (0, "")
    assert "Hello 1 (hello) is fine." in result.stdout
    assert "greeter.add" in result.stdout


@pytest.mark.requirement("design:tools:miniapps-are-told-all-faults")
def test_all_its_bad_tools_are_said(tmp_path: Path) -> None:
    told = faults(make(tmp_path, tools=[{}, toolset("clock", type="watch")]))

    assert told[0].startswith("manifest.json:7:5: tools[0].name: is missing")
    assert told[1].startswith("manifest.json:7:5: tools[0].type: is missing")
    assert told[-1].startswith("manifest.json:10:7: tools[1].type: must be one of")


def test_what_is_no_miniapp_is_said(tmp_path: Path) -> None:
    root = tmp_path / "apps"
    (root / "notes").mkdir(parents=True)
    result = check(root)

    assert result.exit_code == 1
    assert result.stdout == "notes: has no manifest.json, so it is no MiniApp.\n"
    assert result.stderr == (
        f"Error: neither {root} nor a folder in it has a manifest.json: this is no MiniApp\n"
    )
    assert check(tmp_path / "none").exit_code == 2
    (tmp_path / "file").write_text("")
    assert check(tmp_path / "file").exit_code == 2


def test_a_folder_of_miniapps_is_checked_as_a_relay_would_read_it(tmp_path: Path) -> None:
    root = tmp_path / "apps"
    make(root / "a")
    make(root / "b")
    make(root / "c", id="c", tools=[toolset("clock", actions=[action("add")])])
    make_raw(root / "d", b'{"id": "d",}')
    (root / "notes").mkdir()
    (root / ".git").mkdir()

    told = check(root)

    assert told.exit_code == 1
    assert [line.partition(" is fine")[0] for line in told.stdout.splitlines()] == [
        "Hello 1 (hello)",
        "Hello 1 (c)",
        "notes: has no manifest.json, so it is no MiniApp.",
    ]
    assert faults(root) == [
        "b/manifest.json:2:3: id: hello is the id of the MiniApp in a too: choose another",
        "d/manifest.json:1:12: is not JSON: take away the comma before this bracket",
    ]


def test_names_that_agents_could_not_tell_apart_are_said(tmp_path: Path) -> None:
    bad = {"name": "bad"}
    clock = toolset("clock", actions=[action("set time"), action("Set_Time"), action("开始")])
    make(tmp_path / "a", id="a", tools=[bad, clock, single("ask question")])
    make(tmp_path / "b", id="b", tools=[single("clock_set_time")])

    told = [line for line in faults(tmp_path) if "agents call" in line]

    assert [line.partition(": agents call this ")[0] for line in told] == [
        "a/manifest.json:35:11: tools[1].actions[1].name",
        "a/manifest.json:75:7: tools[2].name",
        "b/manifest.json:8:7: tools[0].name",
    ]
    assert told[0].endswith(", for clock set time of a has the name clock_set_time: choose another")
    assert told[1].endswith(", for LineUp itself has the name ask_question: choose another")


def test_an_action_that_no_agent_would_be_offered_is_said(tmp_path: Path) -> None:
    tree = {"properties": {"next": {"$ref": "#"}}}
    told = faults(make(tmp_path, tools=[single("tree", inputSchema=tree)]))

    assert told == [
        "manifest.json:14:13: tools[0].inputSchema.properties.next.$ref: refers to itself: agent "
        "programs take no recursive schema; so no agent would be offered this action"
    ]


PAGE = """<!doctype html>
<link rel="stylesheet" href="css/style.css"><script type="module" src="./main.js?v=1"></script>
<img src="/logo.png">
<img src="../up.png"><img src="..">
<img src="my pic.png"><img src="%2ehidden.png"><img src>
<video poster="still.png"></video><object data="it.svg"></object><input data="none">
<a href="https://example.test/x.js">x</a><a href="#part">x</a><img src="data:image/png;base64,xx">
<script src="main.js"></script><script src="link.js"></script><a href="data.bin">x</a>
"""
MAIN = """import { x } from "./gone.js"
import {
  y
} from './main.js'
import z from "bare"
// import "./not.js"
/*
import "./not.js"
*/
  export * from "./lib/deep.js"
const text = 'import "./not.js"'
"""


def test_files_that_are_named_and_not_there_are_said(tmp_path: Path) -> None:
    outside = tmp_path / "outside.js"
    outside.write_text("")
    folder = make(tmp_path / "app")
    (folder / "index.html").write_text(PAGE)
    (folder / "main.js").write_text(MAIN)
    (folder / "data.bin").write_bytes(b"\xff")
    (folder / "link.js").symlink_to(outside)
    for name in ("css", "lib"):
        (folder / name).mkdir()
    (folder / "lib" / "deep.js").write_text('import "../gone.mjs"; import "./deep.js"')
    (folder / "css" / "style.css").write_text(
        "@import 'more.css'; /* url(not.png) */ a { b: url(../bg.png) url( \"x.png\" ) }"
    )

    told = sorted(line.partition(" ")[0] + line.partition(" ")[2][:24] for line in faults(folder))

    assert told == sorted([
        "index.html:3:1:/logo.png does not begin",
        "index.html:4:1:../up.png leads out of t",
        "index.html:4:22:.. leads out of the fold",
        "index.html:5:1:my pic.png is not served",
        "index.html:5:23:.hidden.png is not serve",
        "index.html:6:1:there is no file still.p",
        "index.html:6:35:there is no file it.svg ",
        "index.html:8:32:link.js leads out of the",
        "main.js:1:20:there is no file gone.js",
        "lib/deep.js:1:9:there is no file gone.mj",
        "css/style.css:1:10:there is no file css/mor",
        "css/style.css:1:51:there is no file bg.png ",
        "css/style.css:1:68:there is no file css/x.p",
    ])  # fmt: skip


@pytest.mark.requirement("design:tools:miniapps-are-told-all-faults")
def test_the_files_of_one_with_a_bad_manifest_are_looked_at_too(tmp_path: Path) -> None:
    folder = make(tmp_path / "app", version=1)
    (folder / "index.html").write_text('<script src="gone.js"></script>')
    assert faults(folder) == [
        "manifest.json:3:3: version: must be a string",
        "index.html:1:1: there is no file gone.js in the folder: write it, or correct the name",
    ]
    (folder / "index.html").unlink()
    assert faults(folder) == [
        "manifest.json:5:3: entry: there is no file index.html in the folder: write it, or correct "
        "the name",
        "manifest.json:3:3: version: must be a string",
    ]
    make(tmp_path / "app", version=1, entry="/etc/passwd")
    assert [line.split(": ")[1] for line in faults(folder)] == ["version", "entry"]


def test_a_title_steers_no_terminal(tmp_path: Path) -> None:
    assert "A\\x1b[2J 1 (hello) is fine." in check(make(tmp_path, title="A\x1b[2J")).stdout


def test_here_is_a_folder_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, id="X")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["miniapp", "check", os.curdir])

    assert result.stderr.startswith("./manifest.json:2:3: id: must be 1 to 64")
