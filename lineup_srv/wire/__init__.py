"""The wire: generated protobuf and what is needed to read and write it. Shared with lineup_mcp."""

from __future__ import annotations
