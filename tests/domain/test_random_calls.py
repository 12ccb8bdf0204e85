"""Whatever receipts, progress, results and disconnects of two devices, cancels and crashes of the
relay come in whatever order: one result, and nothing that must not run twice runs twice."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lineup_srv.contract.ids import CallId, ClientId
from lineup_srv.domain.call import CallPhase
from lineup_srv.domain.call_commands import CallDeadlineReached
from lineup_srv.domain.call_effects import ShowCall, ShowCallUpdate, TellCall
from lineup_srv.domain.call_facts import CallEnded
from lineup_srv.domain.commands import Logout, RelayReturned
from lineup_srv.domain.effects import Only, Those
from tests.domain.playbook import LAPTOP, PHONE, logs_in
from tests.domain.toolbook import (
    CHOICE,
    LIGHT,
    MAIL,
    NONE,
    ToolPlay,
    accepts,
    announces,
    awaits_call,
    calls,
    cancels_call,
    fails,
    hangs_up_call,
    matches,
    progresses,
    succeeds,
    wait_over,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineup_srv.domain.call import OfferedTool
    from lineup_srv.domain.commands import Command
    from lineup_srv.domain.decision import Decision
    from lineup_srv.domain.people import Author

CALL: Final = CallId("call")
TOOLS: Final = {"mail": (MAIL, "send"), "light": (LIGHT, "on"), "choice": (CHOICE, "choice")}


@dataclass(slots=True)
class Tab:
    """A device as the protocol wants it: it keeps call_id → last update, and runs a call once."""

    who: Author
    here: bool = False
    connections: int = 0
    has: bool = False
    stopped: bool = False


@dataclass(slots=True)
class World:
    """A room, two tabs, and what is decided but not committed."""

    tool: OfferedTool
    action: str
    play: ToolPlay = field(default_factory=ToolPlay)
    tabs: list[Tab] = field(default_factory=lambda: [Tab(PHONE), Tab(LAPTOP)])
    flying: list[Decision] = field(default_factory=list)
    runs: Counter[ClientId] = field(default_factory=Counter)
    results: int = 0
    holder: str = ""

    def submit(self, command: Command) -> None:
        self.flying.append(self.play.decide(command))

    def commit(self) -> None:
        """Everything that flies is on the disk, in order."""
        for decision in self.flying:
            step = self.play.commit(decision)
            for effect in (*step.told, *step.effects):
                match effect:
                    case ShowCall():
                        self._for(effect.to, self._show)
                    case ShowCallUpdate():
                        self._for(effect.to, self._stop)
                    case TellCall() if not effect.call.live:
                        self.results += 1
                    case _:
                        pass
        self.flying.clear()

    def _for(self, to: object, act: Callable[[Tab], None]) -> None:
        assert isinstance(to, Those | Only)
        ids = to.client_ids if isinstance(to, Those) else (to.client_id,)
        for tab in self.tabs:
            if tab.here and tab.who.client_id in ids:
                act(tab)

    def _show(self, tab: Tab) -> None:
        if not tab.has and not tab.stopped:
            tab.has = True
            if not self.tool.definition.operations()[0].interactive:
                self.runs[ClientId(tab.who.nickname)] += 1

    def _stop(self, tab: Tab) -> None:
        tab.stopped = True

    # Steps ---------------------------------------------------------------------------------

    def connect(self, tab: Tab) -> None:
        if not tab.here:
            tab.here, tab.connections = True, tab.connections + 1
            client_id = ClientId(f"{tab.who.nickname}-{tab.connections}")
            tab.who = replace(tab.who, client_id=client_id)
            self.submit(logs_in(tab.who))
        self.submit(announces(tab.who, self.tool))
        self.submit(matches(tab.who))

    def disconnect(self, tab: Tab) -> None:
        if tab.here:
            tab.here = False
            self.submit(Logout(NONE, tab.who.client_id))

    def wait(self) -> None:
        wait = self.play.wait()
        if wait is not None:
            self.play.now = max(self.play.now, wait.until_unix_ms)
            self.submit(wait_over("call", wait))

    def expire(self) -> None:
        call = self.play.room.logged.calls.find(CALL)
        if call is not None:
            self.submit(CallDeadlineReached(NONE, CALL, call.deadline_unix_ms))

    def crash(self) -> None:
        """The relay dies: what was not on the disk never happened, and everybody is gone."""
        self.flying.clear()
        for tab in self.tabs:
            tab.here = False
        self.play.restart()
        self.submit(RelayReturned(NONE, loaded=True))


STEPS: Final = (
    "call",
    "await",
    "hang up",
    "cancel",
    "wait",
    "expire",
    "crash",
    "commit",
    *(
        f"{step} {tab}"
        for step in ("connect", "disconnect", "accept", "progress", "succeed", "fail")
        for tab in (0, 1)
    ),
)


def take(world: World, step: str) -> None:  # noqa: C901 - one case for each kind
    name, _, number = step.rpartition(" ") if step[-1].isdigit() else (step, "", "")
    tab = world.tabs[int(number)] if number else world.tabs[0]
    says: dict[str, Command] = {
        "accept": accepts("call", by=tab.who),
        "progress": progresses("call", 1, by=tab.who),
        "succeed": succeeds("call", by=tab.who, ref=f"ref-of-{tab.who.nickname}-000"),
        "fail": fails("call", by=tab.who),
    }
    match name:
        case "connect":
            world.connect(tab)
        case "disconnect":
            world.disconnect(tab)
        case "call":
            world.submit(calls("call", world.tool, world.action))
        case "await":
            world.submit(awaits_call("call"))
        case "hang up":
            world.submit(hangs_up_call("call", world.play.command_id))
        case "cancel":
            world.submit(cancels_call("call"))
        case "wait":
            world.wait()
        case "expire":
            world.expire()
        case "crash":
            world.crash()
        case "commit":
            world.commit()
        case _:
            world.submit(says[name])


@pytest.mark.requirement("design:calls:runs-once", "design:calls:one-result")
@pytest.mark.parametrize("tool", TOOLS)
@settings(max_examples=400)
@given(steps=st.lists(st.sampled_from(STEPS), max_size=40))
def test_one_result_and_no_second_run(tool: str, steps: list[str]) -> None:
    world = World(*TOOLS[tool])
    for step in ("connect 0", "connect 1", "commit", "call", *steps, "commit"):
        take(world, step)

    ends = [f for f in world.play.log if isinstance(f, CallEnded)]
    assert len(ends) <= 1
    assert world.results == len(ends)
    if tool == "mail":
        assert sum(world.runs.values()) <= 1
    assert all(count <= 1 for count in world.runs.values())
    call = world.play.room.logged.calls.find(CALL)
    assert (call is not None and not call.live) == bool(ends)
    if call is not None and call.phase is CallPhase.SUCCEEDED:
        assert call.by is not None
        if call.owner is not None:
            assert call.by.device_id == call.owner.device_id
    # What is in memory is what a restart finds.
    assert world.play.folded() == world.play.room.logged
