"""What a room wants done about tools and their calls; part of `effects`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineup_srv.contract.ids import CallId, ClientId, Ref
    from lineup_srv.contract.offers import Refusal
    from lineup_srv.domain.call import (
        Call,
        CallPhase,
        CallResult,
        CallWait,
        Holding,
        OfferedTool,
        Progress,
    )
    from lineup_srv.domain.effects import Only, To

__all__ = [
    "CallChange",
    "CallEffect",
    "CallHeldBy",
    "CallMessage",
    "CallWaits",
    "CatalogChanged",
    "CatalogTouched",
    "CheckCall",
    "ClearCallTimers",
    "ClientUsed",
    "ForgetSecret",
    "SetCallTimer",
    "SetCallWait",
    "ShowCall",
    "ShowCallUpdate",
    "ShowRefusedTools",
    "TellCall",
    "ToolsGone",
    "ToolsOffered",
]


@dataclass(frozen=True, slots=True)
class ShowCall:
    """Gives a call to the devices that may run or answer it (ToolCall, wire §4).

    A device that has had this call_id answers with its last update and runs nothing again.
    `seq` is that of the opening; what is left until the deadline is counted when it is sent.
    """

    to: To
    call: Call
    seq: int


@dataclass(frozen=True, slots=True)
class ShowCallUpdate:
    """Tells devices how a call stands (ToolCallUpdate, wire §4).

    Attributes:
        call: the call; `by` is who answered.
        phase: the end that is told.
        taken: TAKEN is told in place of `phase`: another device has it.
        with_call: the call goes along, for devices that never had it and only show it.
    """

    to: To
    call: Call
    phase: CallPhase
    taken: bool
    seq: int
    with_call: bool = False

    @property
    def answer(self) -> CallResult | None:
        """What a human answered, for the others to read; None: nothing, or it is the agent's only.

        What a device worked out is no news to people. A secret is in no result (CallResult).
        """
        is_told = self.call.action.interactive and not (self.taken or self.call.received)
        return self.call.result if is_told else None


@dataclass(frozen=True, slots=True)
class ShowRefusedTools:
    """Tells an announcer which of its tools are not in the catalog, each with the reason.

    `ref` is that of its announcement.
    """

    to: Only
    ref: Ref
    refused: tuple[Refusal, ...]


@dataclass(frozen=True, slots=True)
class TellCall:
    """Those who wait for a call hear how it stands.

    `progress` is set when that is what changed; else the call's phase did.
    """

    call: Call
    progress: Progress | None


@dataclass(frozen=True, slots=True)
class CatalogChanged:
    """The catalog may have another revision: attached agents are told, merged."""


@dataclass(frozen=True, slots=True)
class CheckCall:
    """Check a waiting call's arguments against a changed definition; submit CallChecked."""

    call: Call
    client_id: ClientId
    schema_json: str


@dataclass(frozen=True, slots=True)
class SetCallTimer:
    """Submit CallDeadlineReached at this instant; replaces an earlier timer of the call."""

    call_id: CallId
    deadline_unix_ms: int


@dataclass(frozen=True, slots=True)
class ClearCallTimers:
    """The call has ended: neither its deadline nor a wait is watched any more."""

    call_id: CallId


@dataclass(frozen=True, slots=True)
class SetCallWait:
    """Submit CallWaitOver when `wait` is over; None: nothing is waited for."""

    call_id: CallId
    wait: CallWait | None


@dataclass(frozen=True, slots=True)
class ForgetSecret:
    """A secret answer is not needed any more."""

    secret_id: str


CallMessage = ShowCall | ShowCallUpdate | ShowRefusedTools
"""What devices are told of tools and calls."""

CallEffect = (
    TellCall
    | CatalogChanged
    | CheckCall
    | SetCallTimer
    | ClearCallTimers
    | SetCallWait
    | ForgetSecret
)
"""What the service does about tools and calls."""


@dataclass(frozen=True, slots=True)
class ToolsOffered:
    """A device offers these tools now, and no others."""

    client_id: ClientId
    tools: tuple[OfferedTool, ...]
    at_unix_ms: int


@dataclass(frozen=True, slots=True)
class ToolsGone:
    """A device that offered tools is gone, or its first announcement is taken back."""

    client_id: ClientId
    at_unix_ms: int


@dataclass(frozen=True, slots=True)
class CatalogTouched:
    """What the log keeps of the catalog changed, so it has another revision."""

    at_unix_ms: int


@dataclass(frozen=True, slots=True)
class CallWaits:
    """What a call waits for beside its deadline; None: nothing."""

    call_id: CallId
    wait: CallWait | None


@dataclass(frozen=True, slots=True)
class CallHeldBy:
    """Who waits for a call; None: it is not known, or does not matter any more."""

    call_id: CallId
    holding: Holding | None


@dataclass(frozen=True, slots=True)
class ClientUsed:
    """A human used this connection; 0 takes it back."""

    client_id: ClientId
    at_unix_ms: int


CallChange = ToolsOffered | ToolsGone | CatalogTouched | CallWaits | CallHeldBy | ClientUsed
"""What changes in Live about tools and calls."""
