"""A start without the command line's library reads the flags as it would."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest

from lineup_mcp import entry, serving
from lineup_mcp.cli import main
from lineup_mcp.flags import FLAGS, plain_flags
from lineup_mcp.serving import CannotServe, serve

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


class TestEntry:
    @pytest.fixture
    def served(self, monkeypatch: pytest.MonkeyPatch) -> list[object]:
        """What the server was started with."""
        seen: list[object] = []
        monkeypatch.setattr(serving, "serve", seen.append)
        return seen

    def test_plain_flags_start_the_server(
        self, served: list[object], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys, "argv", ["lineup-mcp", "--agent", "hermes"])
        entry.main()
        assert served == [{"agent": "hermes"}]

    def test_anything_else_is_for_the_command_line(
        self,
        served: list[object],
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setattr(sys, "argv", ["lineup-mcp", "--version"])
        with pytest.raises(SystemExit) as end:
            entry.main()
        assert end.value.code == 0
        assert "version" in capsys.readouterr().out
        assert not served

    def test_why_there_is_no_server_goes_to_stderr(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(sys, "argv", ["lineup-mcp", "--port", "many"])
        with pytest.raises(SystemExit) as end:
            entry.main()
        assert end.value.code == 1
        assert capsys.readouterr().err.startswith("Error: ")


class TestServing:
    @pytest.fixture
    def ran(self, monkeypatch: pytest.MonkeyPatch) -> list[object]:
        """The descriptors that a server ran on."""
        seen: list[object] = []
        monkeypatch.setattr(serving, "claim_standard_streams", lambda: (7, 8))
        monkeypatch.setattr(
            "lineup_mcp.lifecycle.run", lambda _config, source, sink: seen.append((source, sink))
        )
        return seen

    def test_it_runs_on_the_streams_it_claimed(self, ran: list[object]) -> None:
        serve({"token": "x" * 40})
        assert ran == [(7, 8)]

    def test_closed_streams_are_said(
        self, ran: list[object], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def closed() -> None:
            raise OSError

        monkeypatch.setattr(serving, "claim_standard_streams", closed)
        with pytest.raises(CannotServe, match="stdin and stdout must be open"):
            serve({"token": "x" * 40})
        assert not ran

    @pytest.mark.parametrize("opened", [True, False])
    def test_the_page_alone_ends_with_what_came_of_it(
        self, ran: list[object], monkeypatch: pytest.MonkeyPatch, opened: bool
    ) -> None:
        monkeypatch.setattr("lineup_mcp.web.open_page", lambda *_, **__: opened)
        monkeypatch.setattr(serving, "_is_pipe", lambda _: False)
        with pytest.raises(SystemExit) as end:
            serve({"token": "x" * 40}, web=True)
        assert end.value.code == (0 if opened else 1)
        assert not ran
