"""A room as a conversation: a command in, exactly these facts and effects out.

`Play.do` decides a command, records it, and commits its facts at once: each is delivered with its
log number, as a relay does when the append returns. `decide` and `commit` do the two halves, for
what comes in between.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import (
    AgentId,
    ClientId,
    CommandId,
    DeviceId,
    FactId,
    Ref,
    RequestId,
    TabId,
    TextId,
)
from lineup_srv.domain.commands import (
    AckMessages,
    Attach,
    Await,
    Cancel,
    CheckValidity,
    Command,
    DeadlineReached,
    Detach,
    Goodbye,
    HangUp,
    LeaseEnded,
    ListOnline,
    Login,
    MoveDeadline,
    Open,
    PassSignal,
    ReplyTo,
    SayText,
    SeeClient,
    SetWaiting,
    ShowPicture,
    StoredAck,
    TakeMessages,
    WriteText,
)
from lineup_srv.domain.contents import Content, ContentKind, ContentRef, Picture
from lineup_srv.domain.decision import Decision, Result, Resumed
from lineup_srv.domain.effects_of import changes_of, effects_of
from lineup_srv.domain.fold import apply_change, fold
from lineup_srv.domain.people import AgentIdentity, Author, Member
from lineup_srv.domain.request import (
    Approval,
    Asked,
    OnTimeout,
    Question,
    Reply,
    ReplyAction,
    Request,
    RequestKind,
)
from lineup_srv.domain.room import handle, record
from lineup_srv.domain.state import AgentPresence, KeptText, Live, Logged, Room
from lineup_srv.service.entries import undo_of

if TYPE_CHECKING:
    from lineup_srv.domain.effects import Change, Effect
    from lineup_srv.domain.facts import Fact
    from lineup_srv.domain.signals import Signal

NOW: Final = 1_700_000_000_000
TIMEOUT: Final = 600
NOBODY: Final = AgentId("")
NO_REF: Final = Ref("")


def text_ref(text: str) -> ContentRef:
    """A short text by reference; its hash is as good as any."""
    return ContentRef(f"sha256 of {text}", len(text), "text/markdown", text)


def words(text: str) -> tuple[Content, ...]:
    """A message of one text."""
    return (Content(ContentKind.TEXT, text_ref(text), ""),)


def agent(
    name: str, *, session: str = "", directory: str = "/work", machine: str = "m1"
) -> AgentIdentity:
    """A bridge of the program `coder`; without a session unless told."""
    return AgentIdentity(AgentId(name), "coder", machine, session, directory, "desk")


def device(name: str, *, device_id: str | None = None) -> Author:
    """A device on its first connection."""
    known = name if device_id is None else device_id
    return Author(ClientId(f"{name}-1"), DeviceId(known), name.title(), "test")


ADA: Final = agent("ada")
BOB: Final = agent("bob", machine="m2")
PHONE: Final = device("phone")
LAPTOP: Final = device("laptop")


def question(text: str, *, directory: str = "/work") -> Asked:
    """A plain question."""
    asked = Question(text_ref(text), "", (), multiple=False, custom=True)
    return Asked(RequestKind.QUESTION, directory, text_ref(text), (asked,), (), None)


def report(text: str) -> Asked:
    """A work report."""
    return Asked(RequestKind.REPORT, "/work", text_ref(text), (), (), None)


def approval(text: str) -> Asked:
    """A risky step."""
    step = Approval("Bash", text, "/work", "", "{}", can_allow_session=True, can_edit=False)
    return replace(question(text), kind=RequestKind.APPROVAL, approval=step)


# Commands. `Play` gives each its id.

_UNSET: Final = CommandId("")


def opens(
    request_id: str,
    *,
    by: AgentIdentity = ADA,
    asked: Asked | None = None,
    timeout_seconds: int = TIMEOUT,
) -> Open:
    return Open(
        command_id=_UNSET,
        request_id=RequestId(request_id),
        asked=question(f"about {request_id}") if asked is None else asked,
        agent=by,
        agent_name="Ada",
        model="model",
        on_timeout=OnTimeout.CONTINUE,
        timeout_seconds=timeout_seconds,
    )


def awaits(request_id: str, *, by: AgentIdentity = ADA) -> Await:
    return Await(_UNSET, RequestId(request_id), by)


def hangs_up(call_id: str, *, by: AgentIdentity = ADA) -> HangUp:
    return HangUp(_UNSET, by.agent_id, CommandId(call_id))


def replies(
    request_id: str,
    text: str = "yes",
    *,
    by: Author = PHONE,
    ref: str = "ref-0000000000000",
    action: ReplyAction = ReplyAction.ANSWER,
    agent_id: str = "",
    first_ack: StoredAck | None = None,
) -> ReplyTo:
    return ReplyTo(
        command_id=_UNSET,
        request_id=RequestId(request_id),
        ref=Ref(ref),
        action=action,
        contents=words(text) if text else (),
        answers=(),
        input_json="",
        by=by,
        agent_id=AgentId(agent_id),
        text_id=TextId(f"text of {request_id}"),
        first_ack=first_ack,
    )


def declines(request_id: str, *, by: Author = PHONE, ref: str = "ref-0000000000000") -> ReplyTo:
    return replies(request_id, "", by=by, ref=ref, action=ReplyAction.DECLINE)


def corrects(
    request_id: str, text: str, *, by: Author = PHONE, ref: str = "ref-correct-00000"
) -> ReplyTo:
    return replies(request_id, text, by=by, ref=ref, action=ReplyAction.CORRECT)


def reply_of(command: ReplyTo, at_unix_ms: int = NOW) -> Reply:
    """What a reply command leaves in the log."""
    return Reply(
        command.ref,
        command.action,
        command.contents,
        command.answers,
        command.input_json,
        command.by,
        at_unix_ms,
    )


def deadline_reached(request_id: str, deadline_unix_ms: int) -> DeadlineReached:
    return DeadlineReached(_UNSET, RequestId(request_id), deadline_unix_ms)


def moves_deadline(
    request_id: str,
    add_seconds: int,
    *,
    by: Author = PHONE,
    ref: str = "ref-move-00000000",
    first_ack: StoredAck | None = None,
) -> MoveDeadline:
    return MoveDeadline(_UNSET, RequestId(request_id), Ref(ref), add_seconds, by, first_ack)


def cancels(
    request_id: str, *, by: AgentIdentity = ADA, reason: ErrorCode = ErrorCode.CANCELLED
) -> Cancel:
    return Cancel(_UNSET, by.agent_id, RequestId(request_id), reason, "")


def attaches(*waiting: str, by: AgentIdentity = ADA) -> Attach:
    return Attach(_UNSET, by, tuple(RequestId(i) for i in waiting))


def sets_waiting(*waiting: str, by: AgentIdentity = ADA) -> SetWaiting:
    return SetWaiting(_UNSET, by.agent_id, tuple(RequestId(i) for i in waiting))


def detaches(lease: int, *, by: AgentIdentity = ADA) -> Detach:
    return Detach(_UNSET, by.agent_id, lease)


def lease_ends(lease: int, *, by: AgentIdentity = ADA) -> LeaseEnded:
    return LeaseEnded(_UNSET, by.agent_id, lease)


def says_goodbye(*, by: AgentIdentity = ADA) -> Goodbye:
    return Goodbye(_UNSET, by.agent_id)


def takes(*, by: AgentIdentity = ADA) -> TakeMessages:
    return TakeMessages(_UNSET, by.agent_id)


def acknowledges(*ids: str, by: AgentIdentity = ADA, texts: tuple[str, ...] = ()) -> AckMessages:
    return AckMessages(
        _UNSET,
        by.agent_id,
        tuple(RequestId(i) for i in ids),
        tuple(TextId(i) for i in texts),
    )


def writes(
    text_id: str,
    *,
    to: str = "",
    by: Author = PHONE,
    ref: str = "ref-write-0000000",
    first_ack: StoredAck | None = None,
) -> WriteText:
    return WriteText(
        command_id=_UNSET,
        text_id=TextId(text_id),
        agent_id=AgentId(to),
        contents=words(text_id),
        by=by,
        ref=Ref(ref),
        first_ack=first_ack,
    )


def says(text_id: str, *, by: AgentIdentity = ADA) -> SayText:
    return SayText(_UNSET, TextId(text_id), by, "Ada", words(text_id))


def shows(text_id: str, *, by: AgentIdentity = ADA) -> ShowPicture:
    picture = Picture(ref=None, url="https://pictures.test/1", alt="a graph", caption="load")
    return ShowPicture(_UNSET, TextId(text_id), by, "Ada", picture)


def member(who: Author, *, extended: bool = True, visible: bool = True) -> Member:
    return Member(
        who, extended, visible, connected_unix_ms=NOW, tab_id=TabId(f"tab-{who.device_id}")
    )


def logs_in(who: Author, *, ref: str = "", extended: bool = True) -> Login:
    return Login(_UNSET, member(who, extended=extended), Ref(ref))


def sees(who: Author, *, visible: bool, ref: str = "") -> SeeClient:
    return SeeClient(_UNSET, who.client_id, visible, Ref(ref))


def lists_online(who: Author) -> ListOnline:
    return ListOnline(_UNSET, who.client_id)


def checks(who: Author, *ids: str) -> CheckValidity:
    return CheckValidity(_UNSET, who.client_id, tuple(RequestId(i) for i in ids))


def passes(
    signal: Signal, *, by: Author = PHONE, to: Author | None = None, ref: str = ""
) -> PassSignal:
    receiver = None if to is None else to.client_id
    return PassSignal(_UNSET, by.client_id, receiver, signal, Ref(ref))


@dataclass(frozen=True, slots=True)
class Step:
    """What one command led to.

    Attributes:
        facts: what was logged.
        early: what was told before the commit.
        told: what was told on delivery of the facts, in order.
        effects: what the sender was told.
        result: what its caller got.
    """

    facts: tuple[Fact, ...]
    early: tuple[Effect, ...]
    told: tuple[Effect, ...]
    effects: tuple[Effect, ...]
    result: Result | None


@dataclass(slots=True)
class Play:
    """A room, its clock, and its log; `command_id` is that of the last command."""

    room: Room = field(default_factory=lambda: Room(Logged(), Live()))
    now: int = NOW
    log: list[Fact] = field(default_factory=list)
    command_id: CommandId = _UNSET
    count: int = 0
    undo: tuple[Change, ...] = ()

    def do(self, command: Command) -> Step:
        """Decide a command and commit it."""
        return self.commit(self.decide(command))

    def decide(self, command: Command) -> Decision:
        """Decide a command; its facts are tentative until `commit`."""
        self.count += 1
        self.command_id = CommandId(f"c{self.count}")
        return self.decide_again(replace(command, command_id=self.command_id))

    def decide_again(self, command: Command) -> Decision:
        """Decide a command under the id it has; `undo` takes back what it changes in Live."""
        decision = handle(self.room, command, self.now)
        self.undo = undo_of(self.room.live, decision.changes)
        record(self.room, decision)
        return decision

    def take_back(self, *undos: tuple[Change, ...]) -> None:
        """Another relay appended first: drop what was decided and is not committed."""
        for undo in reversed(undos):
            for change in undo:
                apply_change(self.room.live, change)
        self.restart_logged()

    def commit(self, decision: Decision) -> Step:
        """Deliver the facts of a decision; decisions commit in the order they were made."""
        told = tuple(effect for fact in decision.facts for effect in self._deliver(fact))
        return Step(decision.facts, decision.early, told, decision.effects, decision.result)

    def receive(self, fact: Fact) -> tuple[Effect, ...]:
        """Another relay committed a fact: fold and deliver it."""
        fold(self.room.logged, fact)
        return self._deliver(fact)

    def _deliver(self, fact: Fact) -> tuple[Effect, ...]:
        self.log.append(fact)
        told = effects_of(self.room, fact, len(self.log))
        for change in changes_of(fact):
            apply_change(self.room.live, change)
        return told

    def stamp(self, index: int = 0) -> tuple[FactId, int]:
        """The id and time of a fact of the last command."""
        return FactId(f"{self.command_id}:{index}"), self.now

    def later(self, seconds: int) -> None:
        """Time passes."""
        self.now += seconds * 1000

    def restart(self) -> None:
        """The relay ends and starts: Live is lost, Logged is folded anew."""
        self.room = Room(self.folded(), Live())

    def restart_logged(self) -> None:
        """Another relay appended first, or an append failed: what was tentative is dropped."""
        self.room.logged = self.folded()

    def folded(self) -> Logged:
        """What the log says, folded from its beginning."""
        logged = Logged()
        for fact in self.log:
            fold(logged, fact)
        return logged

    def request(self, request_id: str) -> Request:
        """A request that is known, by id or alias."""
        found = self.room.logged.find(RequestId(request_id))
        assert found is not None, f"{request_id} is not known"
        return found

    def text(self, text_id: str) -> KeptText:
        """A text that is kept."""
        return self.room.logged.texts[TextId(text_id)]

    def agent(self, who: AgentIdentity = ADA) -> AgentPresence:
        """An agent that is here."""
        return self.room.live.agents[who.agent_id]

    def attached(self, *waiting: str, by: AgentIdentity = ADA) -> int:
        """Attach an agent; its lease."""
        result = self.do(attaches(*waiting, by=by)).result
        assert isinstance(result, Resumed)
        return result.lease

    def detached(self, *, by: AgentIdentity = ADA) -> None:
        """An agent's stream breaks and its lease runs out."""
        lease = self.agent(by).lease
        self.do(detaches(lease, by=by))
        self.do(lease_ends(lease, by=by))
