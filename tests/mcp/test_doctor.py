"""`lineup-mcp doctor`: what it finds, what it says to that, and how it ends."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from lineup_mcp import __version__
from lineup_mcp.cli import main
from lineup_mcp.doctor.findings import Finding, Level
from lineup_mcp.doctor.machine import check_files, check_proxies, check_start, check_token
from lineup_mcp.doctor.programs import check_programs
from lineup_mcp.doctor.relay import check_relay
from lineup_mcp.installer.places import Place
from lineup_mcp.installer.program import Server
from lineup_srv.settings.resolve import Settings
from tests.mcp.fake_relay import TOKEN, FakeRelay, serving
from tests.mcp.harness import bridge_config
from tests.mcp.listeners import answering
from tests.mcp.listeners import relay as health
from tests.system.devices import device
from tests.system.processes import own_home, relay

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineup_mcp.config import BridgeConfig


def found(findings: list[Finding], subject: str) -> Finding:
    (one,) = [finding for finding in findings if finding.subject == subject]
    return one


async def looked(config: BridgeConfig) -> list[Finding]:
    return await asyncio.to_thread(lambda: list(check_relay(config)))


async def run_doctor(home: Path, *words: str, **environ: str) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "lineup_mcp", *words),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        env={**own_home(home), **environ},
        cwd=home,
    )
    output, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, output.decode()


@pytest.mark.system
async def test_all_is_well_with_a_relay_and_a_device(tmp_path: Path) -> None:
    async with relay(tmp_path / "data", token=TOKEN) as running:
        environ = {
            "LINEUP_TOKEN": TOKEN,
            "LINEUP_PORT": str(running.http),
            "LINEUP_GRPC_PORT": str(running.grpc),
        }
        async with device(running.http, TOKEN) as ann:
            status, output = await run_doctor(tmp_path / "a", "doctor", "--json", **environ)
            async with device(running.http, TOKEN, "Bob") as bob:
                await bob.settled()
                # Neither is told of an agent that came, or that left.
                told_of = [one for each in (ann, bob) for one in each.received if one.agents]
                assert told_of == []
        told = json.loads(output)
        levels = {one["subject"]: one["level"] for one in told["findings"]}
        assert {name: levels[name] for name in ("relay", "version", "clock", "devices")} == {
            "relay": "ok",
            "version": "ok",
            "clock": "ok",
            "devices": "ok",
        }
        # A loaded machine may be slow to start it.
        assert (status, told["status"]) in ((0, "ok"), (1, "warning"))
        assert TOKEN not in output
        environ["LINEUP_TOKEN"] = TOKEN[::-1]
        status, output = await run_doctor(tmp_path / "b", "doctor", **environ)
    assert status == 2
    assert "error    token        the relay does not take it" in output
    assert "\x1b" not in output


async def test_an_older_relay_and_another_clock_are_told(tmp_path: Path) -> None:
    fake = FakeRelay()
    fake.devices = 0
    with health() as port:
        async with serving(fake) as grpc_port:
            findings = await looked(bridge_config(grpc_port, tmp_path, port=port))
    version, clock = found(findings, "version"), found(findings, "clock")
    assert version.level is Level.WARNING
    assert version.text == f"the relay has 0, this bridge {__version__}"
    assert clock.level is Level.WARNING
    assert found(findings, "devices").mend == "lineup-mcp --web"
    assert not fake.named("Goodbye")


async def test_a_relay_without_its_grpc_port_is_told(tmp_path: Path) -> None:
    with health() as port:
        findings = await looked(bridge_config(1, tmp_path, port=port))
    assert found(findings, "gRPC").level is Level.ERROR


async def test_no_relay_is_an_error_unless_one_is_started(tmp_path: Path) -> None:
    (gone,) = await looked(bridge_config(1, tmp_path))
    assert (gone.level, gone.mend) == (Level.ERROR, "lineup-srv")
    (coming,) = await looked(bridge_config(1, tmp_path, autostart=True))
    assert (coming.level, coming.mend) == (Level.WARNING, "lineup-mcp --web")


async def test_a_token_that_the_relay_refuses_is_an_error(tmp_path: Path) -> None:
    with health() as port:
        async with serving(FakeRelay()) as grpc_port:
            config = bridge_config(grpc_port, tmp_path, port=port, token=TOKEN[::-1])
            findings = await looked(config)
    assert found(findings, "token").level is Level.ERROR


async def test_another_program_on_the_port_is_an_error(tmp_path: Path) -> None:
    with answering({"name": "something else"}) as port:
        (taken,) = await looked(bridge_config(1, tmp_path, port=port))
    assert taken.level is Level.ERROR
    assert "another program" in taken.text


@pytest.mark.system
def test_the_command_tells_people_and_programs(place: Place) -> None:
    run = CliRunner()
    words = ["--no-autostart", "--port", "1", "--token", TOKEN, "doctor"]
    shown = run.invoke(main, words)
    assert shown.exit_code == 2
    assert "error    relay        none answers at 127.0.0.1:1" in shown.stdout
    assert "                      -> lineup-srv" in shown.stdout
    told = json.loads(run.invoke(main, [*words, "--json"]).stdout)
    assert told["status"] == "error"
    assert {one["level"] for one in told["findings"]} >= {"ok", "error"}


@pytest.mark.parametrize(
    ("token", "host", "level"),
    [
        (TOKEN, "127.0.0.1", Level.OK),
        ("test-token", "127.0.0.1", Level.WARNING),
        ("aaaaaaaaaaaaaaaaaaaaaaaa", "relay.example", Level.ERROR),
    ],
)
def test_a_weak_token_is_worse_where_others_come(
    tmp_path: Path, token: str, host: str, level: Level
) -> None:
    finding = check_token(bridge_config(1, tmp_path, token=token, host=host), "LINEUP_TOKEN")
    assert finding.level is level
    assert token not in finding.text


@pytest.mark.parametrize(
    ("environ", "host", "level"),
    [
        ({}, "relay.example", Level.OK),
        ({"HTTPS_PROXY": "http://me:pw@proxy"}, "127.0.0.1", Level.OK),
        ({"HTTPS_PROXY": "http://me:pw@proxy"}, "relay.example", Level.WARNING),
        ({"http_proxy": "http://p", "NO_PROXY": "a, .example"}, "relay.example", Level.OK),
        ({"http_proxy": "http://p", "NO_PROXY": "lay.example"}, "relay.example", Level.WARNING),
        ({"http_proxy": "http://p", "no_proxy": "*"}, "relay.example", Level.OK),
    ],
)
def test_a_proxy_counts_on_the_way_to_another_machine(
    tmp_path: Path, environ: Mapping[str, str], host: str, level: Level
) -> None:
    finding = check_proxies(bridge_config(1, tmp_path, host=host), environ)
    assert finding.level is level
    assert "pw" not in finding.text


def test_what_a_file_says_in_vain_is_told() -> None:
    findings = list(check_files(Settings({}, notes=("x is ignored",), files=("/a.toml",))))
    assert [(one.level, one.text) for one in findings] == [
        (Level.OK, "/a.toml"),
        (Level.WARNING, "x is ignored"),
    ]


@pytest.mark.system
@pytest.mark.requirement("B69")
def test_the_start_is_measured(tmp_path: Path) -> None:
    environ = {**os.environ, "LINEUP_TOKEN": TOKEN}
    begun = time.monotonic()
    good = check_start([sys.executable, "-P", "-m", "lineup_mcp"], environ)
    assert good.level in (Level.OK, Level.WARNING)
    assert 0 < float(good.text.split()[0]) < time.monotonic() - begun + 0.05
    silent = check_start([sys.executable, "-c", "raise SystemExit('broken')"], environ)
    assert silent.level is Level.ERROR
    assert "broken" in silent.text
    assert check_start([str(tmp_path / "none")], environ).level is Level.ERROR


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A machine with nothing on it."""
    empty = tmp_path / "bin"
    empty.mkdir()
    monkeypatch.setenv("PATH", str(empty))
    monkeypatch.chdir(tmp_path)
    return Place(home=tmp_path / "home", project=tmp_path, platform="linux", environ={})


