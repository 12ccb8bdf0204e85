"""A call as it was right after a fact, and the message that a device is sent later for it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineup_srv.contract.errors import ErrorCode
from lineup_srv.domain.call import CallPhase
from lineup_srv.domain.call_effects import ShowCall, ShowCallUpdate
from lineup_srv.domain.call_facts import CallEnded, CallOpened, CallReceipt, CallReceived
from lineup_srv.domain.fold_calls import changed_call

if TYPE_CHECKING:
    from lineup_srv.domain.call import Call
    from lineup_srv.domain.call_facts import CallFact
    from lineup_srv.domain.effects import Message, To

__all__ = ["call_as_of", "message_of_call"]


def call_as_of(call: Call, fact: CallFact) -> Call:
    """The call right after the fact; what came later may be folded but not committed yet."""
    if isinstance(fact, CallEnded):
        return replace(changed_call(call, fact), kept=None, received=False)
    if isinstance(fact, CallReceived):
        return replace(call, received=True)
    live = replace(
        call,
        phase=CallPhase.OFFERED if call.phase is CallPhase.OFFERED else CallPhase.ACCEPTED,
        by=None,
        code=ErrorCode.UNSPECIFIED,
        message="",
        changed_unix_ms=fact.at_unix_ms,
        result=None,
        kept=None,
        received=False,
    )
    return live if isinstance(fact, CallOpened) else changed_call(live, fact)


def message_of_call(fact: CallFact, call: Call, to: To, seq: int) -> Message | None:
    """What a device is told of a fact about a call; None: it is no business of devices.

    Args:
        fact: the fact.
        call: the call as it stands now.
        to: who asks.
        seq: the fact's number.
    """
    match fact:
        case CallOpened():
            return ShowCall(to, call_as_of(call, fact), seq)
        case CallReceipt() | CallEnded():
            return ShowCallUpdate(to, call_as_of(call, fact), fact.phase, taken=False, seq=seq)
        case CallReceived() if call.action.interactive:
            return ShowCallUpdate(to, call_as_of(call, fact), call.phase, taken=False, seq=seq)
        case _:
            return None
