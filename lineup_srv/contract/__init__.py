"""What both programs agree on: ids, error codes, limits, tools. Pure; imports nothing of ours."""

from __future__ import annotations
