"""The command line of `lineup-srv`: the relay itself, and commands on its data."""

from __future__ import annotations

from lineup_srv.cli.main import main

__all__ = ["main"]
