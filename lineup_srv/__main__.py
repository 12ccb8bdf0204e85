"""Runs the relay as ``python -m lineup_srv``."""

from __future__ import annotations

from lineup_srv.cli import main

if __name__ == "__main__":
    main()
