"""Commands on their way from decision to commit, and how a decision is taken back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, assert_never, get_args

from lineup_srv.domain.call_commands import (
    CallDeadlineReached,
    CallWaitOver,
    HangUpCall,
    MatchCalls,
)
from lineup_srv.domain.call_effects import (
    CallHeldBy,
    CallWaits,
    CatalogTouched,
    ClientUsed,
    ToolsGone,
    ToolsOffered,
)
from lineup_srv.domain.commands import (
    Attach,
    DeadlineReached,
    Detach,
    HandOver,
    HangUp,
    LeaseEnded,
    Logout,
    RelayReturned,
    SetWaiting,
)
from lineup_srv.domain.decision import Decision, Resumed
from lineup_srv.domain.effects import (
    NEVER_HERE,
    AgentLeft,
    AgentPresent,
    MemberJoined,
    MemberLeft,
    ShownEarly,
)
from lineup_srv.domain.fold import apply_change
from lineup_srv.service.delivery import resumption

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Sequence

    from lineup_srv.contract.ids import AgentId, ClientId
    from lineup_srv.domain.commands import Command
    from lineup_srv.domain.decision import Result
    from lineup_srv.domain.effects import Change
    from lineup_srv.domain.state import Live
    from lineup_srv.service.delivery import Outgoing

__all__ = ["KEPT", "Entry", "Kept", "take_back", "undo_of"]

Kept = (
    DeadlineReached
    | Detach
    | HandOver
    | HangUp
    | LeaseEnded
    | Logout
    | RelayReturned
    | CallDeadlineReached
    | CallWaitOver
    | HangUpCall
    | MatchCalls
)
KEPT = get_args(Kept)
"""Nobody sends these a second time, so no limit refuses them and a failed one is tried again."""

_UNDECIDED: Final = Decision(facts=(), changes=(), early=(), effects=(), result=None)


@dataclass(slots=True)
class Entry:
    """A command from its decision to its commit.

    Attributes:
        decision: leads to nothing while the room reloads.
        undo: the changes that take the decision's changes back.
    """

    command: Command
    future: asyncio.Future[Result | None]
    decision: Decision = _UNDECIDED
    undo: tuple[Change, ...] = ()

    @property
    def effects(self) -> Sequence[Outgoing]:
        """What goes out after the facts; what an agent missed goes to its stream in this order."""
        effects, result = self.decision.effects, self.decision.result
        match self.command:
            case Attach() if isinstance(result, Resumed):
                return [*effects, *resumption(self.command.agent.agent_id, result)]
            case SetWaiting() if isinstance(result, Resumed):
                return [*effects, *resumption(self.command.agent_id, result)]
            case _:
                return effects

    def settle(self, result: Result | None) -> None:
        """Tell the caller, unless it has gone."""
        if not self.future.done():
            self.future.set_result(result)


def undo_of(  # noqa: C901 - one case for each kind
    live: Live, changes: tuple[Change, ...]
) -> tuple[Change, ...]:
    """The changes that will bring `live` back to what it is now, whatever comes between.

    Without them a command that is decided again would meet its own traces: a login would be a
    rename, a waiting list would hold nothing new. That a card was shown cannot be taken back.
    """
    undo: list[Change] = []
    for change in changes:
        match change:
            case MemberJoined():
                undo.append(_member_as_now(live, change.member.author.client_id))
            case MemberLeft():
                undo.append(_member_as_now(live, change.client_id))
            case AgentPresent():
                undo.append(_agent_as_now(live, change.presence.identity.agent_id))
            case AgentLeft():
                undo.append(_agent_as_now(live, change.agent_id))
            case ToolsOffered() | ToolsGone():
                undo.append(_offer_as_now(live, change))
            case CallWaits():
                undo.append(CallWaits(change.call_id, live.call_waits.get(change.call_id)))
            case CallHeldBy():
                undo.append(CallHeldBy(change.call_id, live.holdings.get(change.call_id)))
            case ClientUsed():
                undo.append(ClientUsed(change.client_id, live.used.get(change.client_id, 0)))
            case ShownEarly() | CatalogTouched():
                pass
            case _:  # pragma: no cover - mypy proves that nothing is left
                assert_never(change)
    return tuple(undo)


def take_back(live: Live, entries: Sequence[Entry]) -> None:
    """Bring `live` back to what it was before these were decided, in this order."""
    for entry in reversed(entries):
        for change in entry.undo:
            apply_change(live, change)


def _member_as_now(live: Live, client_id: ClientId) -> Change:
    member = live.members.get(client_id)
    return MemberLeft(client_id) if member is None else MemberJoined(member)


def _offer_as_now(live: Live, change: ToolsOffered | ToolsGone) -> Change:
    tools = tuple(live.catalog.offered_by(change.client_id).values())
    if tools:
        return ToolsOffered(change.client_id, tools, change.at_unix_ms)
    return ToolsGone(change.client_id, change.at_unix_ms)


def _agent_as_now(live: Live, agent_id: AgentId) -> Change:
    presence = live.agents.get(agent_id)
    return AgentLeft(agent_id, NEVER_HERE) if presence is None else AgentPresent(presence)
