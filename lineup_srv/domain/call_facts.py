"""What happened to tools and their calls; part of `facts`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineup_srv.contract.errors import ErrorCode
    from lineup_srv.contract.ids import CallId, FactId, Ref
    from lineup_srv.contract.tools import ActionDefinition, ToolType
    from lineup_srv.domain.call import (
        Called,
        CallPhase,
        CallResult,
        OfferedTool,
        Progress,
        Provider,
        ToolKey,
    )
    from lineup_srv.domain.people import AgentIdentity, Author

__all__ = [
    "CallAttached",
    "CallDeadlineMoved",
    "CallEnded",
    "CallFact",
    "CallGiven",
    "CallOpened",
    "CallProgressed",
    "CallReceipt",
    "CallReceived",
    "CallResultKept",
    "CallStep",
    "ToolFact",
    "ToolForgotten",
    "ToolRemembered",
]


@dataclass(frozen=True, slots=True)
class ToolRemembered:
    """A tool with interactive actions stays in the catalog while its devices sleep."""

    fact_id: FactId
    at_unix_ms: int
    tool: OfferedTool


@dataclass(frozen=True, slots=True)
class ToolForgotten:
    """The last device that offered such a tool takes it back."""

    fact_id: FactId
    at_unix_ms: int
    tool: ToolKey


@dataclass(frozen=True, slots=True)
class CallOpened:
    """An agent called an action, whose definition is stored as it was then."""

    fact_id: FactId
    at_unix_ms: int
    call_id: CallId
    called: Called
    tool_type: ToolType
    action: ActionDefinition
    agent: AgentIdentity
    agent_name: str
    deadline_unix_ms: int


@dataclass(frozen=True, slots=True)
class CallAttached:
    """An equal call, `alias`, attached to a live one whose bridge had vanished."""

    fact_id: FactId
    at_unix_ms: int
    call_id: CallId
    alias: CallId
    agent: AgentIdentity
    deadline_unix_ms: int


@dataclass(frozen=True, slots=True)
class CallGiven:
    """The call goes to one tab, its owner from here on.

    `instead_of` is the owner until now, which did not take it; None: there was none.
    """

    fact_id: FactId
    at_unix_ms: int
    call_id: CallId
    owner: Provider
    instead_of: Provider | None


@dataclass(frozen=True, slots=True)
class CallReceipt:
    """A device took the call, starts its app, or has started it."""

    fact_id: FactId
    at_unix_ms: int
    call_id: CallId
    phase: CallPhase
    message: str


@dataclass(frozen=True, slots=True)
class CallProgressed:
    """A device says how far the call is."""

    fact_id: FactId
    at_unix_ms: int
    call_id: CallId
    progress: Progress


@dataclass(frozen=True, slots=True)
class CallEnded:
    """The one end of a call.

    Attributes:
        phase: SUCCEEDED, FAILED, CANCELLED or EXPIRED.
        owner: the tab whose result it is; None: nobody's.
        by: the device whose result it is; None: nobody's.
        result: what the device sent; None: nothing, or it did not fit its schema.
        ref: of the message that brought the result; empty: none.
    """

    fact_id: FactId
    at_unix_ms: int
    call_id: CallId
    phase: CallPhase
    code: ErrorCode
    message: str
    owner: Provider | None
    by: Author | None
    result: CallResult | None
    ref: Ref


@dataclass(frozen=True, slots=True)
class CallResultKept:
    """A result came after the call was cancelled; it is stored and not returned."""

    fact_id: FactId
    at_unix_ms: int
    call_id: CallId
    by: Author
    result: CallResult


@dataclass(frozen=True, slots=True)
class CallDeadlineMoved:
    """The relay was away, so the deadline of a call moved."""

    fact_id: FactId
    at_unix_ms: int
    call_id: CallId
    deadline_unix_ms: int


@dataclass(frozen=True, slots=True)
class CallReceived:
    """The agent program has the end of the call."""

    fact_id: FactId
    at_unix_ms: int
    call_id: CallId


CallStep = (
    CallAttached
    | CallGiven
    | CallReceipt
    | CallProgressed
    | CallEnded
    | CallResultKept
    | CallDeadlineMoved
    | CallReceived
)
"""What happens to a call after its opening."""

CallFact = CallOpened | CallStep
"""What is about a tool call."""

ToolFact = ToolRemembered | ToolForgotten
"""What is about the catalog."""
