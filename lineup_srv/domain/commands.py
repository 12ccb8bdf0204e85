"""What can be asked of a room. Every command has an id that stays the same on every retry.

Sizes and formats were checked at the border; a command is well-formed. Instants are Unix
milliseconds by the relay's clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineup_srv.domain.call_commands import AgentCallCommand, CallCommand

if TYPE_CHECKING:
    from lineup_srv.contract.errors import ErrorCode
    from lineup_srv.contract.ids import AgentId, ClientId, CommandId, Ref, RequestId, TextId
    from lineup_srv.domain.contents import Content, Picture
    from lineup_srv.domain.people import AgentIdentity, Author, Member
    from lineup_srv.domain.request import Answer, Asked, OnTimeout, ReplyAction
    from lineup_srv.domain.signals import Signal

__all__ = [
    "AckMessages",
    "AgentCommand",
    "Attach",
    "Await",
    "Cancel",
    "CheckValidity",
    "Command",
    "DeadlineReached",
    "Detach",
    "Goodbye",
    "HandOver",
    "HangUp",
    "LeaseEnded",
    "ListOnline",
    "ListPending",
    "Login",
    "Logout",
    "MoveDeadline",
    "Open",
    "PassSignal",
    "RelayReturned",
    "ReplyTo",
    "SayText",
    "SeeClient",
    "SetWaiting",
    "ShowPicture",
    "StoredAck",
    "TakeMessages",
    "WriteText",
]


@dataclass(frozen=True, slots=True)
class StoredAck:
    """The log's memory of a ref: what its first Ack said."""

    code: ErrorCode
    seq: int


@dataclass(frozen=True, slots=True)
class Open:
    """An agent asks or reports. The call is held by its `command_id` until HangUp."""

    command_id: CommandId
    request_id: RequestId
    asked: Asked
    agent: AgentIdentity
    agent_name: str
    model: str
    on_timeout: OnTimeout
    timeout_seconds: int


@dataclass(frozen=True, slots=True)
class Await:
    """An agent or script goes on waiting for a request; held like Open."""

    command_id: CommandId
    request_id: RequestId
    agent: AgentIdentity


@dataclass(frozen=True, slots=True)
class HangUp:
    """A held call (Open or Await `call_id`) is over, with or without its outcome."""

    command_id: CommandId
    agent_id: AgentId
    call_id: CommandId


@dataclass(frozen=True, slots=True)
class ReplyTo:
    """A device answers, dismisses or corrects.

    Attributes:
        agent_id: the agent named in the request, for a request this room does not know; or empty.
        text_id: the id of the text that is kept in that case.
        first_ack: what the log remembers of `ref`, if `ref_matters` asked for it.
    """

    command_id: CommandId
    request_id: RequestId
    ref: Ref
    action: ReplyAction
    contents: tuple[Content, ...]
    answers: tuple[Answer, ...]
    input_json: str
    by: Author
    agent_id: AgentId
    text_id: TextId
    first_ack: StoredAck | None


@dataclass(frozen=True, slots=True)
class DeadlineReached:
    """A timer that was set for `deadline_unix_ms` fired."""

    command_id: CommandId
    request_id: RequestId
    deadline_unix_ms: int


@dataclass(frozen=True, slots=True)
class MoveDeadline:
    """A device gives a request more time."""

    command_id: CommandId
    request_id: RequestId
    ref: Ref
    add_seconds: int
    by: Author
    first_ack: StoredAck | None


@dataclass(frozen=True, slots=True)
class Cancel:
    """An agent's host withdraws a call; `reason` is CANCELLED or AGENT_ENDED."""

    command_id: CommandId
    agent_id: AgentId
    request_id: RequestId
    reason: ErrorCode
    message: str


@dataclass(frozen=True, slots=True)
class Attach:
    """A bridge begins its lease and says which requests it waits for."""

    command_id: CommandId
    agent: AgentIdentity
    waiting: tuple[RequestId, ...]


@dataclass(frozen=True, slots=True)
class SetWaiting:
    """A bridge replaces the whole list of requests it waits for."""

    command_id: CommandId
    agent_id: AgentId
    waiting: tuple[RequestId, ...]


@dataclass(frozen=True, slots=True)
class Detach:
    """The stream of a lease broke; `lease` is the number Attach gave it."""

    command_id: CommandId
    agent_id: AgentId
    lease: int


