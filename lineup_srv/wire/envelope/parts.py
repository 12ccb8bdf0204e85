"""What messages in JSON are made of; fields as in `messages`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = [
    "Action",
    "Answer",
    "Approval",
    "Content",
    "ContentType",
    "Kind",
    "Option",
    "Phase",
    "Question",
    "Role",
    "Said",
    "State",
]


class Role(Enum):
    """Who wrote a text that the relay passes on."""

    UNSPECIFIED = ""
    AGENT = "agent"
    HUMAN = "human"


class Phase(Enum):
    """What a receipt says of a call; from TAKEN on only to apps that do not run it."""

    ACCEPTED = "accepted"
    STARTING = "starting"
    STARTED = "started"
    TAKEN = "taken"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
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
