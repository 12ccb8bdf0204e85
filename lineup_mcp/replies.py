"""Which calls of the agent program are open, and what became of each one's result.

A result counts as delivered when its line was flushed to stdout; a call that was cancelled or
failed settles without. Whoever put something precious into a result asks to be told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Replies", "RequestKey"]

RequestKey = str | int
"""A JSON-RPC request id."""


class Replies:
    """The open calls of one connection."""

    def __init__(self) -> None:
        self._open: dict[RequestKey, list[Callable[[bool], None]]] = {}
        self._quick: set[RequestKey] = set()

    @property
    def quick_open(self) -> bool:
        """A call that waits for nobody, such as a list of tools, has no result yet."""
        return bool(self._quick)

    def opened(self, request: RequestKey, *, waits: bool) -> None:
        """A call came in.

        Args:
            request: its id.
            waits: a human may be needed to end it.
        """
        self._open[request] = []
        if not waits:
            self._quick.add(request)

    def when_settled(self, request: RequestKey | None, tell: Callable[[bool], None]) -> None:
        """Have `tell(delivered)` called once, when the call's result has left or never will."""
        waiting = self._open.get(request) if request is not None else None
        if waiting is None:
            tell(False)
        else:
            waiting.append(tell)

    def settled(self, request: RequestKey, *, delivered: bool) -> None:
        """The call's result was flushed, or there will be none."""
        self._quick.discard(request)
        for tell in self._open.pop(request, ()):
            tell(delivered)
