"""Who is here by which token, so that the end of a token ends what it let in."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Admissions", "token_key"]


def token_key(token: str) -> bytes:
    """What stands for a token in memory and at rest: its plain SHA-256.

    A token is 256 random bits, so there is nothing to guess, and a slow, salted hash would only
    slow every login.
    """
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


class Admissions:
    """Connections and calls that were let in; none of them knows of another."""

    def __init__(self) -> None:
        """Nobody is here."""
        self._ends: dict[bytes, dict[object, Callable[[], object]]] = {}

    def add(self, token: str, end: Callable[[], object]) -> Callable[[], None]:
        """Somebody was let in by the token; `end` is called once if the token ends before.

        Returns:
            A function to call when it is over; the second time it does nothing.
        """
        key, mark = token_key(token), object()
        self._ends.setdefault(key, {})[mark] = end

        def over() -> None:
            of_token = self._ends.get(key)
            if of_token is not None:
                of_token.pop(mark, None)
                if not of_token:
                    del self._ends[key]

        return over

    def end(self, ended: Callable[[bytes], bool]) -> int:
        """End all that was let in by tokens of which `ended` is true; returns how many."""
        keys = [key for key in self._ends if ended(key)]
        ends = [end for key in keys for end in self._ends.pop(key).values()]
        for end in ends:
            end()
        return len(ends)
