"""Tool calls in the conversation that `lineup-srv export` writes; secret answers are not in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineup_srv.domain.call import CallPhase
from lineup_srv.domain.call_facts import CallOpened, CallStep
from lineup_srv.domain.fold_calls import changed_call, opened_call

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineup_srv.contract.ids import CallId
    from lineup_srv.domain.call import Call
    from lineup_srv.domain.contents import ContentRef
    from lineup_srv.logs.sqlite.offline import RoomRecord

__all__ = ["call_entry", "call_paragraphs", "calls_of"]

Entry = dict[str, Any]
_SECRET = "(secret)"


def calls_of(room: RoomRecord) -> dict[CallId, Call]:
    """Every call as its facts say it stands; the room's state may have forgotten it."""
    calls: dict[CallId, Call] = {}
    for line in room.facts:
        fact = line.fact
        if isinstance(fact, CallOpened):
            calls[fact.call_id] = opened_call(fact, line.seq)
        elif isinstance(fact, CallStep) and fact.call_id in calls:
            calls[fact.call_id] = changed_call(calls[fact.call_id], fact)
    return room.logged.calls.by_id | calls


def call_entry(call: Call, text: Callable[[ContentRef], str]) -> Entry:
    """One call; its result as JSON text, or what stands for it. `text` reads a reference."""
    result = ""
    if call.result is not None and call.result.secret_id:
        result = _SECRET
    elif call.result is not None and call.result.json is not None:
        result = text(call.result.json)
    return {
        "type": "tool_call",
        "at_unix_ms": call.opened_unix_ms,
        "call_id": call.call_id,
        "agent": call.agent_name or call.agent.client,
        "agent_id": call.agent.agent_id,
        "project_directory": call.agent.directory,
        "application": call.called.tool.application_id,
        "tool": call.called.tool.name,
        "action": call.called.action,
        "arguments": text(call.called.arguments),
        "state": call.phase.value,
        "reason": call.code.value,
        "message": call.message,
        "by": None if call.by is None else call.by.nickname,
        "result": result,
    }


def call_paragraphs(entry: Entry, when: str) -> list[str]:
    """The entry in Markdown."""
    name = (
        entry["tool"] if entry["action"] == entry["tool"] else f"{entry['tool']}.{entry['action']}"
    )
    by = f" by {entry['by']}" if entry["by"] else ""
    lines = [f"## {when} · {entry['agent'] or 'an agent'} called {name}", ""]
    lines += [f"`{entry['arguments']}`", "", f"**{entry['state'].capitalize()}**{by}"]
    said = [entry["message"], f"`{entry['result']}`" if entry["result"] else ""]
    ended_well = entry["state"] == CallPhase.SUCCEEDED.value
    for words in said if ended_well else said[:1]:
        lines += ["", words] if words else []
    return lines
