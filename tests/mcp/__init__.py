"""The bridge: conversations with a scripted relay, and real processes."""

from __future__ import annotations
