"""Where the program begins: an agent program that waits is served before the command line's
libraries are read.
"""

from __future__ import annotations

import sys

from lineup_mcp.flags import plain_flags

__all__ = ["main"]


def main() -> None:
    """Serve MCP, or do what the command line says."""
    values = plain_flags(sys.argv[1:])
    if values is None:
        from lineup_mcp.cli import main as command_line

        command_line()
        return
    from lineup_mcp.serving import CannotServe, serve

    try:
        serve(values)
    except CannotServe as error:
        # As the command line says it.
        sys.stderr.write(f"Error: {error}\n")
        sys.exit(1)
