"""What `handle` gives back, and the draft that it is written with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lineup_srv.contract.ids import FactId

if TYPE_CHECKING:
    from lineup_srv.contract.errors import ErrorCode
    from lineup_srv.contract.ids import CommandId, RequestId
    from lineup_srv.domain.call import Call
    from lineup_srv.domain.effects import Change, Effect
    from lineup_srv.domain.facts import Fact
    from lineup_srv.domain.request import Request
    from lineup_srv.domain.state import KeptText

__all__ = [
    "CallDone",
    "CallHeld",
    "Decision",
    "Draft",
    "Ended",
    "Held",
    "Mail",
    "MailedRequest",
    "MailedText",
    "Refused",
    "Result",
    "Resumed",
    "Said",
]


@dataclass(frozen=True, slots=True)
class Held:
    """The request is pending; its outcome comes by DeliverOutcome."""

    request: Request


@dataclass(frozen=True, slots=True)
class Ended:
    """The request has ended; this is its outcome."""

    request: Request
    redelivered: bool


@dataclass(frozen=True, slots=True)
class CallHeld:
    """The call is live and told as it stands; what follows comes by TellCall."""

    call: Call


@dataclass(frozen=True, slots=True)
class CallDone:
    """The call has ended."""

    call: Call


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing was changed."""

    code: ErrorCode
    message: str


@dataclass(frozen=True, slots=True)
class Resumed:
    """A waiting list was taken: what ended meanwhile, and which ids the room does not know."""

    lease: int
    ended: tuple[Ended, ...]
    unknown: tuple[RequestId, ...]


@dataclass(frozen=True, slots=True)
class MailedRequest:
    """An answer from the mailbox; `other_session`: asked by another session of the program."""

    request: Request
    redelivered: bool
    other_session: bool


@dataclass(frozen=True, slots=True)
class MailedText:
    """A text from the mailbox; `other_session`: written to another session of the program."""

    text: KeptText
    redelivered: bool
    other_session: bool


@dataclass(frozen=True, slots=True)
class Mail:
    """What was waiting, oldest first."""

    requests: tuple[MailedRequest, ...]
    texts: tuple[MailedText, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """An agent's text or picture is logged under this number."""

    seq: int


Result = Held | Ended | Refused | Resumed | Mail | Said | CallHeld | CallDone


@dataclass(frozen=True, slots=True)
class Decision:
    """What a command leads to.

    Attributes:
        facts: to be logged and folded, in order.
        changes: of who is here; applied at once.
        early: effects that do not wait for the commit (the first showing of a card).
        effects: what concerns the sender; waits until everything it was decided on has committed.
        result: for the caller of a command that returns something; waits like `effects`.
    """

    facts: tuple[Fact, ...]
    changes: tuple[Change, ...]
    early: tuple[Effect, ...]
    effects: tuple[Effect, ...]
    result: Result | None


@dataclass(slots=True)
class Draft:
    """A decision in the making. Fact ids are the command's id and the fact's index."""

    command_id: CommandId
    now_unix_ms: int
    facts: list[Fact] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    early: list[Effect] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    result: Result | None = None

    def stamp(self) -> tuple[FactId, int]:
        """The first two fields of the next fact: its id and its time."""
        return FactId(f"{self.command_id}:{len(self.facts)}"), self.now_unix_ms

    def log(self, fact: Fact) -> None:
        """Add a fact that was made with `stamp`."""
        self.facts.append(fact)

    def done(self) -> Decision:
        """The finished decision."""
        return Decision(
            facts=tuple(self.facts),
            changes=tuple(self.changes),
            early=tuple(self.early),
            effects=tuple(self.effects),
            result=self.result,
        )
