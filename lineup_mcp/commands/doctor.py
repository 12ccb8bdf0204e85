"""`lineup-mcp doctor`: what keeps questions from arriving."""

from __future__ import annotations

import json
import sys
import textwrap
from typing import TYPE_CHECKING, Final

import click

from lineup_mcp import __version__
from lineup_mcp.commands.configured import flags_of, show
from lineup_mcp.commands.install import here
from lineup_mcp.config import load
from lineup_mcp.doctor.findings import Finding, Level
from lineup_mcp.doctor.machine import check_files, check_proxies, check_start, check_token
from lineup_mcp.doctor.programs import check_programs
from lineup_mcp.doctor.relay import check_relay
from lineup_mcp.installer.places import Scope
from lineup_mcp.installer.start import make_server
from lineup_srv.settings.keys import BRIDGE_KEYS
from lineup_srv.settings.read import read_settings
from lineup_srv.settings.resolve import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lineup_mcp.installer.places import Place

__all__ = ["doctor"]

_COLOURS: Final = {Level.OK: "green", Level.NOTE: "cyan", Level.WARNING: "yellow"}
_STATUS: Final = {Level.OK: 0, Level.NOTE: 0, Level.WARNING: 1, Level.ERROR: 2}
_WIDTH: Final = 100


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def doctor(context: click.Context, /, *, as_json: bool) -> None:
    """Find what keeps questions from arriving, and what mends it.

    Looks at the settings, the relay, the devices, this machine, and every agent program that is
    found. Changes nothing. The exit status tells: 0 all is well, 1 there are warnings, 2 there are
    errors.
    """
    findings: list[Finding] = []
    for finding in _look(flags_of(context), here()):
        findings.append(finding)
        if not as_json:
            _show(finding)
    worst = max(finding.level for finding in findings)
    if as_json:
        _show_json(findings, worst)
    elif worst < Level.WARNING:
        click.echo("All is well.")
    sys.exit(_STATUS[worst])


def _look(flags: Mapping[str, object], place: Place) -> Iterator[Finding]:
    yield Finding(Level.OK, "LineUp", f"{__version__}, Python {sys.version.split()[0]}")
    server, _ = make_server(flags, place, Scope.USER)
    try:
        settings = read_settings(
            BRIDGE_KEYS, flags, environ=place.environ, working_directory=place.project
        )
        config = load(flags, environ=place.environ, working_directory=place.project)
    except SettingsError as error:
        yield Finding(Level.ERROR, "settings", str(error), "lineup-mcp --print-config")
    else:
        yield from check_files(settings)
        yield check_token(config, settings.source("token"))
        yield check_proxies(config, place.environ)
        yield from check_relay(config)
        yield check_start([server.command, *server.args()], {**place.environ, **server.env})
    yield from check_programs(place, server)


def _show(finding: Finding) -> None:
    """One line, and one below it for what mends it."""
    bold = finding.level is Level.ERROR
    mark = click.style(
        f"{finding.level.name.lower():8}", fg=_COLOURS.get(finding.level, "red"), bold=bold
    )
    head = f"{finding.subject:12}"
    indent = " " * 22
    width = _WIDTH - len(indent)
    text = textwrap.wrap(finding.text, width, break_long_words=False, break_on_hyphens=False)
    lines = [f"{mark} {head} {text[0]}", *(f"{indent}{line}" for line in text[1:])]
    if finding.mend:
        lines.append(f"{indent}-> {finding.mend}")
    show("\n".join(lines))


def _show_json(findings: list[Finding], worst: Level) -> None:
    told = [
        {
            "level": finding.level.name.lower(),
            "subject": finding.subject,
            "text": finding.text,
            "mend": finding.mend,
        }
        for finding in findings
    ]
    status = {"version": __version__, "status": worst.name.lower(), "findings": told}
    click.echo(json.dumps(status, ensure_ascii=False, indent=1))
