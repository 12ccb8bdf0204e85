"""Protobuf ↔ commands and effects: the only translator. Nothing here waits or decides."""

from __future__ import annotations
