"""Which tools one entry of an agent program offers: `[mcp] tools`, `--tools`.

A program that runs one call at a time for each server is given two entries: a question that waits
in one does not hold up the tools of the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["APPS", "QUESTIONS", "is_offered"]

QUESTIONS: Final = "questions"
"""Stands for every tool that speaks with the human."""
APPS: Final = "apps"
"""Stands for lineup_list_tools, lineup_call_tool and every tool of a device."""


def is_offered(selection: Collection[str], name: str, group: str) -> bool:
    """Whether a tool is offered.

    Args:
        selection: names of tools and of groups; empty = all.
        name: the tool's name, as agent programs see it.
        group: QUESTIONS or APPS.
    """
    return not selection or name in selection or group in selection
