"""What a room wants done: messages, timers, outcomes, and changes of who is here.

Transports turn messages into frames; the service runs timers and wakes callers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineup_srv.domain.call_effects import CallChange, CallEffect, CallMessage

if TYPE_CHECKING:
    from lineup_srv.contract.errors import ErrorCode
    from lineup_srv.contract.ids import AgentId, ClientId, DeviceId, Ref, RequestId, TextId
    from lineup_srv.domain.facts import PictureShown, TextSaid
    from lineup_srv.domain.people import AgentIdentity, Author, Member
    from lineup_srv.domain.request import Reply, Request, RequestState
    from lineup_srv.domain.shared import Setting
    from lineup_srv.domain.signals import Signal
    from lineup_srv.domain.state import AgentPresence, KeptText

__all__ = [
    "NEVER_HERE",
    "AgentLeft",
    "AgentLine",
    "AgentPresent",
    "Change",
    "ClearTimer",
    "DeliverOutcome",
    "DeviceLine",
    "DevicesChanged",
    "Effect",
    "Everyone",
    "Except",
    "MailChanged",
    "MemberJoined",
    "MemberLeft",
    "Message",
    "Only",
    "SendAck",
    "SendOnline",
    "SendPending",
    "SendValidity",
    "SetLease",
    "SetTimer",
    "ShowAgents",
    "ShowDevices",
    "ShowPictureShown",
    "ShowPresence",
    "ShowReply",
    "ShowRequest",
    "ShowSaid",
    "ShowSetting",
    "ShowSignal",
    "ShowState",
    "ShowText",
    "ShowTextReceived",
    "ShownEarly",
    "StateUpdate",
    "TellDeadline",
    "Those",
    "To",
    "Welcome",
]


@dataclass(frozen=True, slots=True)
class Everyone:
    """All members of the room."""


@dataclass(frozen=True, slots=True)
class Except:
    """All members but one."""

    client_id: ClientId


@dataclass(frozen=True, slots=True)
class Only:
    """One member."""

    client_id: ClientId


@dataclass(frozen=True, slots=True)
class Those:
    """Some members."""

    client_ids: tuple[ClientId, ...]


To = Everyone | Except | Only | Those


@dataclass(frozen=True, slots=True)
class StateUpdate:
    """How a request stands, for RequestState (wire §4, 107)."""

    request_id: RequestId
    report: bool
    state: RequestState
    reason: ErrorCode
    by: Author | None
    deadline_unix_ms: int
    late: bool
    received: bool
    agent_gone: bool
    message: str
    changed_unix_ms: int


@dataclass(frozen=True, slots=True)
class ShowRequest:
    """Shows a card. `seq` is 0 before its commit."""

    to: To
    request: Request
    seq: int


@dataclass(frozen=True, slots=True)
class ShowReply:
    """Tells who answered what (the …ReplyNotification)."""

    to: To
    request: Request
    reply: Reply
    seq: int


@dataclass(frozen=True, slots=True)
class ShowState:
    """Tells how a request stands. Clients without client_info hear only of ends."""

    to: To
    update: StateUpdate
    seq: int


@dataclass(frozen=True, slots=True)
class ShowText:
    """Shows a text that is kept for an agent, or that the agent has it."""

    to: To
    text: KeptText
    received: bool
    seq: int


@dataclass(frozen=True, slots=True)
class ShowTextReceived:
    """Tells that an agent has a text."""

    to: To
    text_id: TextId
    seq: int


@dataclass(frozen=True, slots=True)
class ShowSaid:
    """Shows what an agent wrote."""

    to: To
    said: TextSaid
    seq: int


@dataclass(frozen=True, slots=True)
class ShowPictureShown:
    """Shows a picture of an agent."""

    to: To
    shown: PictureShown
    seq: int


@dataclass(frozen=True, slots=True)
class ShowSignal:
    """Passes on what a device said; `receiver` is None when all others get it."""

    to: To
    sender: Member
    receiver: Member | None
    signal: Signal


@dataclass(frozen=True, slots=True)
class ShowPresence:
    """Tells that a member came (or renamed itself) or went."""

    to: To
    member: Member
    connected: bool


@dataclass(frozen=True, slots=True)
class Welcome:
    """The answer to a login: who you are; for extended members also every open request.

    `requests` are the open ones with their present state; `last_seq` is the newest committed
    log number.
    """

    to: Only
    member: Member
    renamed: bool
    updates: tuple[tuple[Request, StateUpdate], ...]
    last_seq: int


@dataclass(frozen=True, slots=True)
class SendPending:
    """The answer to GetPendingMessages: all open requests, oldest first."""

    to: Only
    requests: tuple[Request, ...]


@dataclass(frozen=True, slots=True)
class SendOnline:
    """The answer to GetOnlineUsers: everyone else."""

    to: Only
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class SendValidity:
    """The answer to CheckMessageValidity: by id, true only while PENDING."""

    to: Only
    validity: tuple[tuple[RequestId, bool], ...]


@dataclass(frozen=True, slots=True)
class ShowAgents:
    """Tells who the agents are, what they wait for and what waits for them."""

    to: To
    agents: tuple[AgentLine, ...]


@dataclass(frozen=True, slots=True)
class AgentLine:
    """An agent as devices see it (wire §4, 108)."""

    identity: AgentIdentity
    name: str
    model: str
    attached: bool
    waiting: tuple[tuple[RequestId, int], ...]
    last_call_unix_ms: int
    left_unix_ms: int
    messages_waiting: int


@dataclass(frozen=True, slots=True)
class ShowDevices:
    """Tells which devices the room has and which of them are here."""

    to: To
    devices: tuple[DeviceLine, ...]


@dataclass(frozen=True, slots=True)
class DeviceLine:
    """A device as others see it (wire §4, 114).

    Attributes:
        device_id: empty for a client that gives none.
        client_id: its connection to talk to; None while it is away.
    """

    device_id: DeviceId
    client_id: ClientId | None
    nickname: str
    platform: str
    online: bool
    visible: bool
    last_seen_unix_ms: int


@dataclass(frozen=True, slots=True)
class ShowSetting:
    """Shows a setting that the room's devices share."""

    to: To
    setting: Setting


