"""What docs/miniapps.md says of ends and failures is what agents, pages and authors are told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from lineup_mcp import call_words
from lineup_mcp.commands.miniapp import miniapp
from lineup_srv.contract import limits
from lineup_srv.contract.errors import ERRORS, ErrorCode, LineUpError
from lineup_srv.schemas import Schema
from lineup_srv.wire._gen.lineup.v1 import relay_pb2, tool_pb2
from lineup_srv.wire.codes import code_to_wire

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "miniapps.md").read_text("utf-8")
DESK = (ROOT / "web" / "src" / "tools" / "desk.ts").read_text("utf-8")
FRAME = (ROOT / "web" / "src" / "miniapps" / "frame.ts").read_text("utf-8")
"""Where the page has its words about calls of MiniApps."""


def rows(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading, without its head."""
    part = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


FAILURES = [
    (code.strip("`"), reads.strip("`"))
    for code, _, reads in rows("What the agent reads when a call fails")
    if reads.count("`") == 2
]


def test_there_is_a_row_for_every_failure() -> None:
    assert len(FAILURES) >= 14
    assert {code for code, _ in FAILURES} >= {
        "app_gone", "expired", "invalid_argument", "invalid_result", "no_answer", "no_app",
        "start_failed", "tool_changed",
    }  # fmt: skip


def misfit(code: str, schema_json: str, value: object, path: str) -> str:
    """The words about a value that does not fit."""
    with pytest.raises(LineUpError) as caught:
        Schema(schema_json).check(value, path)
    if code == "invalid_argument":
        refused = call_words.refused(caught.value, label="", arguments="", interactive=False)
        return refused.text.splitlines()[0]
    return f"{code}: {caught.value.field}: {caught.value.message}"


CHECKED = {
    misfit("invalid_argument", '{"properties":{"name":{"maxLength":40}}}', {"name": "x" * 41},
           "arguments"),
    misfit("invalid_result", '{"properties":{"left":{"type":"integer"}}}', {"left": ""}, "result"),
    f"invalid_result: result: has more than {limits.RESULT_BYTES} bytes",
}  # fmt: skip
"""What the relay and the bridge say of values."""


def test_values_that_do_not_fit_are_told_like_this() -> None:
    assert {reads for _, reads in FAILURES} >= CHECKED


@pytest.mark.parametrize(("code", "reads"), [row for row in FAILURES if row[1] not in CHECKED])
def test_the_agent_reads_this(code: str, reads: str) -> None:
    known = ErrorCode(code)
    told = reads.removeprefix(f"{code}: ").removeprefix("app not connected. ")
    by_relay = told == ERRORS[known].meaning
    assert by_relay or f"'{told}'" in FRAME + DESK
    phase = tool_pb2.CALL_PHASE_EXPIRED if code == "expired" else tool_pb2.CALL_PHASE_FAILED
    update = tool_pb2.ToolCallUpdate(phase=phase, code=code_to_wire(known), message=told)

    ended = call_words.ended(
        relay_pb2.CallToolResponse(update=update), label="", arguments="", interactive=False
    )

    assert ended.text.splitlines() == [reads, f"Next step: {ERRORS[known].next_step}"]
    assert ended.is_error == (code in {"invalid_argument", "invalid_result", "start_failed"})


def test_the_codes_of_a_cancel_are_those_that_the_page_sends() -> None:
    codes = [code.strip("`") for code, _ in rows("When a call ends without the MiniApp")]
    assert codes[:3] == ["cancelled", "expired", "taken"]
    for code in ("taken", "app_gone"):
        assert f"'{code}'" in DESK
    assert "'tool.cancel', { call_id, code: why.code }" in FRAME


def test_the_times_are_those_of_the_relay() -> None:
    assert f"away for more than {limits.CALL_OWNER_SECONDS} s" in PAGE
    assert f"after {limits.CALL_OWNER_SECONDS} s it fails" in PAGE
    assert f"came within {limits.CALL_APP_SECONDS} s" in PAGE
    assert f"waits {limits.CALL_APP_SECONDS} s for one" in PAGE
    assert f"take the call within {limits.CALL_ACCEPT_SECONDS} s" in PAGE
    assert f"take it within {limits.CALL_ACCEPT_SECONDS} s" in PAGE
    assert f"{limits.DEFAULT_TIMEOUT_SECONDS // 60} minutes, if the agent did not say" in PAGE


def test_the_check_says_what_the_page_shows(tmp_path: Path) -> None:
    shown = re.search(r"^```text\n(.*?)^```$", PAGE, re.M | re.S)
    assert shown is not None
    for path in (ROOT / "examples" / "miniapps" / "hello").iterdir():
        text = path.read_text("utf-8").replace('src="hello.js"', 'src="helo.js"')
        text = text.replace('"type": "toolset"', '"type": "tool"')
        (tmp_path / "hello").mkdir(exist_ok=True)
        (tmp_path / "hello" / path.name).write_text(text, encoding="utf-8")

    result = CliRunner().invoke(miniapp, ["check", str(tmp_path)])

    assert result.stderr.replace(f"{tmp_path}/", "") == shown[1]
    assert result.exit_code == 1


def test_commands_stand_as_they_are_typed_in_the_clone() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    for page in pages:
        for block in re.findall(r"^```(?:sh)?\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S):
            for line in block.splitlines():
                assert not re.match(r"lineup-(mcp|srv) ", line), f"{page.name}: {line}"
