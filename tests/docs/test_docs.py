from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import click
import pytest

from lineup_srv.cli import main
from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.domain.call import CallPhase
from lineup_srv.domain.commands import Command
from lineup_srv.domain.facts import Fact
from lineup_srv.domain.request import RequestState
from lineup_srv.logs.sqlite.schema import FILE_NAME
from lineup_srv.transports.metrics import PrometheusMetrics
from lineup_srv.wire.cmd import Cmd

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *ROOT.glob("*.md")])


def rows(page: Path, header: str) -> list[list[str]]:
    """The cells of the table whose first line starts with `header`."""
    lines = page.read_text("utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(header))
    table = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        table.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))])
    return table


def codes(text: str) -> set[str]:
    return set(re.findall(r"`([A-Za-z]+)`", text))


def test_every_fact_has_its_message_in_the_protocol() -> None:
    table = rows(DOCS / "protocol.md", "| fact |")
    assert {cell for row in table for cell in codes(row[0])} == {
        fact.__name__ for fact in get_args(Fact)
    }


def test_messages_in_the_protocol_exist() -> None:
    known = {cmd.value for cmd in Cmd}
    for row in rows(DOCS / "protocol.md", "| fact |"):
        for name in codes(row[2]) - {"seq", "received", "ReplyNotification"}:
            assert name in known, name


def test_ack_codes_in_the_protocol_exist() -> None:
    for row in rows(DOCS / "protocol.md", "| `Ack` |"):
        for name in re.findall(r"[A-Z]{2,}_[A-Z_]+", row[0]):
            assert name in ErrorCode.__members__


def test_the_state_table_names_states_and_commands_that_exist() -> None:
    commands = {command.__name__ for command in get_args(Command)}
    states = {state.name for state in RequestState}
    for state, command, following in rows(DOCS / "architecture.md", "| state | command |"):
        assert codes(command) <= commands
        for name in re.findall(
            r"[A-Z]{5,}", f"{state} {following}".replace("ALREADY_ANSWERED", "")
        ):
            assert name in states | {"CONFLICT"}, name


def test_the_table_of_calls_names_states_and_commands_that_exist() -> None:
    commands = {command.__name__ for command in get_args(Command)}
    states = {phase.name for phase in CallPhase}
    named = set()
    for state, command, following in rows(DOCS / "architecture.md", "| state of the call |"):
        assert codes(command) <= commands
        named |= set(re.findall(r"[A-Z]{5,}", f"{state} {following}"))
    assert named == states


def test_operations_lists_every_option_of_the_relay() -> None:
    listed = {
        name for row in rows(DOCS / "operations.md", "| flag |") for name in row[0].split("`")
    }
    options = {option for parameter in main.params for option in parameter.opts}
    documented = {entry.split(" ")[0] for entry in listed if entry.startswith("--")}
    assert options - {"--help", "-h", "--version", "--print-config"} == documented


def test_operations_lists_every_metric() -> None:
    text = (DOCS / "operations.md").read_text("utf-8")
    exposed = PrometheusMetrics().exposition()[0].decode()
    families = set(re.findall(r"^# TYPE (\w+) (?:counter|histogram|gauge)$", exposed, re.M))
    assert families >= {"lineup_connections"}
    for family in families:
        if not family.endswith("_created"):
            assert f"`{family}`" in text, family


def commands(group: click.Group, name: str) -> dict[str, click.Command]:
    """Every command that does something, by what is typed."""
    found: dict[str, click.Command] = {}
    for word, command in group.commands.items():
        if isinstance(command, click.Group):
            found |= commands(command, f"{name} {word}")
        else:
            found[f"{name} {word}"] = command
    return found


def test_operations_lists_every_command_with_options_that_it_has() -> None:
    table = {row[0].strip("`"): row[1] for row in rows(DOCS / "operations.md", "| command |")}
    known = commands(main, "lineup-srv")
    assert {typed.removesuffix(" FILE") for typed in table} == set(known)
    for typed, words in table.items():
        command = known[typed.removesuffix(" FILE")]
        options = {option for parameter in command.params for option in parameter.opts}
        assert {"--data-dir", "--config"} <= options
        assert set(re.findall(r"--[a-z-]+", words)) <= options, typed


def test_operations_names_what_the_log_keeps_by_default() -> None:
    text = (DOCS / "operations.md").read_text("utf-8")
    assert f"`[srv] keep_days` ({limits.KEEP_DAYS})" in text
    assert f"({limits.KEEP_BYTES // 1024**3} GiB)" in text


def test_operations_names_the_file() -> None:
    assert FILE_NAME in (DOCS / "operations.md").read_text("utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def commands_in(page: Path, pattern: str) -> set[str]:
    """What the pattern's group finds in code."""
    code = re.findall(r"```.*?```|`[^`]+`", page.read_text("utf-8"), re.S)
    return {found for text in code for found in re.findall(pattern, text)}


def test_every_make_command_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    named = set[str]().union(*(commands_in(page, r"\bmake ([a-z-]+)") for page in PAGES))
    assert named >= {"install", "test", "chromium"}
    assert named <= targets


def test_every_example_that_is_started_exists() -> None:
    started = set[str]().union(*(commands_in(page, r"python (examples/\S+)") for page in PAGES))
    assert started >= {"examples/calculator_app.py", "examples/asking_agent.py"}
    for example in started:
        assert (ROOT / example).is_file()
