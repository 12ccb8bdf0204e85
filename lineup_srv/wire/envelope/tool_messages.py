"""The messages about tools; part of `messages`, which says what they have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from lineup_srv.contract.errors import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineup_srv.contract.offers import Refusal
    from lineup_srv.wire.envelope.parts import Content, Phase

__all__ = [
    "MiniAppToolCall",
    "ToolCall",
    "ToolCancel",
    "ToolList",
    "ToolProgress",
    "ToolReceipt",
    "ToolResult",
    "ToolsRefused",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolList:
    """What is offered; with neither list, the question what is offered.

    Attributes:
        tools: definitions in their JSON form, unread: `contract.offers` reads them, so that a bad
            one is refused alone.
        applications: the same.
        ref: in an answer, the id of the question.
    """

    TYPE: ClassVar[str] = "tool.list"
    tools: tuple[object, ...] | None = None
    applications: tuple[object, ...] | None = None
    ref: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsRefused:
    """Tools of an app that are not offered to agents, all that there are; from the relay."""

    TYPE: ClassVar[str] = "tool.refused"
    tools: tuple[Refusal, ...] = ()
    ref: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """An agent calls an action; for tools of type action a receiver ignores `action`.

    Attributes:
        timeout_ms: from an agent: how long it waits, 0: the usual time; to an app: what is left.
        agent: to an app: the client_id of the agent that calls.
    """

    TYPE: ClassVar[str] = "tool.call"
    name: str
    action: str
    call_id: str
    arguments: Mapping[str, object]
    timeout_ms: int = 0
    agent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MiniAppToolCall:
    """An agent calls a tool of a MiniApp (seed 004); otherwise as ToolCall."""

    TYPE: ClassVar[str] = "lineup.v1.miniapp.tool.call"
    application: str
    tool: str
    action: str
    call_id: str
    arguments: Mapping[str, object]
    timeout_ms: int = 0
    agent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCancel:
    """An agent withdraws a call; its result says that it ended so."""

    TYPE: ClassVar[str] = "tool.cancel"
    call_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReceipt:
    """How far a call got; never its result.

    Attributes:
        by: to other apps: who has it.
    """

    TYPE: ClassVar[str] = "tool.receipt"
    call_id: str
    phase: Phase
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolProgress:
    """How much of a call is done, in the unit of `total`; 0: unknown."""

    TYPE: ClassVar[str] = "tool.progress"
    call_id: str
    progress: float
    total: float = 0
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """The one result of a call of either kind; `result.message` is text (seed 000, V1).

    Attributes:
        failed: it did not work; `result.message` says why.
        code: why, where that has a code; then it failed too.
        contents: pictures and files.
        by: to an agent: the name of the device whose result it is.
    """

    TYPE: ClassVar[str] = "tool.result"
    name: str
    action: str
    call_id: str
    result: Mapping[str, object]
    failed: bool = False
    code: ErrorCode = ErrorCode.UNSPECIFIED
    contents: tuple[Content, ...] = ()
    by: str = ""
