"""The bridge: an MCP server on stdio for one agent, a client of the relay."""

from __future__ import annotations

from lineup_srv import __version__

__all__ = ["__version__"]
