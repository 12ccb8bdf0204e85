"""The relay: it keeps one room per token and brings agents and devices together.

This file carries the version of the whole distribution and nothing else, so that
importing ``lineup_srv.contract`` from the bridge stays cheap.
"""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0"
