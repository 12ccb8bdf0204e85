"""A question or report: what was asked, how it stands, what was answered (design §4.1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineup_srv.contract.errors import ErrorCode
    from lineup_srv.contract.ids import AgentId, Ref, RequestId
    from lineup_srv.domain.contents import Content, ContentRef
    from lineup_srv.domain.people import AgentIdentity, Author

__all__ = [
    "Answer",
    "Approval",
    "Asked",
    "OnTimeout",
    "Option",
    "Question",
    "Reply",
    "ReplyAction",
    "Request",
    "RequestKind",
    "RequestState",
]


class RequestState(Enum):
    """The states of a request. All but PENDING are ends."""

    PENDING = "pending"
    ANSWERED = "answered"
    DECLINED = "declined"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


class RequestKind(Enum):
    """What is asked for."""

    QUESTION = "question"
    APPROVAL = "approval"
    REPORT = "report"


class OnTimeout(Enum):
    """What the agent does when nobody answers."""

    CONTINUE = "continue"
    ABORT = "abort"


class ReplyAction(Enum):
    """What a reply is (wire §3, Meta["action"])."""

    ANSWER = "answer"
    DECLINE = "decline"
    DONE = "done"
    CORRECT = "correct"


@dataclass(frozen=True, slots=True)
class Option:
    """One choice; `label` is what the agent gets."""

    label: str
    description: str


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a request."""

    text: ContentRef
    header: str
    options: tuple[Option, ...]
    multiple: bool
    custom: bool


@dataclass(frozen=True, slots=True)
class Approval:
    """One risky step that waits for allow or deny."""

    tool: str
    command: str
    cwd: str
    description: str
    input_json: str
    can_allow_session: bool
    can_edit: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """The content of a request; equal content is what makes two calls the same question.

    Attributes:
        kind: question, approval or report.
        project_directory: absolute path.
        text: the plain question, or the report's summary.
        questions: at least one for questions and approvals, none for reports.
        contents: pictures shown with it.
        approval: set for approvals.
    """

    kind: RequestKind
    project_directory: str
    text: ContentRef
    questions: tuple[Question, ...]
    contents: tuple[Content, ...]
    approval: Approval | None


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one question: chosen labels, words, or both."""

    index: int
    labels: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What a device said.

    Attributes:
        ref: empty for clients that send none.
        input_json: the edited input of an approval as JSON text; empty: as asked.
    """

    ref: Ref
    action: ReplyAction
    contents: tuple[Content, ...]
    answers: tuple[Answer, ...]
    input_json: str
    by: Author
    at_unix_ms: int


@dataclass(frozen=True, slots=True)
class Request:
    """A request as the log says it stands.

    Attributes:
        request_id: the first id; `aliases` are ids of calls that joined it.
        agent: who asked, or the last one that joined.
        agent_name: the agent's name for itself.
        model: the model that reasons.
        timeout_seconds: as asked, already clamped.
        opened_unix_ms: when it was opened, relay's clock.
        opened_seq: the log number of its opening.
        deadline_unix_ms: when it expires, relay's clock.
        reason: why it ended without an answer.
        message: the reason in the agent's words.
        changed_unix_ms: when its state last changed.
        reply: the answer that counts; the dismissal for DECLINED; None if there is none.
        late: the reply came after the end.
        handed_to: agents that were given the outcome.
        received: the agent program has the outcome.
    """

    request_id: RequestId
    aliases: tuple[RequestId, ...]
    asked: Asked
    agent: AgentIdentity
    agent_name: str
    model: str
    on_timeout: OnTimeout
    timeout_seconds: int
    opened_unix_ms: int
    opened_seq: int
    deadline_unix_ms: int
    state: RequestState
    reason: ErrorCode
    message: str
    changed_unix_ms: int
    reply: Reply | None
    late: bool
    handed_to: tuple[AgentId, ...]
    received: bool

    @property
    def pending(self) -> bool:
        """Whether it waits for an answer."""
        return self.state is RequestState.PENDING

    @property
    def waits_in_mailbox(self) -> bool:
        """Whether there is an answer, dismissal or late answer that the agent does not have yet."""
        return self.reply is not None and not self.received
