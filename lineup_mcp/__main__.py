"""Runs the bridge as ``python -m lineup_mcp``."""

from __future__ import annotations

from lineup_mcp.entry import main

if __name__ == "__main__":
    main()
