"""A start without the command line's library reads the flags as it would."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest

from lineup_mcp.cli import main
from lineup_mcp.flags import FLAGS, plain_flags

LINES = [
    (),
    ("--no-autostart",),
    ("--channels", "--host", "a.example", "--port=1"),
    ("--tools", "questions,apps", "--agent=hermes", "--wait-slice", "50"),
    ("--token", "one", "--token", "two"),
    ("--config=", "--grpc-port", ""),
    ("--token=a=b",),
]


def by_click(arguments: tuple[str, ...]) -> dict[str, object]:
    """What the command line gives the server."""
    context = main.make_context("lineup-mcp", list(arguments))
    own = {flag.key for flag in FLAGS}
    return {key: value for key, value in context.params.items() if key in own and value is not None}


@pytest.mark.parametrize("arguments", LINES)
def test_flags_are_read_as_the_command_line_reads_them(arguments: tuple[str, ...]) -> None:
    assert plain_flags(arguments) == by_click(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("-h",),
        ("--version",),
        ("--web",),
        ("--print-config",),
        ("doctor",),
        ("--host", "a", "ask", "Go on?"),
        ("--host",),
        ("--host", "--port"),
        ("--channels=yes",),
        ("--hosts", "a"),
        ("--",),
    ],
)
def test_anything_else_is_left_to_the_command_line(arguments: tuple[str, ...]) -> None:
    assert plain_flags(arguments) is None


def test_every_flag_stands_in_the_help() -> None:
    told = click.Context(main).get_help()
    assert all(flag.name in told for flag in FLAGS)


@pytest.mark.system
def test_what_cannot_be_served_is_said_as_the_command_line_says_it() -> None:
    command = [sys.executable, "-m", "lineup_mcp", "--config", "/nowhere.toml"]
    told = [
        subprocess.run([*command, *more], capture_output=True, timeout=15, check=False)
        for more in ([], ["--web"])
    ]
    assert told[0].stderr == told[1].stderr == b"Error: no configuration file at /nowhere.toml\n"
    assert told[0].returncode == told[1].returncode == 1
    assert not told[0].stdout
