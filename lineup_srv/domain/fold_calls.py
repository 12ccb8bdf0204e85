"""Applies facts about tools and calls; part of `fold`, and like it without decisions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.contract.ids import Ref
from lineup_srv.contract.tools import ToolType
from lineup_srv.domain.call import Call, CallPhase, Instance
from lineup_srv.domain.call_facts import (
    CallAttached,
    CallDeadlineMoved,
    CallEnded,
    CallFact,
    CallGiven,
    CallOpened,
    CallProgressed,
    CallReceipt,
    CallReceived,
    CallResultKept,
    CallStep,
    ToolFact,
    ToolRemembered,
)

if TYPE_CHECKING:
    from lineup_srv.domain.call_book import CallBook

__all__ = ["changed_call", "fold_call", "fold_tool", "opened_call"]

CLOSING_ACTION = "close"
"""What ends an instance (seed 000, 1.2)."""


def fold_tool(book: CallBook, fact: ToolFact) -> None:
    """Apply a fact about the catalog."""
    if isinstance(fact, ToolRemembered):
        book.remember(fact.tool)
    else:
        book.remembered.pop(fact.tool, None)


def fold_call(book: CallBook, fact: CallFact, seq: int) -> None:
    """Apply a fact about a call; one about a call that is no longer kept changes nothing."""
    if isinstance(fact, CallOpened):
        book.put(opened_call(fact, seq))
        book.forget_old(fact.at_unix_ms)
        return
    call = book.by_id.get(fact.call_id)
    if call is None:
        return
    if isinstance(fact, CallAttached):
        book.aliases[fact.alias] = fact.call_id
    call = changed_call(call, fact)
    book.put(call)
    if isinstance(fact, CallEnded):
        _fold_instance(book, call, fact)
        book.forget_old(fact.at_unix_ms)


def _fold_instance(book: CallBook, call: Call, fact: CallEnded) -> None:
    """A call of an app that succeeded may have opened an instance, or closed one."""
    if call.tool_type is not ToolType.APP or fact.phase is not CallPhase.SUCCEEDED:
        return
    if call.called.action == CLOSING_ACTION:
        book.instances.pop(call.called.instance_id, None)
    elif fact.owner is not None and fact.result is not None and fact.result.instance_id:
        book.open_instance(Instance(fact.result.instance_id, call.called.tool, fact.owner))


def opened_call(fact: CallOpened, seq: int) -> Call:
    """The call that a CallOpened fact makes."""
    return Call(
        call_id=fact.call_id,
        aliases=(),
        called=fact.called,
        tool_type=fact.tool_type,
        action=fact.action,
        agent=fact.agent,
        agent_name=fact.agent_name,
        opened_unix_ms=fact.at_unix_ms,
        opened_seq=seq,
        deadline_unix_ms=fact.deadline_unix_ms,
        phase=CallPhase.OFFERED,
        owner=None,
        asked=(),
        progress=None,
        by=None,
        code=ErrorCode.UNSPECIFIED,
        message="",
        changed_unix_ms=fact.at_unix_ms,
        result=None,
        ref=Ref(""),
        kept=None,
        received=False,
    )


def changed_call(call: Call, fact: CallStep) -> Call:
    """The call after the fact."""
    at = fact.at_unix_ms
    match fact:
        case CallAttached():
            return replace(
                call,
                aliases=(*call.aliases, fact.alias),
                agent=fact.agent,
                deadline_unix_ms=fact.deadline_unix_ms,
            )
        case CallGiven():
            asked = call.asked if fact.instead_of is None else (*call.asked, fact.instead_of)
            return replace(call, owner=fact.owner, asked=asked)
        case CallReceipt():
            return replace(call, phase=fact.phase, message=fact.message, changed_unix_ms=at)
        case CallProgressed():
            return replace(call, progress=fact.progress)
        case CallEnded():
            return replace(
                call,
                phase=fact.phase,
                by=fact.by,
                code=fact.code,
                message=fact.message,
                changed_unix_ms=at,
                result=fact.result,
                ref=fact.ref,
            )
        case CallResultKept():
            return replace(call, kept=fact.result)
        case CallDeadlineMoved():
            return replace(call, deadline_unix_ms=fact.deadline_unix_ms)
        case CallReceived():
            return replace(call, received=True)
        case _:  # pragma: no cover - mypy proves that nothing is left
            assert_never(fact)
