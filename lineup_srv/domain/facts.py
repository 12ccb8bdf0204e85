"""What happened in a room, in order. A fact is decided once and never again.

A fact is self-contained: folding it needs no decision and no clock. Its id is the command's id
and its index; `at_unix_ms` is the relay's clock when it was decided.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.domain.call_facts import CallFact, ToolFact

if TYPE_CHECKING:
    from lineup_srv.contract.ids import AgentId, FactId, Ref, RequestId, TextId
    from lineup_srv.domain.contents import Content, Picture
    from lineup_srv.domain.people import AgentIdentity, Author
    from lineup_srv.domain.request import Asked, OnTimeout, Reply

__all__ = [
    "Answered",
    "Cancelled",
    "Corrected",
    "DeadlineMoved",
    "Declined",
    "Expired",
    "Fact",
    "HandedOver",
    "Joined",
    "LateReplied",
    "Opened",
    "PictureShown",
    "Received",
    "RequestFact",
    "RequestStep",
    "SaidFact",
    "TextFact",
    "TextHandedOver",
    "TextKept",
    "TextReceived",
    "TextSaid",
    "ack_code_of",
    "ref_of",
]


@dataclass(frozen=True, slots=True)
class Opened:
    """A request was opened."""

    fact_id: FactId
    at_unix_ms: int
    request_id: RequestId
    asked: Asked
    agent: AgentIdentity
    agent_name: str
    model: str
    on_timeout: OnTimeout
    timeout_seconds: int
    deadline_unix_ms: int


@dataclass(frozen=True, slots=True)
class Joined:
    """A new call, `alias`, joined an open request that nobody waited for."""

    fact_id: FactId
    at_unix_ms: int
    request_id: RequestId
    alias: RequestId
    agent: AgentIdentity
    deadline_unix_ms: int


@dataclass(frozen=True, slots=True)
class Answered:
    """The first answer."""

    fact_id: FactId
    at_unix_ms: int
    request_id: RequestId
    reply: Reply


@dataclass(frozen=True, slots=True)
class Declined:
    """The human dismissed the request."""

    fact_id: FactId
    at_unix_ms: int
    request_id: RequestId
    reply: Reply


@dataclass(frozen=True, slots=True)
class Expired:
    """The deadline passed."""

    fact_id: FactId
    at_unix_ms: int
    request_id: RequestId


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The last agent that waited withdrew it, so that nobody waits any more."""

    fact_id: FactId
    at_unix_ms: int
    request_id: RequestId
    agent_id: AgentId
    reason: ErrorCode
    message: str


@dataclass(frozen=True, slots=True)
class LateReplied:
    """An answer or dismissal came after the end and is kept for the agent."""

    fact_id: FactId
    at_unix_ms: int
    request_id: RequestId
    reply: Reply


@dataclass(frozen=True, slots=True)
class Corrected:
    """The device that answered replaced its answer before it was handed over."""

    fact_id: FactId
    at_unix_ms: int
    request_id: RequestId
    reply: Reply


@dataclass(frozen=True, slots=True)
class DeadlineMoved:
    """A deadline moved: by a device, or because the relay was away (`by` is None)."""

    fact_id: FactId
    at_unix_ms: int
    request_id: RequestId
    deadline_unix_ms: int
    reason: ErrorCode
    by: Author | None
    ref: Ref


@dataclass(frozen=True, slots=True)
class HandedOver:
    """The outcome goes to an agent.

    Attributes:
        taken: the agent asked for it and gets it as the result of that; False: it waits by a held
            call or its stream.
        redelivered: it was handed over before and may have reached the agent program.
    """

    fact_id: FactId
    at_unix_ms: int
    request_id: RequestId
    agent_id: AgentId
    taken: bool
    redelivered: bool


@dataclass(frozen=True, slots=True)
class Received:
    """The agent program has the outcome."""

    fact_id: FactId
    at_unix_ms: int
    request_id: RequestId


@dataclass(frozen=True, slots=True)
class TextKept:
    """A text for an agent, or for all (`agent_id` empty).

    `unknown_request` marks a reply to a request that the room does not know.
    """

    fact_id: FactId
    at_unix_ms: int
    text_id: TextId
    agent_id: AgentId
    contents: tuple[Content, ...]
    by: Author
    ref: Ref
    unknown_request: bool


@dataclass(frozen=True, slots=True)
class TextHandedOver:
    """A text goes to an agent."""

    fact_id: FactId
    at_unix_ms: int
    text_id: TextId
    agent_id: AgentId


@dataclass(frozen=True, slots=True)
class TextReceived:
    """The agent program has the text."""

    fact_id: FactId
    at_unix_ms: int
    text_id: TextId


@dataclass(frozen=True, slots=True)
class TextSaid:
    """An agent wrote to the human."""

    fact_id: FactId
    at_unix_ms: int
    text_id: TextId
    agent: AgentIdentity
    agent_name: str
    contents: tuple[Content, ...]


@dataclass(frozen=True, slots=True)
class PictureShown:
    """An agent showed a picture."""

    fact_id: FactId
    at_unix_ms: int
    text_id: TextId
    agent: AgentIdentity
    agent_name: str
    picture: Picture


RequestStep = (
    Joined
    | Answered
    | Declined
    | Expired
    | Cancelled
    | LateReplied
    | Corrected
    | DeadlineMoved
    | HandedOver
    | Received
)
"""What happens to a request after its opening."""

RequestFact = Opened | RequestStep
"""What is about a request."""

TextFact = TextKept | TextHandedOver | TextReceived
"""What is about a text for an agent."""

SaidFact = TextSaid | PictureShown
"""What an agent says."""

Fact = RequestFact | TextFact | SaidFact | CallFact | ToolFact


def ref_of(fact: Fact) -> Ref | None:
    """The ref of the message that caused the fact; the log remembers it. None or empty: none."""
    match fact:
        case Answered() | Declined() | LateReplied() | Corrected():
            return fact.reply.ref
        case DeadlineMoved() | TextKept():
            return fact.ref
        case _:
            return None


def ack_code_of(fact: Fact) -> ErrorCode:
    """The code of the Ack that the fact's sender gets; UNSPECIFIED is a plain yes."""
    match fact:
        case LateReplied():
            return ErrorCode.KEPT_LATE
        case TextKept() if fact.unknown_request:
            return ErrorCode.KEPT_UNKNOWN
        case _:
            return ErrorCode.UNSPECIFIED
