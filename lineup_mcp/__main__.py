"""Runs the bridge as ``python -m lineup_mcp``."""

from __future__ import annotations

from lineup_mcp.cli import main

if __name__ == "__main__":
    main()
