"""Two relays on one log: who appends second decides again, and both agree on one outcome."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lineup_srv.contract import limits
from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import AgentId, CommandId, RequestId
from lineup_srv.domain.commands import Command, HandOver, ReplyTo
from lineup_srv.domain.effects import (
    DeliverOutcome,
    Effect,
    SendAck,
    ShowReply,
    ShowRequest,
    ShowState,
    StateUpdate,
)
from lineup_srv.domain.effects_of import changes_of, effects_of
from lineup_srv.domain.facts import (
    Answered,
    Cancelled,
    Corrected,
    Declined,
    Expired,
    Fact,
    LateReplied,
)
from lineup_srv.domain.fold import apply_change, fold
from lineup_srv.domain.request import RequestState
from lineup_srv.domain.room import handle, record
from lineup_srv.domain.state import Live, Logged, Room
from lineup_srv.service.entries import undo_of
from tests.domain.playbook import (
    ADA,
    BOB,
    LAPTOP,
    NOW,
    PHONE,
    TIMEOUT,
    agent,
    attaches,
    cancels,
    deadline_reached,
    declines,
    device,
    opens,
    question,
    replies,
)

if TYPE_CHECKING:
    from lineup_srv.domain.decision import Decision
    from lineup_srv.domain.effects import Change
    from lineup_srv.domain.request import Request

ENDS: Final = (Answered, Declined, Expired, Cancelled)
REPLIED: Final = (Answered, Declined, Corrected, LateReplied)


@dataclass(slots=True)
class Relay:
    """A relay's room. The log is shared; `committed` facts of it are folded and delivered here."""

    name: str
    log: list[Fact]
    room: Room = field(default_factory=lambda: Room(Logged(), Live()))
    committed: int = 0
    count: int = 0
    pending: list[tuple[Command, Decision, tuple[Change, ...]]] = field(default_factory=list)
    told: list[Effect] = field(default_factory=list)
    results: dict[CommandId, Decision] = field(default_factory=dict)
    submitted: list[Command] = field(default_factory=list)

    def submit(self, command: Command) -> None:
        """Decide on what is known here; the log may know more."""
        self.count += 1
        self.submitted.append(command)
        self._decide(replace(command, command_id=CommandId(f"{self.name}{self.count}")))

    def _decide(self, command: Command) -> None:
        decision = handle(self.room, command, NOW)
        undo = undo_of(self.room.live, decision.changes)
        record(self.room, decision)
        self.told.extend(decision.early)
        self.pending.append((command, decision, undo))

    def append(self) -> None:
        """Append what is pending, in order; on a conflict fold what came and decide again."""
        if self.committed < len(self.log):
            self._decide_again()
        pending, self.pending = self.pending, []
        for command, decision, _ in pending:
            for fact in decision.facts:
                self.log.append(fact)
                self._deliver(fact)
            self.told.extend(decision.effects)
            assert command.command_id not in self.results
            self.results[command.command_id] = decision

    def _decide_again(self) -> None:
        self.room.logged = Logged()
        for fact in self.log:
            fold(self.room.logged, fact)
        again, self.pending = self.pending, []
        for _, _, undo in reversed(again):
            for change in undo:
                apply_change(self.room.live, change)
        for fact in self.log[self.committed :]:
            self._deliver(fact)
        for command, _, _ in again:
            self._decide(command)
        self.submit(HandOver(CommandId("")))

    def _deliver(self, fact: Fact) -> None:
        self.committed += 1
        self.told.extend(effects_of(self.room, fact, self.committed))
        for change in changes_of(fact):
            apply_change(self.room.live, change)

    def outcomes(self) -> Counter[tuple[AgentId, RequestId]]:
        """How often each agent that is here was told an outcome."""
        told = (e for e in self.told if isinstance(e, DeliverOutcome))
        here = self.room.live.agents
        return Counter((e.agent_id, e.request.request_id) for e in told if e.agent_id in here)

    def request(self, request_id: str) -> Request:
        return self.room.logged.requests[RequestId(request_id)]


def two_relays() -> tuple[Relay, Relay]:
    """Ada asked `q1` at the first relay; Bob waits for it at the second. Both are up to date."""
    log: list[Fact] = []
    first, second = Relay("a", log), Relay("b", log)
    first.submit(attaches())
    first.submit(opens("q1"))
    first.append()
    second.append()
    second.submit(attaches("q1", by=BOB))
    second.append()
    first.append()
    return first, second


def settle(*relays: Relay) -> None:
    """Append until nobody has anything to add."""
    for _ in range(3):
        for relay in relays:
            relay.append()


RIVALS: Final[dict[str, Command]] = {
    "phone": replies("q1", "a", by=PHONE, ref="ref-phone-0000000"),
    "laptop": replies("q1", "b", by=LAPTOP, ref="ref-laptop-000000"),
    "tablet": declines("q1", by=device("tablet"), ref="ref-tablet-000000"),
    "deadline": deadline_reached("q1", NOW + TIMEOUT * 1000),
    "cancel": cancels("q1"),
}


