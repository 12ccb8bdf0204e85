"""The configuration as the commands see it: the program's flags stand before the command."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NoReturn

import click

from lineup_mcp.config import BridgeConfig, load
from lineup_srv.settings.resolve import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["fail", "flags_of", "load_config", "show"]


def flags_of(context: click.Context) -> Mapping[str, object]:
    """What was given before the command's name, by key."""
    return dict(context.find_root().obj or {})


def load_config(context: click.Context) -> BridgeConfig:
    """The configuration; a bad one ends the program with status 2."""
    try:
        return load(flags_of(context))
    except SettingsError as error:
        fail(str(error), 2)


def show(text: str) -> None:
    """Print on stdout; colours only on a terminal, and none where NO_COLOR is set."""
    click.echo(text, color=False if os.environ.get("NO_COLOR") else None)


def fail(problem: str, status: int) -> NoReturn:
    """Say on stderr why the command did not do what it was asked for, and end."""
    click.echo(f"lineup-mcp: {problem}", err=True)
    sys.exit(status)
