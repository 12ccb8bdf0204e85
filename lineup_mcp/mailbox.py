"""What is on its way to the agent program: answers and texts, each handed over once.

An item is in the box (taken, not in a result yet), in a result that has not left, or delivered. The
relay is told only of delivered ones, again and again until it confirms; what was in a result that
never left goes back into the box and comes with the next call.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lineup_mcp.endings import has_answer
from lineup_srv.contract import limits

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineup_srv.wire._gen.lineup.v1 import agent_pb2, relay_pb2

__all__ = ["Item", "Mailbox"]

_log = logging.getLogger(__name__)

ItemKey = tuple[str, str, int]


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """An answer or a text for the agent; exactly one of both is set.

    Args:
        outcome: of a request; an end without an answer may be an awaited one, never in the box.
        text: written by a human.
        own: this process asked the question, so it cannot have been handed over before unseen.
        pushed: it was pushed into the session, which did not confirm it.
    """

    outcome: relay_pb2.Outcome | None = None
    text: agent_pb2.Text | None = None
    own: bool = False
    pushed: bool = False

    @property
    def key(self) -> ItemKey:
        """The same for every delivery of the same answer; a late answer differs from the end."""
        if self.outcome is not None:
            return ("request", self.outcome.request_id, self.outcome.replied_unix_ms)
        return ("text", self.text.message_id if self.text is not None else "", 0)


class Mailbox:
    """The items of one bridge process."""

    def __init__(self) -> None:
        self._at_relay = 0
        self.rung = asyncio.Event()
        """Set, and replaced by another one, when something changes here."""
        self.asked = False
        """The relay was asked at least once."""
        self._box: dict[ItemKey, Item] = {}
        self._leaving: set[ItemKey] = set()
        self._delivered: dict[ItemKey, None] = {}
        self._unconfirmed: dict[ItemKey, None] = {}

    @property
    def waiting_at_relay(self) -> int:
        """How many items the relay said it keeps."""
        return self._at_relay

    @waiting_at_relay.setter
    def waiting_at_relay(self, count: int) -> None:
        """The relay said so; whoever waits for news is woken."""
        self._at_relay = count
        self._ring()

    def counted(self, count: int) -> None:
        """The relay keeps so many items. With none, what was pushed has been confirmed by a hook;
        were it not so, the relay would count it again and it would be taken again.
        """
        if count == 0:
            self._box = {key: item for key, item in self._box.items() if not item.pushed}
        self.waiting_at_relay = count

    @property
    def more_at_relay(self) -> bool:
        """The relay keeps more than is here already; what is not confirmed yet it keeps, too."""
        return self._at_relay > len(self._box) + len(self._leaving) + len(self._unconfirmed)

    @property
    def count(self) -> int:
        """How much waits for the agent, here and at the relay, which knows of what is here."""
        return max(self._at_relay, len(self._box))

    def push(self) -> list[Item]:
        """What was not pushed into the session yet; it stays in the box and is marked."""
        fresh = [item for item in self._box.values() if not item.pushed]
        self._box |= {item.key: replace(item, pushed=True) for item in fresh}
        return fresh

    async def news(self) -> None:
        """Until something waits here or at the relay."""
        while not (self._box or self._at_relay):
            await self.rung.wait()

    def _ring(self) -> None:
        self.rung.set()
        self.rung = asyncio.Event()

    @property
    def should_ask(self) -> bool:
        """Whether the relay may have something."""
        return self.waiting_at_relay > 0 or not self.asked

    def keep(self, items: Iterable[Item]) -> None:
        """Put items into the box; what is on its way or was delivered is not put in twice."""
        for item in items:
            key = item.key
            if key in self._delivered:
                # The relay has not heard of it yet.
                self._unconfirmed[key] = None
            elif key not in self._leaving:
                self._box.setdefault(key, item)
                self._ring()

    def took(self, items: Iterable[Item]) -> None:
        """Put in what the relay handed out when it was asked."""
        self.asked = True
        self.keep(items)

    def find(self, request_id: str) -> relay_pb2.Outcome | None:
        """The outcome of a request, if it lies in the box."""
        for item in self._box.values():
            if item.outcome is not None and request_id in (
                item.outcome.request_id,
                item.outcome.alias,
            ):
                return item.outcome
        return None

    def leave_with(self, awaited: relay_pb2.Outcome | None) -> list[Item]:
        """Put everything in the box into a result that is about to be written.

        Args:
            awaited: the outcome the result is about; None if it is about something else.

        Returns:
            the items, the awaited one first. Give them to `settled` when the result has left.
        """
        items = [Item(outcome=awaited, own=True)] if awaited is not None else []
        if items:
            self._box.pop(items[0].key, None)
        items += self._box.values()
        self._box.clear()
        self._leaving.update(item.key for item in items)
        return items

    def hand_over(self, outcome: relay_pb2.Outcome) -> None:
        """An awaited outcome was used at once, without a result that could be lost."""
        self.settled([Item(outcome=outcome, own=True)], delivered=True)

    def settled(self, items: Iterable[Item], *, delivered: bool) -> None:
        """The result with these items has left, or never will."""
        for item in items:
            key = item.key
            self._leaving.discard(key)
            if not _is_mail(item):
                continue
            if not delivered:
                self._box.setdefault(key, item)
                self._ring()
                continue
            self._unconfirmed[key] = None
            self._delivered[key] = None
            while len(self._delivered) > limits.DELIVERED_REMEMBERED:
                self._delivered.pop(next(iter(self._delivered)))

    def unconfirmed(self) -> tuple[list[str], list[str]]:
        """Ids of requests and of texts that the relay has yet to be told of."""
        requests = [name for kind, name, _ in self._unconfirmed if kind == "request"]
        texts = [name for kind, name, _ in self._unconfirmed if kind == "text"]
        return requests, texts

    def confirmed(self, request_ids: Iterable[str], text_ids: Iterable[str]) -> None:
        """The relay knows."""
        known = {("request", name) for name in request_ids} | {("text", name) for name in text_ids}
        for key in [key for key in self._unconfirmed if key[:2] in known]:
            del self._unconfirmed[key]


def _is_mail(item: Item) -> bool:
    """Whether it is to be handed over once; an end without an answer is not kept for anybody."""
    return item.outcome is None or has_answer(item.outcome)
