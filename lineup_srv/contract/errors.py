"""The stable error codes: one table with meaning, party at fault and next step of each.

Clients branch on the code only; texts are not an interface. The names are those of
`lineup.v1.ErrorCode` in proto/lineup/v1/error.proto; a test compares both.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

__all__ = ["ERRORS", "ErrorCode", "ErrorEntry", "Fault", "LineUpError"]


class ErrorCode(Enum):
    """Why something was refused, kept aside or ended. The value is the JSON spelling."""

    UNSPECIFIED = "unspecified"
    INVALID_ARGUMENT = "invalid_argument"
    UNAUTHENTICATED = "unauthenticated"
    UNKNOWN_COMMAND = "unknown_command"
    UNKNOWN_REQUEST = "unknown_request"
    UNKNOWN_TOOL = "unknown_tool"
    ALREADY_ANSWERED = "already_answered"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    DECLINED = "declined"
    AGENT_ENDED = "agent_ended"
    ID_CONFLICT = "id_conflict"
    KEPT_LATE = "kept_late"
    KEPT_UNKNOWN = "kept_unknown"
    RECEIVER_OFFLINE = "receiver_offline"
    TOO_LARGE = "too_large"
    RATE_LIMITED = "rate_limited"
    LOG_UNAVAILABLE = "log_unavailable"
    RELAY_AWAY = "relay_away"
    RELAY_UNREACHABLE = "relay_unreachable"
    NO_APP = "no_app"
    APP_GONE = "app_gone"
    NO_ANSWER = "no_answer"
    NAME_CONFLICT = "name_conflict"
    TOOL_CHANGED = "tool_changed"
    NOT_SUPPORTED = "not_supported"
    INVALID_RESULT = "invalid_result"
    START_FAILED = "start_failed"


class Fault(Enum):
    """Who has to act for the refused thing to work."""

    NOBODY = "nobody"
    CALLER = "caller"
    RELAY = "relay"
    DEVICE = "device"
    HUMAN = "human"


@dataclass(frozen=True, slots=True)
class ErrorEntry:
    """One row of the table: what the code means, whose fault it is, what to do next."""

    meaning: str
    fault: Fault
    next_step: str


ERRORS: Final[dict[ErrorCode, ErrorEntry]] = {
    ErrorCode.UNSPECIFIED: ErrorEntry("No error.", Fault.NOBODY, "Nothing to do."),
    ErrorCode.INVALID_ARGUMENT: ErrorEntry(
        "A field is missing, has the wrong type or breaks a limit.",
        Fault.CALLER,
        "Correct the named field and send it again.",
    ),
    ErrorCode.UNAUTHENTICATED: ErrorEntry(
        "The token is missing, unknown or revoked.",
        Fault.CALLER,
        "Use the relay's token: `lineup-mcp --print-config` names the file it is in.",
    ),
    ErrorCode.UNKNOWN_COMMAND: ErrorEntry(
        "The relay does not know this command.",
        Fault.RELAY,
        "Update the relay; it is older than this client.",
    ),
    ErrorCode.UNKNOWN_REQUEST: ErrorEntry(
        "Nothing in this room has this id.",
        Fault.CALLER,
        "Begin anew: ask the question, or call the tool, again.",
    ),
    ErrorCode.UNKNOWN_TOOL: ErrorEntry(
        "No such tool or action in this room.",
        Fault.CALLER,
        "List the tools: call one that is offered, or open the page that offers it.",
    ),
    ErrorCode.ALREADY_ANSWERED: ErrorEntry(
        "Somebody else's answer came first.",
        Fault.NOBODY,
        "Send it as a note if the agent should still read it.",
    ),
    ErrorCode.EXPIRED: ErrorEntry(
        "The deadline passed without an answer.",
        Fault.HUMAN,
        "Go on without it; silence is not consent.",
    ),
    ErrorCode.CANCELLED: ErrorEntry(
        "The agent withdrew it.",
        Fault.NOBODY,
        "Nothing to do.",
    ),
    ErrorCode.DECLINED: ErrorEntry(
        "The human chose not to answer.",
        Fault.HUMAN,
        "Decide without the answer, carefully, or finish.",
    ),
    ErrorCode.AGENT_ENDED: ErrorEntry(
        "The agent program ended while it was waiting.",
        Fault.NOBODY,
        "An answer is kept for its next session.",
    ),
    ErrorCode.ID_CONFLICT: ErrorEntry(
        "The id is in use for something else.", Fault.CALLER, "Use a new random id."
    ),
    ErrorCode.KEPT_LATE: ErrorEntry(
        "Too late for the call; kept for the agent's next one.", Fault.NOBODY, "Nothing to do."
    ),
    ErrorCode.KEPT_UNKNOWN: ErrorEntry(
        "The request is not known here; the text is kept for the agent named in it.",
        Fault.NOBODY,
        "Nothing to do.",
    ),
    ErrorCode.RECEIVER_OFFLINE: ErrorEntry(
        "The addressed device is not connected.", Fault.DEVICE, "Try again when it is online."
    ),
    ErrorCode.TOO_LARGE: ErrorEntry("Over a size limit.", Fault.CALLER, "Send less, or in parts."),
    ErrorCode.RATE_LIMITED: ErrorEntry(
        "Over a rate or count limit.", Fault.CALLER, "Wait until some of the open ones have ended."
    ),
    ErrorCode.LOG_UNAVAILABLE: ErrorEntry(
        "The relay cannot write its log now; nothing was changed.",
        Fault.RELAY,
        "Free disk space on the relay's machine; then send it again.",
    ),
    ErrorCode.RELAY_AWAY: ErrorEntry(
        "The relay was away; open deadlines were moved.", Fault.NOBODY, "Nothing to do."
    ),
    ErrorCode.RELAY_UNREACHABLE: ErrorEntry(
        "No relay answers at the configured address.",
        Fault.RELAY,
        "Start it with `lineup-srv`, or correct host and port.",
    ),
    ErrorCode.NO_APP: ErrorEntry(
        "No connected device offers this tool.",
        Fault.DEVICE,
        "Ask the human to open the page that offers it, then call again.",
    ),
    ErrorCode.APP_GONE: ErrorEntry(
        "The device that ran this tool is gone.", Fault.DEVICE, "Open the tool again."
    ),
    ErrorCode.NO_ANSWER: ErrorEntry(
        "The device did not take the call in time.",
        Fault.DEVICE,
        "Check with the human before you call again: it may have run.",
    ),
    ErrorCode.NAME_CONFLICT: ErrorEntry(
        "The tool's name is taken by a different definition.",
        Fault.DEVICE,
        "Rename the tool, or update the older device.",
    ),
    ErrorCode.TOOL_CHANGED: ErrorEntry(
        "The tool's definition changed since the call was made.",
        Fault.CALLER,
        "List the tools again and adapt the arguments.",
    ),
    ErrorCode.NOT_SUPPORTED: ErrorEntry(
        "This variant is not supported.",
        Fault.CALLER,
        "Use a supported variant; nothing was degraded.",
    ),
    ErrorCode.INVALID_RESULT: ErrorEntry(
        "The result does not fit the tool's result schema.",
        Fault.DEVICE,
        "Report it to the tool's author.",
    ),
    ErrorCode.START_FAILED: ErrorEntry(
        "The MiniApp did not start.", Fault.DEVICE, "Open it on a device to see why."
    ),
}


class LineUpError(Exception):
    """A refusal with a stable code. Attributes carry the data; `str()` is for people.

    Args:
        code: the stable code.
        message: what happened, without tokens or message bodies.
        field: the field at fault as a dotted path; empty if none.
    """

    def __init__(self, code: ErrorCode, message: str, *, field: str = "") -> None:
        """Keep the data in attributes; see the class for the arguments."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field

    @property
    def in_full(self) -> str:
        """The message after its field, for where the field has no place of its own."""
        return f"{self.field}: {self.message}" if self.field else self.message

    @property
    def next_step(self) -> str:
        """What to do next, from the table."""
        return ERRORS[self.code].next_step
