"""A room's state: what the log says (Logged) and who is here now (Live), design §2.1.

Both are changed in place, Logged only by `fold`, Live only by `apply_change`. Live is lost at a
restart and rebuilt by those who attach.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final

from lineup_srv.contract import limits
from lineup_srv.domain.call_book import CallBook
from lineup_srv.domain.catalog import Catalog

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineup_srv.contract.ids import AgentId, CallId, ClientId, CommandId, RequestId, TextId
    from lineup_srv.domain.call import CallWait, Holding
    from lineup_srv.domain.contents import Content
    from lineup_srv.domain.people import AgentIdentity, Author, Member
    from lineup_srv.domain.request import Request

CALL_PREFIX = "call:"
"""Begins the agent id of a single call that names no agent."""

_NOTHING: Final[frozenset[RequestId]] = frozenset()

__all__ = ["CALL_PREFIX", "AgentPresence", "KeptText", "Live", "Logged", "Room", "is_call"]


def is_call(agent_id: AgentId) -> bool:
    """Whether the id is that of a single call, and of no agent."""
    return agent_id.startswith(CALL_PREFIX)


@dataclass(frozen=True, slots=True)
class KeptText:
    """A text that waits for an agent; `agent_id` is empty for any agent."""

    text_id: TextId
    agent_id: AgentId
    contents: tuple[Content, ...]
    by: Author
    at_unix_ms: int
    handed_to: tuple[AgentId, ...]


@dataclass(slots=True)
class Logged:
    """What the log says.

    Attributes:
        last_seq: the number of the last folded fact; of tentative ones the number they will get.
        requests: all requests that are kept in memory, by first id.
        aliases: ids of joined calls.
        texts: texts that no agent has received.
        calls: tool calls, open apps and remembered tools.
        open_ids: pending requests, oldest first (derived).
        mail_ids: requests with an answer that the agent does not have, oldest first (derived).
        ended_ids: ended requests, oldest first (derived).
    """

    last_seq: int = 0
    requests: dict[RequestId, Request] = field(default_factory=dict)
    aliases: dict[RequestId, RequestId] = field(default_factory=dict)
    texts: dict[TextId, KeptText] = field(default_factory=dict)
    open_ids: dict[RequestId, None] = field(default_factory=dict)
    mail_ids: dict[RequestId, None] = field(default_factory=dict)
    ended_ids: dict[RequestId, None] = field(default_factory=dict)
    calls: CallBook = field(default_factory=CallBook)

    def find(self, request_id: RequestId) -> Request | None:
        """The request with this id or alias."""
        return self.requests.get(self.aliases.get(request_id, request_id))

    def open_requests(self) -> Iterator[Request]:
        """Pending requests, oldest first."""
        return (self.requests[request_id] for request_id in self.open_ids)

    def put(self, request: Request) -> None:
        """Store a request and keep the derived lists in step. Only `fold` may call it."""
        request_id = request.request_id
        self.requests[request_id] = request
        if request.pending:
            self.open_ids.setdefault(request_id)
        else:
            self.open_ids.pop(request_id, None)
            self.ended_ids.setdefault(request_id)
        if request.waits_in_mailbox:
            self.mail_ids.setdefault(request_id)
        else:
            self.mail_ids.pop(request_id, None)

    def takes_text(self, now_unix_ms: int) -> bool:
        """Whether another text can be kept: there is room, or the oldest gives way to it."""
        return not self._full_of_texts() or self._oldest_text_is_old(now_unix_ms)

    def keep_text(self, text: KeptText) -> None:
        """Store a text. Only `fold` may call it.

        A text waits as long as it takes, but a room never fills up for ever: when it is full, one
        that has waited for `limits.ENDED_KEPT_SECONDS` gives way.
        """
        while self._full_of_texts() and self._oldest_text_is_old(text.at_unix_ms):
            del self.texts[next(iter(self.texts))]
        self.texts[text.text_id] = text

    def _full_of_texts(self) -> bool:
        return len(self.texts) >= limits.UNDELIVERED_TEXTS_PER_ROOM

    def _oldest_text_is_old(self, now_unix_ms: int) -> bool:
        oldest = next(iter(self.texts.values()))
        return oldest.at_unix_ms <= now_unix_ms - limits.ENDED_KEPT_SECONDS * 1000

    def forget_old(self, now_unix_ms: int) -> None:
        """Drop ended requests that nobody can miss any more. Only `fold` may call it.

        An ended request stays for `limits.ENDED_KEPT_SECONDS`, so that a repeated call gets the
        stored outcome; one that waits in the mailbox stays. Above `ENDED_REQUESTS_PER_ROOM` the
        oldest go earlier, those in the mailbox last: memory is bounded before comfort.
        """
        horizon = now_unix_ms - limits.ENDED_KEPT_SECONDS * 1000
        excess = len(self.ended_ids) - limits.ENDED_REQUESTS_PER_ROOM
        old: list[RequestId] = []
        for request_id in self.ended_ids:
            crowded = len(old) < excess
            if self.requests[request_id].changed_unix_ms > horizon and not crowded:
                break
            if request_id not in self.mail_ids:
                old.append(request_id)
        old.extend(islice(self.mail_ids, max(0, excess - len(old))))
        for request_id in old:
            self._drop(request_id)

    def _drop(self, request_id: RequestId) -> None:
        for alias in self.requests.pop(request_id).aliases:
            self.aliases.pop(alias, None)
        self.ended_ids.pop(request_id, None)
        self.mail_ids.pop(request_id, None)


@dataclass(frozen=True, slots=True)
class AgentPresence:
    """An agent that is attached, holds a call, or whose lease still runs.

    Attributes:
        lease: the number of its attachment while it lasts or runs out, else 0; never used twice,
            so that an old stream or timer cannot end a new lease.
        waiting: what its stream waits for (SetWaiting).
        calls: what its held calls wait for, by the command that opened each.
        directories: every project directory it was called with, at most
            `limits.DIRECTORIES_PER_AGENT`.
        name: its name for itself, from its last call.
        model: the model that reasons, from its last call.
        last_call_unix_ms: when it last called; 0: not since it came.
    """

    identity: AgentIdentity
    name: str
    model: str
    last_call_unix_ms: int
    attached: bool
    lease: int
    waiting: frozenset[RequestId]
    calls: frozenset[tuple[CommandId, RequestId]]
    directories: frozenset[str]

    @property
    def is_call(self) -> bool:
        """Whether it is a single call of the frozen service or of a script, and no agent."""
        return is_call(self.identity.agent_id)

    @property
    def takes(self) -> frozenset[RequestId]:
        """Whose outcomes it would take now, by its stream or a held call."""
        called = frozenset(request_id for _, request_id in self.calls)
        return called | self.waiting if self.attached else called


@dataclass(slots=True)
class Live:
    """Who is here now, and which cards were shown before their commit.

    `gone` are agents that left, newest last, each with the time; at most `limits.AGENTS_GONE`. One
    that came back may still be in it: that it came can be taken back.
    `last_lease` is the highest number that a lease ever had.
    `takers` tells for each request which agents would take its outcome now (derived).
    `catalog` is what devices offer; `used` when a human last used a connection.
    `call_waits` is what live calls wait for beside their deadline; `holdings` who waits for them.
    """

    members: dict[ClientId, Member] = field(default_factory=dict)
    agents: dict[AgentId, AgentPresence] = field(default_factory=dict)
    gone: dict[AgentId, tuple[AgentPresence, int]] = field(default_factory=dict)
    shown: dict[RequestId, None] = field(default_factory=dict)
    last_lease: int = 0
    takers: dict[RequestId, dict[AgentId, None]] = field(default_factory=dict)
    catalog: Catalog = field(default_factory=Catalog)
    used: dict[ClientId, int] = field(default_factory=dict)
    call_waits: dict[CallId, CallWait] = field(default_factory=dict)
    holdings: dict[CallId, Holding] = field(default_factory=dict)

    def waiters(self, request_id: RequestId) -> tuple[AgentId, ...]:
        """Agents that would take the outcome now."""
        return tuple(self.takers.get(request_id, ()))

    def put_agent(self, agent_id: AgentId, presence: AgentPresence | None) -> None:
        """Store an agent's presence, or None: it is gone. Only `apply_change` may call it."""
        before = self.agents.pop(agent_id, None) if presence is None else self.agents.get(agent_id)
        if presence is not None:
            self.agents[agent_id] = presence
        took = _NOTHING if before is None else before.takes
        takes = _NOTHING if presence is None else presence.takes
        for request_id in took - takes:
            of_request = self.takers[request_id]
            del of_request[agent_id]
            if not of_request:
                del self.takers[request_id]
        for request_id in takes - took:
            self.takers.setdefault(request_id, {})[agent_id] = None


@dataclass(slots=True)
class Room:
    """Both halves of a room."""

    logged: Logged
    live: Live
