"""Who waits for a call: the streams that hold it, and whose call it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineup_srv.domain.call import Call, Holding
from lineup_srv.domain.call_effects import CallHeldBy

if TYPE_CHECKING:
    from lineup_srv.contract.ids import AgentId
    from lineup_srv.domain.call_commands import AwaitCall, CallTool, HangUpCall
    from lineup_srv.domain.decision import Draft
    from lineup_srv.domain.state import Room

__all__ = ["hang_up_call", "hold", "holder_of", "is_own"]


def hold(room: Room, call: Call, command: CallTool | AwaitCall, draft: Draft) -> None:
    """The caller's stream waits for the call until it hangs up."""
    holding = room.live.holdings.get(call.call_id)
    holders = frozenset({command.command_id})
    if holding is not None:
        holders |= holding.holders
    agent_id = command.agent.agent_id
    draft.changes.append(CallHeldBy(call.call_id, Holding(holders, agent_id, 0)))


def hang_up_call(room: Room, command: HangUpCall, draft: Draft) -> None:
    """A stream is over. The call goes on: its bridge may come back."""
    call = room.logged.calls.find(command.call_id)
    holding = None if call is None else room.live.holdings.get(call.call_id)
    if call is None or holding is None or command.holder not in holding.holders:
        return
    rest = holding.holders - {command.holder}
    left = 0 if rest else draft.now_unix_ms
    after = Holding(rest, holding.agent_id, left) if rest or call.live else None
    draft.changes.append(CallHeldBy(call.call_id, after))


def holder_of(room: Room, call: Call) -> AgentId:
    """The agent that waits for the call, or waited last: a replay may come from its successor."""
    holding = room.live.holdings.get(call.call_id)
    return call.agent.agent_id if holding is None else holding.agent_id


def is_own(room: Room, call: Call, agent_id: AgentId) -> bool:
    """Whether the agent called, waited last, or is another bridge of the same session."""
    if agent_id in (call.agent.agent_id, holder_of(room, call)):
        return True
    presence = room.live.agents.get(agent_id)
    return presence is not None and presence.identity.same_agent(call.agent)