@dataclass(frozen=True, slots=True)
class SendAck:
    """What became of the message with this ref. Never sent for an empty ref."""

    to: Only
    ref: Ref
    accepted: bool
    code: ErrorCode
    message: str
    seq: int


@dataclass(frozen=True, slots=True)
class DeliverOutcome:
    """An agent's held call or stream gets the outcome, under the id it asked with."""

    agent_id: AgentId
    request: Request
    redelivered: bool


@dataclass(frozen=True, slots=True)
class TellDeadline:
    """A waiting agent hears of a moved deadline."""

    agent_id: AgentId
    request_id: RequestId
    deadline_unix_ms: int


@dataclass(frozen=True, slots=True)
class MailChanged:
    """What waits in mailboxes changed: attached agents are told their counts."""


@dataclass(frozen=True, slots=True)
class DevicesChanged:
    """How many devices are connected changed: attached agents are told."""

    count: int


@dataclass(frozen=True, slots=True)
class SetTimer:
    """Submit DeadlineReached at this instant; replaces an earlier timer of the request."""

    request_id: RequestId
    deadline_unix_ms: int


@dataclass(frozen=True, slots=True)
class ClearTimer:
    """The request has ended."""

    request_id: RequestId


@dataclass(frozen=True, slots=True)
class SetLease:
    """Submit LeaseEnded after `limits.AGENT_LEASE_SECONDS`."""

    agent_id: AgentId
    lease: int


Message = (
    ShowRequest
    | ShowReply
    | ShowState
    | ShowText
    | ShowTextReceived
    | ShowSaid
    | ShowPictureShown
    | ShowSignal
    | ShowPresence
    | ShowAgents
    | ShowDevices
    | ShowSetting
    | Welcome
    | SendPending
    | SendOnline
    | SendValidity
    | SendAck
    | CallMessage
)
"""What devices are told."""

Effect = (
    Message
    | DeliverOutcome
    | TellDeadline
    | MailChanged
    | DevicesChanged
    | SetTimer
    | ClearTimer
    | SetLease
    | CallEffect
)


@dataclass(frozen=True, slots=True)
class MemberJoined:
    """Adds or replaces a member."""

    member: Member


@dataclass(frozen=True, slots=True)
class MemberLeft:
    """Removes a member."""

    client_id: ClientId


@dataclass(frozen=True, slots=True)
class AgentPresent:
    """Adds or replaces an agent."""

    presence: AgentPresence


NEVER_HERE = 0
"""The time of an AgentLeft that takes back an arrival."""


@dataclass(frozen=True, slots=True)
class AgentLeft:
    """Removes an agent; devices still see when it left, unless that is `NEVER_HERE`."""

    agent_id: AgentId
    left_unix_ms: int


@dataclass(frozen=True, slots=True)
class ShownEarly:
    """A card was shown before its commit; `echoed` when its durable echo went out."""

    request_id: RequestId
    echoed: bool


Change = MemberJoined | MemberLeft | AgentPresent | AgentLeft | ShownEarly | CallChange
