"""Whom a fact about tools and calls concerns; part of `effects_of`."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from lineup_srv.domain.call_effects import (
    ClearCallTimers,
    ForgetSecret,
    SetCallTimer,
    ShowCall,
    ShowCallUpdate,
    TellCall,
)
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
)
from lineup_srv.domain.call_flow import clients_of
from lineup_srv.domain.call_history import call_as_of, message_of_call
from lineup_srv.domain.effects import Effect, Those

if TYPE_CHECKING:
    from lineup_srv.domain.call import Call, CallResult
    from lineup_srv.domain.state import Room

__all__ = ["effects_of_call"]


def effects_of_call(room: Room, call: Call, fact: CallFact, seq: int) -> tuple[Effect, ...]:
    """What devices and waiting agents are told of a committed fact about `call`."""
    match fact:
        case CallOpened():
            timer = SetCallTimer(call.call_id, fact.deadline_unix_ms)
            if not call.shown_to_all:
                return (timer,)
            return timer, ShowCall(_offering(room, call), call_as_of(call, fact), seq)
        case CallAttached() | CallDeadlineMoved():
            return (SetCallTimer(call.call_id, fact.deadline_unix_ms),)
        case CallGiven():
            return _given(room, call, fact, seq)
        case CallReceipt():
            return (TellCall(call_as_of(call, fact), None),)
        case CallProgressed():
            return (TellCall(call_as_of(call, fact), fact.progress),)
        case CallEnded():
            ended = call_as_of(call, fact)
            told = _told_of_end(room, ended, fact, seq)
            return ClearCallTimers(call.call_id), TellCall(ended, None), *told
        case CallResultKept():
            return _forgotten(fact.result)
        case CallReceived():
            return (*_told_received(room, call, fact, seq), *_forgotten(call.result))
        case _:  # pragma: no cover - mypy proves that nothing is left
            assert_never(fact)


def _given(room: Room, call: Call, fact: CallGiven, seq: int) -> tuple[Effect, ...]:
    """The owner gets the call; who did not take it must not run it any more."""
    given = call_as_of(call, fact)
    show = ShowCall(Those(clients_of(room, fact.owner)), given, call.opened_seq)
    if fact.instead_of is None:
        return (show,)
    before = Those(clients_of(room, fact.instead_of))
    return ShowCallUpdate(before, given, given.phase, taken=True, seq=seq), show


def _told_of_end(room: Room, ended: Call, fact: CallEnded, seq: int) -> tuple[Effect, ...]:
    """All that had the call but the one whose result it is: first who has it, then its end.

    A call that one device runs is news to the others of the room only then, with the call itself.
    """
    if ended.owner is None:
        concerned = _offering(room, ended) if ended.action.interactive else Those(())
    else:
        concerned = Those(clients_of(room, ended.owner))
    shown = _shown_to_others(room, ended, fact, concerned, seq)
    if fact.by is None:
        return ShowCallUpdate(concerned, ended, fact.phase, taken=False, seq=seq), *shown
    others = Those(tuple(c for c in concerned.client_ids if c != fact.by.client_id))
    return (
        ShowCallUpdate(others, ended, fact.phase, taken=True, seq=seq),
        ShowCallUpdate(others, ended, fact.phase, taken=False, seq=seq),
        *shown,
    )


def _shown_to_others(
    room: Room, ended: Call, fact: CallEnded, concerned: Those, seq: int
) -> tuple[Effect, ...]:
    """The call for the devices where people see what happens, but for those that had it."""
    if ended.action.interactive:
        return ()
    had = frozenset(concerned.client_ids)
    members = room.live.members.items()
    others = Those(tuple(c for c, member in members if member.shows_requests and c not in had))
    if not others.client_ids:
        return ()
    return (ShowCallUpdate(others, ended, fact.phase, taken=False, seq=seq, with_call=True),)


def _told_received(room: Room, call: Call, fact: CallReceived, seq: int) -> tuple[Effect, ...]:
    """People see that the agent has their answer."""
    message = message_of_call(fact, call, _offering(room, call), seq)
    return () if message is None else (message,)


def _offering(room: Room, call: Call) -> Those:
    """The devices that offer the call's tool."""
    return Those(tuple(room.live.catalog.providers(call.called.tool)))


def _forgotten(result: CallResult | None) -> tuple[Effect, ...]:
    return (ForgetSecret(result.secret_id),) if result is not None and result.secret_id else ()
