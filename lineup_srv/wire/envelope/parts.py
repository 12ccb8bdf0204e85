"""What messages in JSON are made of; fields as in `messages`."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "Action",
    "ActionDefinition",
    "Answer",
    "Application",
    "Approval",
    "Content",
    "ContentType",
    "Hints",
    "Kind",
    "Option",
    "Phase",
    "Question",
    "Role",
    "Said",
    "State",
    "ToolDefinition",
    "ToolType",
]


class Role(Enum):
    """Who wrote a text that the relay passes on."""

    UNSPECIFIED = ""
    AGENT = "agent"
    HUMAN = "human"


class ToolType(Enum):
    """The three shapes of a tool (seed 000, 1.1)."""

    APP = "app"
    TOOLSET = "toolset"
    ACTION = "action"


class Phase(Enum):
    """What a receipt says of a call; how it ended well or not is said by its result."""

    ACCEPTED = "accepted"
    STARTING = "starting"
    STARTED = "started"
    TAKEN = "taken"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


class Kind(Enum):
    """What a request asks for."""

    QUESTION = "question"
    APPROVAL = "approval"
    REPORT = "report"


class State(Enum):
    """How a request stands."""

    PENDING = "pending"
    ANSWERED = "answered"
    DECLINED = "declined"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


class Action(Enum):
    """What a reply is (wire §3)."""

    ANSWER = "answer"
    DECLINE = "decline"
    DONE = "done"
    CORRECT = "correct"


class ContentType(Enum):
    """What an item of a message is."""

    TEXT = "text"
    IMAGE = "image"
    AUDIO = "audio"
    RESOURCE = "resource"


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """One item: `text`, or bytes in `data` (base64 on the wire), or a link to them in `uri`."""

    type: ContentType
    text: str = ""
    data: bytes = b""
    mime_type: str = ""
    uri: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One choice; `label` is what the agent gets."""

    label: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question of a request; `custom`: words of one's own are offered beside the options."""

    question: str
    header: str = ""
    options: tuple[Option, ...] = ()
    multiple: bool = False
    custom: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """One risky step; it is answered by the labels allow_once, allow_session, deny."""

    tool: str = ""
    command: str = ""
    cwd: str = ""
    description: str = ""
    input_json: str = ""
    can_allow_session: bool = False
    can_edit: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to one question, from 0: chosen labels, words, or both."""

    index: int
    labels: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The answer that counts, for those who did not give it."""

    message: str = ""
    answers: tuple[Answer, ...] = ()
    action: Action = Action.ANSWER


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What an action does to the world."""

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionDefinition:
    """One action of an app or a toolset."""

    name: str
    description: str
    input_schema: Mapping[str, object] = field(metadata={"name": "inputSchema"})
    hints: Hints = Hints()
    interactive: bool = False
    result_schema: Mapping[str, object] | None = field(
        default=None, metadata={"name": "resultSchema"}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDefinition:
    """One tool: an app and a toolset have actions, an action has a schema (seed 000, 1.1)."""

    name: str
    type: ToolType
    description: str
    actions: tuple[ActionDefinition, ...] = ()
    input_schema: Mapping[str, object] | None = field(
        default=None, metadata={"name": "inputSchema"}
    )
    interactive: bool = False
    result_schema: Mapping[str, object] | None = field(
        default=None, metadata={"name": "resultSchema"}
    )
    version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """A MiniApp and its tools."""

    id: str
    version: str = ""
    title: str = ""
    tools: tuple[ToolDefinition, ...] = ()
