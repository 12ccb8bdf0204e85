"""docs/hosts.md says what the installer writes, and why, line by line."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from lineup_mcp import call_words, endings, results
from lineup_mcp.cli import main
from lineup_mcp.commands.printing import DECLINED, FAILED, NO_ANSWER
from lineup_mcp.hosts import profile_of
from lineup_mcp.installer.formats import JSON, TOML, Document
from lineup_mcp.installer.hooks import HOOK_EVENTS
from lineup_mcp.installer.places import Place, Scope
from lineup_mcp.installer.program import ConfigFile, Server
from lineup_mcp.installer.programs import PROGRAMS
from lineup_srv.contract.errors import ErrorCode, LineUpError
from lineup_srv.wire._gen.lineup.v1 import relay_pb2, request_pb2, tool_pb2
from lineup_srv.wire.codes import code_to_wire
from tests.docs.test_docs import DOCS, ROOT, rows

PAGE = DOCS / "hosts.md"
PLACE = Place(home=Path("/home/me"), project=Path("/project"), platform="linux", environ={})
SERVER = Server(command="/path/to/lineup-mcp")
CLIENTS = {
    "claude": "claude-code",
    "codex": "codex-mcp-client",
    "hermes": "mcp",
    "gemini": "gemini-cli-mcp-client",
    "opencode": "opencode",
    "cursor": "cursor",
    "cline": "@cline/core",
    "vscode": "Visual Studio Code",
}


def section(title: str) -> str:
    found = re.search(
        rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", PAGE.read_text("utf-8"), re.M | re.S
    )
    assert found is not None, title
    return found[1]


def written(file: ConfigFile) -> str:
    """What the installer writes where nothing is."""
    document = Document(file.form, "")
    for wish in file.wishes:
        wish.grant(document)
    return document.text


def names(value: object) -> set[str]:
    if isinstance(value, dict):
        return {*map(str, value), *(name for below in value.values() for name in names(below))}
    return set()


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_a_section_shows_what_is_written_and_says_why(name: str) -> None:
    text = section(PROGRAMS[name].title)
    reasons = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    for file in PROGRAMS[name].files(PLACE, Scope.USER, SERVER):
        kind = {JSON: "json", TOML: "toml"}.get(file.form, "yaml")
        path = str(file.path).replace("/home/me", "~")
        assert f"`{path}`" in text
        assert f"```{kind}\n{written(file)}```" in text
        # The tables on the way are the program's own; `env` of Claude Code's settings as well.
        own = {"mcpServers", "mcp_servers", "mcp", "servers", "lineup", "env", "permissions"}
        for key in names(file.form.read(written(file))) - own:
            assert f"`{key}`" in reasons, key


def test_the_table_has_a_column_for_each_program() -> None:
    header = next(line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| | "))
    titles = [cell.strip() for cell in header.strip("|").split("|")][1:]
    assert titles == [program.title for program in PROGRAMS.values()]


def test_the_table_says_how_long_a_call_waits_and_which_scopes_there_are() -> None:
    table = {row[0]: row[1:] for row in rows(PAGE, "| | ")}
    for column, (name, program) in enumerate(PROGRAMS.items()):
        waits = table["one call waits for a human"][column]
        files = program.files(PLACE, Scope.USER, SERVER)
        seconds = profile_of(CLIENTS[name]).wait_slice_seconds
        if seconds is None or "--wait-slice" in written(files[0]):
            assert waits.startswith("as long as it takes"), name
        else:
            assert waits == f"{seconds:.0f} s, then again", name
        scoped = bool(program.files(PLACE, Scope.PROJECT, SERVER))
        assert table["`--scope project`"][column] == ("yes" if scoped else "no"), name
        ruled = [program.rules(PLACE, scope) is not None for scope in Scope]
        words = " / ".join("yes" if one else "no" for one in ruled)
        assert table["`--rules` for you / the project"][column] == words, name


def test_every_hook_is_named() -> None:
    for event in HOOK_EVENTS:
        assert f"`{event}`" in section("Claude Code")


def test_options_and_commands_exist() -> None:
    context = click.Context(main)
    install = main.get_command(context, "install")
    assert install is not None
    options = {option for parameter in install.params for option in parameter.opts}
    listed = {row[0].strip("`").split()[0] for row in rows(PAGE, "| option |")}
    assert listed == options - {"program"}
    for command in re.findall(r"`lineup-mcp ([a-z]+)", PAGE.read_text("utf-8")):
        assert main.get_command(context, command) is not None, command


def test_the_exit_statuses_are_those_of_the_commands() -> None:
    table = {row[0]: row[1] for row in rows(PAGE, "| status |")}
    assert table[str(FAILED)].startswith("no relay")
    assert table[str(DECLINED)].startswith("dismissed")
    assert table[str(NO_ANSWER)].startswith("no answer")


def test_only_a_tool_that_failed_and_an_unanswered_abort_are_errors() -> None:
    """As *What is an error* says."""
    assert "`isError`" in section("What is an error")
    ran = {"unspecified", "invalid_argument", "invalid_result", "start_failed"}
    for code in ErrorCode:
        told = relay_pb2.CallToolResponse(
            update=tool_pb2.ToolCallUpdate(
                phase=tool_pb2.CALL_PHASE_FAILED, code=code_to_wire(code)
            )
        )
        ended = call_words.ended(told, label="", arguments="", interactive=False)
        assert ended.is_error is (code.value in ran), code
        error = LineUpError(code, "refused")
        assert not call_words.refused(error, label="", arguments="", interactive=False).is_error
        assert not results.refused(error, question="?", report=False).is_error
    expired = relay_pb2.Outcome(state=request_pb2.REQUEST_STATE_EXPIRED)
    for abort in (True, False):
        unanswered = endings.ended(
            expired, question="?", abort=abort, timeouts_in_a_row=1, timeout_seconds=60
        )
        assert unanswered.is_error is abort


def test_the_readme_leads_here() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert "docs/hosts.md" in text
    assert "lineup-mcp install" in text
