"""A tool call: what was called, who runs it, how it stands, what came of it (design §4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from lineup_srv.contract.ids import ApplicationId

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineup_srv.contract.errors import ErrorCode
    from lineup_srv.contract.ids import (
        AgentId,
        CallId,
        ClientId,
        CommandId,
        DeviceId,
        InstanceId,
        Ref,
        TabId,
    )
    from lineup_srv.contract.offers import Offer
    from lineup_srv.contract.tools import ActionDefinition, ToolDefinition, ToolType
    from lineup_srv.domain.contents import Content, ContentRef
    from lineup_srv.domain.people import AgentIdentity, Author

__all__ = [
    "LIVE_PHASES",
    "Call",
    "CallPhase",
    "CallResult",
    "CallWait",
    "Called",
    "Holding",
    "Instance",
    "OfferedTool",
    "Progress",
    "Provider",
    "ToolKey",
    "WaitKind",
    "offered_tools",
    "refs_of_result",
]


class CallPhase(Enum):
    """Where a call stands. The first four are live, the others are ends."""

    OFFERED = "offered"
    ACCEPTED = "accepted"
    STARTING = "starting"
    STARTED = "started"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


LIVE_PHASES = (CallPhase.OFFERED, CallPhase.ACCEPTED, CallPhase.STARTING, CallPhase.STARTED)
"""In the order that a call passes through; it may leave some out and never goes back."""


@dataclass(frozen=True, slots=True)
class ToolKey:
    """What makes a tool one: its name, in its MiniApp or (`application_id` empty) in the room."""

    application_id: ApplicationId
    name: str


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool as a device announces it; the title and version of its MiniApp are empty for none."""

    application_id: ApplicationId
    application_title: str
    application_version: str
    definition: ToolDefinition

    @property
    def key(self) -> ToolKey:
        """Its name in the room."""
        return ToolKey(self.application_id, self.definition.name)


def offered_tools(offer: Offer) -> tuple[OfferedTool, ...]:
    """Everything that is offered, MiniApps' tools last, each under its name in the room."""
    own = (OfferedTool(ApplicationId(""), "", "", tool) for tool in offer.tools)
    of_apps = (
        OfferedTool(ApplicationId(app.id), app.title, app.version, tool)
        for app in offer.applications
        for tool in app.tools
    )
    return (*own, *of_apps)


@dataclass(frozen=True, slots=True)
class Provider:
    """One tab of a device that runs a call, or owns an instance.

    `client_id` is its connection when it was noted; a tab that has come back has another.
    """

    device_id: DeviceId
    tab_id: TabId
    client_id: ClientId

    def same_tab(self, other: Provider) -> bool:
        """Whether both are one tab; a client without device_id is its connection."""
        if self.device_id or other.device_id:
            return (self.device_id, self.tab_id) == (other.device_id, other.tab_id)
        return self.client_id == other.client_id


@dataclass(frozen=True, slots=True)
class Called:
    """What an agent calls; equal content is what makes two calls the same.

    Attributes:
        tool: which tool.
        action: which of its actions; for type ACTION the tool's name.
        arguments: a JSON object as text.
        instance_id: copied from arguments.instance_id; empty: none.
        secret: the answer must not be logged: it is kept apart until it is received.
    """

    tool: ToolKey
    action: str
    arguments: ContentRef
    instance_id: InstanceId
    secret: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a call is, in the unit of `total`; `total` is 0 if unknown."""

    progress: float
    total: float
    message: str


@dataclass(frozen=True, slots=True)
class CallResult:
    """What a device sent back.

    Attributes:
        json: the result as JSON text; None if there is none, or if it is secret.
        contents: pictures and files.
        instance_id: copied from result.instance_id; empty: none.
        secret_id: where the secret answer is kept; empty: it is not secret.
    """

    json: ContentRef | None
    contents: tuple[Content, ...]
    instance_id: InstanceId
    secret_id: str


def refs_of_result(result: CallResult) -> Iterator[ContentRef]:
    """All references that a result carries."""
    if result.json is not None:
        yield result.json
    yield from (content.ref for content in result.contents)


@dataclass(frozen=True, slots=True)
class Call:
    """A call as the log says it stands.

    Attributes:
        call_id: the first id; `aliases` are ids of equal calls that attached to it.
        called: what was called.
        tool_type: the tool's shape when it was called.
        action: the action's definition when it was called.
        agent: who called, or the last one that attached.
        agent_name: the agent's name for itself.
        opened_unix_ms: when it was called, relay's clock.
        opened_seq: the log number of its opening.
        deadline_unix_ms: when it expires, relay's clock.
        phase: where it stands.
        owner: the tab that it was given to, or that took it; None: nobody yet, or (interactive)
            everybody.
        asked: tabs that were asked before the owner and did not take it.
        progress: the latest; None: none yet.
        by: the device whose result counts; None: no result.
        code: why it ended without success.
        message: the reason in words, or the words of the latest receipt.
        changed_unix_ms: when its phase last changed.
        result: the result of SUCCEEDED or FAILED.
        ref: the ref of the message that brought the result; empty: none.
        kept: what came after CANCELLED; stored, never returned.
        received: the agent program has the end.
    """

    call_id: CallId
    aliases: tuple[CallId, ...]
    called: Called
    tool_type: ToolType
    action: ActionDefinition
    agent: AgentIdentity
    agent_name: str
    opened_unix_ms: int
    opened_seq: int
    deadline_unix_ms: int
    phase: CallPhase
    owner: Provider | None
    asked: tuple[Provider, ...]
    progress: Progress | None
    by: Author | None
    code: ErrorCode
    message: str
    changed_unix_ms: int
    result: CallResult | None
    ref: Ref
    kept: CallResult | None
    received: bool

    @property
    def live(self) -> bool:
        """Whether it has not ended."""
        return self.phase in LIVE_PHASES

    @property
    def shown_to_all(self) -> bool:
        """Whether every device that offers the tool may answer it: nobody owns it."""
        return self.action.interactive and self.owner is None


@dataclass(frozen=True, slots=True)
class Instance:
    """An open app: only the tab that opened it can run its calls."""

    instance_id: InstanceId
    tool: ToolKey
    owner: Provider


class WaitKind(Enum):
    """What a live call waits for, beside its deadline."""

    ACCEPT = "accept"
    """Its owner has to take it within `limits.CALL_ACCEPT_SECONDS`."""
    APP = "app"
    """A device that offers the tool has to come within `limits.CALL_APP_SECONDS`."""
    OWNER = "owner"
    """Its owner has to come back within `limits.CALL_OWNER_SECONDS`."""


@dataclass(frozen=True, slots=True)
class CallWait:
    """A wait of a call that ends at an instant; two waits of a call are never equal."""

    kind: WaitKind
    until_unix_ms: int
    command_id: CommandId


@dataclass(frozen=True, slots=True)
class Holding:
    """Who waits for a call here.

    Attributes:
        holders: the commands of the streams that wait for it.
        agent_id: whose streams they are.
        left_unix_ms: when the last of them went; 0 while there is one.
    """

    holders: frozenset[CommandId]
    agent_id: AgentId
    left_unix_ms: int
