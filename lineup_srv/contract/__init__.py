"""What both programs agree on: ids, error codes and limits. Pure; imports nothing of ours."""

from __future__ import annotations
