"""Two answers, the deadline and a cancel race over real sockets, and everybody agrees who won."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from lineup_srv.wire._gen.lineup.v1 import error_pb2, request_pb2
from tests.guarantees.asking import asker
from tests.guarantees.envelopes import app
from tests.guarantees.pages import read_on
from tests.system.devices import device, text_of
from tests.system.processes import PATIENCE_SECONDS, until

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable

    from lineup_srv.wire._gen.lineup.v1 import client_pb2, relay_pb2, websocket_pb2
    from tests.guarantees.asking import Asker
    from tests.guarantees.envelopes import App
    from tests.system.conftest import Shared
    from tests.system.devices import Device

pytestmark = [pytest.mark.system, pytest.mark.timeout(90)]

RIVALS: Final = ("ann", "other", "deadline", "cancel")
ORDERS: Final = tuple(itertools.permutations(RIVALS))
SOON_SECONDS: Final = 1
LATER_SECONDS: Final = 4
"""For orders in which something comes before the deadline."""
AROUND_MS: Final = (-150, 50)
PAUSE_SECONDS: Final = 0.02
STATES: Final = {
    request_pb2.REQUEST_STATE_ANSWERED: "answered",
    request_pb2.REQUEST_STATE_EXPIRED: "expired",
    request_pb2.REQUEST_STATE_CANCELLED: "cancelled",
}


class Verdict(NamedTuple):
    """How a question ended for somebody, and the answer that counts or is kept."""

    state: str
    text: str


class Race:
    """One question and what races for it.

    Args:
        order: of the rivals.
        ann: answers, and is an extended device.
        phone: a frozen device.
        json: an app with JSON envelopes.
        agent: asks and cancels.
        by_json: the second answer comes from the app, not from the frozen device.
        turn: of the frozen device, which has no refs to tell answers apart.
    """

    def __init__(
        self,
        order: tuple[str, ...],
        *,
        ann: Device,
        phone: Device,
        json: App,
        agent: Asker,
        by_json: bool,
        turn: asyncio.Lock,
    ) -> None:
        self.order = order
        self.request_id = "-".join(order)
        self._ann = ann
        self._phone = phone
        self._json = json
        self._agent = agent
        self._by_json = by_json
        self._turn = turn
        self._deadline_unix_ms = 0
        self._cancelled: relay_pb2.Outcome | None = None
        self._ack: client_pb2.Ack | None = None

    async def begin(self, timeout_seconds: int) -> None:
        """Ask; returns when every device shows the card and the agent waits."""
        name = self.request_id
        self._agent.begin(name, request_id=name, timeout_seconds=timeout_seconds)
        await self._ann.kept_card(name)
        await self._phone.card(name)
        await self._json.hears("lineup.v1.request", lambda p: p["request_id"] == name)
        self._deadline_unix_ms = (await self._agent.look(name)).deadline_unix_ms

    async def one_after_the_other(self) -> None:
        """Each rival waits until the one before has been decided."""
        await self.begin(SOON_SECONDS if self.order[0] == "deadline" else LATER_SECONDS)
        for rival in self.order:
            await self._do(rival)

    async def all_at_once(self, chance: random.Random) -> None:
        """Each rival comes at some moment around the deadline."""
        await self.begin(SOON_SECONDS)
        async with asyncio.TaskGroup() as tasks:
            for rival in self.order:
                moment = self._deadline_unix_ms + chance.randrange(*AROUND_MS)
                tasks.create_task(self._do_at(rival, moment))

    async def _do_at(self, rival: str, unix_ms: int) -> None:
        await until(unix_ms)
        await self._do(rival)

    async def _do(self, rival: str) -> None:
        match rival:
            case "ann":
                self._ack = await self._ann.answer_and_ack(self.request_id, "ann's")
            case "other" if self._by_json:
                await self._json.answer(self.request_id, "other's")
            case "other":
                async with self._turn:
                    await self._phone.answer(self.request_id, "other's")
                    await self._phone.pending()
            case "deadline":
                await until(self._deadline_unix_ms)
                await self._looks(lambda o: o.state != request_pb2.REQUEST_STATE_PENDING)
            case "cancel":
                self._cancelled = await self._agent.cancel(self.request_id)

    async def _looks(self, wanted: Callable[[relay_pb2.Outcome], bool]) -> relay_pb2.Outcome:
        """Ask the relay how it stands until that is wanted."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not wanted(outcome := await self._agent.look(self.request_id)):  # noqa: ASYNC110
                await asyncio.sleep(PAUSE_SECONDS)
        return outcome

    async def verdicts(self, log: list[websocket_pb2.WebsocketMessage]) -> dict[str, Verdict]:
        """How it ended, for everybody who saw it."""
        final = await self._looks(lambda o: bool(o.contents))
        await self._ann.settled()
        await self._json.settled()
        async with self._turn:
            await self._phone.pending()
        return {
            "relay": of_outcome(final),
            "agent": of_outcome(self._agent.told[self.request_id][-1]),
            "ann": self._of_ann(),
            "log": of_log(self.request_id, log),
            "phone": self._of_phone(of_outcome(final).state),
            "json": self._of_json(),
        }

    def agent_never_heard_otherwise(self, verdict: Verdict) -> None:
        """Whatever the agent was told, by whichever way, was the same end."""
        told = self._agent.told[self.request_id]
        assert {of_outcome(outcome).state for outcome in told} == {verdict.state}
        if self._cancelled is not None and verdict.state != "answered":
            assert of_outcome(self._cancelled).state == verdict.state

    def _of_ann(self) -> Verdict:
        """Its own answer it knows by the Ack, another's by the notification."""
        told = of_log(self.request_id, self._ann.received)
        assert self._ack is not None
        if not self._ack.accepted:
            assert self._ack.code == error_pb2.ERROR_CODE_ALREADY_ANSWERED
            return told
        assert not told.text
        late = self._ack.code == error_pb2.ERROR_CODE_KEPT_LATE
        assert late == (told.state in ("expired", "cancelled"))
        return Verdict(told.state or "answered", "ann's")

    def _of_phone(self, state: str) -> Verdict:
        """It is told that a card is gone, not why; and who answered, unless it was itself."""
        gone = [
            m
            for m in self._phone.received
            if m.RequestCancelledNotification.request_id == self.request_id
        ]
        assert len(gone) == (state != "answered")
        told = of_log(self.request_id, self._phone.received)
        return Verdict(state, told.text or "other's")

    def _of_json(self) -> Verdict:
        states = [
            payload
            for kind, payload in self._json.received
            if kind == "lineup.v1.request.state"
            and payload["request_id"] == self.request_id
            and payload["state"] != "pending"
        ]
        texts = {payload["reply"]["message"] for payload in states if "reply" in payload}
        ends = {payload["state"] for payload in states} or {"answered"}
        assert len(ends) == 1
        assert len(texts) <= 1
        return Verdict(ends.pop(), texts.pop() if texts else "other's")


