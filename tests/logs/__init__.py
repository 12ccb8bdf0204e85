"""The log: what it promises, on real files."""

from __future__ import annotations
