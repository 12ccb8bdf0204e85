"""`lineup-srv token`: who may come in. Tokens are kept as hashes; a new one is shown once."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import click

from lineup_srv.cli.places import CommandFailed, on_data
from lineup_srv.contract import limits

if TYPE_CHECKING:
    from pathlib import Path

    from lineup_srv.logs.sqlite.token_admin import TokenAdmin, TokenLine

__all__ = ["token"]

_UNIT_SECONDS: Final = {"m": 60, "h": 3_600, "d": 86_400}


def _span(_context: click.Context, _parameter: click.Parameter, value: str | None) -> int | None:
    """A span of time as milliseconds."""
    if value is None:
        return None
    found = re.fullmatch(r"([1-9][0-9]{0,5})([mhd])", value)
    if found is None:
        raise click.BadParameter("a number and m, h or d, as in 30d")
    return int(found[1]) * _UNIT_SECONDS[found[2]] * 1000


def _name(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    name = value.strip()
    if not name or len(name) > limits.NAME_CHARACTERS or not name.isprintable():
        raise click.BadParameter(f"1 to {limits.NAME_CHARACTERS} printable characters")
    return name


@click.group()
def token() -> None:
    """List, issue, renew and revoke tokens; the running relay notices at once."""


@token.command(name="list")
@on_data
def list_(data_dir: Path) -> None:
    """Show every token's id, name and use; never the token.

    "Last seen" is up to ten minutes late while the relay runs. A token is `listed` if the relay's
    configuration or open mode decide about it.
    """
    from lineup_srv.logs.sqlite.token_admin import TokenAdmin

    with TokenAdmin(data_dir, make=False) as admin:
        lines = admin.lines()
    header = ("ID", "NAME", "KIND", "ROOM", "CREATED", "EXPIRES", "LAST SEEN", "STATE")
    rows = [header, *(_row(line) for line in lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(header))]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))


@token.command()
@click.option(
    "--name", required=True, callback=_name, help="What it is called; no other good one has it."
)
@click.option(
    "--kind",
    type=click.Choice(["agent", "device", "room"]),
    default="device",
    show_default=True,
    help="Whom it is for; room: both, in a room of its own unless --room names one.",
)
@click.option("--room", metavar="NAME|ID", help="The room it opens. Default: the only one.")
@click.option("--expires", callback=_span, metavar="SPAN", help="Good for so long, e.g. 30d, 12h.")
@on_data
def new(data_dir: Path, *, name: str, kind: str, room: str | None, expires: int | None) -> None:
    """Issue a token and print it, once: only its hash is kept."""
    from lineup_srv.logs.sqlite.token_admin import TokenAdmin

    now = _now()
    with TokenAdmin(data_dir, make=True) as admin:
        expires_unix_ms = None if expires is None else now + expires
        issued = admin.issue(
            name=name, kind=kind, room=room, expires_unix_ms=expires_unix_ms, now_unix_ms=now
        )
        click.echo(issued)
        _wait_for_relay(admin)


@token.command()
@click.argument("token", metavar="NAME|ID")
@on_data
def rotate(data_dir: Path, *, token: str) -> None:
    """Replace a token: the room, name and expiry stay, the old one is revoked.

    Prints the new token, once. If the old one stands in a configuration file, put the new one in
    its place.
    """
    from lineup_srv.logs.sqlite.token_admin import TokenAdmin

    with TokenAdmin(data_dir, make=False) as admin:
        click.echo(admin.rotate(token, now_unix_ms=_now()))
        _wait_for_relay(admin)


@token.command()
@click.argument("token", metavar="NAME|ID")
@on_data
def revoke(data_dir: Path, *, token: str) -> None:
    """Close the door: the token lets nobody in any more, also if it is listed.

    Whoever it let in is disconnected. The room and its log stay.
    """
    from lineup_srv.logs.sqlite.token_admin import TokenAdmin

    with TokenAdmin(data_dir, make=False) as admin:
        admin.revoke(token, now_unix_ms=_now())
        _wait_for_relay(admin)


def _wait_for_relay(admin: TokenAdmin) -> None:
    if not admin.relay_confirms():
        raise CommandFailed(
            "the change is written, but the running relay has not confirmed it; restart the relay"
        )


def _row(line: TokenLine) -> tuple[str, ...]:
    return (
        line.token_id,
        line.name or "-",
        line.kind,
        line.room_id[:8],
        _instant(line.created_unix_ms),
        "never" if line.expires_unix_ms is None else _instant(line.expires_unix_ms),
        _instant(line.last_seen_unix_ms),
        line.state(_now()),
    )


def _instant(unix_ms: int) -> str:
    return datetime.fromtimestamp(unix_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")


def _now() -> int:
    return time.time_ns() // 1_000_000
