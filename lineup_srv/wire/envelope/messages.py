"""The messages that travel as JSON: one dataclass for each `type`.

A field with a default may be left out on the wire. `name` in a field's metadata is its name there
where Python cannot have it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Final, get_args

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.wire.envelope.parts import (
    Action,
    Answer,
    Approval,
    Content,
    ContentType,
    Kind,
    Option,
    Phase,
    Question,
    Role,
    Said,
    State,
)
from lineup_srv.wire.envelope.tool_messages import (
    MiniAppToolCall,
    ToolCall,
    ToolCancel,
    ToolList,
    ToolProgress,
    ToolReceipt,
    ToolResult,
    ToolsRefused,
)

__all__ = [
    "TYPES",
    "Ack",
    "Action",
    "Answer",
    "Approval",
    "Content",
    "ContentType",
    "Envelope",
    "Error",
    "Hello",
    "Image",
    "Kind",
    "MiniAppToolCall",
    "Option",
    "Payload",
    "Phase",
    "Ping",
    "Pong",
    "Question",
    "Reply",
    "Request",
    "RequestState",
    "Role",
    "Said",
    "State",
    "Text",
    "ToolCall",
    "ToolCancel",
    "ToolList",
    "ToolProgress",
    "ToolReceipt",
    "ToolResult",
    "ToolsRefused",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    """Who is speaking; with `agent`, the name of an agent program, an agent, else an app.

    Attributes:
        token: no `repr` shows it.
        client_id: in the relay's answer: who the relay takes you for; in the hello of an agent to
            an app: the agent's id; in an agent's own hello: the id it had before; in an app's own
            hello: an id it chose and keeps.
        ref: in the relay's answer: the id of the hello that it answers.
    """

    TYPE: ClassVar[str] = "system.hello"
    name: str
    token: str = field(default="", repr=False)
    platform: str = ""
    version: str = ""
    agent: str = ""
    features: tuple[str, ...] = ()
    client_id: str = ""
    ref: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ping:
    """Asks for a pong."""

    TYPE: ClassVar[str] = "system.ping"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pong:
    """Answers the ping `ref`."""

    TYPE: ClassVar[str] = "system.pong"
    ref: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ack:
    """What became of the message `ref`."""

    TYPE: ClassVar[str] = "system.ack"
    ref: str
    accepted: bool
    code: ErrorCode = ErrorCode.UNSPECIFIED
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Error:
    """A message that was not taken; `field` is the path of what is wrong in it."""

    TYPE: ClassVar[str] = "error"
    code: ErrorCode
    message: str = ""
    ref: str = ""
    field: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Words, or what is attached, or both.

    Attributes:
        content: the words; empty only where there are contents.
        agent: the client_id of the agent it is for, or that wrote it; empty: for any agent.
        role: who wrote it; set by the relay, as all that follows.
        sender: their name.
        message_id: stays the same when it is given again.
        redelivered: it may have reached you before.
        other_session: it was written to another session of this agent program.
    """

    TYPE: ClassVar[str] = "text"
    content: str
    contents: tuple[Content, ...] = ()
    agent: str = ""
    role: Role = Role.UNSPECIFIED
    sender: str = field(default="", metadata={"name": "from"})
    message_id: str = ""
    sent_unix_ms: int = 0
    redelivered: bool = False
    other_session: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A picture that an agent shows: its address, or its bytes (base64 on the wire)."""

    TYPE: ClassVar[str] = "image"
    url: str = ""
    data: bytes = b""
    mime_type: str = ""
    alt: str = ""
    caption: str = ""
    agent: str = ""
    sender: str = field(default="", metadata={"name": "from"})
    message_id: str = ""
    sent_unix_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A question, an approval or a report.

    Attributes:
        text: the whole of it in words, for apps that show nothing else.
        agent: the agent's name for itself; `agent_id` is its client_id, `client` its program.
        project: absolute path.
    """

    TYPE: ClassVar[str] = "lineup.v1.request"
    request_id: str
    kind: Kind
    text: str
    questions: tuple[Question, ...] = ()
    contents: tuple[Content, ...] = ()
    approval: Approval | None = None
    project: str = ""
    agent: str = ""
    agent_id: str = ""
    model: str = ""
    client: str = ""
    opened_unix_ms: int = 0
    deadline_unix_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer to a request.

    Attributes:
        kind: of the request; only a report may be confirmed without a word.
        agent_id: of the request; keeps the words for that agent if the relay has forgotten it.
        input_json: the edited input of an approval.
    """

    TYPE: ClassVar[str] = "lineup.v1.reply"
    request_id: str
    kind: Kind = Kind.QUESTION
    message: str = ""
    answers: tuple[Answer, ...] = ()
    action: Action = Action.ANSWER
    contents: tuple[Content, ...] = ()
    agent_id: str = ""
    input_json: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestState:
    """How a request stands.

    Attributes:
        reason: why it stands so, where nobody answered.
        by: who caused the change.
        deadline_unix_ms: 0 after the end.
        late: the answer came after the end and is kept for the agent.
        received: the agent program has the answer.
        agent_gone: the agent that asked is not connected.
        message: a reason in the agent's words.
        reply: the answer.
    """

    TYPE: ClassVar[str] = "lineup.v1.request.state"
    request_id: str
    state: State
    reason: ErrorCode = ErrorCode.UNSPECIFIED
    by: str = ""
    deadline_unix_ms: int = 0
    late: bool = False
    received: bool = False
    agent_gone: bool = False
    message: str = ""
    changed_unix_ms: int = 0
    reply: Said | None = None


Payload = (
    Hello
    | Ping
    | Pong
    | Ack
    | Error
    | Text
    | Image
    | ToolList
    | ToolsRefused
    | ToolCall
    | MiniAppToolCall
    | ToolCancel
    | ToolReceipt
    | ToolProgress
    | ToolResult
    | Request
    | Reply
    | RequestState
)

TYPES: Final[tuple[str, ...]] = tuple(kind.TYPE for kind in get_args(Payload))
"""Every `type`."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """One message and its id, which is its ref (wire §5)."""

    id: str
    payload: Payload