def of_outcome(outcome: relay_pb2.Outcome) -> Verdict:
    """How an outcome says it ended."""
    text = "".join(content.text.text for content in outcome.contents)
    return Verdict(STATES.get(outcome.state, "?"), text)


def of_log(request_id: str, messages: Iterable[websocket_pb2.WebsocketMessage]) -> Verdict:
    """How messages say it ended; empty where they say nothing."""
    ends, texts = set(), set()
    for message in messages:
        if message.request_state.request_id == request_id:
            ends.add(STATES.get(message.request_state.state, ""))
        replied = message.Cmd == "AskQuestionReplyNotification"
        if replied and request_id == message.AskQuestionRequest.ID:
            texts.add(text_of(message.AskQuestionResponse))
    ends -= {""}
    assert len(ends) <= 1
    assert len(texts) <= 1
    text = texts.pop() if texts else ""
    return Verdict(ends.pop() if ends else ("answered" if text else ""), text)


def expected(order: tuple[str, ...]) -> Verdict:
    """The first of all ends it; the first answer counts or is kept."""
    state = {"deadline": "expired", "cancel": "cancelled"}.get(order[0], "answered")
    return Verdict(state, next(f"{rival}'s" for rival in order if rival in ("ann", "other")))


@pytest.mark.requirement("B72", "design:guarantees:one-winner")
@pytest.mark.parametrize("second", ["frozen", "json"])
@pytest.mark.parametrize("how", ["one after the other", "all at once"])
async def test_two_answers_the_deadline_and_a_cancel_have_one_outcome_for_everybody(
    shared: Shared,
    token: str,
    how: str,
    second: str,
    chance: random.Random,
    tell: Callable[[str], None],
) -> None:
    turn = asyncio.Lock()
    async with (
        asker(shared.grpc, token, "one") as agent,
        device(shared.http, token, "Ann") as ann,
        device(shared.http, token, "Phone", extended=False) as phone,
        app(shared.http, token, "Json") as json,
    ):
        races = [
            Race(
                order,
                ann=ann,
                phone=phone,
                json=json,
                agent=agent,
                by_json=second == "json",
                turn=turn,
            )
            for order in ORDERS
        ]
        async with asyncio.TaskGroup() as tasks:
            for race in races:
                tasks.create_task(
                    race.one_after_the_other()
                    if how == "one after the other"
                    else race.all_at_once(chance)
                )
        await agent.idle()
        log = await read_on(ann)
        ends: Counter[Verdict] = Counter()
        for race in races:
            verdicts = await race.verdicts(log)
            assert set(verdicts.values()) == {verdicts["relay"]}, (race.order, verdicts)
            ends[verdicts["relay"]] += 1
            race.agent_never_heard_otherwise(verdicts["relay"])
            if how == "one after the other":
                assert verdicts["relay"] == expected(race.order)
        tell(", ".join(f"{count} {state} with {text}" for (state, text), count in ends.items()))