def programs(place: Place) -> list[Finding]:
    return list(check_programs(place, Server(command=sys.executable)))


@pytest.mark.requirement("B04")
def test_a_missing_switch_is_named_with_the_command_that_mends_it(place: Place) -> None:
    assert programs(place) == []
    (place.home / ".claude").mkdir(parents=True)
    (place.home / ".claude.json").write_text("{}")
    (note,) = programs(place)
    assert (note.level, note.mend) == (Level.NOTE, "lineup-mcp install claude")

    run = CliRunner()
    assert run.invoke(main, ["install", "claude"]).exit_code == 0
    (good,) = programs(place)
    assert good.level is Level.OK

    (place.home / ".claude/settings.json").write_text("{}")
    (bad,) = programs(place)
    assert bad.level is Level.WARNING
    assert "env.CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS" in bad.text
    assert bad.mend == "lineup-mcp install claude"


def test_a_program_that_moved_and_our_entry_in_a_broken_file_are_errors(place: Place) -> None:
    path = place.project / ".gemini/settings.json"
    path.parent.mkdir()
    entry: dict[str, Any] = {"command": "/gone/lineup-mcp", "trust": True, "timeout": 86_400_000}
    path.write_text(json.dumps({"mcpServers": {"lineup": entry}}))
    (moved,) = programs(place)
    assert moved.level is Level.ERROR
    assert moved.mend == "lineup-mcp install gemini --scope project"
    path.write_text('{"mcpServers": {"lineup": {')
    (broken,) = programs(place)
    assert broken.level is Level.ERROR
    assert broken.text == (
        f"LineUp is entered in it, and {path} cannot be used: it is not JSON: it ends too early"
    )
    assert broken.mend == "correct the file, then: lineup-mcp install gemini --scope project"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"{", "it is not JSON: it ends too early"),
        (b"{,}", "it is not JSON at line 1, column 2"),
        (b"\xff", "it is not UTF-8"),
        (b"[]", "its outermost value is not an object"),
        (None, "it is not an ordinary file of at most 67108864 bytes"),
    ],
)
def test_a_broken_file_without_our_entry_is_a_warning(
    place: Place, content: bytes | None, problem: str
) -> None:
    path = place.home / ".gemini/settings.json"
    if content is None:
        path.mkdir(parents=True)
    else:
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
    (broken,) = programs(place)
    assert (broken.level, broken.subject) == (Level.WARNING, "Gemini CLI")
    assert broken.text == f"LineUp is not installed in it; {path} cannot be used: {problem}"
    assert broken.mend == "correct the file, then: lineup-mcp install gemini"


def test_a_broken_file_beside_our_entry_is_an_error(place: Place) -> None:
    assert CliRunner().invoke(main, ["install", "claude"]).exit_code == 0
    (place.home / ".claude/settings.json").write_text("{,}")
    (broken,) = programs(place)
    assert broken.level is Level.ERROR
    assert str(place.home / ".claude/settings.json") in broken.text


def test_unusable_settings_are_an_error(place: Place) -> None:
    Path("lineup-mcp.toml").write_text("lineup_server_port = 'x'\n")
    result = CliRunner().invoke(main, ["doctor"])
    assert result.exit_code == 2
    assert "error    settings     port" in result.output