@dataclass(frozen=True, slots=True)
class LeaseEnded:
    """The time after a broken stream is over; ignored if the agent attached again."""

    command_id: CommandId
    agent_id: AgentId
    lease: int


@dataclass(frozen=True, slots=True)
class Goodbye:
    """A bridge ends: its requests are cancelled as AGENT_ENDED, still answerable late."""

    command_id: CommandId
    agent_id: AgentId


@dataclass(frozen=True, slots=True)
class TakeMessages:
    """A bridge takes what waits in its mailbox."""

    command_id: CommandId
    agent_id: AgentId


@dataclass(frozen=True, slots=True)
class AckMessages:
    """A bridge confirms that outcomes and texts reached the agent program."""

    command_id: CommandId
    agent_id: AgentId
    request_ids: tuple[RequestId, ...]
    text_ids: tuple[TextId, ...]


@dataclass(frozen=True, slots=True)
class HandOver:
    """Gives outcomes that another relay logged to those who wait for them here."""

    command_id: CommandId


@dataclass(frozen=True, slots=True)
class Login:
    """A device joins, or renames itself when its client_id is a member already."""

    command_id: CommandId
    member: Member
    ref: Ref


@dataclass(frozen=True, slots=True)
class Logout:
    """A device's connection is over."""

    command_id: CommandId
    client_id: ClientId


@dataclass(frozen=True, slots=True)
class ListPending:
    """A device asks for all open requests (GetPendingMessages)."""

    command_id: CommandId
    client_id: ClientId


@dataclass(frozen=True, slots=True)
class ListOnline:
    """A device asks who else is connected (GetOnlineUsers)."""

    command_id: CommandId
    client_id: ClientId


@dataclass(frozen=True, slots=True)
class CheckValidity:
    """A device asks which requests still wait (CheckMessageValidity)."""

    command_id: CommandId
    client_id: ClientId
    request_ids: tuple[RequestId, ...]


@dataclass(frozen=True, slots=True)
class SeeClient:
    """A device's page went to the front, or away from it."""

    command_id: CommandId
    client_id: ClientId
    visible: bool
    ref: Ref


@dataclass(frozen=True, slots=True)
class PassSignal:
    """A device says something to others that is never logged: chat, typing, forwarding.

    Attributes:
        by: the device that says it.
        receiver: the one it is for; None: all others.
    """

    command_id: CommandId
    by: ClientId
    receiver: ClientId | None
    signal: Signal
    ref: Ref


@dataclass(frozen=True, slots=True)
class WriteText:
    """A device writes to an agent, or to all (`agent_id` empty)."""

    command_id: CommandId
    text_id: TextId
    agent_id: AgentId
    contents: tuple[Content, ...]
    by: Author
    ref: Ref
    first_ack: StoredAck | None


@dataclass(frozen=True, slots=True)
class SayText:
    """An agent writes to the human."""

    command_id: CommandId
    text_id: TextId
    agent: AgentIdentity
    agent_name: str
    contents: tuple[Content, ...]


@dataclass(frozen=True, slots=True)
class ShowPicture:
    """An agent shows a picture: by its bytes, or by an address."""

    command_id: CommandId
    text_id: TextId
    agent: AgentIdentity
    agent_name: str
    picture: Picture


@dataclass(frozen=True, slots=True)
class RelayReturned:
    """The relay was away until now: a start, a sleep or a jump of the clock (design §4.4).

    `loaded`: the room was just read, so that its agents could not attach yet.
    """

    command_id: CommandId
    loaded: bool


AgentCommand = (
    Open
    | Await
    | HangUp
    | Cancel
    | Attach
    | SetWaiting
    | Detach
    | LeaseEnded
    | Goodbye
    | TakeMessages
    | AckMessages
    | SayText
    | ShowPicture
    | AgentCallCommand
)
"""What agents do, and the end of their leases."""

Command = (
    AgentCommand
    | ReplyTo
    | DeadlineReached
    | MoveDeadline
    | HandOver
    | Login
    | Logout
    | ListPending
    | ListOnline
    | CheckValidity
    | SeeClient
    | PassSignal
    | WriteText
    | RelayReturned
    | CallCommand
)