@pytest.mark.requirement("seed002:ask:first-reply-wins")
@pytest.mark.parametrize("places", range(2 ** len(RIVALS)), ids="{:05b}".format)
def test_rivals_at_two_relays_have_one_outcome_that_both_agree_on(places: int) -> None:
    for order in permutations(RIVALS):
        for appends_first in (0, 1):
            relays = two_relays()
            for index, name in enumerate(order):
                relays[places >> index & 1].submit(RIVALS[name])
            settle(relays[appends_first], relays[1 - appends_first])

            agree(*relays)
            first, second = relays
            [_] = [f for f in first.log if isinstance(f, ENDS)]
            assert len([f for f in first.log if isinstance(f, LateReplied)]) <= 1
            assert second.outcomes()[BOB.agent_id, RequestId("q1")] == 1
            adas = first.outcomes()[ADA.agent_id, RequestId("q1")]
            cancelled_here = not places >> order.index("cancel") & 1
            assert adas == 1 or (cancelled_here and adas == 0)


def agree(first: Relay, second: Relay) -> None:
    """Both relays know the same, and every device heard of every end and of the same answers."""
    assert first.committed == second.committed == len(first.log)
    assert first.room.logged == second.room.logged
    ends = Counter(f.request_id for f in first.log if isinstance(f, ENDS))
    assert all(count == 1 for count in ends.values())
    replied = [f.reply for f in first.log if isinstance(f, REPLIED)]
    for relay in (first, second):
        assert not relay.pending
        shown = [e.reply for e in relay.told if isinstance(e, ShowReply) and e.seq]
        assert shown == replied
        last = {e.update.request_id: e.update.state for e in relay.told if isinstance(e, ShowState)}
        for request in relay.room.logged.requests.values():
            if request.reply is None and not request.pending:
                assert last[request.request_id] is request.state
        acks = Counter(e.ref for e in relay.told if isinstance(e, SendAck))
        assert acks == Counter(c.ref for c in relay.submitted if isinstance(c, ReplyTo))


moves = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.sampled_from([*RIVALS, "ask", "ask other", "append", "append", "correct", "late"]),
    ),
    max_size=25,
)
MORE: Final[dict[str, Command]] = {
    **RIVALS,
    "ask": opens("q1"),
    "ask other": opens("q2", by=BOB),
    "correct": replies("q2", "c", by=PHONE, ref="ref-two-phone-000"),
    "late": replies("q2", "d", by=LAPTOP, ref="ref-two-laptop-00"),
}


@settings(max_examples=300, database=None)
@given(moves)
def test_whatever_comes_where_and_when_both_relays_agree(script: list[tuple[int, str]]) -> None:
    relays = two_relays()
    for place, name in script:
        if name == "append":
            relays[place].append()
        else:
            relays[place].submit(MORE[name])
    settle(*relays)

    agree(*relays)
    for relay in relays:
        assert all(count == 1 for count in relay.outcomes().values())


def test_an_answer_at_one_relay_is_handed_over_at_the_other() -> None:
    first, second = two_relays()

    first.submit(replies("q1"))
    settle(first, second)

    assert second.outcomes() == {(BOB.agent_id, "q1"): 1}
    assert first.request("q1").handed_to == (ADA.agent_id, BOB.agent_id)
    agree(first, second)


@pytest.mark.parametrize("crowded", [False, True])
def test_a_card_that_was_shown_and_is_not_opened_after_all_is_taken_back(
    monkeypatch: pytest.MonkeyPatch, crowded: bool
) -> None:
    first, second = two_relays()
    second.submit(opens("shown", by=agent("ada2"), asked=question("go?")))
    first.submit(opens("won", by=ADA, asked=question("other?" if crowded else "go?")))
    if crowded:
        monkeypatch.setattr(limits, "OPEN_REQUESTS_PER_AGENT", 2)
        monkeypatch.setattr(limits, "OPEN_REQUESTS_PER_ROOM", 2)

    settle(first, second)

    told = [
        e.request.request_id if isinstance(e, ShowRequest) else (e.update.request_id, e.update)
        for e in second.told
        if isinstance(e, ShowRequest | ShowState)
    ]
    code = ErrorCode.RATE_LIMITED if crowded else ErrorCode.CANCELLED
    [(_, gone)] = [t for t in told if t[0] == "shown"]
    assert isinstance(gone, StateUpdate)
    assert (gone.state, gone.reason) == (RequestState.CANCELLED, code)
    assert "shown" in told
    assert not second.room.live.shown
    agree(first, second)


def test_a_card_that_was_shown_and_is_decided_again_is_shown_once() -> None:
    first, second = two_relays()
    second.submit(opens("q2", by=BOB))
    first.submit(replies("q1"))

    settle(first, second)

    shown = [e for e in second.told if isinstance(e, ShowRequest)]
    assert [(e.request.request_id, e.seq) for e in shown] == [("q1", 1), ("q2", 0)]
    agree(first, second)
