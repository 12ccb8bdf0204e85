"""Any sequence of commands, committed at once or later: what must hold always holds."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
)

from lineup_srv.contract import limits
from lineup_srv.contract.ids import AgentId, ClientId, CommandId, Ref, RequestId, TextId
from lineup_srv.domain.agents import agent_lines
from lineup_srv.domain.arrivals import newcomer
from lineup_srv.domain.commands import (
    CheckValidity,
    Command,
    HandOver,
    ListOnline,
    Logout,
    MoveDeadline,
    PassSignal,
    RelayReturned,
    ReplyTo,
    SayText,
    SeeClient,
    ShowPicture,
    WriteText,
)
from lineup_srv.domain.effects import (
    DeliverOutcome,
    Effect,
    Only,
    SendAck,
    ShowPresence,
    ShowState,
    StateUpdate,
    Welcome,
)
from lineup_srv.domain.facts import (
    Answered,
    Cancelled,
    Declined,
    Expired,
    Fact,
    HandedOver,
    Received,
    TextHandedOver,
    TextKept,
    TextReceived,
    ref_of,
)
from lineup_srv.domain.fold import apply_change, fold
from lineup_srv.domain.mailbox import mail_for
from lineup_srv.domain.request import Asked, ReplyAction, RequestState
from lineup_srv.domain.signals import Chat, ForwardQuery, Typing
from lineup_srv.domain.unlogged import withdraw
from lineup_srv.domain.updates import agent_gone
from tests.domain.playbook import (
    Play,
    acknowledges,
    agent,
    attaches,
    awaits,
    cancels,
    checks,
    deadline_reached,
    detaches,
    device,
    hangs_up,
    lease_ends,
    lists_online,
    logs_in,
    moves_deadline,
    opens,
    passes,
    question,
    replies,
    says,
    says_goodbye,
    sees,
    sets_waiting,
    shows,
    takes,
    writes,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineup_srv.domain.acks import RefCommand
    from lineup_srv.domain.decision import Decision
    from lineup_srv.domain.effects import Change
    from lineup_srv.domain.people import AgentIdentity, Author
    from lineup_srv.domain.signals import Signal

AGENTS: Final = (
    agent("one"),
    agent("two"),
    agent("three", session="s3"),
    agent("four", session="s3"),
    agent("call:5", machine=""),
)
DEVICES: Final = (device("phone"), device("laptop"), device("old", device_id=""))
IDS: Final = ("q0", "q1", "q2", "q3", "q4", "q5")
ENDS: Final = (Answered, Declined, Expired, Cancelled)

LIMITS: Final = {
    "AGENTS_GONE": 2,
    "AGENTS_PER_ROOM": 3,
    "MEMBERS_PER_ROOM": 2,
    "UNDELIVERED_TEXTS_PER_ROOM": 3,
    "WAITING_IDS_PER_AGENT": 3,
}
"""Low enough to be met."""
SIGNALS: Final[tuple[Signal, ...]] = (
    Chat("m1", "look", forward=None),
    Typing(RequestId("q1")),
    ForwardQuery("f1"),
)
NOBODY: Final = agent("nobody")
"""Texts are written to it, and it never comes."""

agents = st.sampled_from(AGENTS)
devices = st.sampled_from(DEVICES)
ids = st.sampled_from(IDS)
some_ids = st.lists(ids, max_size=3).map(tuple)
refs = st.sampled_from(["", *(f"ref-{n:013}" for n in range(6))])
questions = st.sampled_from([question("go?"), question("what?")])
actions = st.sampled_from(ReplyAction)
names = st.sampled_from(["", "one"])
addressees = st.sampled_from(["", "one", "three", "nobody"])


@dataclass(frozen=True, slots=True)
class Queued:
    """A decision that is not committed yet."""

    command: Command
    decision: Decision
    undo: tuple[Change, ...]


class AnyRoom(RuleBasedStateMachine):
    """A room, its queue of uncommitted decisions, and one device that sees everything."""

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        for name, limit in LIMITS.items():
            self.patch.setattr(limits, name, limit)
        self.play = Play()
        self.queue: deque[Queued] = deque()
        self.calls: list[tuple[AgentIdentity, CommandId]] = []
        self.ended: dict[RequestId, type[Fact]] = {}
        self.present: dict[ClientId, str] = {}
        self.seen: dict[RequestId, StateUpdate] = {}
        self.outcomes: Counter[tuple[AgentId, RequestId]] = Counter()

    # What happens ---------------------------------------------------------------------------------

    def submit(self, command: Command) -> Decision:
        self.play.count += 1
        self.play.command_id = CommandId(f"c{self.play.count}")
        command = replace(command, command_id=self.play.command_id)
        if isinstance(command, ReplyTo | WriteText | SayText | ShowPicture):
            command = replace(command, text_id=TextId(f"text{self.play.count}"))
        return self.decide(command)

    def decide(self, command: Command) -> Decision:
        waiting = {a: set(p.waiting) for a, p in self.play.room.live.agents.items()}
        members = set(self.play.room.live.members)
        decision = self.play.decide_again(command)
        for fact in decision.facts:
            if isinstance(fact, HandedOver) and not fact.taken:
                assert fact.agent_id in waiting
        for effect in decision.effects:
            to = getattr(effect, "to", None)
            if isinstance(to, Only) and not isinstance(effect, Welcome):
                assert to.client_id in members
        if isinstance(command, ReplyTo | MoveDeadline | WriteText):
            self.acknowledged(command, decision)
        if isinstance(command, PassSignal | SeeClient | ListOnline | CheckValidity):
            assert not decision.facts
            assert decision.result is None
        self.queue.append(Queued(command, decision, self.play.undo))
        return decision

    @precondition(lambda self: bool(self.queue))
    @rule(count=st.integers(min_value=1, max_value=9))
    def commit(self, count: int) -> None:
        for _ in range(min(count, len(self.queue))):
            step = self.play.commit(self.queue.popleft().decision)
            for fact in step.facts:
                if isinstance(fact, ENDS):
                    assert self.ended.setdefault(fact.request_id, type(fact)) is type(fact)
            for effect in (*step.told, *step.effects):
                self.see(effect)

    @precondition(lambda self: bool(self.queue))
    @rule(failed=st.booleans())
    def decide_again(self, failed: bool) -> None:
        """Another relay was first, or the log failed and what has facts is refused."""
        queue, self.queue = self.queue, deque()
        self.play.take_back(*(queued.undo for queued in queue))
        again = [queued for queued in queue if not (failed and queued.decision.facts)]
        for queued in queue:
            if queued not in again:
                effects, changes = withdraw(self.play.room, queued.command)
                for change in changes:
                    apply_change(self.play.room.live, change)
                for effect in effects:
                    self.see(effect)
        for queued in again:
            self.decide(queued.command)

    def see(self, effect: Effect) -> None:
        if isinstance(effect, ShowPresence):
            client_id = effect.member.author.client_id
            if effect.connected:
                assert self.present.get(client_id) != effect.member.author.nickname
                self.present[client_id] = effect.member.author.nickname
            else:
                del self.present[client_id]
        if isinstance(effect, ShowState):
            self.seen[effect.update.request_id] = effect.update
        if isinstance(effect, DeliverOutcome):
            self.outcomes[effect.agent_id, effect.request.request_id] += 1
            assert not effect.request.pending

    @rule(by=agents, request_id=ids, asked=questions)
    def open(self, by: AgentIdentity, request_id: str, asked: Asked) -> None:
        known = self.play.room.logged.find(RequestId(request_id))
        text = known.asked if known is not None else asked
        self.submit(replace(opens(request_id, by=by), asked=text))
        self.calls.append((by, self.play.command_id))

    @rule(by=agents, request_id=ids)
    def await_it(self, by: AgentIdentity, request_id: str) -> None:
        self.submit(awaits(request_id, by=by))
        self.calls.append((by, self.play.command_id))

    @precondition(lambda self: bool(self.calls))
    @rule(data=st.data())
    def hang_up(self, data: st.DataObject) -> None:
        index = data.draw(st.integers(0, len(self.calls) - 1))
        by, call = self.calls.pop(index)
        self.submit(hangs_up(call, by=by))

    @rule(by=agents, waiting=some_ids)
    def attach(self, by: AgentIdentity, waiting: tuple[str, ...]) -> None:
        self.submit(attaches(*waiting, by=by))

    @rule(by=agents, waiting=some_ids)
    def set_waiting(self, by: AgentIdentity, waiting: tuple[str, ...]) -> None:
        self.submit(sets_waiting(*waiting, by=by))

    @rule(by=agents, stale=st.booleans())
    def detach(self, by: AgentIdentity, stale: bool) -> None:
        present = self.play.room.live.agents.get(by.agent_id)
        lease = 0 if present is None else present.lease
        self.submit(detaches(max(0, lease - stale), by=by))

    @rule(by=agents, stale=st.booleans())
    def end_lease(self, by: AgentIdentity, stale: bool) -> None:
        present = self.play.room.live.agents.get(by.agent_id)
        lease = 0 if present is None else present.lease
        self.submit(lease_ends(max(0, lease - stale), by=by))

    @rule(by=agents)
    def goodbye(self, by: AgentIdentity) -> None:
        self.submit(says_goodbye(by=by))

    @rule(by=agents, request_id=ids)
    def cancel(self, by: AgentIdentity, request_id: str) -> None:
        self.submit(cancels(request_id, by=by))

    @rule(by=devices, request_id=ids, ref=refs, action=actions, agent_id=names)
    def reply(
        self, by: Author, request_id: str, ref: str, action: ReplyAction, agent_id: str
    ) -> None:
        if self.logs_in(by):
            self.submit(replies(request_id, by=by, ref=ref, action=action, agent_id=agent_id))

    @rule(by=devices, request_id=ids, ref=refs, seconds=st.sampled_from([0, 60]))
    def move(self, by: Author, request_id: str, ref: str, seconds: int) -> None:
        if self.logs_in(by):
            ref = f"{ref}m" if ref else ""
            self.submit(moves_deadline(request_id, seconds, by=by, ref=ref))

    @rule(by=devices, to=addressees, ref=refs)
    def write(self, by: Author, to: str, ref: str) -> None:
        if self.logs_in(by):
            self.submit(writes("", to=to, by=by, ref=f"{ref}w" if ref else ""))

    @rule(by=agents, command=st.sampled_from([says, shows]))
    def say(self, by: AgentIdentity, command: Callable[..., SayText | ShowPicture]) -> None:
        self.submit(command("", by=by))

    @rule(
        by=devices,
        to=st.none() | devices,
        signal=st.sampled_from(SIGNALS),
        visible=st.booleans(),
        ref=refs,
    )
    def signal(
        self, by: Author, to: Author | None, signal: Signal, visible: bool, ref: str
    ) -> None:
        self.submit(passes(signal, by=by, to=to, ref=ref))
        self.submit(sees(by, visible=visible, ref=ref))
        if by.client_id in self.play.room.live.members:
            self.submit(lists_online(by))
            self.submit(checks(by, *IDS))

    def acknowledged(self, command: RefCommand, decision: Decision) -> None:
        """One Ack for a ref; an accepted one has its fact, of this command or an earlier one."""
        acks = [e for e in decision.effects if isinstance(e, SendAck)]
        assert len(acks) == bool(command.ref)
        facts = [*self.facts(), *decision.facts]
        known: set[Ref | None] = {ref_of(fact) for fact in facts}
        for ack in acks:
            assert ack.ref == command.ref
            assert not decision.facts or ack.accepted
            assert not ack.accepted or ack.ref in known
            assert not ack.seq or ref_of(facts[ack.seq - 1]) == ack.ref

    @rule(request_id=ids, stale=st.booleans())
    def reach_deadline(self, request_id: str, stale: bool) -> None:
        found = self.play.room.logged.find(RequestId(request_id))
        deadline = 0 if found is None else found.deadline_unix_ms
        self.submit(deadline_reached(request_id, deadline - stale))

    @rule(by=agents)
    def take(self, by: AgentIdentity) -> None:
        self.submit(takes(by=by))

    @rule(by=agents, given=some_ids, texts=st.integers(0, 3))
    def acknowledge(self, by: AgentIdentity, given: tuple[str, ...], texts: int) -> None:
        kept = tuple(self.play.room.logged.texts)[:texts]
        self.submit(acknowledges(*given, by=by, texts=kept))

    @rule(by=devices, nickname=st.sampled_from(["Old", "New"]))
    def log_in(self, by: Author, nickname: str) -> None:
        self.logs_in(replace(by, nickname=nickname))

    def logs_in(self, by: Author) -> bool:
        """Log in; whether it is a member now."""
        result = self.submit(logs_in(by)).result
        here = by.client_id in self.play.room.live.members
        assert here == (result is None)
        return here

    @rule(by=devices)
    def log_out(self, by: Author) -> None:
        self.submit(Logout(CommandId(""), by.client_id))

    @rule(
        command=st.sampled_from(
            [HandOver(CommandId("")), RelayReturned(CommandId(""), loaded=False)]
        )
    )
    def relay_does(self, command: Command) -> None:
        self.submit(command)

    @rule(seconds=st.integers(1, 400))
    def time_passes(self, seconds: int) -> None:
        self.play.later(seconds)

    # What always holds ----------------------------------------------------------------------------

    def facts(self) -> list[Fact]:
        return [*self.play.log, *(f for queued in self.queue for f in queued.decision.facts)]

    @invariant()
    def folding_the_facts_gives_the_state(self) -> None:
        logged = self.play.folded()
        for queued in self.queue:
            for fact in queued.decision.facts:
                fold(logged, fact)
        assert logged == self.play.room.logged
        assert logged.last_seq == len(self.facts())

    @invariant()
    def a_request_ends_once_and_stays_as_it_ended(self) -> None:
        ends = Counter(f.request_id for f in self.facts() if isinstance(f, ENDS))
        assert all(count == 1 for count in ends.values())
        for request in self.play.room.logged.requests.values():
            assert request.pending == (request.request_id not in ends)

    @invariant()
    def an_agent_is_told_an_outcome_and_receives_it_at_most_once(self) -> None:
        assert all(count == 1 for count in self.outcomes.values())
        received = Counter(f.request_id for f in self.facts() if isinstance(f, Received))
        assert all(count == 1 for count in received.values())

    @invariant()
    def a_text_is_received_at_most_once_and_never_handed_over_again(self) -> None:
        received: set[TextId] = set()
        for fact in self.facts():
            if isinstance(fact, TextHandedOver | TextReceived):
                assert fact.text_id not in received
            if isinstance(fact, TextReceived):
                received.add(fact.text_id)

    @invariant()
    def every_text_is_received_or_in_the_mailbox_of_whom_it_is_for(self) -> None:
        room = self.play.room
        kept = [f for f in self.facts() if isinstance(f, TextKept)]
        received = {f.text_id for f in self.facts() if isinstance(f, TextReceived)}
        assert room.logged.texts.keys() == {f.text_id for f in kept} - received
        assert len(room.logged.texts) <= limits.UNDELIVERED_TEXTS_PER_ROOM
        for who in (*AGENTS, NOBODY) if room.logged.texts else ():
            here = room.live.agents.get(who.agent_id)
            found = {m.text.text_id for m in mail_for(room, here or newcomer(who)).texts}
            for text in room.logged.texts.values():
                if text.agent_id in ("", who.agent_id):
                    assert text.text_id in found
                elif text.agent_id in room.live.agents:
                    assert text.text_id not in found

    @invariant()
    def every_answer_is_received_waited_for_or_in_its_agents_mailbox(self) -> None:
        room = self.play.room
        for request in room.logged.requests.values():
            if request.reply is None or request.received:
                continue
            back = room.live.agents.get(request.agent.agent_id) or newcomer(request.agent)
            mail = {item.request.request_id for item in mail_for(room, back).requests}
            assert room.live.waiters(request.request_id) or request.request_id in mail

    @invariant()
    def who_takes_an_outcome_is_told_alike_by_the_agents_and_by_the_requests(self) -> None:
        live = self.play.room.live
        by_request = {(r, agent) for r, agents in live.takers.items() for agent in agents}
        assert by_request == {(r, agent) for agent, p in live.agents.items() for r in p.takes}
        assert all(live.takers.values())

    @invariant()
    def an_agent_is_here_for_a_reason(self) -> None:
        for presence in self.play.room.live.agents.values():
            assert presence.attached or presence.lease or presence.calls

    @invariant()
    def devices_see_every_agent_once_and_no_more_than_a_few_that_left(self) -> None:
        live = self.play.room.live
        lines = agent_lines(self.play.room)
        here = [line.identity.agent_id for line in lines if not line.left_unix_ms]
        gone = [line.identity.agent_id for line in lines if line.left_unix_ms]
        assert here == [agent_id for agent_id, p in live.agents.items() if not p.is_call]
        assert not set(gone) & set(live.agents)
        assert len(gone) <= len(live.gone) <= limits.AGENTS_GONE
        assert not any(line.attached for line in lines if line.left_unix_ms)

    @invariant()
    def nothing_live_grows_beyond_its_limit(self) -> None:
        live = self.play.room.live
        assert len(live.members) <= limits.MEMBERS_PER_ROOM
        assert all(len(p.waiting) <= limits.WAITING_IDS_PER_AGENT for p in live.agents.values())

    @invariant()
    def a_device_that_heard_everything_knows_who_is_here(self) -> None:
        if not self.queue:
            members = self.play.room.live.members.items()
            assert self.present == {c: m.author.nickname for c, m in members}

    @invariant()
    def a_device_that_heard_everything_knows_how_every_card_stands(self) -> None:
        if self.queue:
            return
        room = self.play.room
        assert not room.live.shown
        for request in room.logged.open_requests():
            seen = self.seen[request.request_id]
            assert seen.state is RequestState.PENDING
            assert seen.deadline_unix_ms == request.deadline_unix_ms
            assert seen.agent_gone == agent_gone(room, request)

    def teardown(self) -> None:
        """In the end every answer reaches its agent."""
        self.patch.undo()
        if self.queue:
            self.commit(len(self.queue))
        self.play.restart()
        self.play.do(RelayReturned(CommandId(""), loaded=True))
        for request in list(self.play.room.logged.requests.values()):
            self.play.attached(by=request.agent)
            self.play.do(takes(by=request.agent))
            self.play.do(acknowledges(request.request_id, by=request.agent))
        assert not self.play.room.logged.mail_ids
        for text in list(self.play.room.logged.texts.values()):
            by = agent(text.agent_id or "any")
            self.play.attached(by=by)
            self.play.do(takes(by=by))
            self.play.do(acknowledges(by=by, texts=(text.text_id,)))
        assert not self.play.room.logged.texts


TestAnyRoom = AnyRoom.TestCase
TestAnyRoom.settings = settings(
    max_examples=60,
    stateful_step_count=50,
    database=None,
    suppress_health_check=list(HealthCheck),
)
