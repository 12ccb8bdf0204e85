"""The name that may be meant by one that nobody knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.contract import limits

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["did_you_mean", "nearest"]


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that looks most like another one; empty if none does."""
    if len(name) > limits.NAME_CHARACTERS:
        # The comparison is quadratic, and no name of ours is as long.
        return ""
    # Here, because only mistakes need it.
    from difflib import get_close_matches

    by_form = {one.casefold(): one for one in known}
    found = get_close_matches(name.casefold(), by_form, n=1)
    return by_form[found[0]] if found else ""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The question that follows a sentence about an unknown name; empty if no known one is near."""
    near = nearest(name, known)
    return f" Did you mean {near}?" if near else ""
