"""What makes a token too weak for an address that others reach; pure."""

from __future__ import annotations

from typing import Final

from lineup_srv.contract import limits

__all__ = ["is_weak"]

_FEWEST_DIFFERENT_CHARACTERS: Final = 8


def is_weak(token: str) -> bool:
    """Whether a token may be guessed (design, Security)."""
    return (
        len(token) < limits.OPEN_MODE_TOKEN_CHARACTERS
        or len(set(token)) < _FEWEST_DIFFERENT_CHARACTERS
    )
