"""What both programs agree on."""

from __future__ import annotations
