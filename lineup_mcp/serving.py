"""From flags to a server on stdin and stdout. No library of the command line is needed for it."""

from __future__ import annotations

import logging
import os
import stat
import sys
from typing import TYPE_CHECKING, Final

from lineup_mcp.config import load
from lineup_mcp.stdio import claim_standard_streams
from lineup_srv.settings.resolve import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CannotServe", "serve"]

_LEVELS: Final = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


class CannotServe(Exception):
    """Why there is no server; `str()` is for people."""


def serve(values: Mapping[str, object], *, web: bool = False) -> None:
    """Serve one agent program; returns only if the page was all that was wanted.

    Args:
        values: what the flags gave, by key.
        web: open the page first.

    Raises:
        CannotServe: the configuration cannot be used, or there is no stdin or stdout.
        SystemExit: the page was opened, or could not be, and no agent program is there.
    """
    try:
        config = load(values)
    except SettingsError as error:
        raise CannotServe(str(error)) from error
    piped = _is_pipe(0)
    try:
        source, sink = claim_standard_streams()
    except OSError as error:
        message = "stdin and stdout must be open: this is an MCP server for an agent program"
        raise CannotServe(message) from error
    logging.basicConfig(
        level=_LEVELS[config.log_level],
        stream=sys.stderr,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    if web:
        from lineup_mcp.web import open_page

        opened = open_page(config, environ=os.environ, out=sys.stderr)
        if not piped:
            raise SystemExit(0 if opened else 1)
    # After stdout was claimed: whatever is imported from here on may print.
    from lineup_mcp.lifecycle import run

    run(config, source, sink)


def _is_pipe(descriptor: int) -> bool:
    """Whether an agent program may be at the other end."""
    try:
        mode = os.fstat(descriptor).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
