"""Any sequence of commands, committed at once or later: what must hold always holds."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
)

from lineup_srv.contract.ids import AgentId, CommandId, Ref, RequestId
from lineup_srv.domain.commands import (
    Command,
    HandOver,
    Logout,
    MoveDeadline,
    RelayReturned,
    ReplyTo,
)
from lineup_srv.domain.effects import (
    DeliverOutcome,
    Effect,
    Only,
    SendAck,
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
    ref_of,
)
from lineup_srv.domain.fold import fold
from lineup_srv.domain.mailbox import mail_for
from lineup_srv.domain.request import Asked, ReplyAction, RequestState
from lineup_srv.domain.state import AgentPresence
from lineup_srv.domain.updates import agent_gone
from tests.domain.playbook import (
    Play,
    acknowledges,
    agent,
    attaches,
    awaits,
    cancels,
    deadline_reached,
    detaches,
    device,
    hangs_up,
    lease_ends,
    logs_in,
    moves_deadline,
    opens,
    question,
    replies,
    says_goodbye,
    sets_waiting,
    takes,
)

if TYPE_CHECKING:
    from lineup_srv.domain.decision import Decision
    from lineup_srv.domain.people import AgentIdentity, Author

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

agents = st.sampled_from(AGENTS)
devices = st.sampled_from(DEVICES)
ids = st.sampled_from(IDS)
some_ids = st.lists(ids, max_size=3).map(tuple)
refs = st.sampled_from(["", *(f"ref-{n:013}" for n in range(6))])
questions = st.sampled_from([question("go?"), question("what?")])
actions = st.sampled_from(ReplyAction)
names = st.sampled_from(["", "one"])


class AnyRoom(RuleBasedStateMachine):
    """A room, its queue of uncommitted decisions, and one device that sees everything."""

    def __init__(self) -> None:
        super().__init__()
        self.play = Play()
        self.queue: deque[Decision] = deque()
        self.calls: list[tuple[AgentIdentity, CommandId]] = []
        self.ended: dict[RequestId, RequestState] = {}
        self.seen: dict[RequestId, StateUpdate] = {}
        self.outcomes: Counter[tuple[AgentId, RequestId]] = Counter()

    # What happens ---------------------------------------------------------------------------------

    def submit(self, command: Command) -> Decision:
        waiting = {a: set(p.waiting) for a, p in self.play.room.live.agents.items()}
        members = set(self.play.room.live.members)
        decision = self.play.decide(command)
        for fact in decision.facts:
            if isinstance(fact, HandedOver) and not fact.taken:
                assert fact.agent_id in waiting
        for effect in decision.effects:
            to = getattr(effect, "to", None)
            if isinstance(to, Only) and not isinstance(effect, Welcome):
                assert to.client_id in members
        self.queue.append(decision)
        return decision

    @precondition(lambda self: bool(self.queue))
    @rule(count=st.integers(min_value=1, max_value=9))
    def commit(self, count: int) -> None:
        for _ in range(min(count, len(self.queue))):
            step = self.play.commit(self.queue.popleft())
            for effect in (*step.told, *step.effects):
                self.see(effect)

    def see(self, effect: Effect) -> None:
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
        self.log_in(by)
        command = replies(request_id, by=by, ref=ref, action=action, agent_id=agent_id)
        self.acknowledged(command, self.submit(command))

    @rule(by=devices, request_id=ids, ref=refs, seconds=st.sampled_from([0, 60]))
    def move(self, by: Author, request_id: str, ref: str, seconds: int) -> None:
        self.log_in(by)
        command = moves_deadline(request_id, seconds, by=by, ref=f"{ref}m" if ref else "")
        self.acknowledged(command, self.submit(command))

    def acknowledged(self, command: ReplyTo | MoveDeadline, decision: Decision) -> None:
        """One Ack for a ref; an accepted one has its fact, of this command or an earlier one."""
        acks = [e for e in decision.effects if isinstance(e, SendAck)]
        assert len(acks) == bool(command.ref)
        known: set[Ref | None] = {ref_of(fact) for fact in self.facts()}
        for ack in acks:
            assert ack.ref == command.ref
            assert not decision.facts or ack.accepted
            assert not ack.accepted or ack.ref in known
            assert not ack.seq or ref_of(self.facts()[ack.seq - 1]) == ack.ref

    @rule(request_id=ids, stale=st.booleans())
    def reach_deadline(self, request_id: str, stale: bool) -> None:
        found = self.play.room.logged.find(RequestId(request_id))
        deadline = 0 if found is None else found.deadline_unix_ms
        self.submit(deadline_reached(request_id, deadline - stale))

    @rule(by=agents)
    def take(self, by: AgentIdentity) -> None:
        self.submit(takes(by=by))

    @rule(by=agents, given=some_ids)
    def acknowledge(self, by: AgentIdentity, given: tuple[str, ...]) -> None:
        self.submit(acknowledges(*given, by=by, texts=tuple(f"text of {i}" for i in given)))

    @rule(by=devices)
    def log_in(self, by: Author) -> None:
        self.submit(logs_in(by))

    @rule(by=devices)
    def log_out(self, by: Author) -> None:
        self.submit(Logout(CommandId(""), by.client_id))

    @rule(
        command=st.sampled_from(
            [HandOver(CommandId("")), RelayReturned(CommandId(""), loaded=True)]
        )
    )
    def relay_does(self, command: Command) -> None:
        self.submit(command)

    @rule(seconds=st.integers(1, 400))
    def time_passes(self, seconds: int) -> None:
        self.play.later(seconds)

    # What always holds ----------------------------------------------------------------------------

    def facts(self) -> list[Fact]:
        return [*self.play.log, *(f for decision in self.queue for f in decision.facts)]

    @invariant()
    def folding_the_facts_gives_the_state(self) -> None:
        logged = self.play.folded()
        for decision in self.queue:
            for fact in decision.facts:
                fold(logged, fact)
        assert logged == self.play.room.logged
        assert logged.last_seq == len(self.facts())

    @invariant()
    def a_request_ends_once_and_stays_as_it_ended(self) -> None:
        ends = Counter(f.request_id for f in self.facts() if isinstance(f, ENDS))
        assert all(count == 1 for count in ends.values())
        for request in self.play.room.logged.requests.values():
            assert request.pending == (request.request_id not in ends)
            if not request.pending:
                assert self.ended.setdefault(request.request_id, request.state) is request.state

    @invariant()
    def an_agent_is_told_an_outcome_and_receives_it_at_most_once(self) -> None:
        assert all(count == 1 for count in self.outcomes.values())
        received = Counter(f.request_id for f in self.facts() if isinstance(f, Received))
        assert all(count == 1 for count in received.values())

    @invariant()
    def every_answer_is_received_waited_for_or_in_its_agents_mailbox(self) -> None:
        room = self.play.room
        for request in room.logged.requests.values():
            if request.reply is None or request.received:
                continue
            back = room.live.agents.get(request.agent.agent_id) or AgentPresence(
                identity=request.agent,
                name="",
                model="",
                last_call_unix_ms=0,
                attached=True,
                lease=1,
                waiting=frozenset(),
                calls=frozenset(),
                directories=frozenset(),
            )
            mail = {item.request.request_id for item in mail_for(room, back).requests}
            assert room.live.waiters(request.request_id) or request.request_id in mail

    @invariant()
    def an_agent_is_here_for_a_reason(self) -> None:
        for presence in self.play.room.live.agents.values():
            assert presence.attached or presence.lease or presence.calls

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
        if self.queue:
            self.commit(len(self.queue))
        self.play.restart()
        for request in list(self.play.room.logged.requests.values()):
            self.play.attached(by=request.agent)
            self.play.do(takes(by=request.agent))
            self.play.do(acknowledges(request.request_id, by=request.agent))
        assert not self.play.room.logged.mail_ids


TestAnyRoom = AnyRoom.TestCase
TestAnyRoom.settings = settings(
    max_examples=60,
    stateful_step_count=50,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
