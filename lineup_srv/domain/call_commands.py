"""What can be asked of a room about tools and their calls; part of `commands`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineup_srv.contract.errors import ErrorCode
    from lineup_srv.contract.ids import AgentId, CallId, ClientId, CommandId, Ref
    from lineup_srv.contract.offers import Refusal
    from lineup_srv.domain.call import (
        Called,
        CallPhase,
        CallResult,
        CallWait,
        OfferedTool,
        Progress,
    )
    from lineup_srv.domain.people import AgentIdentity, Author

__all__ = [
    "AckCalls",
    "AgentCallCommand",
    "Announce",
    "AwaitCall",
    "CallChecked",
    "CallCommand",
    "CallDeadlineReached",
    "CallTool",
    "CallWaitOver",
    "CancelCall",
    "HangUpCall",
    "MatchCalls",
    "UpdateCall",
]


@dataclass(frozen=True, slots=True)
class Announce:
    """A device says what it offers: all of it, in place of what it said before.

    Attributes:
        tools: checked definitions, each key once.
        refused: what the border did not take; the announcer is told of it with the conflicts.
        ref: of the message; an Ack names it.
    """

    command_id: CommandId
    client_id: ClientId
    tools: tuple[OfferedTool, ...]
    refused: tuple[Refusal, ...]
    ref: Ref


@dataclass(frozen=True, slots=True)
class MatchCalls:
    """Log what follows from what a device offers now; follows every Announce.

    Calls that wait for a device are given to it, and interactive tools stay in the catalog.
    """

    command_id: CommandId
    client_id: ClientId


@dataclass(frozen=True, slots=True)
class CallTool:
    """An agent calls an action; the same id again goes on waiting for the same call.

    The caller's stream is held by its `command_id` until HangUpCall.

    Attributes:
        schema_json: the input schema that the arguments were checked against.
        misfit: why the arguments do not fit it; empty: they do.
        timeout_ms: until its deadline.
    """

    command_id: CommandId
    call_id: CallId
    called: Called
    agent: AgentIdentity
    agent_name: str
    schema_json: str
    misfit: str
    timeout_ms: int


@dataclass(frozen=True, slots=True)
class AwaitCall:
    """An agent goes on waiting for a call by its id; held like CallTool."""

    command_id: CommandId
    call_id: CallId
    agent: AgentIdentity


@dataclass(frozen=True, slots=True)
class HangUpCall:
    """The stream that CallTool or AwaitCall `holder` opened is over, with or without the result."""

    command_id: CommandId
    call_id: CallId
    holder: CommandId


@dataclass(frozen=True, slots=True)
class CallChecked:
    """The arguments of a waiting call were checked against a definition that has changed since.

    Answers the effect CheckCall; `client_id` as there.
    """

    command_id: CommandId
    call_id: CallId
    client_id: ClientId
    schema_json: str
    misfit: str


@dataclass(frozen=True, slots=True)
class UpdateCall:
    """A device's receipt, progress or result of a call.

    Attributes:
        by: the device; it is a member.
        phase: ACCEPTED, STARTING or STARTED; SUCCEEDED or FAILED; None for progress.
        progress: set for progress only.
        result: set for SUCCEEDED; may be set for FAILED.
        code: why it failed; UNSPECIFIED: the tool says so in its words.
        message: words for a person; may be empty.
        misfit: why the result does not fit the result schema as called; empty: it does.
    """

    command_id: CommandId
    call_id: CallId
    by: Author
    ref: Ref
    phase: CallPhase | None
    progress: Progress | None
    result: CallResult | None
    code: ErrorCode
    message: str
    misfit: str


@dataclass(frozen=True, slots=True)
class CancelCall:
    """An agent's host withdraws a call; `reason` is CANCELLED or AGENT_ENDED."""

    command_id: CommandId
    agent_id: AgentId
    call_id: CallId
    reason: ErrorCode


@dataclass(frozen=True, slots=True)
class CallDeadlineReached:
    """A timer that was set for a call's `deadline_unix_ms` fired."""

    command_id: CommandId
    call_id: CallId
    deadline_unix_ms: int


@dataclass(frozen=True, slots=True)
class CallWaitOver:
    """A wait of a call ended by its time; ignored unless it is the present one."""

    command_id: CommandId
    call_id: CallId
    wait: CallWait


@dataclass(frozen=True, slots=True)
class AckCalls:
    """A bridge confirms that the ends of calls reached the agent program."""

    command_id: CommandId
    agent_id: AgentId
    call_ids: tuple[CallId, ...]


AgentCallCommand = CallTool | AwaitCall | HangUpCall | CancelCall | AckCalls
"""What agents do about calls."""

CallCommand = (
    AgentCallCommand
    | Announce
    | MatchCalls
    | CallChecked
    | UpdateCall
    | CallDeadlineReached
    | CallWaitOver
)
"""What is about tools and their calls."""
