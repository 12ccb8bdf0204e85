"""The configuration of both programs."""

from __future__ import annotations
